// SPDX-License-Identifier: Apache-2.0
#include "isa/numerics/reduce.h"

#include <algorithm>
#include <memory>

#include "isa/base/check.h"
#include "isa/numerics/contract_convert.h"
#include "isa/numerics/contract_reduce.h"
#include "isa/numerics/element_stream.h"
#include "isa/numerics/elementwise.h"
#include "isa/numerics/lane_tables.h"

namespace etalon::numerics {
namespace {

constexpr size_t kBlock = 512;

struct GenericReduce {};
constexpr ReduceTable kGeneric = makeReduceTable<GenericReduce>();

const ReduceFunctions& reduceFunctions(HostIsa isa, ReduceOp op, ElementType compute) {
  const ReduceTable* table = &kGeneric;
#if defined(__x86_64__)
  if (isa == HostIsa::V3) table = &reduceTableV3();
  if (isa == HostIsa::V4) table = &reduceTableV4();
#endif
  return (*table)[static_cast<size_t>(op)][static_cast<size_t>(laneClass(compute))];
}

constexpr ElementwiseOp elementwiseOf(ReduceOp op) {
  constexpr ElementwiseOp kOps[] = {ElementwiseOp::add, ElementwiseOp::mul, ElementwiseOp::max,
                                    ElementwiseOp::min};
  return kOps[static_cast<size_t>(op)];
}

void canonicalise(ElementType compute, uint32_t* values, size_t n) {
  if (compute != ElementType::f32) return;
  for (size_t k = 0; k < n; ++k)
    if ((values[k] & 0x7fffffff) > 0x7f800000) values[k] = kNanF32;
}

/// One row of a tile as a tile.
TileRef rowOf(const TileRef& tile, uint64_t row) {
  TileRef one = tile;
  one.data = tile.row(row);
  one.outer = one.inner = 1;
  return one;
}

}  // namespace

uint32_t reduceIdentity(ReduceOp op, ElementType compute) {
  constexpr uint32_t kFloat[] = {0x80000000, 0x3f800000, 0xff800000, 0x7f800000};
  constexpr uint32_t kInt[] = {0, 1, 0x80000000, 0x7fffffff};
  constexpr uint32_t kUInt[] = {0, 1, 0, 0xffffffff};
  const auto index = static_cast<size_t>(op);
  return compute == ElementType::f32   ? kFloat[index]
         : compute == ElementType::i32 ? kInt[index]
                                       : kUInt[index];
}

uint32_t reduceStep(ReduceOp op, ElementType compute, uint32_t a, uint32_t b) {
  return evaluateElementwise(elementwiseOf(op), compute, compute, a, b);
}

uint32_t foldLanes(ReduceOp op, ElementType compute, std::array<uint32_t, kReduceLanes> lanes) {
  const ReduceFunctions& functions = reduceFunctions(HostIsa::Generic, op, compute);
  for (size_t h = kReduceLanes / 2; h != 0; h /= 2)
    functions.accumulate(lanes.data(), lanes.data() + h, h);
  canonicalise(compute, lanes.data(), 1);
  return lanes[0];
}

RowReduction::RowReduction(ReduceOp op, ElementType compute, uint64_t cols, const TileRef& td,
                           bool accumulate, HostIsa isa, const VectorContract* contract)
    : op_(op),
      compute_(compute),
      cols_(cols),
      td_(td),
      accumulate_(accumulate),
      isa_(isa),
      conversion_(declaredConversion(contract)) {
  if (const VectorContract* declared = declaredRowSum(contract, op, compute))
    declared_ = std::make_unique<ContractRowSum>(*declared, op);
}
RowReduction::~RowReduction() = default;

void RowReduction::startRow() {
  lanes_.fill(reduceIdentity(op_, compute_));
  if (accumulate_) ElementStream(rowOf(td_, row_)).read(lanes_.data(), kReduceLanes);
}

void RowReduction::endRow() {
  ElementStream out(rowOf(td_, row_), conversion_);
  if (declared_) declared_->endOfRow(lanes_);
  if (accumulate_ && declared_) {
    out.write(lanes_.data(), kReduceLanes, compute_, {});
  } else if (accumulate_) {
    // A lane that takes no element keeps its bits.
    canonicalise(compute_, lanes_.data(), std::min<uint64_t>(cols_, kReduceLanes));
    out.write(lanes_.data(), kReduceLanes, compute_, {});
  } else {
    // No element is the identity under every contract.
    const bool declared = declared_ != nullptr && cols_ != 0;
    const uint32_t folded = declared ? declared_->fold(lanes_) : foldLanes(op_, compute_, lanes_);
    out.write(&folded, 1, compute_, {});
  }
  ++row_;
  col_ = 0;
}

void RowReduction::consume(const uint32_t* values, size_t n) {
  const ReduceFunctions& functions = reduceFunctions(isa_, op_, compute_);
  while (n != 0) {
    if (col_ == 0) startRow();
    const size_t lane = col_ % kReduceLanes;
    const size_t left = static_cast<size_t>(std::min<uint64_t>(n, cols_ - col_));
    size_t run = declared_ ? left : std::min(left, kReduceLanes - lane);
    if (declared_) {
      declared_->consume(lanes_, values, col_, run);
    } else if (lane == 0 && left >= kReduceLanes) {
      run = left / kReduceLanes * kReduceLanes;
      functions.accumulate64(lanes_.data(), values, run / kReduceLanes);
    } else {
      functions.accumulate(lanes_.data() + lane, values, run);
    }
    values += run;
    n -= run;
    col_ += run;
    if (col_ == cols_) endRow();
  }
}

void RowReduction::finish() {
  ETALON_CHECK(col_ == 0, "a row reduction ended inside a row");
  if (cols_ != 0 || accumulate_) return;
  while (row_ < td_.storedRows()) {
    lanes_.fill(reduceIdentity(op_, compute_));
    endRow();
  }
}

void reduceRows(ReduceOp op, const TileRef& a, const TileRef& td, bool accumulate, HostIsa isa,
                const VectorContract* contract) {
  RowReduction reduction(op, elementInfo(a.type).widens_to, a.cols, td, accumulate, isa, contract);
  ElementStream in(a);
  uint32_t block[kBlock];
  for (uint64_t left = a.storedRows() * a.cols; left != 0;) {
    const size_t n = static_cast<size_t>(std::min<uint64_t>(left, kBlock));
    in.read(block, n);
    reduction.consume(block, n);
    left -= n;
  }
  reduction.finish();
}

void reduceColumns(ReduceOp op, const TileRef& a, const TileRef& td, bool accumulate, HostIsa isa,
                   const VectorContract* contract) {
  const ElementType compute = elementInfo(a.type).widens_to;
  const size_t cols = a.cols;
  const auto sums = std::make_unique<uint32_t[]>(cols);
  const auto row = std::make_unique<uint32_t[]>(cols);
  std::fill_n(sums.get(), cols, reduceIdentity(op, compute));
  if (accumulate) ElementStream(td).read(sums.get(), cols);
  const ReduceFunctions& functions = reduceFunctions(isa, op, compute);
  const ArithmeticRule* declared = declaredSum(contract, op, compute);
  ElementStream in(a);
  for (uint64_t r = 0; r < a.storedRows(); ++r) {
    in.read(row.get(), cols);
    if (declared != nullptr) {
      accumulateUnder(*declared, op, sums.get(), row.get(), cols);
    } else {
      functions.accumulate(sums.get(), row.get(), cols);
    }
  }
  if (declared == nullptr) canonicalise(compute, sums.get(), cols);
  ElementStream(td, declaredConversion(contract)).write(sums.get(), cols, compute, {});
}

}  // namespace etalon::numerics
