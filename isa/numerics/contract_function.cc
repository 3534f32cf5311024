// SPDX-License-Identifier: Apache-2.0
// Functions as a contract spells them out: reduction of the argument, polynomial in fixed point,
// one rounding. Everything before the rounding is in integers.
#include "isa/numerics/contract_function.h"

#include <bit>
#include <cmath>

#include "isa/base/check.h"
#include "isa/numerics/contract_arithmetic.h"
#include "isa/numerics/contract_convert.h"
#include "isa/numerics/exact_sum.h"
#include "isa/numerics/function.h"

namespace etalon::numerics {
namespace {

using Wide = __int128;

constexpr uint32_t kSign = 0x80000000;
constexpr uint32_t kInf = 0x7f800000;
constexpr uint32_t kOne = 0x3f800000;
/// Powers of two beyond which every result over- or underflows.
constexpr int kBeyond = 400;

/// value * 2^exponent rounded to odd.
double oddDouble(Wide value, int exponent) {
  const bool negative = value < 0;
  auto magnitude = static_cast<unsigned __int128>(negative ? -value : value);
  bool rest = false;
  for (; magnitude >> 64 != 0; magnitude >>= 1, ++exponent) rest |= (magnitude & 1) != 0;
  return numerics::oddDouble(negative, static_cast<uint64_t>(magnitude), rest, exponent);
}

/// Floor of value * 2^exponent.
Wide shifted(Wide value, int exponent) {
  if (exponent >= 0) return value << exponent;
  return exponent > -127 ? value >> -exponent : value < 0 ? -1 : 0;
}

/// The polynomial of the segment in the top bits of a position of `bits` bits, in units of
/// 2^-fraction_bits.
int64_t polynomial(const PiecewiseFunction& f, uint64_t position, int bits, uint64_t first = 0) {
  const int local_bits = bits - f.segment_bits;
  const uint64_t segment = first + (position >> local_bits);
  const auto local = static_cast<int64_t>(position & ((uint64_t{1} << local_bits) - 1));
  const int64_t* c = &f.coefficients[segment * static_cast<uint64_t>(f.degree + 1)];
  int64_t sum = c[f.degree];
  for (int i = f.degree - 1; i >= 0; --i)
    sum = c[i] + static_cast<int64_t>(Wide{sum} * local >> local_bits);
  return sum;
}

/// A positive finite f32: significand with bit 23 set, value significand * 2^(exponent - 23).
struct Positive {
  int64_t significand;
  int exponent;
};
Positive split(uint32_t magnitude) {
  const auto field = static_cast<int>(magnitude >> 23);
  const int64_t fraction = magnitude & 0x7fffff;
  if (field != 0) return {fraction | 0x800000, field - 127};
  const int up = 24 - static_cast<int>(std::bit_width(static_cast<uint32_t>(fraction)));
  return {fraction << up, -126 - up};
}

/// 2 to the power multiplier * x, as an exact value.
double exponential(const PiecewiseFunction& f, uint32_t x) {
  const uint32_t magnitude = x & ~kSign;
  const bool negative = (x & kSign) != 0;
  if (magnitude >= 0x43800000) return powerOfTwo(negative ? -kBeyond : kBeyond);  // 256
  if (magnitude == 0) return oddDouble(polynomial(f, 0, f.argument_bits), -f.fraction_bits);
  const Positive p = split(magnitude);
  const Wide product = Wide{p.significand} * f.multiplier;
  const Wide argument =
      shifted(negative ? -product : product, p.exponent - 23 + f.argument_bits - f.multiplier_bits);
  const Wide whole = argument >> f.argument_bits;
  const auto position = static_cast<uint64_t>(argument - (whole << f.argument_bits));
  const int power = static_cast<int>(whole < -kBeyond  ? -kBeyond
                                     : whole > kBeyond ? kBeyond
                                                       : whole);
  return oddDouble(polynomial(f, position, f.argument_bits), power - f.fraction_bits);
}

double logarithm(const PiecewiseFunction& f, uint32_t x) {
  Positive p = split(x);
  int64_t t = 2 * (p.significand - 0x800000);  // in units of 2^-24
  if (p.significand >= 0xc00000) {
    t = p.significand - 0x1000000;
    ++p.exponent;
  }
  const int64_t slope = polynomial(f, static_cast<uint64_t>(t + 0x400000), 24);
  return oddDouble(Wide{p.exponent} * f.multiplier + Wide{t} * slope, -24 - f.fraction_bits);
}

double reciprocal(const PiecewiseFunction& f, uint32_t x) {
  const Positive p = split(x & ~kSign);
  const double value = oddDouble(polynomial(f, static_cast<uint64_t>(p.significand - 0x800000), 23),
                                 -p.exponent - f.fraction_bits);
  return (x & kSign) != 0 ? -value : value;
}

double root(const PiecewiseFunction& f, uint32_t x, bool inverse) {
  const Positive p = split(x);
  const int half = p.exponent >> 1;
  const auto position =
      static_cast<uint64_t>((p.exponent & 1) * int64_t{0x800000} + p.significand - 0x800000);
  return oddDouble(polynomial(f, position, 24), (inverse ? -half : half) - f.fraction_bits);
}

/// Of |x|, a positive value.
double oddFunction(const PiecewiseFunction& f, uint32_t magnitude) {
  const int exponent = static_cast<int>(magnitude >> 23) - 127;
  if (exponent > f.last_exponent) return std::bit_cast<float>(f.limit);
  if (exponent < f.first_exponent) {
    const Positive p = split(magnitude);
    return oddDouble(Wide{p.significand} * f.linear, p.exponent - 23 - f.fraction_bits);
  }
  const auto binade = static_cast<uint64_t>(exponent - f.first_exponent) << f.segment_bits;
  return oddDouble(polynomial(f, magnitude & 0x7fffff, 23, binade), exponent - f.fraction_bits);
}

/// e / (1 + e) or 1 / (1 + e) with e the exponential of -|x|, each step rounded to f32.
uint32_t sigmoid(const ArithmeticRule& rule, const PiecewiseFunction& f, uint32_t x) {
  return withArithmetic(rule, [&](const auto& arithmetic) {
    const uint32_t e = arithmetic.result(exponential(f, x | kSign));
    return arithmetic.divide((x & kSign) != 0 ? e : kOne, arithmetic.add(kOne, e));
  });
}

/// Results that are the same for every way to compute a function: at NaN, infinities and zeros, and
/// outside the domain.
bool isSpecial(ElementwiseOp op, uint32_t x) {
  const uint32_t magnitude = x & ~kSign;
  if (magnitude > kInf) return true;
  switch (op) {
    case ElementwiseOp::exp:
    case ElementwiseOp::exp2:
    case ElementwiseOp::sigmoid: return magnitude == kInf;
    case ElementwiseOp::recip: return magnitude == kInf || magnitude == 0;
    case ElementwiseOp::tanh:
    case ElementwiseOp::erf: return magnitude == 0;
    default: return magnitude == kInf || magnitude == 0 || (x & kSign) != 0;
  }
}

}  // namespace

uint32_t segmentCount(ElementwiseOp op, const PiecewiseFunction& function) {
  const uint32_t segments = uint32_t{1} << function.segment_bits;
  switch (op) {
    case ElementwiseOp::log:
    case ElementwiseOp::log2: return segments / 4 * 3;
    case ElementwiseOp::tanh:
    case ElementwiseOp::erf:
      return segments * static_cast<uint32_t>(function.last_exponent - function.first_exponent + 1);
    default: return segments;
  }
}

ContractFunction::ContractFunction(const VectorContract& contract, ElementwiseOp op)
    : arithmetic_(contract.arithmetic), rule_(contract.function(op)), op_(op) {}

uint32_t ContractFunction::piecewise(uint32_t x) const {
  const PiecewiseFunction& f = rule_->piecewise;
  const ArithmeticRule rule{f.rounding, arithmetic_.rules};
  if (op_ == ElementwiseOp::sigmoid) return sigmoid(rule, f, x);
  const auto result = [&](double value) {
    return withArithmetic(rule, [&](const auto& arithmetic) { return arithmetic.result(value); });
  };
  switch (op_) {
    case ElementwiseOp::exp:
    case ElementwiseOp::exp2: return result(exponential(f, x));
    case ElementwiseOp::log:
    case ElementwiseOp::log2: return result(logarithm(f, x));
    case ElementwiseOp::recip: return result(reciprocal(f, x));
    case ElementwiseOp::sqrt: return result(root(f, x, false));
    case ElementwiseOp::rsqrt: return result(root(f, x, true));
    // The sign of the argument goes to the rounded result.
    default: return result(oddFunction(f, x & ~kSign)) ^ (x & kSign);
  }
}

uint32_t ContractFunction::operator()(uint32_t argument) const {
  const RoundingRules& rules = arithmetic_.rules;
  const bool subnormal = (argument & kInf) == 0;
  const uint32_t x = rules.flush_in && subnormal ? argument & kSign : argument;
  if (rule_ != nullptr && rule_->kind == FunctionKind::table) {
    const TableFunction& table = rule_->table;
    const ConversionRule conversion{table.rounding, false, false, Overflow::ieee};
    return table.values[convertElementUnder(conversion, ElementType::f32, x, table.input, {})];
  }
  uint32_t result = 0;
  if (rule_ != nullptr && !isSpecial(op_, x)) {
    result = piecewise(x);
  } else {
    result = std::bit_cast<uint32_t>(unaryFunction(op_)(std::bit_cast<float>(x)));
  }
  const uint32_t magnitude = result & ~kSign;
  if (magnitude > kInf) return rules.nan;
  if (rules.flush_out && magnitude < 0x800000) result &= kSign;
  return rules.positive_zero && result == kSign ? 0 : result;
}

}  // namespace etalon::numerics
