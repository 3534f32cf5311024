// SPDX-License-Identifier: Apache-2.0
#include "isa/numerics/scan.h"

#include <bit>
#include <cmath>
#include <memory>

#include "isa/numerics/contract_arithmetic.h"
#include "isa/numerics/contract_convert.h"
#include "isa/numerics/contract_reduce.h"
#include "isa/numerics/element_stream.h"
#include "isa/numerics/elementwise.h"

namespace etalon::numerics {
namespace {

/// Positions 0..n-1, ascending or descending.
struct Order {
  uint64_t n;
  bool reverse;
  uint64_t operator[](uint64_t k) const { return reverse ? n - 1 - k : k; }
};

/// Scans one row in place; returns the final acc. Step: (acc, value) -> acc.
template <class Step>
uint32_t scanRow(uint32_t* row, uint64_t n, ScanMode mode, uint32_t acc, Step step) {
  const Order order{n, mode.reverse};
  for (uint64_t k = 0; k < n; ++k) {
    uint32_t& element = row[order[k]];
    const uint32_t next = step(acc, element);
    element = mode.exclusive ? acc : next;
    acc = next;
  }
  return acc;
}

struct Generic {};

template <ElementwiseOp Op>
uint32_t scanRowBy(ElementType compute, uint32_t* row, uint64_t n, ScanMode mode, uint32_t acc) {
  if (compute == ElementType::f32)
    return scanRow(row, n, mode, acc, [](uint32_t x, uint32_t y) {
      return lanes::lane<Generic, Op, LaneClass::Float>(x, y, 0, 0, 0);
    });
  if (compute == ElementType::i32)
    return scanRow(row, n, mode, acc, [](uint32_t x, uint32_t y) {
      return lanes::lane<Generic, Op, LaneClass::Int>(x, y, 0, 0, 0);
    });
  return scanRow(row, n, mode, acc, [](uint32_t x, uint32_t y) {
    return lanes::lane<Generic, Op, LaneClass::UInt>(x, y, 0, 0, 0);
  });
}

uint32_t scanRowOf(ReduceOp op, ElementType compute, uint32_t* row, uint64_t n, ScanMode mode,
                   uint32_t acc) {
  switch (op) {
    case ReduceOp::Sum: return scanRowBy<ElementwiseOp::add>(compute, row, n, mode, acc);
    case ReduceOp::Prod: return scanRowBy<ElementwiseOp::mul>(compute, row, n, mode, acc);
    case ReduceOp::Max: return scanRowBy<ElementwiseOp::max>(compute, row, n, mode, acc);
    default: return scanRowBy<ElementwiseOp::min>(compute, row, n, mode, acc);
  }
}

/// The same by a declared arithmetic.
uint32_t scanRowUnder(const ArithmeticRule& rule, ReduceOp op, uint32_t* row, uint64_t n,
                      ScanMode mode, uint32_t acc) {
  return withArithmetic(rule, [&](const auto& unit) {
    return scanRow(row, n, mode, acc, [&](uint32_t x, uint32_t y) {
      return op == ReduceOp::Sum ? unit.add(x, y) : unit.multiply(x, y);
    });
  });
}

uint32_t fusedStep(uint32_t factor, uint32_t h, uint32_t addend) {
  const float next =
      std::fma(std::bit_cast<float>(factor), std::bit_cast<float>(h), std::bit_cast<float>(addend));
  return next != next ? kNanF32 : std::bit_cast<uint32_t>(next);
}

/// One row of a recurrence, b in place of its results; returns the final h.
template <class Step>
uint32_t recurRow(const uint32_t* factors, uint32_t* row, Order order, uint32_t h, Step step) {
  for (uint64_t k = 0; k < order.n; ++k) {
    const uint64_t c = order[k];
    row[c] = h = step(factors[c], h, row[c]);
  }
  return h;
}

uint32_t canonical(ElementType compute, uint32_t bits) {
  return compute == ElementType::f32 && (bits & 0x7fffffff) > 0x7f800000 ? kNanF32 : bits;
}

}  // namespace

void scanRows(ReduceOp op, ScanMode mode, const TileRef& a, const TileRef& td, const TileRef* carry,
              const VectorContract* contract) {
  const ElementType compute = elementInfo(a.type).widens_to;
  const ArithmeticRule* declared = declaredSum(contract, op, compute);
  const ConversionRule* conversion = declaredConversion(contract);
  const auto row = std::make_unique<uint32_t[]>(a.cols);
  ElementStream in(a), out(td, conversion), carry_in(carry != nullptr ? *carry : td, conversion),
      carry_out(carry_in);
  for (uint64_t r = 0; r < a.storedRows(); ++r) {
    uint32_t acc = reduceIdentity(op, compute);
    if (carry != nullptr) carry_in.read(&acc, 1);
    acc = canonical(compute, acc);
    in.read(row.get(), a.cols);
    acc = declared != nullptr ? scanRowUnder(*declared, op, row.get(), a.cols, mode, acc)
                              : scanRowOf(op, compute, row.get(), a.cols, mode, acc);
    out.write(row.get(), a.cols, compute, {});
    if (carry != nullptr) carry_out.write(&acc, 1, compute, {});
  }
}

void recurRows(bool reverse, const TileRef& a, const TileRef& b, const TileRef& td,
               const TileRef* carry, const VectorContract* contract) {
  const ArithmeticRule* declared = declaredArithmetic(contract);
  const ConversionRule* conversion = declaredConversion(contract);
  const auto factors = std::make_unique<uint32_t[]>(a.cols);
  const auto row = std::make_unique<uint32_t[]>(a.cols);
  const Order order{a.cols, reverse};
  ElementStream in_a(a), in_b(b), out(td, conversion),
      carry_in(carry != nullptr ? *carry : td, conversion), carry_out(carry_in);
  for (uint64_t r = 0; r < a.storedRows(); ++r) {
    uint32_t h = 0;
    if (carry != nullptr) carry_in.read(&h, 1);
    h = canonical(ElementType::f32, h);
    in_a.read(factors.get(), a.cols);
    in_b.read(row.get(), a.cols);
    if (declared != nullptr) {
      h = withArithmetic(*declared, [&](const auto& unit) {
        return recurRow(factors.get(), row.get(), order, h,
                        [&](uint32_t x, uint32_t y, uint32_t z) { return unit.fma(x, y, z); });
      });
    } else {
      h = recurRow(factors.get(), row.get(), order, h, fusedStep);
    }
    out.write(row.get(), a.cols, ElementType::f32, {});
    if (carry != nullptr) carry_out.write(&h, 1, ElementType::f32, {});
  }
}

}  // namespace etalon::numerics
