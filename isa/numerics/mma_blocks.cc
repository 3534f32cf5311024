// SPDX-License-Identifier: Apache-2.0
#include "isa/numerics/mma_blocks.h"

#include <algorithm>
#include <array>
#include <vector>

#include "isa/numerics/mma_exact.h"
#include "isa/numerics/mma_expand.h"

namespace etalon::numerics {
namespace {

constexpr size_t kMaxBlockK = kMmaBlockUnits * kMmaMaxKPerUnit;
static_assert(kMmaBlockRows <= kMaxBlockK && kMmaBlockColumns <= kMaxBlockK);

/// Elements of k in a group of a sparse A.
constexpr size_t kGroup = 4;
static_assert(kMmaBlockUnits % kGroup == 0, "a group may not straddle two blocks");

/// Row pointers of a block; rows stand at two strides, so they are walked rather than divided out.
class RowPointers {
 public:
  RowPointers(const TileRef& tile, uint64_t first, size_t count, uint64_t column) {
    const uint64_t offset = column * static_cast<uint64_t>(elementInfo(tile.type).bits) / 8;
    uint64_t outer = first / tile.inner;
    uint64_t inner = first % tile.inner;
    for (size_t i = 0; i < count; ++i) {
      rows_[i] = tile.data + outer * tile.ostride + inner * tile.istride + offset;
      if (++inner == tile.inner) {
        inner = 0;
        ++outer;
      }
    }
  }
  /// Rows of an array.
  RowPointers(std::byte* first, size_t count, size_t stride) {
    for (size_t i = 0; i < count; ++i) rows_[i] = first + i * stride;
  }
  std::byte* const* data() const { return rows_.data(); }

