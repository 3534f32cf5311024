// SPDX-License-Identifier: Apache-2.0
// The meaning of every element-wise operation on 32-bit temporaries, and loops over lanes of them.
//
// Everything is a template on an instruction-set tag of its translation unit: the same text is
// compiled once for any host and once per instruction set, and a shared inline function compiled
// for AVX-512 must never be the one that the linker keeps for everybody. For the same reason only
// builtins are called, no inline function of a library.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "isa/element_type.h"
#include "isa/elementwise_op.h"
#include "isa/numerics/function.h"

namespace etalon::numerics {

struct VectorContract;

/// Operands of a run of lanes: temporaries as bits. Absent operands are nullptr. out overlaps no
/// source. low, high: range of the result type, for the saturating operations. op and contract are
/// for the loops of contract_lanes.h alone.
struct LaneRun {
  uint32_t* out;
  const uint32_t* a;
  const uint32_t* b;
  const uint32_t* c;
  size_t n;
  int64_t low;
  int64_t high;
  ElementwiseOp op = ElementwiseOp::add;
  const VectorContract* contract = nullptr;
};

using LaneFunction = void (*)(const LaneRun&);

/// Lane functions by operation code and class (0 float, 1 int, 2 uint); nullptr where the operation
/// does not take the class, and for mask and cvt, which are not functions of lanes alone.
using LaneTable = std::array<std::array<LaneFunction, 3>, 128>;

enum class LaneClass : uint8_t { Float = 0, Int = 1, UInt = 2 };

namespace lanes {

constexpr uint32_t kNan = 0x7fc00000;
constexpr uint32_t kSign = 0x80000000;

/// Arithmetic results: any NaN becomes the canonical one.
template <class Isa>
constexpr uint32_t canonical(float value) {
  return value != value ? kNan : __builtin_bit_cast(uint32_t, value);
}

template <class Isa>
constexpr bool isNan(uint32_t bits) {
  return (bits & ~kSign) > 0x7f800000;
}

/// Orders f32 bits as numbers with -0 below +0 (NaNs aside), as a signed integer.
template <class Isa>
constexpr int32_t orderKey(uint32_t bits) {
  const int32_t value = static_cast<int32_t>(bits);
  return value ^ static_cast<int32_t>(static_cast<uint32_t>(value >> 31) >> 1);
}

/// IEEE 754-2019 minimum, maximum and their number forms.
template <class Isa, bool Greatest, bool Number>
constexpr uint32_t extremum(uint32_t a, uint32_t b) {
  const bool first =
      Greatest ? orderKey<Isa>(a) > orderKey<Isa>(b) : orderKey<Isa>(a) < orderKey<Isa>(b);
  const uint32_t chosen = first ? a : b;
  const bool nan_a = isNan<Isa>(a);
  const bool nan_b = isNan<Isa>(b);
  if constexpr (Number) {
    const uint32_t number = nan_a ? b : nan_b ? a : chosen;
    return nan_a && nan_b ? kNan : number;
  }
  return nan_a || nan_b ? kNan : chosen;
}

template <class Isa, ElementwiseOp Op>
uint32_t floatUnary(uint32_t a) {
  const float x = __builtin_bit_cast(float, a);
  using enum ElementwiseOp;
  if constexpr (Op == abs) return a & ~kSign;
  if constexpr (Op == neg) return a ^ kSign;
  if constexpr (Op == floor) return canonical<Isa>(__builtin_floorf(x));
  if constexpr (Op == ceil) return canonical<Isa>(__builtin_ceilf(x));
  if constexpr (Op == round) return canonical<Isa>(__builtin_rintf(x));
  if constexpr (Op == trunc) return canonical<Isa>(__builtin_truncf(x));
  if constexpr (Op == sqrt) return canonical<Isa>(__builtin_sqrtf(x));
  if constexpr (Op == recip) return canonical<Isa>(1.0f / x);
  if constexpr (Op == exp) return __builtin_bit_cast(uint32_t, rneExp(x));
  if constexpr (Op == exp2) return __builtin_bit_cast(uint32_t, rneExp2(x));
  if constexpr (Op == log) return __builtin_bit_cast(uint32_t, rneLog(x));
  if constexpr (Op == log2) return __builtin_bit_cast(uint32_t, rneLog2(x));
  if constexpr (Op == rsqrt) return __builtin_bit_cast(uint32_t, rneRsqrt(x));
  if constexpr (Op == tanh) return __builtin_bit_cast(uint32_t, rneTanh(x));
  if constexpr (Op == sigmoid) return __builtin_bit_cast(uint32_t, rneSigmoid(x));
  if constexpr (Op == erf) return __builtin_bit_cast(uint32_t, rneErf(x));
  if constexpr (Op == sin) return __builtin_bit_cast(uint32_t, rneSin(x));
  if constexpr (Op == cos) return __builtin_bit_cast(uint32_t, rneCos(x));
}

template <class Isa, ElementwiseOp Op>
uint32_t floatBinary(uint32_t a, uint32_t b) {
  const float x = __builtin_bit_cast(float, a);
  const float y = __builtin_bit_cast(float, b);
  using enum ElementwiseOp;
  if constexpr (Op == add) return canonical<Isa>(x + y);
  if constexpr (Op == sub) return canonical<Isa>(x - y);
  if constexpr (Op == rsub) return canonical<Isa>(y - x);
  if constexpr (Op == mul) return canonical<Isa>(x * y);
  if constexpr (Op == div) return canonical<Isa>(x / y);
  if constexpr (Op == rdiv) return canonical<Isa>(y / x);
  if constexpr (Op == min) return extremum<Isa, false, false>(a, b);
  if constexpr (Op == max) return extremum<Isa, true, false>(a, b);
  if constexpr (Op == min_num) return extremum<Isa, false, true>(a, b);
  if constexpr (Op == max_num) return extremum<Isa, true, true>(a, b);
  if constexpr (Op == copysign) return (a & ~kSign) | (b & kSign);
  if constexpr (Op == eq) return x == y;
  if constexpr (Op == ne) return x != y;
  if constexpr (Op == lt) return x < y;
  if constexpr (Op == le) return x <= y;
  if constexpr (Op == gt) return x > y;
  if constexpr (Op == ge) return x >= y;
}

/// x / 0 is all ones, MIN / -1 is MIN. T is int32_t or uint32_t.
template <class Isa, class T>
constexpr T quotient(T x, T y) {
  if (y == 0) return static_cast<T>(-1);
  if (T(-1) < T(0) && y == static_cast<T>(-1)) return static_cast<T>(0u - static_cast<uint32_t>(x));
  return static_cast<T>(x / y);
}

/// x rem 0 is x, MIN rem -1 is 0.
template <class Isa, class T>
constexpr T remainder(T x, T y) {
  if (y == 0) return x;
  if (T(-1) < T(0) && y == static_cast<T>(-1)) return 0;
  return static_cast<T>(x % y);
}

template <class Isa>
constexpr uint32_t clamp(int64_t value, int64_t low, int64_t high) {
  const int64_t raised = value < low ? low : value;
  return static_cast<uint32_t>(raised > high ? high : raised);
}

/// floor((a * m + (s ? 2^(s-1) : 0)) / 2^s), exact: the product fits 64 bits, and the rounding bit
/// is added after the shift, where no sum can overflow.
template <class Isa>
constexpr uint32_t requantise(int32_t a, int32_t m, uint32_t s, int64_t low, int64_t high) {
  const int64_t product = int64_t{a} * m;
  const uint32_t shift = s & 63;
  const int64_t rounding = shift == 0 ? 0 : product >> ((shift - 1) & 63) & 1;
  return clamp<Isa>((product >> shift) + rounding, low, high);
}

template <class Isa, ElementwiseOp Op, class T>
uint32_t intUnary(uint32_t a) {
  using enum ElementwiseOp;
  if constexpr (Op == abs) return a >> 31 != 0 ? 0u - a : a;
  if constexpr (Op == neg) return 0u - a;
  if constexpr (Op == not_) return ~a;
}

template <class Isa, ElementwiseOp Op, class T>
uint32_t intBinary(uint32_t a, uint32_t b, int64_t low, int64_t high) {
  using Wide = std::conditional_t<static_cast<T>(-1) < T(0), int64_t, uint64_t>;
  const T x = static_cast<T>(a);
  const T y = static_cast<T>(b);
  using enum ElementwiseOp;
  if constexpr (Op == add) return a + b;
  if constexpr (Op == sub) return a - b;
  if constexpr (Op == rsub) return b - a;
  if constexpr (Op == mul) return a * b;
  if constexpr (Op == div) return static_cast<uint32_t>(quotient<Isa, T>(x, y));
  if constexpr (Op == rdiv) return static_cast<uint32_t>(quotient<Isa, T>(y, x));
  if constexpr (Op == rem) return static_cast<uint32_t>(remainder<Isa, T>(x, y));
  if constexpr (Op == mulhi) return static_cast<uint32_t>((Wide{x} * Wide{y}) >> 32);
  if constexpr (Op == min) return x < y ? a : b;
  if constexpr (Op == max) return x > y ? a : b;
  if constexpr (Op == and_) return a & b;
  if constexpr (Op == or_) return a | b;
  if constexpr (Op == xor_) return a ^ b;
  if constexpr (Op == shl) return a << (b & 31);
  if constexpr (Op == shr) return static_cast<uint32_t>(x >> (b & 31));
  if constexpr (Op == rshl) return b << (a & 31);
  if constexpr (Op == rshr) return static_cast<uint32_t>(y >> (a & 31));
  if constexpr (Op == eq) return x == y;
  if constexpr (Op == ne) return x != y;
  if constexpr (Op == lt) return x < y;
  if constexpr (Op == le) return x <= y;
  if constexpr (Op == gt) return x > y;
  if constexpr (Op == ge) return x >= y;
  if constexpr (Op == add_sat) return clamp<Isa>(int64_t{x} + int64_t{y}, low, high);
  if constexpr (Op == sub_sat) return clamp<Isa>(int64_t{x} - int64_t{y}, low, high);
  if constexpr (Op == mul_sat) {
    const Wide product = Wide{x} * Wide{y};
    constexpr Wide kMost =
        static_cast<Wide>(INT64_MAX);  // above every upper limit, and u32 products may exceed it
    return clamp<Isa>(static_cast<int64_t>(product > kMost ? kMost : product), low, high);
  }
}

/// One lane of any operation and class.
template <class Isa, ElementwiseOp Op, LaneClass Class>
uint32_t lane(uint32_t a, uint32_t b, uint32_t c, int64_t low, int64_t high) {
  constexpr int kArity = elementwiseInfo(static_cast<int>(Op))->arity;
  using T = std::conditional_t<Class == LaneClass::Int, int32_t, uint32_t>;
  if constexpr (Op == ElementwiseOp::select) {
    return a != 0 ? b : c;
  } else if constexpr (Op == ElementwiseOp::fma) {
    return canonical<Isa>(__builtin_fmaf(__builtin_bit_cast(float, a), __builtin_bit_cast(float, b),
                                         __builtin_bit_cast(float, c)));
  } else if constexpr (Op == ElementwiseOp::requant) {
    return requantise<Isa>(static_cast<int32_t>(a), static_cast<int32_t>(b), c, low, high);
  } else if constexpr (Class == LaneClass::Float) {
    if constexpr (kArity == 1) return floatUnary<Isa, Op>(a);
    if constexpr (kArity == 2) return floatBinary<Isa, Op>(a, b);
  } else {
    if constexpr (kArity == 1) return intUnary<Isa, Op, T>(a);
    if constexpr (kArity == 2) return intBinary<Isa, Op, T>(a, b, low, high);
  }
}

template <class Isa, ElementwiseOp Op, LaneClass Class>
void loop(const LaneRun& run) {
  constexpr int kArity = elementwiseInfo(static_cast<int>(Op))->arity;
  uint32_t* __restrict out = run.out;
  const uint32_t* a = run.a;
  const uint32_t* b = run.b;
  const uint32_t* c = run.c;
  const int64_t low = run.low;
  const int64_t high = run.high;
  for (size_t i = 0; i < run.n; ++i)
    out[i] = lane<Isa, Op, Class>(a[i], kArity > 1 ? b[i] : 0, kArity > 2 ? c[i] : 0, low, high);
}

template <class Isa, size_t Index>
constexpr void fillRow(LaneTable& table) {
  constexpr ElementwiseInfo kInfo = kElementwiseOps[Index];
  constexpr ElementwiseOp kOp = kInfo.op;
  if constexpr (kOp != ElementwiseOp::mask && kOp != ElementwiseOp::cvt) {
    auto& row = table[static_cast<size_t>(kOp)];
    if constexpr ((kInfo.classes & kClassFloat) != 0) row[0] = loop<Isa, kOp, LaneClass::Float>;
    if constexpr ((kInfo.classes & kClassInt) != 0) row[1] = loop<Isa, kOp, LaneClass::Int>;
    if constexpr ((kInfo.classes & kClassUint) != 0) row[2] = loop<Isa, kOp, LaneClass::UInt>;
  }
}

template <class Isa, size_t... Index>
constexpr LaneTable makeTable(std::index_sequence<Index...>) {
  LaneTable table{};
  (fillRow<Isa, Index>(table), ...);
  return table;
}

}  // namespace lanes

/// The lane functions of an instruction-set tag, compiled with the options of the including file.
template <class Isa>
constexpr LaneTable makeLaneTable() {
  return lanes::makeTable<Isa>(std::make_index_sequence<kElementwiseOps.size()>{});
}

}  // namespace etalon::numerics
