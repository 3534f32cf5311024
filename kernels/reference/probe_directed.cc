// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "kernels/reference/element_data.h"
#include "kernels/reference/probe.h"
#include "kernels/reference/probe_plan.h"

namespace etalon::kernels {
namespace {

using enum ElementType;

constexpr int kLeastGap = 2;
constexpr int kMostGap = 26;
constexpr int kOrderGap = 24;
constexpr int kSpillGap = 20;

/// (-1)^negative * 2^(a + b), a factor each.
struct Term {
  bool negative = false;
  int a = 0;
  int b = 0;
};

/// 2^exponent in two factors that every type holds.
Term powerOfTwo(int exponent, bool negative = false) {
  return {negative, (exponent + 1) / 2, exponent / 2};
}

/// A subnormal power of two of the type, and what makes a normal product of it.
Term subnormalFactor(ElementType type) {
  const int least = 1 - elementInfo(type).bias;
  return {false, least - 1, type == f16 ? 0 : 100};
}

MatmulProbe probeOf(ElementType type, uint64_t count, const std::vector<Term>& terms,
                    uint32_t expected) {
  std::vector<uint64_t> a(count), b(count);
  for (size_t i = 0; i < terms.size(); ++i) {
    a[i] = probeElement(type, terms[i].negative ? -1 : 1, terms[i].a);
    b[i] = probeElement(type, 1, terms[i].b);
  }
  return {arrayOf(type, {1, count}, a), arrayOf(type, {count, 1}, b),
          arrayOf(f32, {1, 1}, {expected})};
}

}  // namespace

Result<MatmulProbe> makeDirectedProbe(DirectedProbe probe, ElementType type, uint64_t terms,
                                      int gap) {
  if (type != bf16 && type != f16 && type != f32)
    return Error{fmt::format("no directed probe for {}; there are some for bf16, f16, f32",
                             elementInfo(type).name)};
  if (terms < 3 || terms > kMostProbeTerms)
    return Error{fmt::format("a directed probe has 3 to {} terms, not {}", kMostProbeTerms, terms)};
  switch (probe) {
    case DirectedProbe::alignment:
      if (gap < kLeastGap || gap > kMostGap)
        return Error{fmt::format("the gap is {} to {}, not {}", kLeastGap, kMostGap, gap)};
      return probeOf(type, terms, {powerOfTwo(gap), powerOfTwo(gap, true), powerOfTwo(0)},
                     0x3f800000);  // 1
    case DirectedProbe::order: {
      std::vector<Term> all(terms, powerOfTwo(0));
      all[0] = powerOfTwo(kOrderGap);
      return probeOf(type, terms, all, 0x4b800000);  // 2^24
    }
    case DirectedProbe::subnormal_input: {
      const Term term = subnormalFactor(type);
      return probeOf(type, terms, {term}, static_cast<uint32_t>(probeSum(f32, 1, term.a + term.b)));
    }
    case DirectedProbe::subnormal_output:
      if (type == f16) return Error{"no product of two f16 is an f32 subnormal"};
      return probeOf(type, terms, {{false, -80, -60}}, 0x00000200);  // 2^-140
    case DirectedProbe::spill:
      return probeOf(type, terms, {powerOfTwo(0), {false, -kSpillGap / 2, -kSpillGap / 2}},
                     0x3f800008);  // 1 + 2^-20
  }
  return Error{"no such probe"};
}

}  // namespace etalon::kernels
