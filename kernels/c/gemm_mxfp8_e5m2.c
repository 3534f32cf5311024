/* SPDX-License-Identifier: Apache-2.0 */
/* MXFP8 GEMM of training: e5m2 times e4m3, an e8m0 scale for 32 elements of k, bf16 out. See gemm_scaled.h. */
#include "gemm_scaled.h"

ETALON_KERNEL(struct gemm_args,
              "gemm_mxfp8_e5m2(A: f8e5m2[M, K], a_scale: e8m0[M, (K + 31)/32], "
              "B: f8e4m3[K, N], b_scale: e8m0[(K + 31)/32, N], out C: bf16[M, N]) "
              "check matmul_scaled(A, B, a_scale, b_scale) -> C")

int main(void* p, unsigned long core, unsigned long cores) {
  const struct gemm_kind kind = {ET_F8E5M2, ET_F8E4M3, ET_E8M0, 32, ET_BF16};
  gemm_scaled(p, kind, core, cores);
  return 0;
}
