/* SPDX-License-Identifier: Apache-2.0 */
/* FP8 GEMM: e4m3 times e4m3, an f32 scale for 128 elements of k, bf16 out. See gemm_scaled.h. */
#include "gemm_scaled.h"

ETALON_KERNEL(struct gemm_args,
              "gemm_fp8(A: f8e4m3[M, K], a_scale: f32[M, (K + 127)/128], "
              "B: f8e4m3[K, N], b_scale: f32[(K + 127)/128, N], out C: bf16[M, N]) "
              "check matmul_scaled(A, B, a_scale, b_scale) -> C")

int main(void* p, unsigned long core, unsigned long cores) {
  const struct gemm_kind kind = {ET_F8E4M3, ET_F8E4M3, ET_F32, 128, ET_BF16};
  gemm_scaled(p, kind, core, cores);
  return 0;
}
