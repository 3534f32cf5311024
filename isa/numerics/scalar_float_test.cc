// SPDX-License-Identifier: Apache-2.0
// Against the host's own binary32 arithmetic, result and flags, in the four rounding modes a host
// has. An x86-64 host detects tininess after rounding like RISC-V; NaN results differ in their bits
// alone.
#include "isa/numerics/scalar_float.h"

#include <gtest/gtest.h>

#include <bit>
#include <cfenv>
#include <cmath>
#include <limits>

#include "isa/numerics/scalar_float_test_values.h"

namespace etalon::numerics::scalar {
namespace {

struct HostMode {
  Rounding mode;
  int host;
};
constexpr std::array kHostModes = {
    HostMode{Rounding::nearest_even, FE_TONEAREST}, HostMode{Rounding::toward_zero, FE_TOWARDZERO},
    HostMode{Rounding::down, FE_DOWNWARD}, HostMode{Rounding::up, FE_UPWARD}};

uint32_t hostFlags() {
  const int raised = std::fetestexcept(FE_ALL_EXCEPT);
  return (raised & FE_INEXACT ? kInexact : 0) | (raised & FE_UNDERFLOW ? kUnderflow : 0) |
         (raised & FE_OVERFLOW ? kOverflow : 0) | (raised & FE_DIVBYZERO ? kDivideByZero : 0) |
         (raised & FE_INVALID ? kInvalid : 0);
}

/// A float the compiler cannot know: operations on it stay between the flag accesses around them.
struct Opaque {
  explicit Opaque(uint32_t bits) : value(std::bit_cast<float>(bits)) {}
  volatile float value;
};

/// `operation` run exactly here; NaN results made canonical.
template <class F, class... Operands>
Outcome<uint32_t> onOpaque(F operation, const Operands&... operands) {
  std::feclearexcept(FE_ALL_EXCEPT);
  volatile float result = operation(operands.value...);
  const uint32_t flags = hostFlags();
  const uint32_t bits = std::bit_cast<uint32_t>(static_cast<float>(result));
  return {(bits & ~kSignBit) > 0x7f800000 ? kCanonicalNan : bits, flags};
}
template <class F, class... Operands>
Outcome<uint32_t> onHost(F operation, Operands... operands) {
  return onOpaque(operation, Opaque(operands)...);
}

/// Restores the host's environment however a test ends.
class HostEnvironment {
 public:
  HostEnvironment() { std::fegetenv(&saved_); }
  ~HostEnvironment() { std::fesetenv(&saved_); }

