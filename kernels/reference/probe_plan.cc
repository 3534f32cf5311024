// SPDX-License-Identifier: Apache-2.0
#include "kernels/reference/probe_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "isa/base/check.h"
#include "kernels/reference/dot.h"
#include "kernels/reference/value.h"

namespace etalon::kernels {
namespace {

constexpr int kHalfBudget = 23;    // the pair has 2^23, all other terms together 2^23
constexpr int kMostLarge = 11;     // of one factor of the pair
constexpr int kMostExponent = 40;  // of bf16 and f32: sums stay far from both ends of f32

ProbeFactor exponentRange(ElementType type) {
  const ElementInfo& info = elementInfo(type);
  ProbeFactor factor;
  factor.low = std::max(1 - info.bias, -kMostExponent);
  factor.high = std::min(std::ilogb(largestFinite(type)), kMostExponent) - kMostLarge;
  return factor;
}

ProbeFactor integerRange(ElementType type) {
  ProbeFactor factor;
  factor.least = type == ElementType::i8 ? -128 : 0;
  factor.most = type == ElementType::i8 ? 127 : 255;
  return factor;
}

int ceilLog2(uint64_t value) { return value <= 1 ? 0 : std::bit_width(value - 1); }

}  // namespace

uint64_t ProbeRandom::next() {
  uint64_t z = state_ += 0x9E3779B97F4A7C15;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
  return z ^ (z >> 31);
}

int64_t ProbeRandom::between(int64_t low, int64_t high) {
  ETALON_CHECK(low <= high, "a range with a value");
  return low + static_cast<int64_t>(next() % static_cast<uint64_t>(high - low + 1));
}

int64_t ProbePlan::draw(const ProbeFactor& factor, ProbeRandom& random) const {
  if (integer) return random.between(factor.least, factor.most);
  const int64_t magnitude = random.between(1, (int64_t{1} << factor.width) - 1) * random.sign();
  const bool zero = random.between(0, 7) == 0;
  return paired && zero ? 0 : magnitude;
}

Result<ProbePlan> planProbe(ProbeTypes types, uint64_t terms, uint64_t pairs) {
  using enum ElementType;
  ProbePlan plan;
  plan.integer = isInteger(types.a);
  const bool good_output = plan.integer
                               ? types.out == i32
                               : types.out == f32 || types.out == bf16 || types.out == f16 ||
                                     types.out == f8e4m3 || types.out == f8e5m2;
  if (!multiplies(types.a, types.b) || !good_output)
    return Error{fmt::format("no exact probe for {} x {} -> {}", elementInfo(types.a).name,
                             elementInfo(types.b).name, elementInfo(types.out).name)};
  if (plan.integer) {
    plan.a = integerRange(types.a);
    plan.b = integerRange(types.b);
    return plan;
  }
  if (terms > kMostProbeTerms)
    return Error{fmt::format("an exact probe has {} terms in a sum at most, not {}",
                             kMostProbeTerms, terms)};
  plan.a = exponentRange(types.a);
  plan.b = exponentRange(types.b);
  plan.spread = std::min(plan.a.high - plan.a.low, plan.b.high - plan.b.low) / 4;
  for (ProbeFactor* factor : {&plan.a, &plan.b}) {
    factor->low += plan.spread;
    factor->high -= plan.spread;
  }
  const int product_width = kHalfBudget - ceilLog2(terms);
  plan.a.width = std::min(elementInfo(types.a).mantissa_bits + 1, (product_width + 1) / 2);
  plan.b.width = std::min(elementInfo(types.b).mantissa_bits + 1, product_width - plan.a.width);
  const int large = kHalfBudget - 1 - ceilLog2(pairs);
  plan.paired = pairs > 0 && large >= 2;
  if (plan.paired) {
    plan.a.large = (large + 1) / 2;
    plan.b.large = large / 2;
  }
  return plan;
}

uint64_t probeElement(ElementType type, int64_t integer, int exponent) {
  if (isInteger(type)) return static_cast<uint64_t>(integer);
  const double value = std::ldexp(static_cast<double>(integer), exponent);
  const uint64_t bits = encode(type, {value, 0});
  ETALON_CHECK(decode(type, bits) == value, "the type holds the element exactly");
  return bits;
}

uint64_t probeSum(ElementType type, int64_t sum, int exponent) {
  if (isInteger(type)) return static_cast<uint32_t>(sum);
  return encode(type, {std::ldexp(static_cast<double>(sum), exponent), 0});
}

}  // namespace etalon::kernels
