/* SPDX-License-Identifier: Apache-2.0 */
/* C[M,N] = A[M,K] B[K,N], bf16 in, f32 accumulated and out, any M, N, K.

   What to learn here: a matrix in global memory is a *view*, a block in local memory a *tile*;
   et_ld moves a box of the view into a tile, et_mma multiplies. There is no event and no wait: the
   core interlocks, so double buffering is nothing but using two buffers in turn. While the matrix
   unit works on one pair of tiles, the load unit fills the other. Cores share nothing but the work:
   each takes its own tiles of C. */
#include <etalon/xet.h>

struct args {
  const et_bf16* A;
  const et_bf16* B;
  float* C;
  int64_t M, K, N;
};
ETALON_KERNEL(struct args,
              "gemm_bf16(A: bf16[M, K], B: bf16[K, N], out C: f32[M, N]) check matmul(A, B) -> C")

enum { TM = 256, TN = 256, TK = 256 };       /* elements of a tile */
enum { LA = TM * TK * 2, LB = TK * TN * 2 }; /* bytes of a tile of A, of B */
enum { VA, VB, VC };                         /* view registers */
enum { A0, A1, B0, B1, ACC };                /* tile registers */

static long least(long a, long b) { return a < b ? a : b; }

/* One step along K: load a tile of A and one of B, multiply. The first starts the sum. */
#define STEP(A, B)                       \
  do {                                   \
    const long kk = least(TK, a->K - k); \
    et_vseek(VA, k, 1);                  \
    et_vseek(VB, k, 0);                  \
    et_vext(VA, kk, 1);                  \
    et_vext(VB, kk, 0);                  \
    et_tcols(A, kk);                     \
    et_tshape(B, 1, kk);                 \
    et_ld(A, VA, ET_RNE);                \
    et_ld(B, VB, ET_RNE);                \
    if (k == 0)                          \
      et_mm(ACC, A, B);                  \
    else                                 \
      et_mma(ACC, A, B);                 \
    k += TK;                             \
  } while (0)

int main(void* p, unsigned long core, unsigned long cores) {
  const struct args* a = p;
  const et_view va = et_matrix_view(a->A, ET_BF16, a->M, a->K, a->K, TM, TK);
  const et_view vb = et_matrix_view(a->B, ET_BF16, a->K, a->N, a->N, TK, TN);
  const et_view vc = et_matrix_view(a->C, ET_F32, a->M, a->N, a->N, TM, TN);
  et_load_view(VA, va);
  et_load_view(VB, vb);
  et_load_view(VC, vc);
  et_tile(A0, 0, TM, TK, ET_BF16);
  et_tile(A1, LA, TM, TK, ET_BF16);
  et_tile(B0, 2 * LA, TK, TN, ET_BF16);
  et_tile(B1, 2 * LA + LB, TK, TN, ET_BF16);
  et_tile(ACC, 2 * LA + 2 * LB, TM, TN, ET_F32);

  const long across = (a->N + TN - 1) / TN;
  const long tiles = (a->M + TM - 1) / TM * across;
  for (long t = core; t < tiles; t += cores) {
    const long m = t / across * TM, n = t % across * TN;
    const long rows = least(TM, a->M - m), cols = least(TN, a->N - n);
    et_vseek(VA, m, 0), et_vext(VA, rows, 0);
    et_vseek(VB, n, 1), et_vext(VB, cols, 1);
    et_vseek(VC, m, 0), et_vext(VC, rows, 0);
    et_vseek(VC, n, 1), et_vext(VC, cols, 1);
    et_tshape(A0, 1, rows), et_tshape(A1, 1, rows), et_tshape(ACC, 1, rows);
    et_tcols(B0, cols), et_tcols(B1, cols), et_tcols(ACC, cols);
    long k = 0;
    do {
      STEP(A0, B0);
      if (k < a->K) STEP(A1, B1);
    } while (k < a->K);
    et_st(ACC, VC, ET_RNE);
  }
  return 0;
}
