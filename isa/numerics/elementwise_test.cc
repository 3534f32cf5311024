// SPDX-License-Identifier: Apache-2.0
// The reference computes floats in MPFR and integers in 128 bits, from the sentences of isa.md
// section 5.
#include "isa/numerics/elementwise.h"

#include <gtest/gtest.h>
#include <mpfr.h>

#include <bit>
#include <cmath>
#include <optional>
#include <random>
#include <vector>

#include "isa/state/rule_test.h"

namespace etalon::numerics {
namespace {

using Op = ElementwiseOp;
using T = ElementType;

float asFloat(uint32_t b) { return std::bit_cast<float>(b); }

/// An MPFR number of 24 bits with f32's range, and one operation on exact operands rounded into it.
class Rounded {
 public:
  Rounded() {
    mpfr_set_emin(-148);
    mpfr_set_emax(128);
    for (auto& v : value_) mpfr_init2(v, 24);
  }
  ~Rounded() {
    for (auto& v : value_) mpfr_clear(v);
  }
  template <class Operation>
  uint32_t operator()(float x, float y, float z, Operation operation) {
    mpfr_set_flt(value_[1], x, MPFR_RNDN);
    mpfr_set_flt(value_[2], y, MPFR_RNDN);
    mpfr_set_flt(value_[3], z, MPFR_RNDN);
    const int ternary = operation(value_[0], value_[1], value_[2], value_[3]);
    mpfr_subnormalize(value_[0], ternary, MPFR_RNDN);
    const float result = mpfr_get_flt(value_[0], MPFR_RNDN);
    return result != result ? 0x7fc00000u : std::bit_cast<uint32_t>(result);
  }

