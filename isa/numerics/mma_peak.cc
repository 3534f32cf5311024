// SPDX-License-Identifier: Apache-2.0
// Each chain function is compiled for its instruction set by attribute; nothing here is shared.
#include "isa/numerics/mma_peak.h"

#include <chrono>
#include <cmath>
#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace etalon::numerics {
namespace {

constexpr int kSteps = 20'000;

#if defined(__x86_64__)
/// 16 chains of 16 lanes; the values stay at 1. Returns operations done.
__attribute__((target("avx512f"))) double chains512() {
  const __m512 one = _mm512_set1_ps(1.0f), zero = _mm512_setzero_ps();
  __m512 x[16];
#pragma GCC unroll 16
  for (auto& chain : x) chain = one;
  for (int i = 0; i < kSteps; ++i) {
#pragma GCC unroll 16
    for (int c = 0; c < 16; ++c) x[c] = _mm512_fmadd_ps(x[c], one, zero);
#pragma GCC unroll 16
    for (int c = 0; c < 16; ++c) asm volatile("" : "+v"(x[c]));
  }
  return 2.0 * 16 * 16 * kSteps;
}

__attribute__((target("avx2,fma"))) double chains256() {
  const __m256 one = _mm256_set1_ps(1.0f), zero = _mm256_setzero_ps();
  __m256 x[12];
#pragma GCC unroll 16
  for (auto& chain : x) chain = one;
  for (int i = 0; i < kSteps; ++i) {
#pragma GCC unroll 12
    for (int c = 0; c < 12; ++c) x[c] = _mm256_fmadd_ps(x[c], one, zero);
#pragma GCC unroll 12
    for (int c = 0; c < 12; ++c) asm volatile("" : "+x"(x[c]));
  }
  return 2.0 * 12 * 8 * kSteps;
}
#endif

double chainsScalar() {
  volatile float sink = 0;
  float x[8] = {1, 1, 1, 1, 1, 1, 1, 1};
  for (int i = 0; i < kSteps; ++i) {
    for (float& chain : x) chain = std::fma(chain, 1.0f, 0.0f);
  }
  for (const float chain : x) sink = chain;
  return 2.0 * 8 * kSteps + 0 * sink;
}

}  // namespace

double measureFmaPeak() {
  double (*chains)() = chainsScalar;
#if defined(__x86_64__)
  if (__builtin_cpu_supports("x86-64-v3")) chains = chains256;
  if (__builtin_cpu_supports("x86-64-v4")) chains = chains512;
#endif
  const auto begin = std::chrono::steady_clock::now();
  const double operations = chains();
  const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - begin;
  return operations / spent.count();
}

}  // namespace etalon::numerics
