// SPDX-License-Identifier: Apache-2.0
#include "isa/numerics/contract_vector_reference.h"

#include <algorithm>
#include <vector>

#include "isa/numerics/contract_reference.h"

namespace etalon::reference {
namespace {

using numerics::ArithmeticRule;
using numerics::ConversionRule;
using numerics::Direction;
using numerics::NumberFormat;
using numerics::PiecewiseFunction;
using numerics::RoundingRules;
using numerics::TableFunction;
using numerics::VectorContract;
using Kind = Fixed::Kind;

constexpr NumberFormat kF32{8, 23};
constexpr uint32_t kSign = 0x80000000;

mpz_class shiftedFloor(const mpz_class& value, long exponent) {
  mpz_class result;
  if (exponent >= 0) {
    mpz_mul_2exp(result.get_mpz_t(), value.get_mpz_t(), static_cast<mp_bitcnt_t>(exponent));
  } else {
    mpz_fdiv_q_2exp(result.get_mpz_t(), value.get_mpz_t(), static_cast<mp_bitcnt_t>(-exponent));
  }
  return result;
}

/// value * 2^exponent, which fixed point holds exactly.
Fixed fixed(const mpz_class& value, long exponent) {
  return {Kind::finite, value < 0, shiftedFloor(abs(value), kFixedBits + exponent)};
}

Fixed operand(const RoundingRules& rules, uint32_t bits) {
  Fixed x = decodeF32(bits);
  const bool subnormal = (bits & 0x7f800000) == 0;
  if (rules.flush_in && subnormal) x.magnitude = 0;
  return x;
}

Fixed negated(Fixed x) {
  x.negative = !x.negative;
  return x;
}

Fixed quotient(const Fixed& x, const Fixed& y) {
  const bool negative = x.negative != y.negative;
  const bool infinite = x.kind == Kind::infinite || y.isZero();
  const bool zero = x.isZero() || y.kind == Kind::infinite;
  if (x.kind == Kind::nan || y.kind == Kind::nan || (infinite && zero))
    return {Kind::nan, false, 0};
  if (x.kind == Kind::infinite && y.kind == Kind::infinite) return {Kind::nan, false, 0};
  if (infinite) return {Kind::infinite, negative, 0};
  if (zero) return {Kind::finite, negative, 0};
  Fixed q{Kind::finite, negative, 0};
  mpz_class rest;
  const mpz_class dividend = shiftedFloor(x.magnitude, kFixedBits);
  mpz_fdiv_qr(q.magnitude.get_mpz_t(), rest.get_mpz_t(), dividend.get_mpz_t(),
              y.magnitude.get_mpz_t());
  // What is left lies far below every bit that a rounding looks at; its presence is enough.
  if (rest != 0) q.magnitude |= 1;
  return q;
}

uint32_t roundedBits(const ArithmeticRule& rule, const Fixed& exact) {
  return bitsOf(rounded(exact, kF32, rule.rounding, rule.rules), rule.rules.nan);
}
uint32_t sumBits(const ArithmeticRule& rule, const Fixed& x, const Fixed& y) {
  const Fixed both[] = {x, y};
  return bitsOf(roundedSum(both, kF32, rule.rounding, rule.rules), rule.rules.nan);
}

/// Polynomial of the segment that the top bits of `position` name.
mpz_class polynomial(const PiecewiseFunction& f, const mpz_class& position, int bits,
                     unsigned long first = 0) {
  const int local_bits = bits - f.segment_bits;
  const mpz_class segment = shiftedFloor(position, -local_bits);
  const mpz_class local = position - shiftedFloor(segment, local_bits);
  const size_t at = (first + segment.get_ui()) * static_cast<size_t>(f.degree + 1);
  mpz_class sum = 0;
  for (int i = f.degree; i >= 0; --i)
    sum = mpz_class(static_cast<long>(f.coefficients.at(at + static_cast<size_t>(i)))) +
          shiftedFloor(sum * local, -local_bits);
  return sum;
}

/// |x| = significand * 2^(exponent - 23), 2^23 <= significand < 2^24.
struct Parts {
  mpz_class significand;
  int exponent;
};
Parts partsOf(uint32_t x) {
  uint32_t fraction = x & 0x7fffff;
  int exponent = static_cast<int>(x >> 23 & 0xff) - 127;
  if (exponent == -127) {
    for (exponent = -126; fraction < 0x800000; fraction *= 2) --exponent;
    return {mpz_class(fraction), exponent};
  }
  return {mpz_class(fraction + 0x800000), exponent};
}

Fixed exponential(const PiecewiseFunction& f, uint32_t x) {
  const bool negative = (x & kSign) != 0;
  if ((x & ~kSign) >= 0x43800000) return fixed(1, negative ? -400 : 400);
  mpz_class argument = 0;
  if ((x & ~kSign) != 0) {
    const Parts parts = partsOf(x);
    const mpz_class scaled =
        (negative ? -1 : 1) * parts.significand * mpz_class(static_cast<long>(f.multiplier));
    argument = shiftedFloor(scaled, parts.exponent - 23 - f.multiplier_bits + f.argument_bits);
  }
  const mpz_class whole = shiftedFloor(argument, -f.argument_bits);
  const mpz_class position = argument - shiftedFloor(whole, f.argument_bits);
  // Every rounding sees the same beyond.
  const long power = std::clamp(whole.get_si(), -400L, 400L);
  return fixed(polynomial(f, position, f.argument_bits), power - f.fraction_bits);
}

Fixed logarithm(const PiecewiseFunction& f, uint32_t x) {
  const Parts parts = partsOf(x);
  const bool upper = parts.significand >= 0xc00000;  // 1.5
  const mpz_class t = upper ? mpz_class(parts.significand - 0x1000000)
                            : mpz_class(2 * parts.significand - 0x1000000);
  const mpz_class slope = polynomial(f, t + 0x400000, 24);
  const mpz_class sum =
      (parts.exponent + (upper ? 1 : 0)) * mpz_class(static_cast<long>(f.multiplier)) + t * slope;
  return fixed(sum, -24 - f.fraction_bits);
}

Fixed reciprocal(const PiecewiseFunction& f, uint32_t x) {
  const Parts parts = partsOf(x);
  const Fixed y =
      fixed(polynomial(f, parts.significand - 0x800000, 23), -parts.exponent - f.fraction_bits);
  return (x & kSign) != 0 ? negated(y) : y;
}

Fixed root(const PiecewiseFunction& f, uint32_t x, bool inverse) {
  const Parts parts = partsOf(x);
  const bool odd = parts.exponent % 2 != 0;
  const int half = (parts.exponent - (odd ? 1 : 0)) / 2;
  const mpz_class position = parts.significand - (odd ? 0 : 0x800000);
  return fixed(polynomial(f, position, 24), (inverse ? -half : half) - f.fraction_bits);
}

Fixed oddFunction(const PiecewiseFunction& f, uint32_t x) {
  const uint32_t magnitude = x & ~kSign;
  const int exponent = static_cast<int>(magnitude >> 23) - 127;
  if (exponent > f.last_exponent) return decodeF32(f.limit);
  const Parts parts = partsOf(magnitude);
  if (exponent < f.first_exponent)
    return fixed(parts.significand * mpz_class(static_cast<long>(f.linear)),
                 parts.exponent - 23 - f.fraction_bits);
  const auto binade = static_cast<unsigned long>(exponent - f.first_exponent);
  return fixed(polynomial(f, mpz_class(magnitude & 0x7fffff), 23, binade << f.segment_bits),
               exponent - f.fraction_bits);
}

uint32_t piecewise(const ArithmeticRule& rule, const PiecewiseFunction& f, ElementwiseOp op,
                   uint32_t x) {
  switch (op) {
    case ElementwiseOp::exp:
    case ElementwiseOp::exp2: return roundedBits(rule, exponential(f, x));
    case ElementwiseOp::log:
    case ElementwiseOp::log2: return roundedBits(rule, logarithm(f, x));
    case ElementwiseOp::recip: return roundedBits(rule, reciprocal(f, x));
    case ElementwiseOp::sqrt: return roundedBits(rule, root(f, x, false));
    case ElementwiseOp::rsqrt: return roundedBits(rule, root(f, x, true));
    case ElementwiseOp::sigmoid: {
      const uint32_t e = roundedBits(rule, exponential(f, x | kSign));
      const uint32_t one = 0x3f800000;
      const uint32_t sum = arithmeticUnder(rule, ElementwiseOp::add, one, e, 0);
      return arithmeticUnder(rule, ElementwiseOp::div, (x & kSign) != 0 ? e : one, sum, 0);
    }
    default: {
      const uint32_t result = roundedBits(rule, oddFunction(f, x)) ^ (x & kSign);
      return rule.rules.positive_zero && result == kSign ? 0 : result;
    }
  }
}

/// Bits of a function at the places where every way to compute it gives the same.
std::optional<uint32_t> specialValue(const RoundingRules& rules, ElementwiseOp op, uint32_t x) {
  const uint32_t magnitude = x & ~kSign, inf = 0x7f800000, one = 0x3f800000;
  const bool negative = (x & kSign) != 0, zero = magnitude == 0;
  if (magnitude > inf) return rules.nan;
  switch (op) {
    case ElementwiseOp::exp:
    case ElementwiseOp::exp2:
      return magnitude == inf ? std::optional(negative ? 0 : inf) : std::nullopt;
    case ElementwiseOp::sigmoid:
      return magnitude == inf ? std::optional(negative ? 0 : one) : std::nullopt;
    case ElementwiseOp::recip:
      if (zero) return (x & kSign) | inf;
      return magnitude == inf ? std::optional(rules.positive_zero ? 0 : x & kSign) : std::nullopt;
    case ElementwiseOp::tanh:
    case ElementwiseOp::erf:
      return zero ? std::optional(rules.positive_zero ? 0 : x) : std::nullopt;
    case ElementwiseOp::log:
    case ElementwiseOp::log2:
      if (zero) return kSign | inf;
      if (negative) return rules.nan;
      return magnitude == inf ? std::optional(inf) : std::nullopt;
    case ElementwiseOp::sqrt:
      if (zero) return rules.positive_zero ? 0 : x;
      if (negative) return rules.nan;
      return magnitude == inf ? std::optional(inf) : std::nullopt;
    default:  // rsqrt
      if (zero) return (x & kSign) | inf;
      if (negative) return rules.nan;
      return magnitude == inf ? std::optional(0u) : std::nullopt;
  }
}

struct Narrow {
  NumberFormat format;
  uint32_t most;      // code of the greatest number
  uint32_t nan;       // what a NaN becomes
  uint32_t infinity;  // what stands for infinity
  bool flushes;
};
Narrow narrowOf(ElementType type) {
  switch (type) {
    case ElementType::f16: return {{5, 10}, 0x7bff, 0x7e00, 0x7c00, true};
    case ElementType::bf16: return {{8, 7}, 0x7f7f, 0x7fc0, 0x7f80, true};
    case ElementType::f8e4m3: return {{4, 3}, 0x7e, 0x7f, 0x7f, false};
    case ElementType::f8e5m2: return {{5, 2}, 0x7b, 0x7e, 0x7c, false};
    case ElementType::f4e2m1: return {{2, 1}, 7, 7, 7, false};
    default: return {{8, 23}, 0x7f7fffff, 0x7fc00000, 0x7f800000, true};
  }
}

}  // namespace

uint32_t arithmeticUnder(const ArithmeticRule& rule, ElementwiseOp op, uint32_t a, uint32_t b,
                         uint32_t c) {
  const Fixed x = operand(rule.rules, a), y = operand(rule.rules, b), z = operand(rule.rules, c);
  switch (op) {
    case ElementwiseOp::add: return sumBits(rule, x, y);
    case ElementwiseOp::sub: return sumBits(rule, x, negated(y));
    case ElementwiseOp::rsub: return sumBits(rule, negated(x), y);
    case ElementwiseOp::mul: return roundedBits(rule, product(x, y));
    case ElementwiseOp::div: return roundedBits(rule, quotient(x, y));
    case ElementwiseOp::rdiv: return roundedBits(rule, quotient(y, x));
    default: return sumBits(rule, product(x, y), z);
  }
}

uint32_t conversionUnder(const ConversionRule& rule, ElementType from, uint32_t bits,
                         ElementType to, bool nearest, bool saturate) {
  Fixed x;
  if (isInteger(from)) {
    const int width = elementInfo(from).bits;
    long value = static_cast<long>(bits) & ((1L << width) - 1);
    const bool is_signed = elementInfo(from).kind == ElementKind::Int;
    if (is_signed && value >> (width - 1) != 0) value -= 1L << width;
    x = fixed(mpz_class(value), 0);
  } else {
    x = decode(from, bits);
    const Narrow source = narrowOf(from);
    const int fields = (1 << source.format.exponent_bits) - 1;
    const bool subnormal =
        (bits >> source.format.mantissa_bits & static_cast<uint32_t>(fields)) == 0;
    if (rule.flush_in && source.flushes && subnormal) x.magnitude = 0;
  }
  const Direction direction = nearest ? rule.rounding : Direction::toward_zero;
  if (isInteger(to)) {
    const int width = elementInfo(to).bits;
    const bool is_signed = elementInfo(to).kind == ElementKind::Int;
    const mpz_class high = (mpz_class(1) << (width - (is_signed ? 1 : 0))) - 1;
    const mpz_class low = is_signed ? mpz_class(-high - 1) : mpz_class(0);
    mpz_class value = 0;
    if (x.kind == Kind::infinite) value = x.negative ? low : high;
    if (x.kind == Kind::finite) {
      // A format with a quantum of 1 and no end in sight.
      mpz_class lower = shiftedFloor(x.magnitude, -kFixedBits);
      const mpz_class rest = x.magnitude - shiftedFloor(lower, kFixedBits);
      const int half = cmp(mpz_class(2 * rest), shiftedFloor(1, kFixedBits));
      const bool odd = mpz_odd_p(lower.get_mpz_t()) != 0;
      bool up = false;
      if (rest != 0) {
        if (direction == Direction::nearest_even) up = half > 0 || (half == 0 && odd);
        if (direction == Direction::nearest_away) up = half >= 0;
        if (direction == Direction::toward_positive) up = !x.negative;
        if (direction == Direction::toward_negative) up = x.negative;
        if (direction == Direction::odd) up = !odd;
      }
      if (up) lower += 1;
      value = x.negative ? mpz_class(-lower) : lower;
      value = std::clamp(value, low, high);
    }
    return static_cast<uint32_t>(value.get_si()) & static_cast<uint32_t>((1L << width) - 1);
  }
  const Narrow target = narrowOf(to);
  if (x.kind == Kind::nan) return target.nan;
  RoundingRules rules;
  rules.flush_out = rule.flush_out && target.flushes;
  const bool is_fp8 = !target.flushes;  // FP4 is one that always saturates
  saturate |= to == ElementType::f4e2m1;
  if (is_fp8) {
    rules.overflow = saturate ? numerics::Overflow::saturate : numerics::Overflow::ieee;
  } else if (nearest) {
    rules.overflow = rule.overflow;
  }
  const int width = target.format.exponent_bits + target.format.mantissa_bits;
  const uint32_t sign = x.negative ? 1u << width : 0;
  if (x.kind == Kind::infinite && is_fp8 && saturate) return sign | target.most;
  // E4M3 and E2M1 have numbers where others have infinities: a format with a larger exponent rounds
  // them, and their end is looked at here.
  Fixed y = x;
  const bool is_fp4 = to == ElementType::f4e2m1;
  if ((is_fp4 || to == ElementType::f8e4m3) && x.kind == Kind::finite) {
    const Fixed most = decode(to, target.most);
    // Exponents from -6 (0) on have a quantum by their significand, those below one of 2^-9 (2^-1).
    const NumberFormat wide = is_fp4 ? NumberFormat{3, 1} : NumberFormat{5, 3};
    const int shift = is_fp4 ? 2 : 8;  // least exponent -14 for -6, -2 for 0
    Fixed shifted = x;
    shifted.magnitude = shiftedFloor(x.magnitude, -shift);
    y = rounded(shifted, wide, direction, {});
    y.magnitude = shiftedFloor(y.magnitude, shift);
    if (y.kind == Kind::finite && y.magnitude > most.magnitude) {
      const bool nearest_rounding =
          direction == Direction::nearest_even || direction == Direction::nearest_away;
      const bool away = nearest_rounding ||
                        (direction == Direction::toward_positive && !x.negative) ||
                        (direction == Direction::toward_negative && x.negative);
      y = most;
      if (away && !saturate) y.kind = Kind::infinite;
    }
  } else {
    y = rounded(x, target.format, direction, rules);
  }
  if (y.kind == Kind::infinite && x.kind == Kind::finite && is_fp8 && saturate)
    return sign | target.most;
  if (y.kind == Kind::infinite) {
    if (to == ElementType::f8e4m3) return target.nan;
    return sign | target.infinity;
  }
  if (y.magnitude == 0) return sign;
  const int bias = (1 << (target.format.exponent_bits - 1)) - 1;
  int exponent = static_cast<int>(mpz_sizeinbase(y.magnitude.get_mpz_t(), 2)) - 1 - kFixedBits;
  exponent = std::max(exponent, 1 - bias);
  const mpz_class significand =
      shiftedFloor(y.magnitude, -(kFixedBits + exponent - target.format.mantissa_bits));
  return sign | ((static_cast<uint32_t>(exponent + bias - 1) << target.format.mantissa_bits) +
                 static_cast<uint32_t>(significand.get_ui()));
}

uint32_t functionUnder(const VectorContract& contract, ElementwiseOp op, uint32_t argument) {
  const RoundingRules& rules = contract.arithmetic.rules;
  const numerics::FunctionRule* rule = contract.function(op);
  uint32_t x = argument;
  if (rules.flush_in && (x & 0x7f800000) == 0) x &= kSign;
  if (rule->kind == numerics::FunctionKind::table) {
    const TableFunction& table = rule->table;
    const ConversionRule conversion{table.rounding, false, false, numerics::Overflow::ieee};
    return table.values.at(
        conversionUnder(conversion, ElementType::f32, x, table.input, true, false));
  }
  if (const auto special = specialValue(rules, op, x)) return *special;
  return piecewise({rule->piecewise.rounding, rules}, rule->piecewise, op, x);
}

uint32_t rowSumUnder(const VectorContract& contract, bool sums, std::span<const uint32_t> row) {
  const uint32_t identity = sums ? 0x80000000 : 0x3f800000;
  if (row.empty()) return identity;
  const auto step = [&](uint32_t a, uint32_t b) {
    return arithmeticUnder(contract.arithmetic, sums ? ElementwiseOp::add : ElementwiseOp::mul, a,
                           b, 0);
  };
  const size_t width = contract.reduction.width;
  if (contract.reduction.shape == numerics::ReductionShape::tree) {
    uint32_t sum = identity;
    for (size_t first = 0; first < row.size(); first += width) {
      const auto leaves = row.subspan(first, std::min(width, row.size() - first));
      std::vector<uint32_t> level(leaves.begin(), leaves.end());
      while (level.size() > 1) {
        std::vector<uint32_t> next;
        for (size_t i = 0; i + 1 < level.size(); i += 2)
          next.push_back(step(level[i], level[i + 1]));
        if (level.size() % 2 != 0) next.push_back(level.back());
        level = next;
      }
      sum = step(sum, level[0]);
    }
    return sum;
  }
  std::vector<uint32_t> lanes(width, identity);
  for (size_t i = 0; i < row.size(); ++i) lanes[i % width] = step(lanes[i % width], row[i]);
  for (size_t half = width / 2; half != 0; half /= 2)
    for (size_t i = 0; i < half; ++i) lanes[i] = step(lanes[i], lanes[i + half]);
  return lanes[0];
}

}  // namespace etalon::reference
