// SPDX-License-Identifier: Apache-2.0
#include "isa/numerics/move.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "isa/base/bits.h"
#include "isa/base/check.h"
#include "isa/numerics/convert.h"
#include "isa/numerics/nibbles.h"

namespace etalon::numerics {
namespace {

bool isFourBit(const TileRef& tile) { return elementInfo(tile.type).bits == 4; }

size_t elementBytes(const TileRef& tile) {
  const int bits = elementInfo(tile.type).bits;
  ETALON_CHECK(bits >= 8, "movement by index takes types of 8 bits and more");
  return static_cast<size_t>(bits) / 8;
}

uint64_t pitch(const TileRef& tile) { return uint64_t{tile.step} * elementBytes(tile); }

uint64_t loadElement(const std::byte* from, size_t bytes) {
  uint64_t value = 0;
  std::memcpy(&value, from, bytes);
  return value;
}

int64_t indexAt(const TileRef& index, uint64_t r, uint64_t c) {
  return widenToInt(index.type, loadElement(index.row(r) + c * pitch(index), elementBytes(index)));
}

/// Index as a position below `limit`, or `limit` if outside.
uint64_t position(int64_t index, uint64_t limit) {
  return index >= 0 && static_cast<uint64_t>(index) < limit ? static_cast<uint64_t>(index) : limit;
}

float iotaFloat(uint64_t r, uint64_t c, float start, float row_step, float column_step) {
  float value = start;
  if (row_step != 0) value = std::fma(static_cast<float>(r), row_step, value);
  if (column_step != 0) value = std::fma(static_cast<float>(c), column_step, value);
  const bool arithmetic = row_step != 0 || column_step != 0;
  return arithmetic && value != value ? std::bit_cast<float>(kNanF32) : value;
}

}  // namespace

void copyTile(const TileRef& a, const TileRef& td) {
  if (isFourBit(td)) {
    const NibbleMover mover(nullptr, a.type, td.type, {});
    for (uint64_t r = 0; r < td.storedRows(); ++r)
      mover.run({a.row(r), 1}, {td.row(r), 1}, td.cols);
    return;
  }
  const size_t bytes = elementBytes(td);
  for (uint64_t r = 0; r < td.storedRows(); ++r)
    copyRun(bytes, a.row(r), static_cast<ptrdiff_t>(pitch(a)), td.row(r),
            static_cast<ptrdiff_t>(pitch(td)), td.cols);
}

void transposeTile(const TileRef& a, const TileRef& td) {
  if (isFourBit(td)) {
    for (uint64_t r = 0; r < td.storedRows(); ++r)
      for (uint64_t c = 0; c < td.cols; ++c) appendNibble(td.row(r), c, loadNibble(a.row(c), r));
    return;
  }
  // Blocks of inner x 64, so that a column walk through a touches each line of a few times while it
  // is cached.
  constexpr uint64_t kColumns = 64;
  const size_t bytes = elementBytes(td);
  for (uint64_t first = 0; first < a.cols; first += kColumns) {
    const uint64_t last = std::min<uint64_t>(first + kColumns, a.cols);
    for (uint64_t outer = 0; outer < a.outer; ++outer)
      for (uint64_t column = first; column < last; ++column) {
        const std::byte* from = a.row(outer * a.inner) + column * pitch(a);
        std::byte* to = td.row(column) + outer * a.inner * pitch(td);
        copyRun(bytes, from, static_cast<ptrdiff_t>(a.istride), to,
                static_cast<ptrdiff_t>(pitch(td)), a.inner);
      }
  }
}

void iotaTile(const TileRef& td, uint64_t start, uint64_t row_step, uint64_t column_step) {
  const bool four_bit = isFourBit(td);
  const size_t bytes = four_bit ? 0 : elementBytes(td);
  const auto scalar = [](uint64_t x) { return std::bit_cast<float>(static_cast<uint32_t>(x)); };
  for (uint64_t r = 0; r < td.storedRows(); ++r) {
    std::byte* to = td.row(r);
    for (uint64_t c = 0; c < td.cols; ++c) {
      uint64_t value = start + r * row_step + c * column_step;
      if (!isInteger(td.type)) {
        const float f = iotaFloat(r, c, scalar(start), scalar(row_step), scalar(column_step));
        value = std::bit_cast<uint32_t>(f);
        if (td.type != ElementType::f32)
          value = roundFromFloat(td.type, f, Rounding::NearestEven, false);
      }
      if (four_bit)
        appendNibble(to, c, static_cast<uint32_t>(value));
      else
        std::memcpy(to + c * pitch(td), &value, bytes);
    }
  }
}

void gatherColumns(const TileRef& a, const TileRef& index, const TileRef& td) {
  const size_t bytes = elementBytes(td);
  for (uint64_t r = 0; r < td.storedRows(); ++r)
    for (uint64_t c = 0; c < td.cols; ++c) {
      const uint64_t at = position(indexAt(index, r, c), a.cols);
      const uint64_t value = at == a.cols ? 0 : loadElement(a.row(r) + at * pitch(a), bytes);
      std::memcpy(td.row(r) + c * pitch(td), &value, bytes);
    }
}

void scatterColumns(const TileRef& a, const TileRef& index, const TileRef& td) {
  const size_t bytes = elementBytes(td);
  for (uint64_t r = 0; r < a.storedRows(); ++r)
    for (uint64_t c = 0; c < a.cols; ++c) {
      const uint64_t at = position(indexAt(index, r, c), td.cols);
      if (at != td.cols) std::memcpy(td.row(r) + at * pitch(td), a.row(r) + c * pitch(a), bytes);
    }
}

void permuteRows(const TileRef& a, const TileRef& index, const TileRef& td) {
  const size_t bytes = elementBytes(td);
  static constexpr uint64_t kZero = 0;
  for (uint64_t r = 0; r < td.storedRows(); ++r) {
    const uint64_t at = position(indexAt(index, r, 0), a.storedRows());
    const bool outside = at == a.storedRows();
    const std::byte* from = outside ? reinterpret_cast<const std::byte*>(&kZero) : a.row(at);
    copyRun(bytes, from, outside ? 0 : static_cast<ptrdiff_t>(pitch(a)), td.row(r),
            static_cast<ptrdiff_t>(pitch(td)), td.cols);
  }
}

}  // namespace etalon::numerics
