// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <memory>

#include "isa/numerics/chain_codes.h"
#include "isa/numerics/contract.h"
#include "isa/numerics/host_isa.h"
#include "isa/numerics/tile_ref.h"

namespace etalon::numerics {

/// Reductions and scans; the values are the reduction byte of a chain descriptor.
using ::etalon::ReduceOp;

class ContractRowSum;

inline constexpr size_t kReduceLanes = 64;

/// Where a reduction starts, as bits of the compute type (f32, i32, u32). f32: sum -0, prod 1, max
/// -Inf, min +Inf; integers: 0, 1, the least and the greatest value of the type.
uint32_t reduceIdentity(ReduceOp op, ElementType compute);

/// One reduction step a op b in f32, i32 or u32; f32 NaNs are canonical. max and min are IEEE
/// 754-2019's.
uint32_t reduceStep(ReduceOp op, ElementType compute, uint32_t a, uint32_t b);

/// Folds 64 lanes, l[i] = l[i] op l[i + h] for h = 32, 16, .., 1; the result is l[0], NaN
/// canonical.
uint32_t foldLanes(ReduceOp op, ElementType compute, std::array<uint32_t, kReduceLanes> lanes);

/// Consumes the elements of rows in row-major order and writes each row's reduction when the row
/// ends.
///
/// Element j of a row goes to lane j mod 64. Folded: td is rows x 1, rounded once to its type (RNE,
/// integers wrap). Lanes (accumulate): td is rows x 64, inout, and keeps the lanes; an f32, i32 or
/// u32 tile keeps them unrounded. A contract that shapes sums otherwise keeps its lanes in the first
/// columns of that tile and leaves the others.
class RowReduction {
 public:
  /// compute: f32, i32 or u32. cols may be 0: folded rows are then the identity, lanes stay.
  RowReduction(ReduceOp op, ElementType compute, uint64_t cols, const TileRef& td, bool accumulate,
               HostIsa isa = hostIsa(), const VectorContract* contract = nullptr);
  ~RowReduction();

  /// The next n elements as temporaries.
  void consume(const uint32_t* values, size_t n);
  /// To be called after the last element: writes the identity for rows without elements.
  void finish();

 private:
  void startRow();
  void endRow();

  ReduceOp op_;
  ElementType compute_;
  uint64_t cols_;
  TileRef td_;
  bool accumulate_;
  HostIsa isa_;
  const ConversionRule* conversion_;          // nullptr: canonical
  std::unique_ptr<ContractRowSum> declared_;  // where a contract sums in another way
  uint64_t row_ = 0;
  uint64_t col_ = 0;
  std::array<uint32_t, kReduceLanes> lanes_{};
};

/// Row reductions of a: td is rows x 1, or rows x 64 lanes with `accumulate` (see RowReduction).
/// Computes in the 32-bit type a widens to.
void reduceRows(ReduceOp op, const TileRef& a, const TileRef& td, bool accumulate,
                HostIsa isa = hostIsa(), const VectorContract* contract = nullptr);

/// Column reductions: td is 1 x columns; rows are taken in ascending order, starting at the
/// identity, or with `accumulate` at td's values (then an f32, i32 or u32 tile). One final
/// rounding.
void reduceColumns(ReduceOp op, const TileRef& a, const TileRef& td, bool accumulate,
                   HostIsa isa = hostIsa(), const VectorContract* contract = nullptr);

}  // namespace etalon::numerics
