// SPDX-License-Identifier: Apache-2.0
#include "isa/numerics/contract_convert.h"

#include <bit>
#include <cmath>
#include <cstring>

#include "isa/base/check.h"
#include "isa/numerics/elementwise.h"
#include "isa/numerics/float_format.h"
#include "isa/numerics/rounder.h"

namespace etalon::numerics {
namespace {

bool flushes(ElementType type) {
  return type == ElementType::f16 || type == ElementType::bf16 || type == ElementType::f32;
}

double leastNormal(ElementType type) { return powerOfTwo(floatFormat(type).emin()); }

double greatest(ElementType type) {
  return std::bit_cast<float>(widenFloatBits(floatFormat(type), floatFormat(type).max_code));
}

/// What a finite value beyond the greatest one of the type becomes; infinity stands for what the
/// type has in its place.
double overflowed(double value, double most, Direction direction, Overflow overflow) {
  const bool nearest = direction == Direction::nearest_even || direction == Direction::nearest_away;
  const bool away = nearest || (direction == Direction::toward_positive && value > 0) ||
                    (direction == Direction::toward_negative && value < 0);
  const bool infinite = overflow == Overflow::infinity || (overflow == Overflow::ieee && away);
  return std::copysign(infinite ? HUGE_VAL : most, value);
}

uint32_t toFloat(const ConversionRule& rule, double value, ElementType to, ConvertMode mode) {
  const FloatFormat format = floatFormat(to);
  if (value != value) return format.nan_code;
  const bool declared = mode.rounding == Rounding::NearestEven;
  const Direction direction = declared ? rule.rounding : Direction::toward_zero;
  Overflow overflow = declared && flushes(to) ? rule.overflow : Overflow::ieee;
  if (format.saturates && mode.saturate) overflow = Overflow::saturate;
  if (value != 0 && std::isfinite(value)) {
    const int quantum = std::max(std::ilogb(value), format.emin()) - format.mantissa_bits;
    const double exact = value;
    const int64_t count = withDirection(direction, [&]<Direction D>() {
      // Far below the quantum any fraction will do, as long as the product does not underflow.
      return toInteger<D>(exact * powerOfTwo(-quantum));
    });
    value = std::copysign(static_cast<double>(count) * powerOfTwo(quantum), exact);
    const double most = greatest(to);
    if (std::fabs(value) > most) value = overflowed(value, most, direction, overflow);
    if (rule.flush_out && flushes(to)) value = flushedBelow(value, leastNormal(to));
  }
  return roundFromFloat(to, static_cast<float>(value), Rounding::NearestEven, mode.saturate);
}

uint64_t toInt(const ConversionRule& rule, double value, ElementType to, ConvertMode mode) {
  const SaturationRange range = saturationRange(to);
  int64_t result = 0;
  if (value != value) {
    result = 0;
  } else if (value >= static_cast<double>(range.high)) {
    result = range.high;
  } else if (value <= static_cast<double>(range.low)) {
    result = range.low;
  } else {
    const bool declared = mode.rounding == Rounding::NearestEven;
    result = withDirection(declared ? rule.rounding : Direction::toward_zero,
                           [&]<Direction D>() { return toInteger<D>(value); });
  }
  return static_cast<uint64_t>(result) & (~uint64_t{0} >> (64 - elementInfo(to).bits));
}

}  // namespace

uint64_t convertElementUnder(const ConversionRule& rule, ElementType from, uint64_t bits,
                             ElementType to, ConvertMode mode) {
  ETALON_CHECK(elementInfo(from).bits <= 32 && elementInfo(to).bits <= 32,
               "types of more than 32 bits do not convert");
  const bool integer = isInteger(from);
  if ((integer && isInteger(to)) || to == ElementType::e8m0)
    return convertElement(from, bits, to, mode.rounding, mode.saturate);
  double value = integer ? static_cast<double>(widenToInt(from, bits))
                         : widenToFloat(from, static_cast<uint32_t>(bits));
  if (rule.flush_in && flushes(from)) value = flushedBelow(value, leastNormal(from));
  return isInteger(to) ? toInt(rule, value, to, mode) : toFloat(rule, value, to, mode);
}

void convertRunUnder(const ConversionRule& rule, ElementType from, const std::byte* src,
                     ptrdiff_t src_stride, ElementType to, std::byte* dst, ptrdiff_t dst_stride,
                     size_t n, ConvertMode mode) {
  const size_t from_bytes = static_cast<size_t>(elementInfo(from).bits) / 8;
  const size_t to_bytes = static_cast<size_t>(elementInfo(to).bits) / 8;
  ETALON_CHECK(from_bytes != 0 && to_bytes != 0, "runs are of types of 8 bits and more");
  for (; n != 0; --n, src += src_stride, dst += dst_stride) {
    uint64_t bits = 0;
    std::memcpy(&bits, src, from_bytes);
    bits = convertElementUnder(rule, from, bits, to, mode);
    std::memcpy(dst, &bits, to_bytes);
  }
}

}  // namespace etalon::numerics
