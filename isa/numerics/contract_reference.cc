// SPDX-License-Identifier: Apache-2.0
#include "isa/numerics/contract_reference.h"

#include <algorithm>
#include <vector>

namespace etalon::reference {
namespace {

using numerics::Direction;
using numerics::NumberFormat;
using numerics::Overflow;
using numerics::ProductRule;
using numerics::RoundingRules;
using Kind = Fixed::Kind;

constexpr NumberFormat kF32{8, 23};

mpz_class twoTo(int exponent) {
  mpz_class power;
  mpz_setbit(power.get_mpz_t(), static_cast<mp_bitcnt_t>(exponent));
  return power;
}
/// 2^exponent in fixed point.
mpz_class fixedPower(int exponent) { return twoTo(exponent + kFixedBits); }

int floorLog2(const Fixed& x) {
  return static_cast<int>(mpz_sizeinbase(x.magnitude.get_mpz_t(), 2)) - 1 - kFixedBits;
}
int leastExponent(NumberFormat format) { return 2 - (1 << (format.exponent_bits - 1)); }

struct Layout {
  int exponent_bits, mantissa_bits;
  bool has_infinity;
  bool has_nan;
};
Layout layoutOf(ElementType type) {
  switch (type) {
    case ElementType::f4e2m1: return {2, 1, false, false};
    case ElementType::f8e4m3: return {4, 3, false, true};
    case ElementType::f8e5m2: return {5, 2, true, true};
    case ElementType::f16: return {5, 10, true, true};
    case ElementType::bf16: return {8, 7, true, true};
    default: return {8, 23, true, true};
  }
}

int integerBits(ElementType type) {
  return type == ElementType::i4 || type == ElementType::u4 ? 4 : 8;
}

/// The greater of the two multiples of `unit` around a magnitude, or the smaller one.
bool takesUpper(Direction direction, bool negative, const mpz_class& lower, const mpz_class& rest,
                const mpz_class& unit) {
  const int half = cmp(mpz_class(2 * rest), unit);
  const bool odd = mpz_odd_p(lower.get_mpz_t()) != 0;
  switch (direction) {
    case Direction::nearest_even: return half > 0 || (half == 0 && odd);
    case Direction::nearest_away: return half >= 0;
    case Direction::toward_zero: return false;
    case Direction::toward_positive: return !negative;
    case Direction::toward_negative: return negative;
    case Direction::odd: return !odd;
  }
  return false;
}

/// A finite value rounded to a multiple of 2^exponent.
mpz_class multipleOf(const Fixed& x, int exponent, Direction direction) {
  if (exponent + kFixedBits <= 0) return x.magnitude;
  const mpz_class unit = fixedPower(exponent);
  mpz_class lower, rest;
  mpz_fdiv_qr(lower.get_mpz_t(), rest.get_mpz_t(), x.magnitude.get_mpz_t(), unit.get_mpz_t());
  if (rest != 0 && takesUpper(direction, x.negative, lower, rest, unit)) lower += 1;
  return lower * unit;
}

Fixed zeroOf(bool negative, const RoundingRules& rules) {
  return {Kind::finite, negative && !rules.positive_zero, 0};
}

bool overflowIsInfinite(Direction direction, bool negative, Overflow overflow) {
  if (overflow == Overflow::infinity) return true;
  if (overflow == Overflow::saturate) return false;
  switch (direction) {
    case Direction::nearest_even:
    case Direction::nearest_away: return true;
    case Direction::toward_positive: return !negative;
    case Direction::toward_negative: return negative;
    default: return false;
  }
}

}  // namespace

Fixed decode(ElementType type, uint32_t bits) {
  Fixed x;
  if (type == ElementType::e8m0) {
    if ((bits & 0xff) == 0xff) return {Kind::nan, false, 0};
    x.magnitude = fixedPower(static_cast<int>(bits & 0xff) - 127);
    return x;
  }
  if (type == ElementType::i4 || type == ElementType::u4 || type == ElementType::i8 ||
      type == ElementType::u8) {
    const int width = integerBits(type);
    long value = static_cast<long>(bits & ((1u << width) - 1));
    const bool is_signed = type == ElementType::i4 || type == ElementType::i8;
    if (is_signed && value >> (width - 1) != 0) value -= 1L << width;
    x.negative = value < 0;
    x.magnitude = mpz_class(std::abs(value)) * fixedPower(0);
    return x;
  }
  const Layout layout = layoutOf(type);
  const int width = layout.exponent_bits + layout.mantissa_bits;
  const uint32_t fraction = bits & ((1u << layout.mantissa_bits) - 1);
  const uint32_t top = (1u << layout.exponent_bits) - 1;
  const uint32_t field = bits >> layout.mantissa_bits & top;
  x.negative = (bits >> width & 1) != 0;
  if (layout.has_infinity && field == top) {
    x.kind = fraction == 0 ? Kind::infinite : Kind::nan;
    return x;
  }
  if (layout.has_nan && field == top && fraction == (1u << layout.mantissa_bits) - 1) {
    x.kind = Kind::nan;
    return x;
  }
  const uint32_t significand = field == 0 ? fraction : fraction | 1u << layout.mantissa_bits;
  const int exponent =
      static_cast<int>(std::max(field, 1u)) - ((1 << (layout.exponent_bits - 1)) - 1);
  x.magnitude = mpz_class(significand) * fixedPower(exponent - layout.mantissa_bits);
  return x;
}

Fixed decodeF32(uint32_t bits) { return decode(ElementType::f32, bits); }

Fixed rounded(const Fixed& exact, NumberFormat format, Direction direction,
              const RoundingRules& rules) {
  if (exact.kind != Kind::finite) return exact;
  if (exact.magnitude == 0) return zeroOf(exact.negative, rules);
  const int least = leastExponent(format);
  const int greatest = (1 << (format.exponent_bits - 1)) - 1;
  const int quantum = std::max(floorLog2(exact), least) - format.mantissa_bits;
  Fixed result{Kind::finite, exact.negative, multipleOf(exact, quantum, direction)};
  const mpz_class most =
      (twoTo(format.mantissa_bits + 1) - 1) * fixedPower(greatest - format.mantissa_bits);
  if (result.magnitude > most) {
    result.magnitude = most;
    if (overflowIsInfinite(direction, exact.negative, rules.overflow))
      result = {Kind::infinite, exact.negative, 0};
    return result;
  }
  const bool subnormal = result.magnitude < fixedPower(least);
  if (result.magnitude == 0 || (subnormal && rules.flush_out)) return zeroOf(exact.negative, rules);
  return result;
}

Fixed product(const Fixed& a, const Fixed& b) {
  const bool negative = a.negative != b.negative;
  const bool invalid =
      (a.kind == Kind::infinite && b.isZero()) || (b.kind == Kind::infinite && a.isZero());
  if (a.kind == Kind::nan || b.kind == Kind::nan || invalid) return {Kind::nan, false, 0};
  if (a.kind == Kind::infinite || b.kind == Kind::infinite) return {Kind::infinite, negative, 0};
  Fixed result{Kind::finite, negative, a.magnitude * b.magnitude};
  result.magnitude >>= kFixedBits;
  return result;
}

Fixed roundedSum(std::span<const Fixed> addends, NumberFormat format, Direction direction,
                 const RoundingRules& rules) {
  bool positive_infinity = false, negative_infinity = false;
  bool all_positive = true, all_negative = true;
  mpz_class sum = 0;
  for (const Fixed& x : addends) {
    if (x.kind == Kind::nan) return x;
    if (x.kind == Kind::infinite) (x.negative ? negative_infinity : positive_infinity) = true;
    all_positive &= x.isZero() && !x.negative;
    all_negative &= x.isZero() && x.negative;
    if (x.negative) {
      sum -= x.magnitude;
    } else {
      sum += x.magnitude;
    }
  }
  if (positive_infinity && negative_infinity) return {Kind::nan, false, 0};
  if (positive_infinity || negative_infinity) return {Kind::infinite, negative_infinity, 0};
  if (sum == 0)
    return zeroOf(all_negative || (direction == Direction::toward_negative && !all_positive),
                  rules);
  return rounded({Kind::finite, sum < 0, abs(sum)}, format, direction, rules);
}

uint32_t bitsOf(const Fixed& value, uint32_t nan) {
  if (value.kind == Kind::nan) return nan;
  const uint32_t sign = value.negative ? 0x80000000u : 0;
  if (value.kind == Kind::infinite) return sign | 0x7f800000u;
  if (value.magnitude == 0) return sign;
  const int exponent = std::max(floorLog2(value), -126);
  const mpz_class significand = value.magnitude / fixedPower(exponent - 23);
  const auto integer = static_cast<uint32_t>(significand.get_ui());
  // The leading one of a normal adds 1 to the exponent field.
  return sign | ((static_cast<uint32_t>(exponent + 126) << 23) + integer);
}

namespace {

/// A sum of a product's terms, step by step as the rule says.
class Sum {
 public:
  explicit Sum(const ProductRule& rule) : rule_(rule) {}

