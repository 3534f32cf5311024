/* SPDX-License-Identifier: Apache-2.0 */
/* FP8 GEMM of training: e5m2 (gradients) times e4m3, an f32 scale for 128 elements of k, f32 out. See gemm_scaled.h. */
#include "gemm_scaled.h"

ETALON_KERNEL(struct gemm_args,
              "gemm_fp8_e5m2(A: f8e5m2[M, K], a_scale: f32[M, (K + 127)/128], "
              "B: f8e4m3[K, N], b_scale: f32[(K + 127)/128, N], out C: f32[M, N]) "
              "check matmul_scaled(A, B, a_scale, b_scale) -> C")

int main(void* p, unsigned long core, unsigned long cores) {
  const struct gemm_kind kind = {ET_F8E5M2, ET_F8E4M3, ET_F32, 128, ET_F32};
  gemm_scaled(p, kind, core, cores);
  return 0;
}
