// SPDX-License-Identifier: Apache-2.0
// A tile product cut into packed blocks for the kernels of mma_kernels.h. Internal to isa/numerics.
#pragma once

#include <cstddef>
#include <cstdint>

#include "isa/numerics/mma.h"
#include "isa/numerics/mma_kernels.h"

namespace etalon::numerics {

struct MmaScratch::Panels {
  alignas(64) uint32_t a[kMmaBlockRows * kMmaBlockUnits];
  alignas(64) uint32_t b[kMmaBlockColumns * kMmaBlockUnits];
  alignas(64) int32_t start[kMmaBlockRows];
  // A block before it is packed, where it is not packed as it is stored.
  alignas(64) std::byte expanded[kMmaBlockRows * kMmaBlockUnits * sizeof(uint32_t)];
  // Sparse A: where its terms stand, and integer terms.
  alignas(64) uint8_t positions[kMmaBlockRows * kMmaBlockUnits];
  alignas(64) std::byte terms[kMmaBlockRows * kMmaBlockUnits];
};

/// One product of checked operands of which no extent is 0.
class BlockedProduct {
 public:
  BlockedProduct(const MmaSource& a, const MmaSource& b, const TileRef& acc, bool accumulate,
                 const MmaKernels& kernels, MmaScratch::Panels& panels);
  void run();

 private:
  /// A range of logical rows, columns or k.
  struct Range {
    uint64_t first;
    size_t count;
  };
  /// Part of A (m x k) or B (k x n).
  struct Side {
    const MmaSource& source;
    bool is_b;
    bool k_in_columns;   ///< of the tile as stored
    bool expands;        ///< before it is packed
    ElementType packed;  ///< type that the kernels see
  };

  Side side(const MmaSource& source, bool is_b) const;
  bool pack(const Side& side, const Range& k, const Range& across, const Side& other);
  void packRows(const Side& side, const Side& other, std::byte* const* rows, size_t row_count,
                size_t columns);
  void multiplyBlock(const Range& m, const Range& n, const Range& k, bool b_fits);
  void multiplySparseFloats(MmaBlock& block, const Range& m, const Range& n, const Range& k,
                            bool b_fits);
  void multiplySparseIntegers(MmaBlock& block, const Range& m, const Range& k);
  void multiplyExactly(const MmaBlock& block, const Range& m, const Range& n, const Range& k);

  const TileRef& acc_;
  const bool accumulate_, integers_, sparse_;
  const MmaPath& path_;
  MmaScratch::Panels& panels_;
  const Side a_, b_;
};

}  // namespace etalon::numerics