  Fixed operand(const Element& element) const {
    Fixed x = decode(element.type, element.bits);
    ElementType type = element.type;
    if (element.scale_type) {
      x = product(x, decode(*element.scale_type, element.scale));
      if (*element.scale_type == ElementType::f32) {
        x = rounded(x, kF32, Direction::nearest_even, {});
        type = ElementType::f32;
      } else {
        return x;
      }
    }
    const bool flushed =
        type == ElementType::f16 || type == ElementType::bf16 || type == ElementType::f32;
    if (flushed && rule_.rules.flush_in && x.kind == Kind::finite &&
        x.magnitude < fixedPower(type == ElementType::f16 ? -14 : -126))
      x.magnitude = 0;
    return x;
  }

  /// Exponent by which an operand takes part in aligning its product; of finite nonzero ones.
  static int operandExponent(const Element& element, const Fixed& value) {
    const int exponent = floorLog2(value);
    if (element.scale_type) return exponent;
    switch (element.type) {
      case ElementType::i4:
      case ElementType::u4:
      case ElementType::i8:
      case ElementType::u8: return exponent;
      default: return std::max(exponent, leastExponent({layoutOf(element.type).exponent_bits, 1}));
    }
  }

  Fixed round(const Fixed& exact) const {
    return rounded(exact, rule_.accumulator, rule_.rounding, rule_.rules);
  }
  Fixed add(const Fixed& x, const Fixed& y, Direction direction) const {
    const Fixed both[] = {x, y};
    return roundedSum(both, rule_.accumulator, direction, rule_.rules);
  }

