// SPDX-License-Identifier: Apache-2.0
// Integer tile product for x86-64-v4 with AVX512_VNNI.
//
// vpdpbusd multiplies unsigned by signed bytes and adds four products modulo 2^32. A goes in as it
// is; B must have the other signedness. Where it has A's own, its top bit is flipped, which moves
// every b by 128, and 128 times the row sum of A puts it right: exact modulo 2^32.
#include "isa/numerics/mma_v4_vector.h"
// The body needs the vector unit first.
#include "isa/numerics/mma_body.h"

namespace etalon::numerics {
namespace {

/// Four k in a unit, as stored, or with the top bit of each flipped.
template <bool kFlip>
struct Bytes {
  static constexpr size_t kBytes = 1;
  static constexpr size_t kPerUnit = 4;
  static __m512i flip(__m512i x) {
    return kFlip ? _mm512_xor_si512(x, _mm512_set1_epi8(static_cast<char>(0x80))) : x;
  }
  static __m512i load(const std::byte* p) { return flip(_mm512_loadu_si512(p)); }
  static __m512i interleave(const std::byte* const* rows, size_t offset) {
    const auto line = [&](size_t i) {
      return _mm_loadu_si128(reinterpret_cast<const __m128i*>(rows[i] + offset));
    };
    const __m128i r0 = line(0), r1 = line(1), r2 = line(2), r3 = line(3);
    const __m256i low = _mm256_set_m128i(_mm_unpackhi_epi8(r0, r1), _mm_unpacklo_epi8(r0, r1));
    const __m256i high = _mm256_set_m128i(_mm_unpackhi_epi8(r2, r3), _mm_unpacklo_epi8(r2, r3));
    // Zero-extended pairs (k0 k1) and (k2 k3) of 16 columns make the 16 units.
    const __m512i wide = _mm512_cvtepu16_epi32(low);
    return flip(_mm512_or_si512(wide, _mm512_slli_epi32(_mm512_cvtepu16_epi32(high), 16)));
  }
};

template <bool kASigned>
struct ByteMath {
  using Acc = __m512i;
  static Acc begin(__m512i start) { return start; }
  static constexpr bool kHasStart = true;
  static __m512i addStart(__m512i acc, int32_t start) {
    return _mm512_add_epi32(acc, _mm512_set1_epi32(start));
  }
  static __m512i step(__m512i acc, __m512i a, __m512i b) {
    return kASigned ? _mm512_dpbusd_epi32(acc, b, a) : _mm512_dpbusd_epi32(acc, a, b);
  }
  static __m512i finish(__m512i acc) { return acc; }
};

/// Bytes of each unit of A added up.
__m512i sumBytes(__m512i acc, __m512i a, bool a_signed) {
  const __m512i ones = _mm512_set1_epi8(1);
  return a_signed ? _mm512_dpbusd_epi32(acc, ones, a) : _mm512_dpbusd_epi32(acc, a, ones);
}

/// start[row] = 128 * (row sum of packed A), negative for signed A: b + 128 was multiplied.
void storeCorrections(const MmaPack& pack) {
  const bool a_signed = pack.type == ElementType::i8;
  const __m512i factor = _mm512_set1_epi32(a_signed ? -128 : 128);
  if (pack.transposed) {
    const size_t units = (pack.row_count + 3) / 4;
    for (size_t row = 0; row < pack.columns; row += kPanelRows) {
      __m512i sum = V4::zero();
      for (size_t u = 0; u < units; ++u) {
        sum = sumBytes(sum, V4::load(pack.out + row * units + u * kPanelRows), a_signed);
      }
      V4::store(pack.start + row, _mm512_mullo_epi32(sum, factor));
    }
    return;
  }
  for (size_t row = 0; row < pack.row_count; ++row) {
    __m512i sum = V4::zero();
    for (size_t u = 0; u < (pack.columns + 3) / 4; u += V4::kLanes) {
      sum = sumBytes(sum, V4::load(pack.out + row * kMmaBlockUnits + u), a_signed);
    }
    pack.start[row] = _mm512_reduce_add_epi32(_mm512_mullo_epi32(sum, factor));
  }
}

void packBytesOfA(const MmaPack& pack) {
  packA<V4, Bytes<false>>(pack);
  if (pack.type == pack.other) return storeCorrections(pack);
  for (size_t row = 0; row < kMmaBlockRows; row += V4::kLanes) {
    V4::store(pack.start + row, V4::zero());
  }
}

void packBytesOfB(const MmaPack& pack) {
  pack.type == pack.other ? packB<V4, Bytes<true>>(pack) : packB<V4, Bytes<false>>(pack);
}

void multiplyBytes(const MmaBlock& block) {
  block.a_type == ElementType::i8 ? multiplyBlock<V4, ByteMath<true>>(block)
                                  : multiplyBlock<V4, ByteMath<false>>(block);
}

}  // namespace

const MmaPath kV4VnniIntegerPath = {4, packBytesOfA, packBytesOfB, multiplyBytes};

}  // namespace etalon::numerics