 private:
  std::array<std::byte*, kMaxBlockK> rows_;
};

constexpr size_t wholeGroups(size_t k) { return (k + kGroup - 1) / kGroup * kGroup; }

}  // namespace

BlockedProduct::BlockedProduct(const MmaSource& a, const MmaSource& b, const TileRef& acc,
                               bool accumulate, const MmaKernels& kernels,
                               MmaScratch::Panels& panels)
    : acc_(acc),
      accumulate_(accumulate),
      integers_(acc.type == ElementType::i32),
      sparse_(a.metadata.has_value()),
      path_(integers_ ? *kernels.integers : *kernels.floats),
      panels_(panels),
      a_(side(a, false)),
      b_(side(b, true)) {}

BlockedProduct::Side BlockedProduct::side(const MmaSource& source, bool is_b) const {
  const ElementInfo& info = elementInfo(source.tile.type);
  const bool changes =
      info.bits < 8 || source.scales || (isInteger(source.tile.type) && !integers_);
  const ElementType packed = !changes    ? source.tile.type
                             : integers_ ? byteType(source.tile.type)
                                         : ElementType::f32;
  return {source, is_b, is_b == source.tile.transpose, changes, packed};
}

void BlockedProduct::run() {
  const uint64_t m = acc_.rows(), n = acc_.columns(), k = b_.source.tile.rows();
  // Positions in a block of a sparse A are bytes.
  const size_t block_k = kMmaBlockUnits * (sparse_ ? 1 : path_.k_per_unit);
  // k outside: between its blocks the partial sums rest in acc, as f32 or i32, so nothing is lost.
  for (uint64_t k0 = 0; k0 < k; k0 += block_k) {
    const Range ks{k0, std::min<uint64_t>(block_k, k - k0)};
    for (uint64_t n0 = 0; n0 < n; n0 += kMmaBlockColumns) {
      const Range ns{n0, std::min<uint64_t>(kMmaBlockColumns, n - n0)};
      const bool b_fits = pack(b_, ks, ns, a_);
      for (uint64_t m0 = 0; m0 < m; m0 += kMmaBlockRows) {
        multiplyBlock({m0, std::min<uint64_t>(kMmaBlockRows, m - m0)}, ns, ks, b_fits);
      }
    }
  }
}

/// False if the panel was not packed because an element may be no f32.
bool BlockedProduct::pack(const Side& side, const Range& k, const Range& across,
                          const Side& other) {
  const TileRef& tile = side.source.tile;
  const Range rows = side.k_in_columns ? across : k, columns = side.k_in_columns ? k : across;
  // A sparse A may point past the last k, where B reads as zero.
  const bool pads = side.is_b && sparse_ && !integers_ && k.count % kGroup != 0;
  if (!side.expands && !pads) {
    packRows(side, other, RowPointers(tile, rows.first, rows.count, columns.first).data(),
             rows.count, columns.count);
    return true;
  }
  const size_t k_count = pads ? wholeGroups(k.count) : k.count;
  const size_t row_count = side.k_in_columns ? across.count : k_count;
  const size_t column_count = side.k_in_columns ? k_count : across.count;
  const StoredBlock block{rows.first, columns.first, rows.count, columns.count};
  size_t row_bytes = column_count;
  if (integers_) {
    expandBytes(tile, block, panels_.expanded, column_count);
  } else {
    row_bytes *= sizeof(float);
    auto* out = reinterpret_cast<float*>(panels_.expanded);
    if (pads) std::fill_n(out, row_count * column_count, 0.0f);
    if (!expandFloats(side.source, side.k_in_columns, block, out, column_count)) return false;
  }
  Side expanded = side;
  if (!integers_) expanded.packed = ElementType::f32;
  packRows(expanded, other, RowPointers(panels_.expanded, row_count, row_bytes).data(), row_count,
           column_count);
  return true;
}

void BlockedProduct::packRows(const Side& side, const Side& other, std::byte* const* rows,
                              size_t row_count, size_t columns) {
  const auto packer = side.is_b ? path_.pack_b : path_.pack_a;
  packer({.rows = rows,
          .row_count = row_count,
          .columns = columns,
          .type = side.packed,
          .other = other.packed,
          .transposed = side.source.tile.transpose,
          .out = side.is_b ? panels_.b : panels_.a,
          .start = side.is_b ? nullptr : panels_.start});
}

void BlockedProduct::multiplyBlock(const Range& m, const Range& n, const Range& k, bool b_fits) {
  const RowPointers rows(acc_, m.first, m.count, n.first);
  MmaBlock block{.a = panels_.a,
                 .b = panels_.b,
                 .acc = rows.data(),
                 .start = panels_.start,
                 .m = m.count,
                 .n = n.count,
                 .units = (k.count + path_.k_per_unit - 1) / path_.k_per_unit,
                 .a_type = a_.packed,
                 .a_transposed = a_.source.tile.transpose,
                 .accumulate = accumulate_ || k.first > 0};
  if (sparse_) {
    expandPositions(*a_.source.metadata, m.first, m.count, k.first / kGroup,
                    wholeGroups(k.count) / kGroup, panels_.positions, kMmaBlockUnits);
    if (integers_) return multiplySparseIntegers(block, m, k);
    return multiplySparseFloats(block, m, n, k, b_fits);
  }
  if (!b_fits || !pack(a_, k, m, b_)) return multiplyExactly(block, m, n, k);
  path_.multiply(block);
}

void BlockedProduct::multiplySparseFloats(MmaBlock& block, const Range& m, const Range& n,
                                          const Range& k, bool b_fits) {
  block.terms = wholeGroups(k.count) / 2;
  block.units = wholeGroups(k.count);
  block.positions = panels_.positions;
  const StoredBlock terms{m.first, k.first / 2, m.count, block.terms};
  if (!b_fits ||
      !expandFloats(a_.source, true, terms, reinterpret_cast<float*>(panels_.a), kMmaBlockUnits)) {
    return multiplyExactly(block, m, n, k);
  }
  path_.multiply_sparse(block);
}

/// A as a dense block; where both terms of a group stand at one place, the second ones as another.
void BlockedProduct::multiplySparseIntegers(MmaBlock& block, const Range& m, const Range& k) {
  const size_t groups = wholeGroups(k.count) / kGroup;
  expandBytes(a_.source.tile, {m.first, k.first / 2, m.count, 2 * groups}, panels_.terms,
              kMmaBlockUnits);
  const SparseBytes sparse{panels_.terms, panels_.positions, kMmaBlockUnits, m.count, groups,
                           k.count};
  const RowPointers rows(panels_.expanded, m.count, k.count);
  const auto multiply = [&](bool second) {
    const bool any_second = expandSparseBytes(sparse, second, panels_.expanded);
    packRows(a_, b_, rows.data(), m.count, k.count);
    path_.multiply(block);
    block.accumulate = true;
    return any_second;
  };
  if (multiply(false)) multiply(true);
}

void BlockedProduct::multiplyExactly(const MmaBlock& block, const Range& m, const Range& n,
                                     const Range& k) {
  const size_t a_k = sparse_ ? block.terms : k.count, b_k = sparse_ ? block.units : k.count;
  std::vector<double> a(m.count * a_k), b(n.count * b_k);
  const bool a_rows = a_.k_in_columns, b_rows = b_.k_in_columns;
  const uint64_t a_first = sparse_ ? k.first / 2 : k.first;
  const StoredBlock a_block = a_rows ? StoredBlock{m.first, a_first, m.count, a_k}
                                     : StoredBlock{a_first, m.first, a_k, m.count};
  const StoredBlock b_block = b_rows ? StoredBlock{n.first, k.first, n.count, k.count}
                                     : StoredBlock{k.first, n.first, k.count, n.count};
  expandDoubles(a_.source, a_rows, a_block, a.data(), a_block.columns);
  expandDoubles(b_.source, b_rows, b_block, b.data(), b_rows ? b_k : n.count);
  numerics::multiplyExactly({.a = a.data(),
                             .a_row = a_rows ? a_k : 1,
                             .a_term = a_rows ? 1 : m.count,
                             .b = b.data(),
                             .b_k = b_rows ? 1 : n.count,
                             .b_column = b_rows ? b_k : 1,
                             .positions = block.positions,
                             .acc = block.acc,
                             .m = m.count,
                             .n = n.count,
                             .terms = a_k,
                             .accumulate = block.accumulate});
}

}  // namespace etalon::numerics
