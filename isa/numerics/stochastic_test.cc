// SPDX-License-Identifier: Apache-2.0
// Stochastic rounding against the list of all magnitudes a format has: the neighbours of a number
// are found in it, the fraction between them is exact in long double.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <random>
#include <vector>

#include "isa/base/fuzz_scale.h"
#include "isa/numerics/convert.h"
#include "isa/state/rule_test.h"

namespace etalon::numerics {
namespace {

using T = ElementType;

struct Format {
  int exponent_bits, fraction_bits, bias;
  uint64_t nan, overflow;  // codes
  bool fp8;                // has a saturating form
};

Format formatOf(T type) {
  switch (type) {
    case T::f4e2m1: return {2, 1, 1, 7, 7, true};
    case T::f8e4m3: return {4, 3, 7, 0x7f, 0x7f, true};
    case T::f8e5m2: return {5, 2, 15, 0x7e, 0x7c, true};
    case T::f16: return {5, 10, 15, 0x7e00, 0x7c00, false};
    case T::bf16: return {8, 7, 127, 0x7fc0, 0x7f80, false};
    default: return {8, 23, 127, 0x7fc00000, 0x7f800000, false};
  }
}

/// Value of a code without sign, going on past the greatest finite one.
long double magnitudeOf(const Format& f, uint64_t code) {
  const auto e = static_cast<int>(code >> f.fraction_bits);
  const long double m = std::ldexp(
      static_cast<long double>(code & ((uint64_t{1} << f.fraction_bits) - 1)), -f.fraction_bits);
  return e == 0 ? std::ldexp(m, 1 - f.bias) : std::ldexp(1 + m, e - f.bias);
}

/// First code that is no finite value.
uint64_t endOf(T type) { return type == T::f4e2m1 ? 8 : formatOf(type).overflow; }

/// Magnitudes of all codes of a format of up to 16 bits, and of the first one beyond the finite.
const std::vector<long double>& magnitudes(T type) {
  static std::map<T, std::vector<long double>> all;
  std::vector<long double>& list = all[type];
  for (uint64_t code = list.size(); code <= endOf(type); ++code)
    list.push_back(magnitudeOf(formatOf(type), code));
  return list;
}

/// The greatest code whose value is at most `a`; not past the first one beyond the finite values.
uint64_t codeBelow(T type, long double a) {
  if (type == T::f32) {
    const auto nearest = static_cast<float>(a);
    return std::bit_cast<uint32_t>(nearest > a ? std::nextafter(nearest, 0.0f) : nearest);
  }
  const auto& list = magnitudes(type);
  return static_cast<uint64_t>(std::upper_bound(list.begin(), list.end(), a) - list.begin()) - 1;
}

/// floor(2^32 * f), f the place of `a` between its neighbours.
uint64_t fractionOf(T type, long double a) {
  const Format f = formatOf(type);
  const uint64_t below = codeBelow(type, a);
  if (below >= endOf(type)) return 0;
  const long double low = magnitudeOf(f, below), high = magnitudeOf(f, below + 1);
  return static_cast<uint64_t>(std::floor((a - low) / (high - low) * 0x1p32L));
}

uint64_t reference(T to, long double value, bool saturate, uint32_t word) {
  const Format f = formatOf(to);
  if (std::isnan(value)) return f.nan;
  const uint64_t sign =
      std::signbit(value) ? uint64_t{1} << (f.exponent_bits + f.fraction_bits) : 0;
  const long double a = std::fabs(value);
  uint64_t code = endOf(to);
  if (!std::isinf(a))
    code = codeBelow(to, a) + (fractionOf(to, a) + word >= uint64_t{1} << 32 ? 1 : 0);
  if (code < endOf(to)) return sign | code;
  if (to == T::f4e2m1) return sign | 7;
  if (f.fp8 && saturate) return sign | (endOf(to) - 1);
  return to == T::f8e4m3 ? f.nan : sign | f.overflow;
}

/// Words at which rounding may turn, and one at random.
std::vector<uint32_t> wordsFor(T to, long double value, std::mt19937_64& random) {
  const auto turn =
      std::isfinite(value) ? static_cast<uint32_t>(-fractionOf(to, std::fabs(value))) : uint32_t{0};
  return {0, ~0u, turn - 1, turn, turn + 1, static_cast<uint32_t>(random())};
}

void expectAllWords(T from, uint64_t code, long double value, std::mt19937_64& random) {
  for (const T to : {T::f4e2m1, T::f8e4m3, T::f8e5m2, T::f16, T::bf16, T::f32})
    for (const uint32_t word : wordsFor(to, value, random))
      for (const bool saturate : {false, true})
        ASSERT_EQ(convertStochastic(from, code, to, saturate, word),
                  reference(to, value, saturate, word))
            << elementInfo(from).name << " " << std::hex << code << " to " << elementInfo(to).name
            << " word " << word;
}

float asFloat(uint32_t bits) { return std::bit_cast<float>(bits); }

TEST(Stochastic, RandomF32GoWhereTheWordSays) {
  SHOWS(vec_stochastic, vec_stochastic_range);
  std::mt19937_64 random(1);
  for (int i = 0; i < 5000; ++i) {
    const auto bits = static_cast<uint32_t>(random());
    expectAllWords(T::f32, bits, asFloat(bits), random);
  }
}

TEST(Stochastic, F32AroundEveryValueOfEveryFormat) {
  SHOWS(vec_stochastic, vec_stochastic_range);
  std::mt19937_64 random(2);
  for (const T to : {T::f4e2m1, T::f8e4m3, T::f8e5m2, T::f16, T::bf16})
    for (uint64_t code = 0; code <= endOf(to); code += kSanitized ? 7 : 1) {
      const auto exact = static_cast<float>(magnitudeOf(formatOf(to), code));
      const uint32_t bits = std::bit_cast<uint32_t>(exact);
      for (const uint32_t offset : {0u, 1u, ~0u, static_cast<uint32_t>(random() % 4096)}) {
        const uint32_t given = (bits + offset) ^ static_cast<uint32_t>(random() % 2) << 31;
        const bool saturate = random() % 2 != 0;
        for (const uint32_t word : wordsFor(to, asFloat(given), random))
          ASSERT_EQ(convertStochastic(T::f32, given, to, saturate, word),
                    reference(to, asFloat(given), saturate, word))
              << elementInfo(to).name << " " << std::hex << given << " " << word;
      }
    }
}

TEST(Stochastic, ValuesOfTheDestinationNeverMove) {
  SHOWS(vec_stochastic);
  for (const T to : {T::f8e4m3, T::f8e5m2, T::f16, T::bf16})
    for (uint64_t code = 0; code < endOf(to); ++code)
      for (const uint32_t word : {0u, 0x80000000u, ~0u}) {
        const float value = widenToFloat(to, static_cast<uint32_t>(code));
        ASSERT_EQ(convertStochastic(T::f32, std::bit_cast<uint32_t>(value), to, false, word), code);
      }
}

TEST(Stochastic, IntegersRoundFromTheirExactValue) {
  SHOWS(vec_stochastic);
  std::mt19937_64 random(3);
  for (int i = 0; i < 2000; ++i) {
    const auto bits = static_cast<uint32_t>(random() >> random() % 32);
    expectAllWords(T::i32, bits, static_cast<int32_t>(bits), random);
    expectAllWords(T::u32, bits, bits, random);
    expectAllWords(T::i16, bits & 0xffff, static_cast<int16_t>(bits), random);
    expectAllWords(T::u8, bits & 0xff, static_cast<uint8_t>(bits), random);
  }
}

TEST(Stochastic, SmallestNumbersFallBelowTheWordsResolution) {
  // 2^-149 is 2^-125 of the least f16: no word of 32 bits reaches it. Half of 2^-32 of it neither.
  EXPECT_EQ(convertStochastic(T::f32, 1, T::f16, false, ~0u), 0u);
  EXPECT_EQ(convertStochastic(T::f32, std::bit_cast<uint32_t>(0x1p-57f), T::f16, false, ~0u), 0u);
  EXPECT_EQ(convertStochastic(T::f32, std::bit_cast<uint32_t>(0x1p-56f), T::f16, false, ~0u), 1u);
  EXPECT_EQ(convertStochastic(T::f32, std::bit_cast<uint32_t>(-0x1p-56f), T::f16, false, ~0u - 1),
            0x8000u);
}

TEST(Stochastic, TheShareOfUpsIsTheFraction) {
  // 1 + 3/8 of a bf16 quantum, over words evenly spread: exactly 3/8 of them round up.
  const uint32_t bits = 0x3f800000 + 0x6000;
  int ups = 0;
  for (uint32_t word = 0; word < 4096; ++word) {
    const uint64_t code = convertStochastic(T::f32, bits, T::bf16, false, word << 20);
    EXPECT_TRUE(code == 0x3f80 || code == 0x3f81);
    ups += code == 0x3f81;
  }
  EXPECT_EQ(ups, 4096 * 3 / 8);
}

}  // namespace
}  // namespace etalon::numerics
