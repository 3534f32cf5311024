// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "isa/element_type.h"
#include "isa/numerics/chain_codes.h"
#include "isa/numerics/host_isa.h"

namespace etalon::numerics {

using ::etalon::Rounding;

/// How a conversion rounds and what it does with values the destination cannot hold. Stochastic
/// rounding takes a random word an element and is not among what runs of elements do.
struct ConvertMode {
  Rounding rounding = Rounding::NearestEven;
  bool saturate = false;

  /// From a mode byte: rounding 2:0, saturation 3.
  static constexpr ConvertMode fromByte(uint8_t mode) {
    return {static_cast<Rounding>(mode & kModeRoundingMask), (mode & kModeSaturate) != 0};
  }
  constexpr bool supported() const {
    return rounding == Rounding::NearestEven || rounding == Rounding::TowardZero;
  }
};

/// The canonical quiet NaN of a float type, in the low bits; 0x7fc00000 for f32. f4e2m1 has none:
/// its NaN is +6.
uint32_t canonicalNan(ElementType type);

inline constexpr uint32_t kNanF32 = 0x7fc00000;

/// True if a conversion between the two is defined: everything but e8m0 as destination, because no
/// rounding of numbers to E8M0 is specified (block quantise computes scales by its own rule). e8m0
/// to e8m0 moves bits.
constexpr bool convertible(ElementType from, ElementType to) {
  return elementInfo(to).kind != ElementKind::Scale || from == to;
}

/// The f32 that a float or scale element denotes; exact. NaNs become the canonical quiet NaN.
///
/// Input    bits: the element in the low bits; higher bits are ignored. type: float or e8m0.
/// Source   OCP OFP8 (E4M3, E5M2), OCP MX (E2M1, E8M0: 2^(b-127), 0xff NaN), IEEE 754 (f16, f32),
/// bf16.
float widenToFloat(ElementType type, uint32_t bits);

/// The number that an integer element denotes; exact (u32 fits). Higher bits are ignored.
int64_t widenToInt(ElementType type, uint64_t bits);

/// One rounding of an f32 to a float type; the result stands in the low bits.
///
/// Overflow is judged after rounding. f8e4m3, f8e5m2: `saturate` sends overflow and infinities to
/// the greatest finite magnitude, otherwise to NaN (e4m3) or Inf (e5m2). f4e2m1 always saturates
/// and NaN becomes +6. f16, bf16 and f32 ignore `saturate` (isa.md section 5 gives saturation to
/// FP8 and FP4 alone). Toward zero never overflows a finite value. NaN gives the canonical NaN,
/// also from f32 to f32.
uint32_t roundFromFloat(ElementType to, float value, Rounding rounding, bool saturate);

/// Exact semantics of a conversion for any `convertible` pair, one rounding from the exact value
/// (i32 to bf16 included). Bits stand in the low end on both sides.
///
/// int to int     modulo 2^w, or saturating.
/// int to float   as roundFromFloat, from the exact integer.
/// float to int   rounded, then always saturated; NaN gives 0.
/// float to float as roundFromFloat; equal types too (canonical NaN). Whoever moves bits does not
/// call this.
uint64_t convertElement(ElementType from, uint64_t bits, ElementType to, Rounding rounding,
                        bool saturate);

/// A conversion to a float type that rounds by a random word.
///
/// The exact magnitude is (m + f) * q, q the quantum of `to` there: the distance of its values, that
/// of the subnormals below them, and beyond the greatest value as if the exponent went on. It
/// becomes (m + 1) * q if floor(f * 2^32) + word >= 2^32, else m * q, so values of `to` never move.
/// Overflow is judged after that; it, infinities, NaNs and the sign are those of convertElement.
uint64_t convertStochastic(ElementType from, uint64_t bits, ElementType to, bool saturate,
                           uint32_t word);

/// convertElement over a run of n elements; fast for types of up to 32 bits, fastest where both
/// sides are contiguous.
///
/// Strides are in bytes and may be 0 or negative. Types of 8 bits and more (of 4 bits: nibbles.h). dst must not overlap src unless both start at one address and have one stride
/// and one element size.
void convertRun(ElementType from, const std::byte* src, ptrdiff_t src_stride, ElementType to,
                std::byte* dst, ptrdiff_t dst_stride, size_t n, ConvertMode mode,
                HostIsa isa = hostIsa());

/// Writes n elements of 1, 2, 4 or 8 bytes from src to dst, bits unchanged; strides in bytes.
void copyRun(size_t element_bytes, const std::byte* src, ptrdiff_t src_stride, std::byte* dst,
             ptrdiff_t dst_stride, size_t n);

}  // namespace etalon::numerics