  Fixed start(std::optional<uint32_t> bits) const {
    if (!bits) return {};
    Fixed x = decodeF32(*bits);
    if (rule_.rules.flush_in && x.kind == Kind::finite && x.magnitude < fixedPower(-126))
      x.magnitude = 0;
    const bool holds =
        rule_.accumulator.exponent_bits == 8 && rule_.accumulator.mantissa_bits >= 23;
    return holds ? x : round(x);
  }

  Fixed chain(std::span<const Fixed> terms, Fixed sum) const {
    for (const Fixed& term : terms) sum = add(sum, term, rule_.rounding);
    return sum;
  }

  /// Leaves may be missing at the end; a node with one child is that child.
  Fixed tree(std::vector<std::optional<Fixed>> nodes) const {
    while (nodes.size() > 1) {
      const size_t half = (nodes.size() + 1) / 2;
      std::vector<std::optional<Fixed>> next(half);
      for (size_t i = 0; i < half; ++i) {
        const bool adjacent = rule_.tree == numerics::TreeShape::adjacent;
        const size_t first = adjacent ? 2 * i : i;
        const size_t second = adjacent ? 2 * i + 1 : i + half;
        next[i] = nodes[first];
        if (second < nodes.size() && nodes[second])
          next[i] = add(*nodes[first], *nodes[second], rule_.rounding);
      }
      nodes = std::move(next);
    }
    return round(*nodes[0]);
  }

