// SPDX-License-Identifier: Apache-2.0
// The definition of the tile product. Everything else in mma_*.cc is this, faster.
#include <cmath>
#include <cstring>

#include "isa/base/check.h"
#include "isa/numerics/convert.h"
#include "isa/numerics/mma.h"

namespace etalon::numerics {
namespace {

/// Bits of logical element (r, c).
uint32_t element(const TileRef& tile, uint64_t r, uint64_t c) {
  const uint64_t row = tile.transpose ? c : r;
  const uint64_t column = tile.transpose ? r : c;
  const size_t bytes = static_cast<size_t>(elementInfo(tile.type).bits) / 8;
  uint32_t bits = 0;
  std::memcpy(&bits, tile.row(row) + column * bytes, bytes);
  return bits;
}

uint32_t integerElement(const TileRef& a, const TileRef& b, uint64_t m, uint64_t n, uint32_t acc) {
  for (uint64_t k = 0; k < a.columns(); ++k) {
    acc += static_cast<uint32_t>(widenToInt(a.type, element(a, m, k)) *
                                 widenToInt(b.type, element(b, k, n)));
  }
  return acc;
}

uint32_t floatElement(const TileRef& a, const TileRef& b, uint64_t m, uint64_t n, uint32_t start) {
  float acc;
  std::memcpy(&acc, &start, sizeof acc);
  for (uint64_t k = 0; k < a.columns(); ++k) {
    acc = std::fma(widenToFloat(a.type, element(a, m, k)), widenToFloat(b.type, element(b, k, n)),
                   acc);
  }
  if (std::isnan(acc)) return kNanF32;
  uint32_t bits;
  std::memcpy(&bits, &acc, sizeof bits);
  return bits;
}

}  // namespace

void multiplyAccumulateScalar(const TileRef& a, const TileRef& b, const TileRef& acc,
                              bool accumulate) {
  ETALON_CHECK(accumulatorType(a.type, b.type) == acc.type, "not a matrix type pair");
  if (acc.empty() || (accumulate && a.columns() == 0)) return;
  for (uint64_t m = 0; m < acc.rows(); ++m) {
    for (uint64_t n = 0; n < acc.columns(); ++n) {
      std::byte* place = acc.row(m) + n * sizeof(uint32_t);
      uint32_t value = 0;
      if (accumulate) std::memcpy(&value, place, sizeof value);
      value = acc.type == ElementType::i32 ? integerElement(a, b, m, n, value)
                                           : floatElement(a, b, m, n, value);
      std::memcpy(place, &value, sizeof value);
    }
  }
}

}  // namespace etalon::numerics
