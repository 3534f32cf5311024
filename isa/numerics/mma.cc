// SPDX-License-Identifier: Apache-2.0
// What the tile product takes, and its trivial cases; mma_blocks.cc does the work.
#include "isa/numerics/mma.h"

#include <cstring>

#include "isa/base/check.h"
#include "isa/numerics/mma_blocks.h"

namespace etalon::numerics {
namespace {

void setToZero(const TileRef& acc) {
  for (uint64_t r = 0; r < acc.rows(); ++r) {
    std::memset(acc.row(r), 0, acc.columns() * sizeof(uint32_t));
  }
}

bool isRowByRow(const TileRef& tile) {
  return !tile.transpose && (tile.step == 1 || tile.cols <= 1);
}

/// What has a scale each `length` of `n`.
uint64_t blocksOf(uint64_t n, uint64_t length) { return (n + length - 1) / length; }

void checkScales(const MmaSource& source, uint64_t k, bool k_in_columns) {
  if (!source.scales) return;
  const uint32_t length = scaleBlock(source.tile.type, source.scales->type);
  ETALON_CHECK(length != 0, "no scales of this type");
  const TileRef& t = source.tile;
  const uint64_t rows = k_in_columns ? t.storedRows() : blocksOf(k, length);
  const uint64_t columns = k_in_columns ? blocksOf(k, length) : t.cols;
  ETALON_CHECK(!source.scales->transpose && source.scales->step <= 1 &&
                   source.scales->storedRows() == rows && source.scales->cols == columns,
               "scales do not fit");
}

void checkOperands(const MmaSource& a, const MmaSource& b, const TileRef& acc) {
  const bool scaled = a.scales.has_value() || b.scales.has_value();
  ETALON_CHECK(accumulatorType(a.tile.type, b.tile.type, scaled) == acc.type,
               "not a matrix type pair");
  ETALON_CHECK(isRowByRow(acc), "accumulator not row by row");
  for (const TileRef& t : {a.tile, b.tile}) {
    ETALON_CHECK(t.step == 1 || t.cols <= 1, "matrix sources have column step 1");
  }
  const uint64_t m = acc.rows(), n = acc.columns(), k = b.tile.rows();
  const uint64_t a_columns = a.metadata ? 2 * blocksOf(k, 4) : k;
  ETALON_CHECK(m == a.tile.rows() && n == b.tile.columns() && a.tile.columns() == a_columns,
               "shapes do not fit");
  checkScales(a, k, !a.tile.transpose);
  checkScales(b, k, b.tile.transpose);
  ETALON_CHECK(!b.metadata, "only A is sparse");
  if (!a.metadata) return;
  const TileRef& metadata = *a.metadata;
  ETALON_CHECK(!a.tile.transpose && isRowByRow(metadata) && metadata.type == ElementType::u4 &&
                   metadata.rows() == m && metadata.columns() == blocksOf(k, 4),
               "metadata do not fit");
}

}  // namespace

MmaScratch::MmaScratch() : panels_(std::make_unique_for_overwrite<Panels>()) {}
MmaScratch::~MmaScratch() = default;
MmaScratch::MmaScratch(MmaScratch&&) noexcept = default;
MmaScratch& MmaScratch::operator=(MmaScratch&&) noexcept = default;

std::optional<ElementType> accumulatorType(ElementType a, ElementType b, bool scaled) {
  using enum ElementType;
  const auto isNarrow = [](ElementType t) { return t == f4e2m1 || t == f8e4m3 || t == f8e5m2; };
  const auto isNibble = [](ElementType t) { return t == i4 || t == u4; };
  const auto isByte = [&](ElementType t) { return isNibble(t) || t == i8 || t == u8; };
  if (isByte(a) && isByte(b)) return scaled ? f32 : i32;
  if (isNarrow(a) && isNarrow(b)) return f32;
  if ((a == bf16 && isNibble(b)) || (isNibble(a) && b == bf16)) return f32;
  const bool wide = a == f16 || a == bf16 || a == f32;
  if (wide && a == b) return f32;
  return std::nullopt;
}

uint32_t scaleBlock(ElementType element, ElementType scale) {
  using enum ElementType;
  const bool is_f8 = element == f8e4m3 || element == f8e5m2;
  const bool is_integer = element == i4 || element == u4 || element == i8 || element == u8;
  if (scale == e8m0 && (is_f8 || element == f4e2m1)) return 32;
  if (scale == f8e4m3 && element == f4e2m1) return 16;
  if (scale == f32 && (is_f8 || is_integer)) return 128;
  return 0;
}

void multiplyAccumulate(const MmaSource& a, const MmaSource& b, const TileRef& acc, bool accumulate,
                        const MmaKernels& kernels, MmaScratch* scratch) {
  checkOperands(a, b, acc);
  if (acc.empty()) return;
  if (b.tile.rows() == 0) {
    if (!accumulate) setToZero(acc);
    return;
  }
  std::optional<MmaScratch> own;
  if (scratch == nullptr) scratch = &own.emplace();
  BlockedProduct(a, b, acc, accumulate, kernels, scratch->panels()).run();
}

}  // namespace etalon::numerics
