// SPDX-License-Identifier: Apache-2.0
// Blocking of the tile product: cuts it into packed blocks for the kernels of mma_kernels.h.
#include "isa/numerics/mma.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "isa/base/check.h"
#include "isa/numerics/mma_kernels.h"

namespace etalon::numerics {
namespace {

constexpr size_t kMaxBlockK = kMmaBlockUnits * kMmaMaxKPerUnit;
static_assert(kMmaBlockRows <= kMaxBlockK && kMmaBlockColumns <= kMaxBlockK);

/// Row pointers of a block; rows stand at two strides, so they are walked rather than divided out.
class RowPointers {
 public:
  void set(const TileRef& tile, uint64_t first, size_t count, uint64_t column) {
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
  std::byte* const* data() const { return rows_.data(); }

 private:
  std::array<std::byte*, kMaxBlockK> rows_;
};

/// A rectangle of a logical matrix.
struct Block {
  uint64_t row, column;
  size_t rows, columns;
};

void pack(void (*packer)(const MmaPack&), const TileRef& tile, ElementType other,
          const Block& block, uint32_t* out, int32_t* start) {
  RowPointers rows;
  const bool turned = tile.transpose;
  const size_t row_count = turned ? block.columns : block.rows;
  rows.set(tile, turned ? block.column : block.row, row_count, turned ? block.row : block.column);
  packer({.rows = rows.data(),
          .row_count = row_count,
          .columns = turned ? block.rows : block.columns,
          .type = tile.type,
          .other = other,
          .transposed = turned,
          .out = out,
          .start = start});
}

void setToZero(const TileRef& acc) {
  for (uint64_t r = 0; r < acc.rows(); ++r) {
    std::memset(acc.row(r), 0, acc.columns() * sizeof(uint32_t));
  }
}

void checkOperands(const TileRef& a, const TileRef& b, const TileRef& acc) {
  ETALON_CHECK(accumulatorType(a.type, b.type) == acc.type, "not a matrix type pair");
  ETALON_CHECK(!acc.transpose && (acc.step == 1 || acc.cols <= 1), "accumulator not row by row");
  ETALON_CHECK((a.step == 1 || a.cols <= 1) && (b.step == 1 || b.cols <= 1),
               "matrix sources have column step 1");
  ETALON_CHECK(acc.rows() == a.rows() && acc.columns() == b.columns() && a.columns() == b.rows(),
               "shapes do not fit");
}

}  // namespace

struct MmaScratch::Panels {
  alignas(64) uint32_t a[kMmaBlockRows * kMmaBlockUnits];
  alignas(64) uint32_t b[kMmaBlockColumns * kMmaBlockUnits];
  alignas(64) int32_t start[kMmaBlockRows];
};

MmaScratch::MmaScratch() : panels_(std::make_unique_for_overwrite<Panels>()) {}
MmaScratch::~MmaScratch() = default;
MmaScratch::MmaScratch(MmaScratch&&) noexcept = default;
MmaScratch& MmaScratch::operator=(MmaScratch&&) noexcept = default;

std::optional<ElementType> accumulatorType(ElementType a, ElementType b) {
  const auto isByte = [](ElementType t) { return t == ElementType::i8 || t == ElementType::u8; };
  const auto isF8 = [](ElementType t) {
    return t == ElementType::f8e4m3 || t == ElementType::f8e5m2;
  };
  if (isByte(a) && isByte(b)) return ElementType::i32;
  if (isF8(a) && isF8(b)) return ElementType::f32;
  const bool wide = a == ElementType::f16 || a == ElementType::bf16 || a == ElementType::f32;
  if (wide && a == b) return ElementType::f32;
  return std::nullopt;
}

void multiplyAccumulate(const TileRef& a, const TileRef& b, const TileRef& acc, bool accumulate,
                        const MmaKernels& kernels, MmaScratch* scratch) {
  checkOperands(a, b, acc);
  const uint64_t m = acc.rows(), n = acc.columns(), k = a.columns();
  if (m == 0 || n == 0) return;
  if (k == 0) {
    if (!accumulate) setToZero(acc);
    return;
  }
  std::optional<MmaScratch> own;
  if (scratch == nullptr) scratch = &own.emplace();
  MmaScratch::Panels& panels = scratch->panels();
  const MmaPath& path = acc.type == ElementType::i32 ? *kernels.integers : *kernels.floats;
  const size_t block_k = kMmaBlockUnits * path.k_per_unit;
  // k outside: between its blocks the partial sums rest in acc, as f32 or i32, so nothing is lost.
  for (uint64_t k0 = 0; k0 < k; k0 += block_k) {
    const size_t ks = std::min<uint64_t>(block_k, k - k0);
    for (uint64_t n0 = 0; n0 < n; n0 += kMmaBlockColumns) {
      const size_t ns = std::min<uint64_t>(kMmaBlockColumns, n - n0);
      pack(path.pack_b, b, a.type, {k0, n0, ks, ns}, panels.b, nullptr);
      for (uint64_t m0 = 0; m0 < m; m0 += kMmaBlockRows) {
        const size_t ms = std::min<uint64_t>(kMmaBlockRows, m - m0);
        pack(path.pack_a, a, b.type, {m0, k0, ms, ks}, panels.a, panels.start);
        RowPointers rows;
        rows.set(acc, m0, ms, n0);
        path.multiply({.a = panels.a,
                       .b = panels.b,
                       .acc = rows.data(),
                       .start = panels.start,
                       .m = ms,
                       .n = ns,
                       .units = (ks + path.k_per_unit - 1) / path.k_per_unit,
                       .a_type = a.type,
                       .a_transposed = a.transpose,
                       .accumulate = accumulate || k0 > 0});
      }
    }
  }
}

}  // namespace etalon::numerics
