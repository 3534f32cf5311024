/* SPDX-License-Identifier: Apache-2.0 */
/* C[M,N] = requantise(A[M,K] B[K,N]) per column, i8 in and out, i32 accumulated, any M, N, K.

   What to learn here, beside gemm_bf16.c: one row of numbers can stand for every row of a tile
   (stride 0 repeats it), so per-channel parameters need no copies; et_requant multiplies, shifts
   with rounding and saturates in one pass. */
#include <etalon/xet.h>

struct args {
  const int8_t* A;
  const int8_t* B;
  const int32_t* multiplier; /* of each column */
  const int32_t* shift;      /* right, 0..63 */
  int8_t* C;
  int64_t M, K, N;
};
ETALON_KERNEL(
    struct args,
    "gemm_i8(A: i8[M, K], B: i8[K, N], multiplier: i32[N], shift: i32[N], out C: i8[M, N]) "
    "check matmul_requantise(A, B, multiplier, shift) -> C")

enum { TM = 256, TN = 256, TK = 512 };                       /* elements of a tile */
enum { LA = TM * TK, LB = TK * TN, LACC = TM * TN * 4 };     /* bytes */
enum { VA, VB, VC, VMUL, VSHIFT };                           /* view registers */
enum { A0, A1, B0, B1, ACC, OUT, MUL, SHIFT, MULS, SHIFTS }; /* tile registers */

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
  const et_view va = et_matrix_view(a->A, ET_I8, a->M, a->K, a->K, TM, TK);
  const et_view vb = et_matrix_view(a->B, ET_I8, a->K, a->N, a->N, TK, TN);
  const et_view vc = et_matrix_view(a->C, ET_I8, a->M, a->N, a->N, TM, TN);
  const et_view vmul = et_matrix_view(a->multiplier, ET_I32, 1, a->N, a->N, 1, TN);
  const et_view vshift = et_matrix_view(a->shift, ET_I32, 1, a->N, a->N, 1, TN);
  et_load_view(VA, va);
  et_load_view(VB, vb);
  et_load_view(VC, vc);
  et_load_view(VMUL, vmul);
  et_load_view(VSHIFT, vshift);
  const long lacc = 2 * LA + 2 * LB, lout = lacc + LACC, lmul = lout + TM * TN,
             lshift = lmul + TN * 4;
  et_tile(A0, 0, TM, TK, ET_I8);
  et_tile(A1, LA, TM, TK, ET_I8);
  et_tile(B0, 2 * LA, TK, TN, ET_I8);
  et_tile(B1, 2 * LA + LB, TK, TN, ET_I8);
  et_tile(ACC, lacc, TM, TN, ET_I32);
  et_tile(OUT, lout, TM, TN, ET_I8);
  et_tile(MUL, lmul, 1, TN, ET_I32);
  et_tile(SHIFT, lshift, 1, TN, ET_I32);
  et_tile_row(MULS, lmul, TM, TN, ET_I32); /* the same bytes, repeated on every row */
  et_tile_row(SHIFTS, lshift, TM, TN, ET_I32);

  const long across = (a->N + TN - 1) / TN;
  const long tiles = (a->M + TM - 1) / TM * across;
  for (long t = core; t < tiles; t += cores) {
    const long m = t / across * TM, n = t % across * TN;
    const long rows = least(TM, a->M - m), cols = least(TN, a->N - n);
    et_vseek(VA, m, 0), et_vext(VA, rows, 0);
    et_vseek(VB, n, 1), et_vext(VB, cols, 1);
    et_vseek(VC, m, 0), et_vext(VC, rows, 0);
    et_vseek(VC, n, 1), et_vext(VC, cols, 1);
    et_vseek(VMUL, n, 1), et_vext(VMUL, cols, 1);
    et_vseek(VSHIFT, n, 1), et_vext(VSHIFT, cols, 1);
    et_tshape(A0, 1, rows), et_tshape(A1, 1, rows), et_tshape(ACC, 1, rows),
        et_tshape(OUT, 1, rows);
    et_tshape(MULS, 1, rows), et_tshape(SHIFTS, 1, rows);
    et_tcols(B0, cols), et_tcols(B1, cols), et_tcols(ACC, cols), et_tcols(OUT, cols);
    et_tcols(MUL, cols), et_tcols(SHIFT, cols), et_tcols(MULS, cols), et_tcols(SHIFTS, cols);
    et_ld(MUL, VMUL, ET_RNE);
    et_ld(SHIFT, VSHIFT, ET_RNE);
    long k = 0;
    do {
      STEP(A0, B0);
      if (k < a->K) STEP(A1, B1);
    } while (k < a->K);
    et_requant(OUT, ACC, MULS, SHIFTS);
    et_st(OUT, VC, ET_RNE);
  }
  return 0;
}