  Fixed aligned(std::vector<Fixed> addends, const std::vector<int>& exponents) const {
    std::optional<int> top;
    for (size_t i = 0; i < addends.size(); ++i)
      if (addends[i].kind == Kind::finite && addends[i].magnitude != 0)
        top = std::max(top.value_or(exponents[i]), exponents[i]);
    const bool finite = std::all_of(addends.begin(), addends.end(),
                                    [](const Fixed& x) { return x.kind == Kind::finite; });
    std::vector<Fixed> kept = addends;
    if (finite && top && rule_.width != 0) {
      const int lowest = *top + 1 - static_cast<int>(rule_.width + rule_.guard);
      for (Fixed& x : kept) x.magnitude = multipleOf(x, lowest, rule_.cut);
      const bool sums_to_zero = [&] {
        mpz_class sum = 0;
        for (const Fixed& x : kept) sum += x.negative ? mpz_class(-x.magnitude) : x.magnitude;
        return sum == 0;
      }();
      // Addends that were cut to zero are no zeros: the sign of a zero sum goes by all of them.
      if (sums_to_zero) {
        return zeroOf(rule_.rounding == Direction::toward_negative, rule_.rules);
      }
    }
    return roundedSum(kept, rule_.accumulator, rule_.rounding, rule_.rules);
  }

  const ProductRule& rule_;
};

std::vector<size_t> orderOf(const ProductRule& rule, size_t k) {
  std::vector<size_t> order;
  if (rule.order == numerics::TermOrder::permuted) {
    for (size_t first = 0; first < k; first += rule.permutation.size())
      for (const uint16_t place : rule.permutation)
        if (first + place < k) order.push_back(first + place);
    return order;
  }
  for (size_t i = 0; i < k; ++i)
    order.push_back(rule.order == numerics::TermOrder::ascending ? i : k - 1 - i);
  return order;
}

}  // namespace

uint32_t productUnder(const ProductRule& rule, std::span<const Element> a,
                      std::span<const Element> b, std::optional<uint32_t> accumulator) {
  if (a.empty()) return accumulator.value_or(0);
  const Sum sum(rule);
  std::vector<Fixed> terms;
  std::vector<int> exponents;
  for (const size_t k : orderOf(rule, a.size())) {
    const Fixed x = sum.operand(a[k]), y = sum.operand(b[k]);
    Fixed term = product(x, y);
    if (rule.rounds_products) term = sum.round(term);
    int exponent = 0;
    if (term.kind == Kind::finite && term.magnitude != 0)
      exponent = rule.exponent == numerics::AddendExponent::operands
                     ? Sum::operandExponent(a[k], x) + Sum::operandExponent(b[k], y)
                     : floorLog2(term);
    terms.push_back(term);
    exponents.push_back(exponent);
  }
  Fixed acc = sum.start(accumulator);
  for (size_t first = 0; first < terms.size(); first += rule.group) {
    const size_t n = std::min<size_t>(rule.group, terms.size() - first);
    std::vector<Fixed> group(terms.begin() + static_cast<ptrdiff_t>(first),
                             terms.begin() + static_cast<ptrdiff_t>(first + n));
    std::vector<int> group_exponents(exponents.begin() + static_cast<ptrdiff_t>(first),
                                     exponents.begin() + static_cast<ptrdiff_t>(first + n));
    size_t size = rule.group;
    if (rule.joins_in_sum) {
      int exponent = 0;
      if (acc.kind == Kind::finite && acc.magnitude != 0) {
        exponent = floorLog2(acc);
        if (rule.exponent == numerics::AddendExponent::operands)
          exponent = std::max(exponent, leastExponent(rule.accumulator));
      }
      group.insert(group.begin(), acc);
      group_exponents.insert(group_exponents.begin(), exponent);
      ++size;
    }
    Fixed result;
    switch (rule.sum) {
      case numerics::GroupSum::chain:
        result = sum.chain(std::span(group).subspan(1),
                           rule.joins_in_sum ? group[0] : sum.round(group[0]));
        break;
      case numerics::GroupSum::aligned: result = sum.aligned(group, group_exponents); break;
      case numerics::GroupSum::tree: {
        std::vector<std::optional<Fixed>> leaves(group.begin(), group.end());
        leaves.resize(size);
        result = sum.tree(std::move(leaves));
        break;
      }
    }
    acc = rule.joins_in_sum ? result : sum.add(acc, result, rule.join);
    const size_t done = first + n;
    if (rule.spill_every != 0 && done % rule.spill_every == 0)
      acc = rounded(acc, rule.spill, rule.spill_rounding, rule.rules);
  }
  return bitsOf(rounded(acc, kF32, rule.rounding, rule.rules), rule.rules.nan);
}

}  // namespace etalon::reference
