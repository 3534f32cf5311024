// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "isa/element_type.h"

namespace etalon::numerics {

/// A tile in host memory. Stored row r, column c stands at
///   data + (r / inner) * ostride + (r % inner) * istride + c * step * size   (bytes; 4-bit types: half a byte a column),
/// with outer * inner stored rows of cols columns. Strides of 0 repeat rows, step 0 repeats a column.
/// `transpose` (matrix sources only): logical element (r, c) is stored element (c, r).
/// The caller has checked bounds and aliasing; `data` need not be aligned on the host.
struct TileRef {
  std::byte* data = nullptr;
  ElementType type = ElementType::f32;
  uint32_t outer = 0;
  uint32_t inner = 0;
  uint32_t cols = 0;
  uint32_t ostride = 0;
  uint32_t istride = 0;
  uint8_t step = 1;
  bool transpose = false;

  uint64_t storedRows() const { return uint64_t{outer} * inner; }
  uint64_t rows() const { return transpose ? cols : storedRows(); }
  uint64_t columns() const { return transpose ? storedRows() : cols; }
  bool empty() const { return storedRows() == 0 || cols == 0; }

  /// First byte of stored row r.
  std::byte* row(uint64_t r) const {
    return data + (r / inner) * ostride + (r % inner) * uint64_t{istride};
  }
};

}  // namespace etalon::numerics
