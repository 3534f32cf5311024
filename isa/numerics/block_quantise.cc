// SPDX-License-Identifier: Apache-2.0
#include "isa/numerics/block_quantise.h"

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <optional>
#include <span>

#include "isa/base/check.h"
#include "isa/numerics/contract_convert.h"
#include "isa/numerics/element_stream.h"
#include "isa/numerics/float_format.h"

namespace etalon::numerics {
namespace {

using Block = std::array<uint32_t, kQuantiseBlock>;

constexpr uint32_t kMagnitude = 0x7fffffff, kInfinity = 0x7f800000;
constexpr int kScaleBias = 127, kMostScale = 254;
constexpr uint32_t kScaleNan = 0xff;

/// What scales of a type's blocks follow from.
struct Target {
  int greatest_exponent;  // emax: of the type's greatest value
  float saturates_from;   // a magnitude beyond this rounds to more than the greatest value
  bool tie_saturates;     // and this magnitude itself does, too

  explicit Target(ElementType type) {
    const FloatFormat f = floatFormat(type);
    greatest_exponent = static_cast<int>(f.max_code >> f.mantissa_bits) - f.bias;
    const float last = std::bit_cast<float>(
        static_cast<uint32_t>(greatest_exponent - f.mantissa_bits + kScaleBias) << 23);
    saturates_from = widenToFloat(type, f.max_code) + last / 2;
    tie_saturates = (f.max_code & 1) != 0;
  }
  bool saturates(float magnitude) const {
    return magnitude > saturates_from || (magnitude == saturates_from && tie_saturates);
  }
};

/// floor(log2 of a finite f32 magnitude above 0).
int exponentOf(uint32_t magnitude) {
  const auto field = static_cast<int>(magnitude >> 23);
  return field != 0 ? field - 127 : 31 - std::countl_zero(magnitude) - 149;
}

/// The f32 2^(127 - scale), scale < 255: what a division by the scale multiplies by.
float reciprocalOf(int scale) {
  return std::bit_cast<float>(scale == kMostScale ? 0x400000u
                                                  : static_cast<uint32_t>(254 - scale) << 23);
}

/// Code of the scale for a block of greatest magnitude `amax`, finite.
int scaleOf(ScaleChoice choice, const Target& target, uint32_t amax) {
  if (amax == 0) return 0;
  const int scale =
      std::clamp(exponentOf(amax) - target.greatest_exponent + kScaleBias, 0, kMostScale);
  const bool up = choice == ScaleChoice::unsaturated &&
                  target.saturates(std::bit_cast<float>(amax) * reciprocalOf(scale));
  return up ? scale + 1 : scale;
}

/// The rule that elements are rounded by. They are no f32 of a tile: what it flushes on the way in,
/// it flushes of the source.
std::optional<ConversionRule> elementRule(const VectorContract* contract) {
  const ConversionRule* declared = declaredConversion(contract);
  if (declared == nullptr) return std::nullopt;
  ConversionRule rule = *declared;
  rule.flush_in = false;
  return rule;
}

/// f32 bits of the least normal of a type whose subnormal elements a contract flushes, else 0.
uint32_t flushedBelowBits(ElementType type, const VectorContract* contract) {
  const ConversionRule* declared = declaredConversion(contract);
  const bool flushes = declared != nullptr && declared->flush_in && elementInfo(type).bits >= 16;
  return flushes ? static_cast<uint32_t>(floatFormat(type).emin() + 127) << 23 : 0;
}

/// Divides f32 by a scale in place. Quotients that f32 has not are far below the least of any element
/// type: of these only the sign counts and that they are not zero.
void divide(std::span<uint32_t> values, int scale, uint32_t least_normal) {
  const float factor = reciprocalOf(scale);
  for (uint32_t& value : values) {
    const uint32_t sign = value & ~kMagnitude;
    const uint32_t magnitude = value & kMagnitude;
    const float quotient = std::bit_cast<float>(magnitude) * factor;
    const bool lost = magnitude != 0 && quotient == 0;
    const uint32_t bits = lost ? 1 : std::bit_cast<uint32_t>(quotient);
    value = sign | (magnitude < least_normal ? 0 : bits);
  }
}

}  // namespace

void quantiseBlocks(ScaleChoice choice, const TileRef& a, const TileRef& td, const TileRef& scales,
                    const VectorContract* contract) {
  constexpr ConvertMode kMode{Rounding::NearestEven, true};
  const Target target(td.type);
  const std::optional<ConversionRule> rule = elementRule(contract);
  const uint32_t least_normal = flushedBelowBits(a.type, contract);
  ElementStream from(a), to(td, rule ? &*rule : nullptr), to_scales(scales);
  for (uint64_t r = 0; r < a.storedRows(); ++r)
    for (uint32_t c = 0; c < a.cols; c += kQuantiseBlock) {
      Block block;
      const std::span<uint32_t> values(block.data(), std::min(kQuantiseBlock, a.cols - c));
      from.read(values.data(), values.size());
      uint32_t amax = 0;
      for (const uint32_t value : values) amax = std::max(amax, value & kMagnitude);
      uint32_t code = kScaleNan;
      if (amax < kInfinity) {
        const int scale = scaleOf(choice, target, amax);
        divide(values, scale, least_normal);
        code = static_cast<uint32_t>(scale);
      } else {
        std::ranges::fill(values, 0);
      }
      to.write(values.data(), values.size(), ElementType::f32, kMode);
      const uint32_t aligned = code << 24;
      to_scales.writeAligned(&aligned, 1);
    }
}

void dequantiseBlocks(const TileRef& a, const TileRef& scales, const TileRef& td,
                      const VectorContract* contract) {
  ElementStream from(a), from_scales(scales), to(td, declaredConversion(contract));
  for (uint64_t r = 0; r < a.storedRows(); ++r)
    for (uint32_t c = 0; c < a.cols; c += kQuantiseBlock) {
      Block block;
      const std::span<uint32_t> values(block.data(), std::min(kQuantiseBlock, a.cols - c));
      from.read(values.data(), values.size());
      uint32_t scale = 0;
      from_scales.read(&scale, 1);
      for (uint32_t& value : values) {
        const float product = std::bit_cast<float>(value) * std::bit_cast<float>(scale);
        value = product != product ? kNanF32 : std::bit_cast<uint32_t>(product);
      }
      to.write(values.data(), values.size(), ElementType::f32, {});
    }
}

}  // namespace etalon::numerics