 private:
  std::fenv_t saved_;
};

float hostAdd(float a, float b) { return a + b; }
float hostMultiply(float a, float b) { return a * b; }
float hostDivide(float a, float b) { return a / b; }
float hostSquareRoot(float a) { return std::sqrt(a); }
float hostMultiplyAdd(float a, float b, float c) { return std::fma(a, b, c); }

constexpr int kRandomPairs = 100000;

template <class Ours, class Host>
void comparePair(Ours ours, Host host, Rounding mode, uint32_t a, uint32_t b) {
  const Outcome<uint32_t> expected = onHost(host, a, b), actual = ours(a, b, mode);
  ASSERT_EQ(actual.bits, expected.bits)
      << std::hex << a << " " << b << " mode " << static_cast<int>(mode);
  ASSERT_EQ(actual.flags, expected.flags)
      << std::hex << a << " " << b << " mode " << static_cast<int>(mode);
}

template <class Ours, class Host>
void comparePairs(Ours ours, Host host) {
  HostEnvironment environment;
  for (const auto [mode, host_mode] : kHostModes) {
    ASSERT_EQ(std::fesetround(host_mode), 0);
    for (uint32_t a : kDirected)
      for (uint32_t b : kDirected)
        for (uint32_t signs = 0; signs < 4; ++signs)
          comparePair(ours, host, mode, a | (signs & 1) << 31, b | (signs & 2) << 30);
    OperandSource source(1);
    for (int i = 0; i < kRandomPairs && !testing::Test::HasFatalFailure(); ++i) {
      source.recentre();
      const uint32_t a = source.next(), b = source.next();
      comparePair(ours, host, mode, a, b);
    }
  }
}

TEST(ScalarFloat, AddsLikeTheHostInEveryModeItHas) { comparePairs(add, hostAdd); }
TEST(ScalarFloat, MultipliesLikeTheHostInEveryModeItHas) { comparePairs(multiply, hostMultiply); }
TEST(ScalarFloat, DividesLikeTheHostInEveryModeItHas) { comparePairs(divide, hostDivide); }

TEST(ScalarFloat, TakesSquareRootsLikeTheHostInEveryModeItHas) {
  HostEnvironment environment;
  for (const auto [mode, host_mode] : kHostModes) {
    ASSERT_EQ(std::fesetround(host_mode), 0);
    for (uint32_t i = 0; i < 150000; ++i) {
      const uint32_t a = i < kDirected.size() ? kDirected[i] : i * 2654435761u;
      const Outcome<uint32_t> expected = onHost(hostSquareRoot, a), actual = squareRoot(a, mode);
      ASSERT_EQ(actual.bits, expected.bits) << std::hex << a;
      ASSERT_EQ(actual.flags, expected.flags) << std::hex << a;
    }
  }
}

void compareMultiplyAdd(Rounding mode, uint32_t a, uint32_t b, uint32_t c) {
  Outcome<uint32_t> expected = onHost(hostMultiplyAdd, a, b, c);
  const uint32_t x = a & ~kSignBit, y = b & ~kSignBit;
  // IEEE leaves the flag of 0 * inf + quiet NaN to the implementation; RISC-V raises it.
  if ((x == 0 && y == 0x7f800000) || (y == 0 && x == 0x7f800000)) expected.flags |= kInvalid;
  const Outcome<uint32_t> actual = multiplyAdd(a, b, c, mode);
  ASSERT_EQ(actual.bits, expected.bits) << std::hex << a << " " << b << " " << c;
  ASSERT_EQ(actual.flags, expected.flags) << std::hex << a << " " << b << " " << c;
}

TEST(ScalarFloat, MultipliesAndAddsLikeTheHostInEveryModeItHas) {
  HostEnvironment environment;
  for (const auto [mode, host_mode] : kHostModes) {
    ASSERT_EQ(std::fesetround(host_mode), 0);
    for (uint32_t a : kDirected)
      for (uint32_t b : kDirected)
        for (uint32_t c : kDirected) compareMultiplyAdd(mode, a, b ^ kSignBit, c);
    OperandSource source(2);
    for (int i = 0; i < kRandomPairs && !HasFatalFailure(); ++i) {
      source.recentre();
      const uint32_t a = source.next(), b = source.next();
      // The addend near the product (so that they cancel) or anywhere.
      const uint32_t product = multiply(a, b, mode).bits;
      compareMultiplyAdd(
          mode, a, b, i & 1 ? source.next() : (product ^ kSignBit) + static_cast<uint32_t>(i % 8));
    }
  }
}

/// The integer nearest in the host's mode has 64 bits in long double; range and flags follow from
/// it.
template <class T>
void compareToInteger(Outcome<T> (*ours)(uint32_t, Rounding), Rounding mode, uint32_t a) {
  const float value = std::bit_cast<float>(a);
  Outcome<T> expected{std::numeric_limits<T>::max(), kInvalid};
  if (!std::isnan(value)) {
    const long double whole = std::nearbyint(static_cast<long double>(value));
    if (whole < static_cast<long double>(std::numeric_limits<T>::min()))
      expected.bits = std::numeric_limits<T>::min();
    else if (whole <= static_cast<long double>(std::numeric_limits<T>::max()))
      expected = {static_cast<T>(whole), whole != static_cast<long double>(value) ? kInexact : 0};
  }
  const Outcome<T> actual = ours(a, mode);
  ASSERT_EQ(actual.bits, expected.bits) << std::hex << a;
  ASSERT_EQ(actual.flags, expected.flags) << std::hex << a;
}

TEST(ScalarFloat, ConvertsToIntegersLikeTheHostInEveryModeItHas) {
  HostEnvironment environment;
  for (const auto [mode, host_mode] : kHostModes) {
    ASSERT_EQ(std::fesetround(host_mode), 0);
    OperandSource source(3);
    for (size_t i = 0; i < 150000; ++i) {
      // Exponents 2^-3 .. 2^66 hold every rounding and every limit.
      const uint32_t a = i < 2 * kDirected.size()
                             ? kDirected[i / 2] | static_cast<uint32_t>(i & 1) << 31
                             : (source.next() & 0x807fffff) | static_cast<uint32_t>(124 + i % 70)
                                                                  << 23;
      compareToInteger(toInt32, mode, a);
      compareToInteger(toUint32, mode, a);
      compareToInteger(toInt64, mode, a);
      compareToInteger(toUint64, mode, a);
      if (HasFatalFailure()) return;
    }
  }
}

TEST(ScalarFloat, ConvertsFromIntegersLikeTheHostInEveryModeItHas) {
  HostEnvironment environment;
  std::mt19937_64 random(4);
  for (const auto [mode, host_mode] : kHostModes) {
    ASSERT_EQ(std::fesetround(host_mode), 0);
    for (int i = 0; i < 100000; ++i) {
      volatile uint64_t bits = random() >> (i % 65 == 64 ? 63 : i % 64);
      if (i & 1) bits = 0 - bits;
      if (i == 0) bits = 0;
      std::feclearexcept(FE_ALL_EXCEPT);
      volatile float from_signed = static_cast<float>(static_cast<int64_t>(bits));
      uint32_t flags = hostFlags();
      ASSERT_EQ(fromInt64(static_cast<int64_t>(bits), mode).bits,
                std::bit_cast<uint32_t>(float{from_signed}))
          << bits;
      ASSERT_EQ(fromInt64(static_cast<int64_t>(bits), mode).flags, flags) << bits;
      std::feclearexcept(FE_ALL_EXCEPT);
      volatile float from_unsigned = static_cast<float>(static_cast<uint64_t>(bits));
      flags = hostFlags();
      ASSERT_EQ(fromUint64(bits, mode).bits, std::bit_cast<uint32_t>(float{from_unsigned})) << bits;
      ASSERT_EQ(fromUint64(bits, mode).flags, flags) << bits;
    }
  }
}

TEST(ScalarFloat, ComparesLikeTheHost) {
  HostEnvironment environment;
  const auto check = [](uint32_t a, uint32_t b) {
    const auto host = [&](auto compare) {
      volatile float x = std::bit_cast<float>(a), y = std::bit_cast<float>(b);
      std::feclearexcept(FE_ALL_EXCEPT);
      volatile bool result = compare(x, y);
      return Outcome<uint32_t>{result, hostFlags()};
    };
    const auto same = [&](Outcome<uint32_t> actual, Outcome<uint32_t> expected) {
      ASSERT_EQ(actual.bits, expected.bits) << std::hex << a << " " << b;
      ASSERT_EQ(actual.flags, expected.flags) << std::hex << a << " " << b;
    };
    same(equal(a, b), host([](float x, float y) { return x == y; }));
    same(less(a, b), host([](float x, float y) { return x < y; }));
    same(lessOrEqual(a, b), host([](float x, float y) { return x <= y; }));
  };
  for (uint32_t a : kDirected)
    for (uint32_t b : kDirected)
      for (uint32_t signs = 0; signs < 4; ++signs)
        check(a | (signs & 1) << 31, b | (signs & 2) << 30);
  OperandSource source(5);
  for (int i = 0; i < 200000 && !HasFatalFailure(); ++i) {
    const uint32_t a = source.next(), b = source.next();
    check(a, b);
  }
}

TEST(ScalarFloat, PrefersNumbersAndOrdersZerosInMinAndMax) {
  EXPECT_EQ(minimumNumber(0x00000000, 0x80000000).bits, 0x80000000u);
  EXPECT_EQ(minimumNumber(0x80000000, 0x00000000).bits, 0x80000000u);
  EXPECT_EQ(maximumNumber(0x00000000, 0x80000000).bits, 0x00000000u);
  EXPECT_EQ(maximumNumber(0x80000000, 0x00000000).bits, 0x00000000u);
  EXPECT_EQ(minimumNumber(0x3f800000, 0xc0000000).bits, 0xc0000000u);
  EXPECT_EQ(maximumNumber(0x3f800000, 0xc0000000).bits, 0x3f800000u);
  EXPECT_EQ(maximumNumber(0xbf800000, 0xc0000000).bits, 0xbf800000u);
  EXPECT_EQ(minimumNumber(0xffc12345, 0x7f800000).bits, 0x7f800000u);
  EXPECT_EQ(maximumNumber(0xff800000, 0xffc12345).bits, 0xff800000u);
  EXPECT_EQ(maximumNumber(0xffc12345, 0x7fc00001).bits, kCanonicalNan);
  EXPECT_EQ(maximumNumber(0xffc12345, 0x7fc00001).flags, 0u);
  EXPECT_EQ(minimumNumber(0x7f800001, 0x3f800000).bits, 0x3f800000u);
  EXPECT_EQ(minimumNumber(0x7f800001, 0x3f800000).flags, kInvalid);
  EXPECT_EQ(maximumNumber(0x7fc00000, 0xff800001).bits, kCanonicalNan);
  EXPECT_EQ(maximumNumber(0x7fc00000, 0xff800001).flags, kInvalid);
}

TEST(ScalarFloat, ClassifiesEveryKindOfValue) {
  constexpr std::array<uint32_t, 10> first = {0xff800000, 0x80800000, 0x80000001, 0x80000000,
                                              0x00000000, 0x00000001, 0x00800000, 0x7f800000,
                                              0x7f800001, 0x7fc00000};
  constexpr std::array<uint32_t, 10> last = {0xff800000, 0xff7fffff, 0x807fffff, 0x80000000,
                                             0x00000000, 0x007fffff, 0x7f7fffff, 0x7f800000,
                                             0xffbfffff, 0xffffffff};
  for (size_t i = 0; i < first.size(); ++i) {
    EXPECT_EQ(classify(first[i]), 1u << i);
    EXPECT_EQ(classify(last[i]), 1u << i);
  }
}

}  // namespace
}  // namespace etalon::numerics::scalar
