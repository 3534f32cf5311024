// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "kernels/reference/element_data.h"

namespace etalon::kernels {

/// NumPy's rule: axes are aligned at the last, an absent axis counts as 1, an extent of 1 repeats.
/// nullopt if two extents differ and neither is 1.
std::optional<Shape> broadcastShape(const Shape& a, const Shape& b);

/// For every element of `to` in C order, the index of the element of `from` that stands there.
/// `from` broadcasts to `to`.
std::vector<uint64_t> broadcastIndices(const Shape& from, const Shape& to);

}  // namespace etalon::kernels
