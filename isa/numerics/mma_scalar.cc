// SPDX-License-Identifier: Apache-2.0
// The definition of the tile product. Everything else in mma_*.cc is this, faster.
#include <cmath>
#include <cstring>

#include "isa/base/bits.h"
#include "isa/base/check.h"
#include "isa/numerics/convert.h"
#include "isa/numerics/mma.h"
#include "isa/numerics/mma_exact.h"

namespace etalon::numerics {
namespace {

/// Bits of logical element (r, c).
uint32_t element(const TileRef& tile, uint64_t r, uint64_t c) {
  const uint64_t row = tile.transpose ? c : r;
  const uint64_t column = (tile.transpose ? r : c) * tile.step;
  const auto width = static_cast<uint64_t>(elementInfo(tile.type).bits);
  const std::byte* place = tile.row(row) + column * width / 8;
  if (width == 4) return std::to_integer<uint32_t>(*place) >> (column % 2 * 4) & 15;
  uint32_t bits = 0;
  std::memcpy(&bits, place, width / 8);
  return bits;
}

/// The number that logical element (r, c) denotes.
double number(const TileRef& tile, uint64_t r, uint64_t c) {
  const uint32_t bits = element(tile, r, c);
  if (isInteger(tile.type)) return static_cast<double>(widenToInt(tile.type, bits));
  return widenToFloat(tile.type, bits);
}

/// Element (r, c) of a source times its scale; `k` is the c of A, or the r of B, in logical terms.
double scaled(const MmaSource& source, uint64_t r, uint64_t c, uint64_t k, bool is_b) {
  const double e = number(source.tile, r, c);
  if (!source.scales) return e;
  TileRef scales = *source.scales;
  scales.transpose = source.tile.transpose;
  const uint64_t block = k / scaleBlock(source.tile.type, scales.type);
  const double product = e * (is_b ? number(scales, block, c) : number(scales, r, block));
  return scales.type == ElementType::f32 ? static_cast<double>(static_cast<float>(product))
                                         : product;
}

/// Calls term(column of A, k) for each term of row r in its order.
template <class Term>
void forEachTerm(const MmaSource& a, uint64_t r, Term term) {
  for (uint64_t t = 0; t < a.tile.columns(); ++t) {
    if (!a.metadata) {
      term(t, t);
      continue;
    }
    const uint32_t positions = element(*a.metadata, r, t / 2);
    term(t, t / 2 * 4 + (t % 2 == 0 ? positions & 3 : positions >> 2));
  }
}

uint32_t integerElement(const MmaSource& a, const MmaSource& b, uint64_t m, uint64_t n,
                        uint32_t acc) {
  forEachTerm(a, m, [&](uint64_t t, uint64_t k) {
    if (k >= b.tile.rows()) return;
    acc += static_cast<uint32_t>(widenToInt(a.tile.type, element(a.tile, m, t)) *
                                 widenToInt(b.tile.type, element(b.tile, k, n)));
  });
  return acc;
}

uint32_t floatElement(const MmaSource& a, const MmaSource& b, uint64_t m, uint64_t n,
                      uint32_t start) {
  auto acc = std::bit_cast<float>(start);
  forEachTerm(a, m, [&](uint64_t t, uint64_t k) {
    const double y = k < b.tile.rows() ? scaled(b, k, n, k, true) : 0.0;
    acc = fmaToF32(scaled(a, m, t, k, false), y, acc);
  });
  return std::isnan(acc) ? kNanF32 : std::bit_cast<uint32_t>(acc);
}

}  // namespace

void multiplyAccumulateScalar(const MmaSource& a, const MmaSource& b, const TileRef& acc,
                              bool accumulate) {
  const bool is_scaled = a.scales.has_value() || b.scales.has_value();
  ETALON_CHECK(accumulatorType(a.tile.type, b.tile.type, is_scaled) == acc.type,
               "not a matrix type pair");
  if (acc.empty() || (accumulate && b.tile.rows() == 0)) return;
  for (uint64_t m = 0; m < acc.rows(); ++m) {
    for (uint64_t n = 0; n < acc.columns(); ++n) {
      std::byte* place = acc.row(m) + n * sizeof(uint32_t);
      const uint32_t start = accumulate ? loadBytes<uint32_t>(place) : 0;
      storeBytes(place, acc.type == ElementType::i32 ? integerElement(a, b, m, n, start)
                                                     : floatElement(a, b, m, n, start));
    }
  }
}

}  // namespace etalon::numerics
