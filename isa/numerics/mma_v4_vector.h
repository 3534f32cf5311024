// SPDX-License-Identifier: Apache-2.0
// The AVX-512 vector unit of mma_body.h; included by mma_v4.cc and mma_v4_vnni.cc alone.
#pragma once

#include <immintrin.h>

#include <cstddef>
#include <cstdint>

namespace etalon::numerics {
namespace {

struct V4 {
  using Vec = __m512i;
  static constexpr size_t kLanes = 16;
  static constexpr size_t kRows = 8;

  static Vec zero() { return _mm512_setzero_si512(); }
  static Vec load(const void* p) { return _mm512_loadu_si512(p); }
  static void store(void* p, Vec v) { _mm512_storeu_si512(p, v); }
  static Vec broadcast(uint32_t unit) { return _mm512_set1_epi32(static_cast<int>(unit)); }
  static __mmask16 first(size_t count) { return static_cast<__mmask16>((1u << count) - 1); }
  static Vec loadPart(const void* p, size_t count) {
    return _mm512_maskz_loadu_epi32(first(count), p);
  }
  static void storePart(void* p, Vec v, size_t count) {
    _mm512_mask_storeu_epi32(p, first(count), v);
  }

  /// 16 x 16 units in place: pairs, quads, then the four 128-bit lanes twice.
  static void transpose(Vec (&x)[kLanes]) {
    Vec t[kLanes];
    for (size_t i = 0; i < 16; i += 2) {
      t[i] = _mm512_unpacklo_epi32(x[i], x[i + 1]);
      t[i + 1] = _mm512_unpackhi_epi32(x[i], x[i + 1]);
    }
    for (size_t i = 0; i < 16; i += 4) {
      x[i] = _mm512_unpacklo_epi64(t[i], t[i + 2]);
      x[i + 1] = _mm512_unpackhi_epi64(t[i], t[i + 2]);
      x[i + 2] = _mm512_unpacklo_epi64(t[i + 1], t[i + 3]);
      x[i + 3] = _mm512_unpackhi_epi64(t[i + 1], t[i + 3]);
    }
    // x[4q + j], 128-bit lane l, now holds rows 4q..4q+3 of column 4l + j.
    for (size_t j = 0; j < 4; ++j) {
      const Vec a = _mm512_shuffle_i32x4(x[j], x[4 + j], 0x88);
      const Vec b = _mm512_shuffle_i32x4(x[8 + j], x[12 + j], 0x88);
      const Vec c = _mm512_shuffle_i32x4(x[j], x[4 + j], 0xdd);
      const Vec d = _mm512_shuffle_i32x4(x[8 + j], x[12 + j], 0xdd);
      t[j] = _mm512_shuffle_i32x4(a, b, 0x88);
      t[8 + j] = _mm512_shuffle_i32x4(a, b, 0xdd);
      t[4 + j] = _mm512_shuffle_i32x4(c, d, 0x88);
      t[12 + j] = _mm512_shuffle_i32x4(c, d, 0xdd);
    }
    for (size_t i = 0; i < 16; ++i) x[i] = t[i];
  }
};

}  // namespace
}  // namespace etalon::numerics
