// SPDX-License-Identifier: Apache-2.0
#include "isa/base/number.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <limits>
#include <utility>

#include "isa/base/text.h"

namespace etalon {
namespace {

constexpr std::array<std::pair<std::string_view, int>, 3> kUnits{
    {{"KiB", 10}, {"MiB", 20}, {"GiB", 30}}};

std::string_view trimEnd(std::string_view text) {
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

}  // namespace

Result<uint64_t> parseUnsigned(std::string_view text) {
  const bool hex = text.starts_with("0x") || text.starts_with("0X");
  const std::string_view digits = hex ? text.substr(2) : text;
  if (!hex && digits.size() > 1 && digits[0] == '0' &&
      digits.find_first_not_of("0123456789") == std::string_view::npos)
    return Error{fmt::format("{} has a leading zero: write it without, or 0x... for hexadecimal",
                             quote(text))};
  uint64_t value = 0;
  const auto [end, code] =
      std::from_chars(digits.data(), digits.data() + digits.size(), value, hex ? 16 : 10);
  if (code == std::errc::result_out_of_range)
    return Error{fmt::format("{} is too large: the limit is 2^64 - 1", quote(text))};
  if (code != std::errc() || end != digits.data() + digits.size())
    return Error{fmt::format("{} is not a whole number: write it as 42 or 0x2a", quote(text))};
  return value;
}

Result<int64_t> parseSigned(std::string_view text) {
  const bool negative = text.starts_with('-');
  Result<uint64_t> magnitude = parseUnsigned(negative ? text.substr(1) : text);
  if (!magnitude.ok()) return magnitude.error();
  const uint64_t limit = uint64_t{std::numeric_limits<int64_t>::max()} + (negative ? 1 : 0);
  if (*magnitude > limit) return Error{fmt::format("{} is outside -2^63..2^63-1", quote(text))};
  return static_cast<int64_t>(negative ? -*magnitude : *magnitude);
}

Result<uint64_t> parseBytes(std::string_view text) {
  for (const auto& [unit, shift] : kUnits) {
    if (!text.ends_with(unit)) continue;
    Result<uint64_t> count = parseUnsigned(trimEnd(text.substr(0, text.size() - unit.size())));
    if (!count.ok())
      return Error{fmt::format("{} is not a size: write it as 8 MiB or 8388608", quote(text))};
    if (*count >> (64 - shift))
      return Error{fmt::format("{} is too large: the limit is 2^64 - 1", quote(text))};
    return *count << shift;
  }
  Result<uint64_t> bytes = parseUnsigned(text);
  if (!bytes.ok()) return Error{bytes.error().message + "; sizes may end in KiB, MiB or GiB"};
  return bytes;
}

Result<uint64_t> parseThousandths(std::string_view text) {
  const Error wrong{fmt::format(
      "{} is not a ratio: write it as 2, 0.5 or 1/2, in whole thousandths", quote(text))};
  const size_t mark = text.find_first_of("./");
  const Result<uint64_t> whole = parseUnsigned(text.substr(0, mark));
  if (!whole.ok() || *whole > 1'000'000'000) return wrong;
  if (mark == std::string_view::npos) return *whole * 1000;
  const std::string_view rest = text.substr(mark + 1);
  if (text[mark] == '/') {
    const Result<uint64_t> divisor = parseUnsigned(rest);
    if (!divisor.ok() || *divisor == 0 || *whole * 1000 % *divisor != 0) return wrong;
    return *whole * 1000 / *divisor;
  }
  if (rest.empty() || rest.size() > 3 || rest.find_first_not_of("0123456789") != rest.npos)
    return wrong;
  uint64_t part = 0;
  for (size_t i = 0; i < 3; ++i)
    part = 10 * part + (i < rest.size() ? static_cast<uint64_t>(rest[i] - '0') : 0);
  return *whole * 1000 + part;
}

Result<float> parseFloat(std::string_view text) {
  float value = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (code == std::errc::result_out_of_range)
    return Error{fmt::format("{} is outside the range of f32 (1.4e-45 to 3.4e38)", quote(text))};
  if (code != std::errc() || end != text.data() + text.size())
    return Error{fmt::format("{} is not a number: write it as 1.5, -2 or 1e-3", quote(text))};
  return value;
}

std::string formatBytes(uint64_t bytes) {
  for (size_t i = kUnits.size(); bytes != 0 && i-- > 0;) {
    const auto& [unit, shift] = kUnits[i];
    if (bytes % (uint64_t{1} << shift) == 0) return fmt::format("{} {}", bytes >> shift, unit);
  }
  return fmt::format("{}", bytes);
}

std::string formatThousandths(uint64_t thousandths) {
  std::string text = fmt::format("{}.{:03}", thousandths / 1000, thousandths % 1000);
  text.resize(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text;
}

}  // namespace etalon
