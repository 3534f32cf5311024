// SPDX-License-Identifier: Apache-2.0
// Tile product for x86-64-v3 (AVX2, FMA, F16C).
#include <immintrin.h>

#include "isa/numerics/mma_body.h"

namespace etalon::numerics {
namespace {

const __m256i* as256(const void* p) { return static_cast<const __m256i*>(p); }
const __m128i* as128(const void* p) { return static_cast<const __m128i*>(p); }

struct V3 {
  using Vec = __m256i;
  static constexpr size_t kLanes = 8;
  static constexpr size_t kRows = 4;  // 4 x 2 accumulators cover the latency of two FMA pipes

  static Vec zero() { return _mm256_setzero_si256(); }
  static Vec load(const void* p) { return _mm256_loadu_si256(as256(p)); }
  static void store(void* p, Vec v) { _mm256_storeu_si256(static_cast<__m256i*>(p), v); }
  static Vec broadcast(uint32_t unit) { return _mm256_set1_epi32(static_cast<int>(unit)); }
  static Vec first(size_t count) {
    return _mm256_cmpgt_epi32(_mm256_set1_epi32(static_cast<int>(count)),
                              _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
  }
  static Vec loadPart(const void* p, size_t count) {
    return _mm256_maskload_epi32(static_cast<const int*>(p), first(count));
  }
  static void storePart(void* p, Vec v, size_t count) {
    _mm256_maskstore_epi32(static_cast<int*>(p), first(count), v);
  }

  /// 8 x 8 units in place.
  static void transpose(Vec (&x)[kLanes]) {
    Vec t[kLanes];
    for (size_t i = 0; i < 8; i += 2) {
      t[i] = _mm256_unpacklo_epi32(x[i], x[i + 1]);
      t[i + 1] = _mm256_unpackhi_epi32(x[i], x[i + 1]);
    }
    for (size_t i = 0; i < 8; i += 4) {
      x[i] = _mm256_unpacklo_epi64(t[i], t[i + 2]);
      x[i + 1] = _mm256_unpackhi_epi64(t[i], t[i + 2]);
      x[i + 2] = _mm256_unpacklo_epi64(t[i + 1], t[i + 3]);
      x[i + 3] = _mm256_unpackhi_epi64(t[i + 1], t[i + 3]);
    }
    // x[4q + j], half h, now holds rows 4q..4q+3 of column 4h + j.
    for (size_t j = 0; j < 4; ++j) {
      t[j] = _mm256_permute2x128_si256(x[j], x[4 + j], 0x20);
      t[4 + j] = _mm256_permute2x128_si256(x[j], x[4 + j], 0x31);
    }
    for (size_t i = 0; i < 8; ++i) x[i] = t[i];
  }
};

template <class Load, size_t kElementBytes>
struct FloatSource {
  static constexpr size_t kBytes = kElementBytes;
  static constexpr size_t kPerUnit = 1;
  static __m256i load(const std::byte* p) { return _mm256_castps_si256(Load::floats(p)); }
  static __m256i interleave(const std::byte* const* rows, size_t offset) {
    return load(rows[0] + offset);
  }
};

struct LoadF32 {
  static __m256 floats(const std::byte* p) { return _mm256_castsi256_ps(V3::load(p)); }
};
struct LoadBf16 {
  static __m256 floats(const std::byte* p) {
    const __m256i wide = _mm256_cvtepu16_epi32(_mm_loadu_si128(as128(p)));
    return _mm256_castsi256_ps(_mm256_slli_epi32(wide, 16));
  }
};
struct LoadF16 {
  static __m256 floats(const std::byte* p) { return _mm256_cvtph_ps(_mm_loadu_si128(as128(p))); }
};
/// E5M2 is the upper byte of an f16.
struct LoadE5m2 {
  static __m256 floats(const std::byte* p) {
    return _mm256_cvtph_ps(_mm_slli_epi16(_mm_cvtepu8_epi16(_mm_loadl_epi64(as128(p))), 8));
  }
};
/// E4M3 moved into f16's fields is 2^-8 of its value, subnormals too; the one NaN is put in after.
struct LoadE4m3 {
  static __m256 floats(const std::byte* p) {
    const __m128i wide = _mm_cvtepu8_epi16(_mm_loadl_epi64(as128(p)));
    const __m128i magnitude = _mm_and_si128(wide, _mm_set1_epi16(0x7f));
    const __m128i sign = _mm_slli_epi16(_mm_xor_si128(wide, magnitude), 8);
    const __m128i half = _mm_or_si128(sign, _mm_slli_epi16(magnitude, 7));
    const __m256 value = _mm256_mul_ps(_mm256_cvtph_ps(half), _mm256_set1_ps(256.0f));
    const __m128i is_nan = _mm_cmpeq_epi16(magnitude, _mm_set1_epi16(0x7f));
    return _mm256_blendv_ps(value, _mm256_castsi256_ps(_mm256_set1_epi32(0x7fc00000)),
                            _mm256_castsi256_ps(_mm256_cvtepi16_epi32(is_nan)));
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
  using Acc = __m256;
  static constexpr bool kHasStart = false;
  static Acc begin(__m256i start) { return _mm256_castsi256_ps(start); }
  static Acc step(Acc acc, __m256i a, __m256i b) {
    return _mm256_fmadd_ps(_mm256_castsi256_ps(a), _mm256_castsi256_ps(b), acc);
  }
  static __m256i finish(Acc acc) {
    const __m256 nan = _mm256_castsi256_ps(_mm256_set1_epi32(0x7fc00000));
    return _mm256_castps_si256(_mm256_blendv_ps(acc, nan, _mm256_cmp_ps(acc, acc, _CMP_UNORD_Q)));
  }
};

/// Two k as 16-bit integers in a unit; vpmaddwd cannot overflow on widened bytes.
template <bool kSigned>
struct Words {
  static constexpr size_t kBytes = 1;
  static constexpr size_t kPerUnit = 2;
  static __m256i widen(__m128i bytes) {
    return kSigned ? _mm256_cvtepi8_epi16(bytes) : _mm256_cvtepu8_epi16(bytes);
  }
  static __m256i load(const std::byte* p) { return widen(_mm_loadu_si128(as128(p))); }
  static __m256i interleave(const std::byte* const* rows, size_t offset) {
    return widen(_mm_unpacklo_epi8(_mm_loadl_epi64(as128(rows[0] + offset)),
                                   _mm_loadl_epi64(as128(rows[1] + offset))));
  }
};

struct WordMath {
  using Acc = __m256i;
  static constexpr bool kHasStart = false;
  static __m256i step(__m256i acc, __m256i a, __m256i b) {
    return _mm256_add_epi32(acc, _mm256_madd_epi16(a, b));
  }
  static Acc begin(__m256i start) { return start; }
  static __m256i finish(Acc acc) { return acc; }
};

}  // namespace

const MmaPath kV3FloatPath = {1, packFloat<V3, Floats, true>, packFloat<V3, Floats, false>,
                              multiplyBlock<V3, FloatMath>, multiplySparseBlock<V3, FloatMath>};
const MmaPath kV3IntegerPath = {2, packInteger<V3, Words<true>, Words<false>, true>,
                                packInteger<V3, Words<true>, Words<false>, false>,
                                multiplyBlock<V3, WordMath>};

}  // namespace etalon::numerics
