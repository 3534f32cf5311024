// SPDX-License-Identifier: Apache-2.0
// Tile product for x86-64-v4 (AVX-512 F, BW, VL, DQ, CD; F16C).
#include "isa/numerics/mma_v4_vector.h"
// The body needs the vector unit first.
#include "isa/numerics/mma_body.h"

namespace etalon::numerics {
namespace {

const __m256i* as256(const void* p) { return static_cast<const __m256i*>(p); }
const __m128i* as128(const void* p) { return static_cast<const __m128i*>(p); }

template <class Load, size_t kElementBytes>
struct FloatSource {
  static constexpr size_t kBytes = kElementBytes;
  static constexpr size_t kPerUnit = 1;
  static __m512i load(const std::byte* p) { return _mm512_castps_si512(Load::floats(p)); }
  static __m512i interleave(const std::byte* const* rows, size_t offset) {
    return load(rows[0] + offset);
  }
};

struct LoadF32 {
  static __m512 floats(const std::byte* p) { return _mm512_loadu_ps(p); }
};
struct LoadBf16 {
  static __m512 floats(const std::byte* p) {
    const __m512i wide = _mm512_cvtepu16_epi32(_mm256_loadu_si256(as256(p)));
    return _mm512_castsi512_ps(_mm512_slli_epi32(wide, 16));
  }
};
struct LoadF16 {
  static __m512 floats(const std::byte* p) { return _mm512_cvtph_ps(_mm256_loadu_si256(as256(p))); }
};
/// E5M2 is the upper byte of an f16.
struct LoadE5m2 {
  static __m512 floats(const std::byte* p) {
    const __m256i wide = _mm256_cvtepu8_epi16(_mm_loadu_si128(as128(p)));
    return _mm512_cvtph_ps(_mm256_slli_epi16(wide, 8));
  }
};
/// E4M3 moved into f16's fields is 2^-8 of its value, subnormals too; the one NaN is put in after.
struct LoadE4m3 {
  static __m512 floats(const std::byte* p) {
    const __m256i wide = _mm256_cvtepu8_epi16(_mm_loadu_si128(as128(p)));
    const __m256i magnitude = _mm256_and_si256(wide, _mm256_set1_epi16(0x7f));
    const __m256i sign = _mm256_slli_epi16(_mm256_xor_si256(wide, magnitude), 8);
    const __m256i half = _mm256_or_si256(sign, _mm256_slli_epi16(magnitude, 7));
    const __m512 value = _mm512_mul_ps(_mm512_cvtph_ps(half), _mm512_set1_ps(256.0f));
    const __mmask16 nan = _mm256_cmpeq_epi16_mask(magnitude, _mm256_set1_epi16(0x7f));
    return _mm512_castsi512_ps(_mm512_mask_set1_epi32(_mm512_castps_si512(value), nan, 0x7fc00000));
  }
};

struct Floats {
  using F32 = FloatSource<LoadF32, 4>;
  using Bf16 = FloatSource<LoadBf16, 2>;
  using F16 = FloatSource<LoadF16, 2>;
  using E5m2 = FloatSource<LoadE5m2, 1>;
  using E4m3 = FloatSource<LoadE4m3, 1>;
};

struct FloatMath {
  // Accumulators are floats in name too: g++ 12 copies registers where casts meet in a loop.
  using Acc = __m512;
  static constexpr bool kHasStart = false;
  static Acc begin(__m512i start) { return _mm512_castsi512_ps(start); }
  static Acc step(Acc acc, __m512i a, __m512i b) {
    return _mm512_fmadd_ps(_mm512_castsi512_ps(a), _mm512_castsi512_ps(b), acc);
  }
  static __m512i finish(Acc acc) {
    const __mmask16 nan = _mm512_cmp_ps_mask(acc, acc, _CMP_UNORD_Q);
    return _mm512_mask_set1_epi32(_mm512_castps_si512(acc), nan, 0x7fc00000);
  }
};

/// Two k as 16-bit integers in a unit; vpmaddwd cannot overflow on widened bytes.
template <bool kSigned>
struct Words {
  static constexpr size_t kBytes = 1;
  static constexpr size_t kPerUnit = 2;
  static __m512i load(const std::byte* p) {
    const __m256i bytes = _mm256_loadu_si256(as256(p));
    return kSigned ? _mm512_cvtepi8_epi16(bytes) : _mm512_cvtepu8_epi16(bytes);
  }
  static __m512i interleave(const std::byte* const* rows, size_t offset) {
    const __m128i r0 = _mm_loadu_si128(as128(rows[0] + offset));
    const __m128i r1 = _mm_loadu_si128(as128(rows[1] + offset));
    const __m256i pairs = _mm256_set_m128i(_mm_unpackhi_epi8(r0, r1), _mm_unpacklo_epi8(r0, r1));
    return kSigned ? _mm512_cvtepi8_epi16(pairs) : _mm512_cvtepu8_epi16(pairs);
  }
};

struct WordMath {
  using Acc = __m512i;
  static constexpr bool kHasStart = false;
  static __m512i step(__m512i acc, __m512i a, __m512i b) {
    return _mm512_add_epi32(acc, _mm512_madd_epi16(a, b));
  }
  static Acc begin(__m512i start) { return start; }
  static __m512i finish(Acc acc) { return acc; }
};

}  // namespace

const MmaPath kV4FloatPath = {1, packFloat<V4, Floats, true>, packFloat<V4, Floats, false>,
                              multiplyBlock<V4, FloatMath>, multiplySparseBlock<V4, FloatMath>};
const MmaPath kV4IntegerPath = {2, packInteger<V4, Words<true>, Words<false>, true>,
                                packInteger<V4, Words<true>, Words<false>, false>,
                                multiplyBlock<V4, WordMath>};

}  // namespace etalon::numerics