 private:
  mpfr_t value_[4];
};

uint32_t least(float x, float y, bool number) {
  const bool nx = std::isnan(x), ny = std::isnan(y);
  if (nx || ny) {
    if (!number || (nx && ny)) return 0x7fc00000;
    return std::bit_cast<uint32_t>(nx ? y : x);
  }
  if (x == y) return std::bit_cast<uint32_t>(std::signbit(x) ? x : y);
  return std::bit_cast<uint32_t>(x < y ? x : y);
}

std::optional<uint32_t> floatReference(Rounded& mpfr, Op op, uint32_t a, uint32_t b, uint32_t c) {
  const float x = asFloat(a), y = asFloat(b), z = asFloat(c);
  const auto round = [&](auto operation) { return mpfr(x, y, z, operation); };
  const auto whole = [&](auto function) {
    return round([&](mpfr_t r, mpfr_t p, mpfr_t, mpfr_t) { return function(r, p); });
  };
  switch (op) {
    case Op::add:
      return round(
          [](mpfr_t r, mpfr_t p, mpfr_t q, mpfr_t) { return mpfr_add(r, p, q, MPFR_RNDN); });
    case Op::sub:
      return round(
          [](mpfr_t r, mpfr_t p, mpfr_t q, mpfr_t) { return mpfr_sub(r, p, q, MPFR_RNDN); });
    case Op::rsub:
      return round(
          [](mpfr_t r, mpfr_t p, mpfr_t q, mpfr_t) { return mpfr_sub(r, q, p, MPFR_RNDN); });
    case Op::mul:
      return round(
          [](mpfr_t r, mpfr_t p, mpfr_t q, mpfr_t) { return mpfr_mul(r, p, q, MPFR_RNDN); });
    case Op::div:
      return round(
          [](mpfr_t r, mpfr_t p, mpfr_t q, mpfr_t) { return mpfr_div(r, p, q, MPFR_RNDN); });
    case Op::rdiv:
      return round(
          [](mpfr_t r, mpfr_t p, mpfr_t q, mpfr_t) { return mpfr_div(r, q, p, MPFR_RNDN); });
    case Op::fma:
      return round(
          [](mpfr_t r, mpfr_t p, mpfr_t q, mpfr_t s) { return mpfr_fma(r, p, q, s, MPFR_RNDN); });
    case Op::sqrt: return whole([](mpfr_t r, mpfr_t p) { return mpfr_sqrt(r, p, MPFR_RNDN); });
    case Op::recip:
      return whole([](mpfr_t r, mpfr_t p) { return mpfr_ui_div(r, 1, p, MPFR_RNDN); });
    case Op::floor:
      return whole([](mpfr_t r, mpfr_t p) { return mpfr_rint_floor(r, p, MPFR_RNDN); });
    case Op::ceil: return whole([](mpfr_t r, mpfr_t p) { return mpfr_rint_ceil(r, p, MPFR_RNDN); });
    case Op::round:
      return whole([](mpfr_t r, mpfr_t p) { return mpfr_rint_roundeven(r, p, MPFR_RNDN); });
    case Op::trunc:
      return whole([](mpfr_t r, mpfr_t p) { return mpfr_rint_trunc(r, p, MPFR_RNDN); });
    case Op::min: return least(x, y, false);
    case Op::min_num: return least(x, y, true);
    case Op::max:
      return std::isnan(x) || std::isnan(y) ? 0x7fc00000 : least(-x, -y, false) ^ 0x80000000;
    case Op::max_num:
      return std::isnan(x) && std::isnan(y) ? 0x7fc00000 : least(-x, -y, true) ^ 0x80000000;
    case Op::abs: return a & 0x7fffffff;
    case Op::neg: return a ^ 0x80000000;
    case Op::copysign: return (a & 0x7fffffff) | (b & 0x80000000);
    case Op::eq: return x == y;
    case Op::ne: return !(x == y);
    case Op::lt: return x < y;
    case Op::le: return x <= y;
    case Op::gt: return y < x;
    case Op::ge: return y <= x;
    case Op::select: return a != 0 ? b : c;
    default: return std::nullopt;
  }
}

using Wide = __int128;

std::optional<uint32_t> intReference(Op op, bool is_signed, Wide low, Wide high, uint32_t a,
                                     uint32_t b, uint32_t c) {
  const Wide x = is_signed ? Wide{static_cast<int32_t>(a)} : Wide{a};
  const Wide y = is_signed ? Wide{static_cast<int32_t>(b)} : Wide{b};
  const auto wrap = [](Wide v) { return static_cast<uint32_t>(v); };
  const auto saturate = [&](Wide v) {
    return static_cast<uint32_t>(v < low ? low : v > high ? high : v);
  };
  const auto divide = [&](Wide n, Wide d) { return d == 0 ? 0xffffffffu : wrap(n / d); };
  const auto floorShift = [](Wide v, int s) {  // floor(v / 2^s) by division, not by >>
    const Wide d = Wide{1} << s;
    return v >= 0 ? v / d : -((-v + d - 1) / d);
  };
  switch (op) {
    case Op::add: return wrap(x + y);
    case Op::sub: return wrap(x - y);
    case Op::rsub: return wrap(y - x);
    case Op::mul: return wrap(x * y);
    case Op::div: return divide(x, y);
    case Op::rdiv: return divide(y, x);
    case Op::rem: return y == 0 ? a : wrap(x % y);
    case Op::mulhi: return wrap(floorShift(x * y, 32));
    case Op::min: return wrap(x < y ? x : y);
    case Op::max: return wrap(x < y ? y : x);
    case Op::and_: return a & b;
    case Op::or_: return a | b;
    case Op::xor_: return a ^ b;
    case Op::not_: return 0xffffffffu - a;
    case Op::shl: return wrap(x * (Wide{1} << b % 32));
    case Op::rshl: return wrap(y * (Wide{1} << a % 32));
    case Op::shr: return wrap(floorShift(x, static_cast<int>(b % 32)));
    case Op::rshr: return wrap(floorShift(y, static_cast<int>(a % 32)));
    case Op::eq: return x == y;
    case Op::ne: return x != y;
    case Op::lt: return x < y;
    case Op::le: return x <= y;
    case Op::gt: return x > y;
    case Op::ge: return x >= y;
    case Op::add_sat: return saturate(x + y);
    case Op::sub_sat: return saturate(x - y);
    case Op::mul_sat: return saturate(x * y);
    case Op::abs: return wrap(x < 0 ? -x : x);
    case Op::neg: return wrap(-x);
    case Op::select: return a != 0 ? b : c;
    case Op::requant: {
      const int s = static_cast<int>(c % 64);
      return saturate(floorShift(x * y + (s != 0 ? Wide{1} << (s - 1) : 0), s));
    }
    default: return std::nullopt;
  }
}

/// Special values against each other, then random ones of every magnitude.
std::vector<uint32_t> operands(bool floats, std::mt19937& random) {
  std::vector<uint32_t> list;
  if (floats)
    for (const uint32_t b : {0u, 1u, 0x7fffffu, 0x800000u, 0x3f800000u, 0x3f000000u, 0x3fc00000u,
                             0x40200000u, 0x4affffffu, 0x4b000001u, 0x7f7fffffu, 0x7f800000u,
                             0x7f800001u, 0x7fc00000u, 0x7fc12345u})
      list.insert(list.end(), {b, b | 0x80000000u});
  else
    for (const uint32_t b : {0u, 1u, 2u, 5u, 31u, 32u, 33u, 63u, 64u, 127u, 128u, 255u, 256u,
                             32767u, 65535u, 65536u, 0x7fffffffu, 0x80000000u, 0x80000001u})
      list.insert(list.end(), {b, 0u - b});
  for (int i = 0; i < 30; ++i) list.push_back(floats ? random() : random() >> random() % 32);
  return list;
}

struct Cases {
  std::vector<uint32_t> a, b, c;
};

Cases cases(int arity, bool floats, std::mt19937& random) {
  Cases out;
  const std::vector<uint32_t> list = operands(floats, random);
  for (const uint32_t a : list)
    for (const uint32_t b : arity > 1 ? list : std::vector<uint32_t>{0})
      for (int k = 0; k < (arity > 2 ? 9 : 1); ++k) {
        out.a.push_back(a);
        out.b.push_back(b);
        out.c.push_back(arity > 2 ? list[random() % list.size()] : 0);
      }
  for (int i = 0; i < 4000; ++i) {
    out.a.push_back(random());
    // Operands of near magnitude, where sums cancel and quotients round.
    out.b.push_back(floats && i % 2 == 0 ? out.a.back() ^ (random() & 0x81ffffff) : random());
    out.c.push_back(floats && i % 2 == 0 ? out.a.back() ^ (random() & 0x83ffffff) : random());
  }
  return out;
}

void expectOperation(HostIsa isa, const ElementwiseInfo& info, T compute, T result) {
  std::mt19937 random(11);
  Rounded mpfr;
  const Cases in = cases(info.arity, compute == T::f32, random);
  const size_t n = in.a.size();
  std::vector<uint32_t> out(n + 1, 0xdeadbeef);
  const LaneFunction function =
      laneTable(isa)[static_cast<size_t>(info.op)][static_cast<size_t>(laneClass(compute))];
  ASSERT_NE(function, nullptr) << info.name;
  const int w = elementInfo(result).bits;
  const bool is_signed = elementInfo(result).kind == ElementKind::Int;
  const Wide high = result == T::f32 ? 0 : (Wide{1} << (is_signed ? w - 1 : w)) - 1;
  const Wide low = is_signed ? -high - 1 : 0;
  function({out.data(), in.a.data(), in.b.data(), in.c.data(), n, static_cast<int64_t>(low),
            static_cast<int64_t>(high)});
  EXPECT_EQ(out[n], 0xdeadbeef) << info.name << " wrote past the end";
  for (size_t i = 0; i < n; ++i) {
    const auto want = compute == T::f32 ? floatReference(mpfr, info.op, in.a[i], in.b[i], in.c[i])
                                        : intReference(info.op, compute == T::i32, low, high,
                                                       in.a[i], in.b[i], in.c[i]);
    ASSERT_TRUE(want.has_value()) << "no reference for " << info.name;
    const uint32_t scalar =
        evaluateElementwise(info.op, compute, result, in.a[i], in.b[i], in.c[i]);
    if (out[i] != *want || scalar != *want)
      FAIL() << info.name << " " << elementInfo(compute).name << " to " << elementInfo(result).name
             << " of " << std::hex << in.a[i] << " " << in.b[i] << " " << in.c[i] << ": lanes "
             << out[i] << ", scalar " << scalar << ", want " << *want;
  }
}

class OnEachHostIsa : public testing::TestWithParam<HostIsa> {};

TEST_P(OnEachHostIsa, EveryOperationHasTheMeaningOfItsSentence) {
  SHOWS(vec_min_max, vec_compare, vec_integer, vec_divide, vec_saturate, vec_reversed, vec_integral,
        vec_fma, vec_select, vec_requant);
  using enum ElementwiseOp;
  for (const ElementwiseInfo& info : kElementwiseOps) {
    if (info.op == mask || info.op == cvt) continue;
    // The transcendentals that are not in this reference have function_test.
    const bool elsewhere =
        info.cost == CostClass::Transcendental && info.op != sqrt && info.op != recip;
    if ((info.classes & kClassFloat) != 0 && !elsewhere) {
      ASSERT_NO_FATAL_FAILURE(expectOperation(GetParam(), info, T::f32, T::f32));
    }
    const bool saturates =
        info.op == add_sat || info.op == sub_sat || info.op == mul_sat || info.op == requant;
    for (const T result : {T::i32, T::u32, T::i8, T::u8, T::i16, T::u16}) {
      if (!saturates && result != T::i32) continue;
      if ((info.classes & kClassInt) != 0) {
        ASSERT_NO_FATAL_FAILURE(expectOperation(GetParam(), info, T::i32, result));
      }
      if ((info.classes & kClassUint) != 0) {
        ASSERT_NO_FATAL_FAILURE(expectOperation(GetParam(), info, T::u32, result));
      }
    }
  }
}

TEST_P(OnEachHostIsa, TranscendentalLanesAreTheFunctions) {
  std::mt19937 random(5);
  std::vector<uint32_t> in(3001), out(3001);
  for (uint32_t& b : in) b = random() % 4 == 0 ? random() : (random() & 0x80ffffff) + 0x3e000000;
  for (const ElementwiseInfo& info : kElementwiseOps) {
    const UnaryFunction function = unaryFunction(info.op);
    if (function == nullptr) continue;
    laneTable(GetParam())[static_cast<size_t>(info.op)][0](
        {out.data(), in.data(), nullptr, nullptr, in.size(), 0, 0});
    for (size_t i = 0; i < in.size(); ++i)
      ASSERT_EQ(out[i], std::bit_cast<uint32_t>(function(asFloat(in[i]))))
          << info.name << " " << std::hex << in[i];
  }
}

TEST_P(OnEachHostIsa, OperationsRefuseClassesTheyDoNotTake) {
  for (const ElementwiseInfo& info : kElementwiseOps) {
    if (info.op == Op::mask || info.op == Op::cvt) continue;
    const auto& row = laneTable(GetParam())[static_cast<size_t>(info.op)];
    EXPECT_EQ(row[0] != nullptr, (info.classes & kClassFloat) != 0) << info.name;
    EXPECT_EQ(row[1] != nullptr, (info.classes & kClassInt) != 0) << info.name;
    EXPECT_EQ(row[2] != nullptr, (info.classes & kClassUint) != 0) << info.name;
  }
}

INSTANTIATE_TEST_SUITE_P(Elementwise, OnEachHostIsa, testing::ValuesIn(supportedHostIsas()),
                         [](const auto& info) {
                           return info.param == HostIsa::Generic ? "Generic"
                                  : info.param == HostIsa::V3    ? "V3"
                                                                 : "V4";
                         });

}  // namespace
}  // namespace etalon::numerics
