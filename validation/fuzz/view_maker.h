// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "isa/state/view_descriptor.h"
#include "validation/fuzz/random.h"

namespace etalon::fuzz {

/// Memory for a tensor.
struct Area {
  uint64_t address = 0, bytes = 0;
  int64_t local = -1;  // offset in the own local memory, if it is there
};

/// A view whose box has the rows and columns and whose tensor lies in the area, if it fits: several axes and box dims, in
/// any order in memory, descending, dilated, shifted partly outside. `repeats`: boxes may meet an element twice.
isa::ViewDescriptor makeView(Random& random, ElementType type, uint64_t rows, uint64_t columns,
                             const Area& area, bool repeats);

/// A view for indexed transfers: box dim 0 counts `indices` and names axis 0, whose elements are boxes of
/// rows * columns / indices elements; the tile has the rows and columns, and rows is a multiple of the indices.
isa::ViewDescriptor makeIndexedView(Random& random, ElementType type, uint64_t indices,
                                    uint64_t rows, uint64_t columns, const Area& area);

}  // namespace etalon::fuzz
