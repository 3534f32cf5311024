// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sim/functional/coverage/scene.h"

namespace etalon::sim::coverage {

/// Ways a tensor of rows x columns can be seen; `repeats`: also those that meet an element more than
/// once, which no plain store may.
///   matrix column-major      two axes, the last or the first contiguous
///   flipped negative-stride  descending coordinates, descending addresses
///   dilated                  steps 2 and 3
///   windows                  two box dims an axis that tile it
///   many                     six axes, eight box dims; the last axis has no box dim
///   rows-only columns-only   ncol 0 and ncol = nbox
///   overlapping repeat none  windows that share elements, step 0, no axis at all (`repeats`)
std::vector<std::string> viewShapes(bool repeats);

/// Where the box lies on its axes: inside, before, past, around, outside, and dims of 0.
const std::vector<std::string>& viewBounds();

/// Makes call.view: a box of rows x columns of the kind, its tensor in fresh memory. Fills the
/// tensor's elements.
void placeView(Scene& scene, ElementType type, uint64_t rows, uint64_t columns,
               const std::string& shape, const std::string& bounds, bool local,
               const std::string& values);

/// For gather and scatter: box dims and axes are in call.view; sets dims and origins so that each
/// axis spans its box (and `least` elements on the named axis), then strides, base and elements. Of
/// 4-bit types the axis of the last box dim is mostly packed, two elements to a byte, where it can be.
void placeTensor(Scene& scene, std::vector<unsigned> contiguous_last, bool descending,
                 const std::string& bounds, bool local, const std::string& values,
                 unsigned named = ~0u, uint64_t least = 0);

}  // namespace etalon::sim::coverage
