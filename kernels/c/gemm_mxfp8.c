/* SPDX-License-Identifier: Apache-2.0 */
/* MXFP8 GEMM: e4m3 times e4m3, an e8m0 scale for 32 elements of k, f32 out. See gemm_scaled.h. */
#include "gemm_scaled.h"

ETALON_KERNEL(struct gemm_args,
              "gemm_mxfp8(A: f8e4m3[M, K], a_scale: e8m0[M, (K + 31)/32], "
              "B: f8e4m3[K, N], b_scale: e8m0[(K + 31)/32, N], out C: f32[M, N]) "
              "check matmul_scaled(A, B, a_scale, b_scale) -> C")

int main(void* p, unsigned long core, unsigned long cores) {
  const struct gemm_kind kind = {ET_F8E4M3, ET_F8E4M3, ET_E8M0, 32, ET_F32};
  gemm_scaled(p, kind, core, cores);
  return 0;
}
