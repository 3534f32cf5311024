// SPDX-License-Identifier: Apache-2.0
// The reference here knows the formats only as "sign, exponent field, fraction" with constants of
// its own, decodes with ldexp, and rounds by searching the list of all values a format has.
#include "isa/numerics/convert.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <map>
#include <random>
#include <vector>

#include "isa/state/rule_test.h"

namespace etalon::numerics {
namespace {

using T = ElementType;

struct Format {
  int exponent_bits, fraction_bits, bias;
  enum { Ieee, Fn, Finite } kind;
  uint64_t nan;
};

Format formatOf(T type) {
  switch (type) {
    case T::f4e2m1: return {2, 1, 1, Format::Finite, 7};
    case T::f8e4m3: return {4, 3, 7, Format::Fn, 0x7f};
    case T::f8e5m2: return {5, 2, 15, Format::Ieee, 0x7e};
    case T::f16: return {5, 10, 15, Format::Ieee, 0x7e00};
    case T::bf16: return {8, 7, 127, Format::Ieee, 0x7fc0};
    default: return {8, 23, 127, Format::Ieee, 0x7fc00000};
  }
}

bool floating(T t) { return t >= T::f4e2m1 && t != T::e8m0; }
bool isSigned(T t) { return t == T::i4 || t == T::i8 || t == T::i16 || t == T::i32 || t == T::i64; }
int widthOf(T t) {
  static const int widths[] = {4, 4, 8, 8, 16, 16, 32, 32, 64, 4, 8, 8, 8, 16, 16, 32};
  return widths[static_cast<int>(t)];
}

long double decode(T type, uint64_t code) {
  if (type == T::e8m0) return code == 255 ? NAN : std::ldexp(1.0L, static_cast<int>(code) - 127);
  if (!floating(type)) {
    const int w = widthOf(type);
    long double value = 0;
    for (int i = 0; i < w; ++i)
      if (code >> i & 1) value += (i == w - 1 && isSigned(type) ? -1 : 1) * std::ldexp(1.0L, i);
    return value;
  }
  const Format f = formatOf(type);
  const int e = static_cast<int>(code >> f.fraction_bits & ((1u << f.exponent_bits) - 1));
  const int m = static_cast<int>(code & ((1u << f.fraction_bits) - 1));
  const int top = (1 << f.exponent_bits) - 1;
  const long double sign = code >> (f.exponent_bits + f.fraction_bits) & 1 ? -1 : 1;
  if (f.kind == Format::Ieee && e == top) return m != 0 ? NAN : sign * INFINITY;
  if (f.kind == Format::Fn && e == top && m == 7) return NAN;
  const long double one = std::ldexp(1.0L, f.fraction_bits);
  return sign * (e == 0 ? std::ldexp(m / one, 1 - f.bias) : std::ldexp(1 + m / one, e - f.bias));
}

/// Magnitudes of all finite codes of a format up to 16 bits, ascending; index = code. One more
/// entry where overflow would be if the exponent went on.
const std::vector<long double>& magnitudes(T type) {
  static std::map<T, std::vector<long double>> all;
  std::vector<long double>& list = all[type];
  if (list.empty()) {
    for (uint64_t code = 0; code < uint64_t{1} << (widthOf(type) - 1); ++code) {
      const long double v = decode(type, code);
      if (std::isnan(v) || std::isinf(v)) break;
      list.push_back(v);
    }
    list.push_back(2 * list.back() - list[list.size() - 2]);
  }
  return list;
}

uint64_t roundToFloat(T to, long double value, bool toward_zero, bool saturate) {
  const Format f = formatOf(to);
  const bool fp8 = to == T::f8e4m3 || to == T::f8e5m2 || to == T::f4e2m1;
  if (std::isnan(value)) return f.nan;
  const uint64_t sign = std::signbit(value) ? uint64_t{1} << (widthOf(to) - 1) : 0;
  const long double a = std::fabs(value);
  if (to == T::f32) {
    float r = static_cast<float>(a);
    if (toward_zero && static_cast<long double>(r) > a) r = std::nextafterf(r, 0.0f);
    return sign | std::bit_cast<uint32_t>(r);
  }
  const auto& list = magnitudes(to);
  const uint64_t greatest = list.size() - 2;
  uint64_t code;
  if (std::isinf(a)) {
    code = greatest + 1;
    if (fp8 && saturate) code = greatest;
  } else {
    const auto above = std::upper_bound(list.begin(), list.end(), a);
    const uint64_t below = static_cast<uint64_t>(above - list.begin()) - 1;
    code = below;
    if (above != list.end() && !toward_zero) {
      const long double middle = (list[below] + list[below + 1]) / 2;
      if (a > middle || (a == middle && (below & 1) == 1)) code = below + 1;
    }
    if (code > greatest && (toward_zero || (fp8 && saturate))) code = greatest;
  }
  if (code > greatest && f.kind == Format::Fn) return f.nan;
  if (f.kind == Format::Finite) code = std::min<uint64_t>(code, 7);
  return sign | code;
}

uint64_t roundToInt(T to, long double value, bool toward_zero) {
  if (std::isnan(value)) return 0;
  const int w = widthOf(to);
  const long double low = isSigned(to) ? -std::ldexp(1.0L, w - 1) : 0.0L;
  const long double high = std::ldexp(1.0L, isSigned(to) ? w - 1 : w) - 1;
  const long double r =
      std::clamp(toward_zero ? std::trunc(value) : std::nearbyint(value), low, high);
  const uint64_t whole = r < 0 ? -static_cast<uint64_t>(-r) : static_cast<uint64_t>(r);
  return w == 64 ? whole : whole & ((uint64_t{1} << w) - 1);
}

uint64_t reference(T from, uint64_t code, T to, bool toward_zero, bool saturate) {
  const long double value = decode(from, code);
  if (floating(to)) return roundToFloat(to, value, toward_zero, saturate);
  if (floating(from) || from == T::e8m0 || saturate) return roundToInt(to, value, toward_zero);
  const uint64_t whole = value < 0 ? -static_cast<uint64_t>(-value) : static_cast<uint64_t>(value);
  return widthOf(to) == 64 ? whole : whole & ((uint64_t{1} << widthOf(to)) - 1);
}

/// Converts inputs as a contiguous run on one host instruction set.
std::vector<uint64_t> converted(T from, T to, const std::vector<uint64_t>& inputs, ConvertMode mode,
                                HostIsa isa) {
  const size_t from_bytes = static_cast<size_t>(widthOf(from)) / 8,
               to_bytes = static_cast<size_t>(widthOf(to)) / 8;
  std::vector<std::byte> packed(inputs.size() * from_bytes), run(inputs.size() * to_bytes);
  for (size_t i = 0; i < inputs.size(); ++i)
    std::memcpy(&packed[i * from_bytes], &inputs[i], from_bytes);
  convertRun(from, packed.data(), static_cast<ptrdiff_t>(from_bytes), to, run.data(),
             static_cast<ptrdiff_t>(to_bytes), inputs.size(), mode, isa);
  std::vector<uint64_t> out(inputs.size());
  for (size_t i = 0; i < inputs.size(); ++i) std::memcpy(&out[i], &run[i * to_bytes], to_bytes);
  return out;
}

void expectAll(T from, T to, const std::vector<uint64_t>& inputs) {
  // Saturation is a matter of FP8, FP4 and of integers from integers.
  const bool ignores_saturate =
      floating(to) ? widthOf(to) > 8 : (floating(from) || from == T::e8m0);
  std::vector<uint64_t> want(inputs.size());
  for (const bool toward_zero : {false, true})
    for (const bool saturate : {false, true}) {
      const Rounding rounding = toward_zero ? Rounding::TowardZero : Rounding::NearestEven;
      for (size_t i = 0; i < inputs.size(); ++i) {
        if (!saturate || !ignores_saturate)
          want[i] = reference(from, inputs[i], to, toward_zero, saturate);
        const uint64_t got = convertElement(from, inputs[i], to, rounding, saturate);
        if (got != want[i])
          FAIL() << elementInfo(from).name << " " << std::hex << inputs[i] << " to "
                 << elementInfo(to).name << " rz " << toward_zero << " sat " << saturate << ": "
                 << got << ", want " << want[i];
      }
      if (widthOf(from) < 8 || widthOf(to) < 8) continue;
      for (const HostIsa isa : supportedHostIsas()) {
        const std::vector<uint64_t> run = converted(from, to, inputs, {rounding, saturate}, isa);
        for (size_t i = 0; i < inputs.size(); ++i)
          if (run[i] != want[i])
            FAIL() << "in a run on host ISA " << static_cast<int>(isa) << ": "
                   << elementInfo(from).name << " " << std::hex << inputs[i] << " to "
                   << elementInfo(to).name << " rz " << toward_zero << " sat " << saturate << ": "
                   << run[i] << ", want " << want[i];
      }
    }
}

std::vector<T> destinations() {
  std::vector<T> types;
  for (int i = 0; i < kElementTypes; ++i)
    if (static_cast<T>(i) != T::e8m0) types.push_back(static_cast<T>(i));
  return types;
}

TEST(Convert, AgreesOnEveryInputUpTo16BitsToEveryType) {
  SHOWS(vec_convert, vec_convert_fp8, vec_nan);
  for (int i = 0; i < kElementTypes; ++i) {
    const T from = static_cast<T>(i);
    if (widthOf(from) > 16) continue;
    std::vector<uint64_t> inputs(size_t{1} << widthOf(from));
    for (size_t code = 0; code < inputs.size(); ++code) inputs[code] = code;
    for (const T to : destinations()) ASSERT_NO_FATAL_FAILURE(expectAll(from, to, inputs));
  }
}

/// f32 at and beside every value and every midpoint of every narrow format, integers and halves,
/// and all exponents.
std::vector<uint64_t> f32Inputs() {
  std::vector<uint64_t> inputs;
  const auto around = [&](long double v) {
    const uint32_t bits = std::bit_cast<uint32_t>(static_cast<float>(v));
    for (int d = -1; d <= 1; ++d) {
      inputs.push_back(static_cast<uint32_t>(static_cast<int64_t>(bits) + d) & 0x7fffffff);
      inputs.push_back(inputs.back() | 0x80000000);
    }
  };
  for (const T t : {T::f4e2m1, T::f8e4m3, T::f8e5m2, T::f16, T::bf16}) {
    const auto& list = magnitudes(t);
    const size_t stride = t == T::bf16 ? 17 : 1;
    for (size_t i = 0; i + 1 < list.size(); i += stride) {
      around(list[i]);
      around((list[i] + list[i + 1]) / 2);
    }
    around(list[list.size() - 1]);
    around((list[list.size() - 1] + list[list.size() - 2]) / 2);
  }
  for (int i = 0; i < 1200; ++i) around(i / 2.0L);
  for (int e = 8; e < 70; ++e) {
    around(std::ldexp(1.0L, e));
    around(std::ldexp(1.0L, e) - 0.5L);
  }
  for (const uint32_t special : {0u, 1u, 0x7fffffu, 0x800000u, 0x7f7fffffu, 0x7f800000u,
                                 0x7f800001u, 0x7fc00000u, 0x7fffffffu}) {
    inputs.push_back(special);
    inputs.push_back(special | 0x80000000u);
  }
  std::mt19937 random(1);
  for (int i = 0; i < 30000; ++i) inputs.push_back(random());
  return inputs;
}

TEST(Convert, AgreesAtAndBesideEveryMidpointFromF32) {
  SHOWS(vec_convert, vec_convert_fp8);
  const std::vector<uint64_t> inputs = f32Inputs();
  for (const T to : destinations()) ASSERT_NO_FATAL_FAILURE(expectAll(T::f32, to, inputs));
}

TEST(Convert, AgreesFromWideIntegers) {
  std::mt19937_64 random(2);
  for (const T from : {T::i32, T::u32, T::i64}) {
    std::vector<uint64_t> inputs;
    const uint64_t mask = ~uint64_t{0} >> (64 - widthOf(from));
    for (int e = 0; e < widthOf(from); ++e)
      for (int lower = 0; lower <= e;
           ++lower)  // 2^e + 2^lower and its neighbours: ties and near-ties at each precision
        for (int d = -1; d <= 1; ++d) {
          const uint64_t v =
              (uint64_t{1} << e) + (uint64_t{1} << lower) + static_cast<uint64_t>(int64_t{d});
          inputs.push_back(v & mask);
          inputs.push_back(-v & mask);
        }
    for (int i = 0; i < 10000; ++i) inputs.push_back((random() >> (random() % 64)) & mask);
    for (const T to : destinations()) ASSERT_NO_FATAL_FAILURE(expectAll(from, to, inputs));
  }
}

TEST(Convert, RoundsAnIntegerOnceNotTwiceThroughF32) {
  SHOWS(vec_convert);
  // 2^24 + 2^16 + 1: to f32 first it would lose the 1 and tie down to 2^24.
  EXPECT_EQ(convertElement(T::i32, 0x01010001, T::bf16, Rounding::NearestEven, false), 0x4b81u);
}

TEST(Convert, StridedRunsTouchOnlyTheirElements) {
  for (const T from : {T::f32, T::bf16, T::i32, T::i8})
    for (const T to : {T::f32, T::bf16, T::f16, T::i32, T::u8}) {
      const ptrdiff_t in_bytes = widthOf(from) / 8, out_bytes = widthOf(to) / 8;
      std::mt19937 random(3);
      std::vector<std::byte> in(1000), out(1000, std::byte{0xa5});
      for (std::byte& b : in) b = static_cast<std::byte>(random());
      const size_t n = 37;
      convertRun(from, in.data() + 500, -3 * in_bytes, to, out.data(), 2 * out_bytes, n, {});
      for (size_t i = 0; i < n; ++i) {
        uint64_t code = 0, got = 0, gap = 0;
        std::memcpy(&code, in.data() + 500 - 3 * in_bytes * static_cast<ptrdiff_t>(i),
                    static_cast<size_t>(in_bytes));
        std::memcpy(&got, out.data() + 2 * out_bytes * static_cast<ptrdiff_t>(i),
                    static_cast<size_t>(out_bytes));
        std::memcpy(&gap, out.data() + out_bytes * static_cast<ptrdiff_t>(2 * i + 1),
                    static_cast<size_t>(out_bytes));
        EXPECT_EQ(got, reference(from, code, to, false, false));
        EXPECT_EQ(gap, 0xa5a5a5a5u & (~uint64_t{0} >> (64 - widthOf(to))));
      }
    }
}

TEST(Convert, WorksInPlaceWhenSizesAreEqual) {
  std::vector<float> data{1.5f, -2.5f, 3.5f, NAN, 1e20f};
  convertRun(T::f32, reinterpret_cast<const std::byte*>(data.data()), 4, T::i32,
             reinterpret_cast<std::byte*>(data.data()), 4, data.size(), {});
  const int32_t want[] = {2, -2, 4, 0, INT32_MAX};
  EXPECT_EQ(std::memcmp(data.data(), want, sizeof(want)), 0);
}

TEST(Convert, ReadsTheModeByteAsTheIsaLaysItOut) {
  SHOWS(vec_convert_mode);
  EXPECT_EQ(ConvertMode::fromByte(9).rounding, Rounding::TowardZero);
  EXPECT_TRUE(ConvertMode::fromByte(9).saturate);
  EXPECT_FALSE(ConvertMode::fromByte(1).saturate);
  EXPECT_FALSE(ConvertMode::fromByte(2).supported());
  EXPECT_FALSE(convertible(T::f32, T::e8m0));
  EXPECT_TRUE(convertible(T::e8m0, T::f32));
}

}  // namespace
}  // namespace etalon::numerics
