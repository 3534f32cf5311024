// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

/// IEEE 754 binary32 arithmetic as the scalar core's Zfinx instructions define it: bit patterns in,
/// bit pattern and exception flags out, in integer arithmetic alone, so that neither the host's
/// rounding mode nor its flags matter.
///
/// Numerics  one rounding of the exact result; subnormals kept; every NaN result is kCanonicalNan;
/// tininess is
///           detected after rounding; an operand that is a signalling NaN raises kInvalid.
/// Source    RISC-V "F" 2.2 (unprivileged ISA 20191213, chapter 11), Zfinx 1.0.
namespace etalon::numerics::scalar {

/// Rounding modes with their encoding in rm and frm.
enum class Rounding : uint8_t { nearest_even, toward_zero, down, up, nearest_max_magnitude };

/// Exception flags with their bits in fflags.
inline constexpr uint32_t kInexact = 1;
inline constexpr uint32_t kUnderflow = 2;
inline constexpr uint32_t kOverflow = 4;
inline constexpr uint32_t kDivideByZero = 8;
inline constexpr uint32_t kInvalid = 16;

inline constexpr uint32_t kCanonicalNan = 0x7fc00000;
inline constexpr uint32_t kSignBit = 0x80000000;

/// A result and the flags the operation raises.
template <class T>
struct Outcome {
  T bits;
  uint32_t flags;
};

[[nodiscard]] Outcome<uint32_t> add(uint32_t a, uint32_t b, Rounding mode);
[[nodiscard]] Outcome<uint32_t> multiply(uint32_t a, uint32_t b, Rounding mode);
[[nodiscard]] Outcome<uint32_t> divide(uint32_t a, uint32_t b, Rounding mode);
[[nodiscard]] Outcome<uint32_t> squareRoot(uint32_t a, Rounding mode);

/// a * b + c with one rounding. Infinity times zero is invalid even when c is a quiet NaN.
/// The subtracting and negating forms are this one with the sign bits of a and c flipped.
[[nodiscard]] Outcome<uint32_t> multiplyAdd(uint32_t a, uint32_t b, uint32_t c, Rounding mode);

/// minimumNumber and maximumNumber of IEEE 754-2019: the number when one operand is a NaN, and -0 <
/// +0.
[[nodiscard]] Outcome<uint32_t> minimumNumber(uint32_t a, uint32_t b);
[[nodiscard]] Outcome<uint32_t> maximumNumber(uint32_t a, uint32_t b);

/// 1 or 0. With a NaN 0; `equal` is quiet, the others raise kInvalid for every NaN.
[[nodiscard]] Outcome<uint32_t> equal(uint32_t a, uint32_t b);
[[nodiscard]] Outcome<uint32_t> less(uint32_t a, uint32_t b);
[[nodiscard]] Outcome<uint32_t> lessOrEqual(uint32_t a, uint32_t b);

/// One bit of 0..9: -inf, -normal, -subnormal, -0, +0, +subnormal, +normal, +inf, signalling NaN,
/// quiet NaN.
[[nodiscard]] uint32_t classify(uint32_t a);

/// Rounds to an integer of the type. Out of range saturates and a NaN gives the largest value, both
/// kInvalid alone.
[[nodiscard]] Outcome<int32_t> toInt32(uint32_t a, Rounding mode);
[[nodiscard]] Outcome<uint32_t> toUint32(uint32_t a, Rounding mode);
[[nodiscard]] Outcome<int64_t> toInt64(uint32_t a, Rounding mode);
[[nodiscard]] Outcome<uint64_t> toUint64(uint32_t a, Rounding mode);

/// Rounds an integer to f32; the 32-bit types widen exactly to these.
[[nodiscard]] Outcome<uint32_t> fromInt64(int64_t value, Rounding mode);
[[nodiscard]] Outcome<uint32_t> fromUint64(uint64_t value, Rounding mode);

}  // namespace etalon::numerics::scalar
