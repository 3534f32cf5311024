// SPDX-License-Identifier: Apache-2.0
#include "sim/functional/example_values.h"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>

namespace etalon::sim {
namespace {

using nlohmann::json;

/// What the format standards say of a floating type. `ieee`: the largest exponent field is infinities and NaNs.
struct FloatLayout {
  int exponent_bits, mantissa_bits, bias;
  bool ieee;
  uint64_t largest;  // code of the largest finite magnitude
  uint64_t nan;      // canonical NaN; 0 if the type has none
};

std::optional<FloatLayout> floatLayout(ElementType type) {
  switch (type) {
    case ElementType::f32: return FloatLayout{8, 23, 127, true, 0x7f7fffff, 0x7fc00000};
    case ElementType::bf16: return FloatLayout{8, 7, 127, true, 0x7f7f, 0x7fc0};
    case ElementType::f16: return FloatLayout{5, 10, 15, true, 0x7bff, 0x7e00};
    case ElementType::f8e5m2: return FloatLayout{5, 2, 15, true, 0x7b, 0x7e};
    case ElementType::f8e4m3: return FloatLayout{4, 3, 7, false, 0x7e, 0x7f};
    case ElementType::f4e2m1: return FloatLayout{2, 1, 1, false, 0x7, 0};
    default: return std::nullopt;
  }
}

Error inexact(ElementType type, double value) {
  return {fmt::format("{} is no value of {}", value, elementInfo(type).name)};
}

Result<uint64_t> encodeFloat(ElementType type, const FloatLayout& f, double value) {
  const uint64_t sign = uint64_t{std::signbit(value)} << (f.exponent_bits + f.mantissa_bits);
  if (std::isnan(value)) return f.nan ? Result<uint64_t>(f.nan) : inexact(type, value);
  if (std::isinf(value)) {
    if (!f.ieee) return inexact(type, value);
    return sign | ((uint64_t{1} << f.exponent_bits) - 1) << f.mantissa_bits;
  }
  const double magnitude = std::fabs(value);
  if (magnitude == 0) return sign;
  const int exponent = std::max(std::ilogb(magnitude), 1 - f.bias);
  // The significand as an integer; below 2^mantissa_bits for a subnormal.
  const double significand = std::ldexp(magnitude, f.mantissa_bits - exponent);
  if (significand != std::floor(significand)) return inexact(type, value);
  const auto whole = static_cast<uint64_t>(significand);
  const bool subnormal = whole < uint64_t{1} << f.mantissa_bits;
  const uint64_t field = subnormal ? 0 : static_cast<uint64_t>(exponent + f.bias);
  const uint64_t code = field << f.mantissa_bits | (whole & ((uint64_t{1} << f.mantissa_bits) - 1));
  if (code > f.largest) return inexact(type, value);
  return sign | code;
}

Result<uint64_t> encodeScale(double value) {
  if (std::isnan(value)) return uint64_t{0xff};
  int exponent = 0;
  const double fraction = std::frexp(value, &exponent);
  const int code = exponent - 1 + 127;
  if (fraction != 0.5 || code < 0 || code > 254) return inexact(ElementType::e8m0, value);
  return static_cast<uint64_t>(code);
}

Result<uint64_t> encodeInteger(ElementType type, const json& value) {
  const auto& info = elementInfo(type);
  const bool is_signed = info.kind == ElementKind::Int;
  if (!value.is_number_integer())
    return Error{fmt::format("{} is no value of {}", value.dump(), info.name)};
  const bool negative =
      value.is_number_integer() && !value.is_number_unsigned() && value.get<int64_t>() < 0;
  const auto word = negative ? static_cast<uint64_t>(value.get<int64_t>()) : value.get<uint64_t>();
  const uint64_t mask = info.bits == 64 ? ~uint64_t{0} : (uint64_t{1} << info.bits) - 1;
  const uint64_t most = is_signed ? mask >> 1 : mask;
  const bool fits = negative ? is_signed && ~word <= most : word <= most;
  if (!fits) return Error{fmt::format("{} is no value of {}", value.dump(), info.name)};
  return word & mask;
}

/// The number a text stands for: "nan", "inf", "-inf".
std::optional<double> namedNumber(const std::string& text) {
  if (text == "nan") return std::nan("");
  if (text == "inf") return INFINITY;
  if (text == "-inf") return -INFINITY;
  return std::nullopt;
}

}  // namespace

Result<uint64_t> encodeElement(ElementType type, const json& value) {
  std::optional<double> number;
  if (value.is_string()) {
    const auto text = value.get<std::string>();
    if (text.starts_with("0x")) return static_cast<uint64_t>(std::stoull(text, nullptr, 16));
    number = namedNumber(text);
    if (!number)
      return Error{fmt::format("'{}' is no element: a number, nan, inf, -inf or 0x bits", text)};
  } else if (value.is_number()) {
    number = value.get<double>();
  } else {
    return Error{fmt::format("{} is no element", value.dump())};
  }
  if (type == ElementType::e8m0) return encodeScale(*number);
  if (const auto layout = floatLayout(type)) return encodeFloat(type, *layout, *number);
  return encodeInteger(type, value);
}

Result<uint64_t> encodeWord(const json& value) {
  if (value.is_number_unsigned()) return value.get<uint64_t>();
  if (value.is_number_integer()) return static_cast<uint64_t>(value.get<int64_t>());
  return Error{fmt::format("{} is no 64-bit integer", value.dump())};
}

}  // namespace etalon::sim
