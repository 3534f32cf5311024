// SPDX-License-Identifier: Apache-2.0
#include "tools/io/generate.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <span>

#include "isa/base/bits.h"
#include "isa/base/number.h"
#include "isa/base/text.h"
#include "isa/numerics/convert.h"
#include "isa/numerics/philox.h"

namespace etalon::tools {
namespace {

using numerics::Rounding;

/// Bits of element i, in the low end.
using ElementFunction = std::function<uint64_t(uint64_t)>;

std::vector<std::string_view> splitAtColons(std::string_view text) {
  std::vector<std::string_view> parts;
  for (size_t begin = 0; begin <= text.size();) {
    const size_t end = std::min(text.find(':', begin), text.size());
    parts.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

/// Least and greatest value of an integer type; i64 bounds both ways.
std::pair<int64_t, int64_t> integerRange(ElementType type) {
  const ElementInfo& info = elementInfo(type);
  if (info.bits == 64)
    return {std::numeric_limits<int64_t>::min(), std::numeric_limits<int64_t>::max()};
  if (info.kind == ElementKind::UInt) return {0, (int64_t{1} << info.bits) - 1};
  return {-(int64_t{1} << (info.bits - 1)), (int64_t{1} << (info.bits - 1)) - 1};
}

Result<uint64_t> constantBits(std::string_view text, ElementType type) {
  if (isInteger(type)) {
    Result<int64_t> value = parseSigned(text);
    if (!value.ok()) return value.error();
    const auto [least, most] = integerRange(type);
    if (*value < least || *value > most)
      return Error{fmt::format("{} is outside {} to {}, the range of {}", *value, least, most,
                               elementInfo(type).name)};
    return static_cast<uint64_t>(*value);
  }
  Result<float> value = parseFloat(text);
  if (!value.ok()) return value.error();
  if (type == ElementType::e8m0) {
    int exponent = 0;
    if (!(*value > 0) || std::frexp(*value, &exponent) != 0.5f)
      return Error{fmt::format("{} is no power of two, and e8m0 holds nothing else", quote(text))};
    return static_cast<uint64_t>(exponent - 1 + 127);
  }
  const uint64_t bits = numerics::roundFromFloat(type, *value, Rounding::NearestEven, false);
  // f4e2m1 saturates whatever is asked and has no NaN: 7 and above would round past its greatest
  // value, 6.
  const bool fits = type == ElementType::f4e2m1
                        ? std::fabs(*value) < 7
                        : std::isfinite(numerics::widenToFloat(type, static_cast<uint32_t>(bits)));
  if ((std::isfinite(*value) || type == ElementType::f4e2m1) && !fits)
    return Error{fmt::format("{} is outside the range of {}", quote(text), elementInfo(type).name)};
  return bits;
}

/// In [-1, 1), multiples of 2^-23.
float uniform(uint32_t word) {
  return static_cast<float>(static_cast<int32_t>(word) >> 8) * 0x1p-23f;
}

uint64_t randomBits(ElementType type, uint32_t word) {
  switch (elementInfo(type).kind) {
    case ElementKind::Int: return static_cast<uint64_t>(static_cast<int32_t>(word) >> 28);
    case ElementKind::UInt: return word >> 28;
    case ElementKind::Scale: return 127 - 8 + (word >> 28);
    case ElementKind::Float: break;
  }
  return numerics::roundFromFloat(type, uniform(word), Rounding::NearestEven, true);
}

/// Numbers of a float type of 8 bits and more, many at once: what randomBits() gives.
void fillRandomly(Array& array, uint64_t seed) {
  numerics::RandomWords words(seed, 0);
  const auto size = static_cast<ptrdiff_t>(elementInfo(array.type).bits / 8);
  const uint64_t count = array.data.size() / static_cast<size_t>(size);
  std::array<float, 4096> chunk;
  for (uint64_t first = 0; first < count; first += chunk.size()) {
    const size_t here = std::min<uint64_t>(chunk.size(), count - first);
    for (size_t i = 0; i < here; ++i) chunk[i] = uniform(words(first + i));
    numerics::convertRun(ElementType::f32, std::as_bytes(std::span(chunk)).data(), sizeof(float),
                         array.type, &array.data[first * static_cast<size_t>(size)], size, here,
                         {.rounding = Rounding::NearestEven, .saturate = true});
  }
}

Result<ElementFunction> randomFunction(const std::vector<std::string_view>& parts,
                                       ElementType type) {
  if (parts.size() != 2 && parts.size() != 4)
    return Error{"write it as random:SEED or, for integers, random:SEED:LO:HI"};
  Result<uint64_t> seed = parseUnsigned(parts[1]);
  if (!seed.ok()) return Error{"the seed " + seed.error().message};
  if (parts.size() == 2)
    return ElementFunction([type, words = numerics::RandomWords(*seed, 0)](uint64_t i) mutable {
      return randomBits(type, words(i));
    });
  if (!isInteger(type))
    return Error{fmt::format("LO:HI is for integer types, not {}", elementInfo(type).name)};
  Result<int64_t> low = parseSigned(parts[2]), high = parseSigned(parts[3]);
  if (!low.ok()) return Error{"the lower limit " + low.error().message};
  if (!high.ok()) return Error{"the upper limit " + high.error().message};
  const auto [least, most] = integerRange(type);
  if (*low >= *high || *low < least || *high - 1 > most)
    return Error{fmt::format("the range {}..{} is empty or outside {} to {}, the range of {}", *low,
                             *high, least, most, elementInfo(type).name)};
  const uint64_t range = static_cast<uint64_t>(*high) - static_cast<uint64_t>(*low);
  if (range > uint64_t{1} << 32)
    return Error{fmt::format("the range {}..{} is wider than 2^32", *low, *high)};
  return ElementFunction(
      [low = *low, range, words = numerics::RandomWords(*seed, 0)](uint64_t i) mutable {
        return static_cast<uint64_t>(low) + (words(i) * range >> 32);
      });
}

Result<ElementFunction> elementFunction(std::string_view spec, ElementType type) {
  const std::vector<std::string_view> parts = splitAtColons(spec);
  const std::string_view name = parts[0];
  if (name == "random") return randomFunction(parts, type);
  if (parts.size() == 1 && name == "iota" && type != ElementType::e8m0)
    return ElementFunction([type](uint64_t i) {
      return isInteger(type)
                 ? i
                 : numerics::convertElement(ElementType::i64, i, type, Rounding::NearestEven, true);
    });
  std::string_view constant;
  if (parts.size() == 1 && name == "zeros") constant = "0";
  if (parts.size() == 1 && name == "ones") constant = "1";
  if (parts.size() == 2 && name == "const") constant = parts[1];
  if (constant.empty())
    return Error{
        fmt::format("no generator for {}; known: zeros, ones, iota (no e8m0), const:V, "
                    "random:SEED, random:SEED:LO:HI",
                    elementInfo(type).name)};
  Result<uint64_t> bits = constantBits(constant, type);
  if (!bits.ok()) return bits.error();
  return ElementFunction([bits = *bits](uint64_t) { return bits; });
}

void fill(Array& array, const ElementFunction& element) {
  const uint64_t columns = array.shape.empty() ? 1 : array.shape.back();
  const int width = elementInfo(array.type).bits;
  if (width == 4) {
    const uint64_t row_bytes = (columns + 1) / 2;
    for (uint64_t byte = 0; byte < array.data.size(); ++byte) {
      const uint64_t column = byte % row_bytes * 2, first = byte / row_bytes * columns + column;
      const uint64_t high = column + 1 < columns ? element(first + 1) & 15 : 0;
      array.data[byte] = static_cast<std::byte>((element(first) & 15) | high << 4);
    }
    return;
  }
  const size_t size = static_cast<size_t>(width) / 8;
  for (uint64_t at = 0, i = 0; at < array.data.size(); at += size, ++i) {
    const uint64_t bits = element(i);
    std::memcpy(&array.data[at], &bits, size);  // the host is little endian (isa/base/bits.h)
  }
}

}  // namespace

bool isGenerator(std::string_view spec) {
  return spec == "zeros" || spec == "ones" || spec == "iota" || spec.starts_with("random:") ||
         spec.starts_with("const:");
}

Result<Array> generate(std::string_view spec, ElementType type,
                       const std::vector<uint64_t>& shape) {
  Result<ElementFunction> element = elementFunction(spec, type);
  if (!element.ok())
    return Error{fmt::format("generator {}: {}", quote(spec), element.error().message)};
  Result<Array> array = makeArray(type, shape);
  if (!array.ok())
    return Error{fmt::format("generator {}: {}", quote(spec), array.error().message)};
  const std::vector<std::string_view> parts = splitAtColons(spec);
  const ElementInfo& info = elementInfo(type);
  if (parts[0] == "random" && parts.size() == 2 && info.kind == ElementKind::Float &&
      info.bits >= 8)
    fillRandomly(*array, *parseUnsigned(parts[1]));
  else
    fill(*array, *element);
  return array;
}

}  // namespace etalon::tools
