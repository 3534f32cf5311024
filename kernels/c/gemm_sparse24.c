/* SPDX-License-Identifier: Apache-2.0 */
/* C[M,N] = A[M,K] B[K,N] with a 2:4 sparse A: of each four elements of k it stores two. bf16, f32 out.

   What to learn here: A links to its metadata, a u4 tile with two places of two bits for each group
   of four, and the product reads only the rows of B that they name: half the work and half of A's
   memory. The metadata come in as bytes, two groups each; a step begins on an even group, so on a
   byte. */
#include <etalon/xet.h>

struct args {
  const et_bf16* A;        /* stored elements 2g and 2g + 1 belong to k = 4g to 4g + 3 */
  const uint8_t* metadata; /* p0 + 4 * p1 */
  const et_bf16* B;
  float* C;
  int64_t M, K, N;
};
ETALON_KERNEL(struct args,
              "gemm_sparse24(A: bf16[M, (K + 3)/4*2], metadata: u4[M, (K + 3)/4], B: bf16[K, N], "
              "out C: f32[M, N]) check matmul_sparse24(A, metadata, B) -> C")

enum { TM = 256, TN = 256, TK = 512, TG = TK / 4 }; /* elements, groups */
enum { LA = TM * TG * 4, LMETA = TM * TG / 2, LB = TK * TN * 2, LACC = TM * TN * 4 }; /* bytes */
enum { VA, VMETA, VB, VC }; /* view registers */
enum {
  STORED,
  PAIRS,
  A,
  META,
  B,
  ACC
}; /* tile registers; A and META link, STORED and PAIRS load */
enum { META_AT = 2 * LA, B_AT = META_AT + 2 * LMETA, ACC_AT = B_AT + 2 * LB };

static long least(long a, long b) { return a < b ? a : b; }

int main(void* p, unsigned long core, unsigned long cores) {
  const struct args* a = p;
  const long groups = (a->K + 3) / 4, bytes = (groups + 1) / 2; /* of a row */
  const et_view va = et_matrix_view(a->A, ET_BF16, a->M, 2 * groups, 2 * groups, TM, 2 * TG);
  const et_view vmeta = et_matrix_view(a->metadata, ET_U8, a->M, bytes, bytes, TM, TG / 2);
  const et_view vb = et_matrix_view(a->B, ET_BF16, a->K, a->N, a->N, TK, TN);
  const et_view vc = et_matrix_view(a->C, ET_F32, a->M, a->N, a->N, TM, TN);
  et_load_view(VA, va);
  et_load_view(VMETA, vmeta);
  et_load_view(VB, vb);
  et_load_view(VC, vc);
  et_tile(STORED, 0, TM, 2 * TG, ET_BF16);
  et_tile(PAIRS, META_AT, TM, TG / 2, ET_U8);
  et_tile(META, META_AT, TM, TG, ET_U4);
  et_tmov(A, STORED), et_tlink(A, META);
  et_tile(B, B_AT, TK, TN, ET_BF16);
  et_tile(ACC, ACC_AT, TM, TN, ET_F32);

  const long across = (a->N + TN - 1) / TN, tiles = (a->M + TM - 1) / TM * across;
  long turn = 0, acc = 0; /* which of two places: operands, accumulator */
  for (long t = core; t < tiles; t += cores, acc ^= 1) {
    const long m = t / across * TM, n = t % across * TN;
    const long rows = least(TM, a->M - m), cols = least(TN, a->N - n);
    et_vseek(VA, m, 0), et_vext(VA, rows, 0), et_vseek(VMETA, m, 0), et_vext(VMETA, rows, 0);
    et_vseek(VB, n, 1), et_vext(VB, cols, 1);
    et_vseek(VC, m, 0), et_vext(VC, rows, 0), et_vseek(VC, n, 1), et_vext(VC, cols, 1);
    et_tshape(STORED, 1, rows), et_tshape(A, 1, rows);
    et_tshape(PAIRS, 1, rows), et_tshape(META, 1, rows);
    et_tcols(B, cols);
    et_tbase(ACC, ACC_AT + acc * LACC), et_tshape(ACC, 1, rows), et_tcols(ACC, cols);
    for (long k = 0; k == 0 || k < a->K; k += TK, turn ^= 1) {
      const long kk = least(TK, a->K - k), g = k / 4, gg = (kk + 3) / 4;
      et_vseek(VA, 2 * g, 1), et_vext(VA, 2 * gg, 1);
      et_vseek(VMETA, g / 2, 1), et_vext(VMETA, (gg + 1) / 2, 1);
      et_vseek(VB, k, 0), et_vext(VB, kk, 0);
      et_tbase(STORED, turn * LA), et_tcols(STORED, 2 * gg);
      et_tbase(PAIRS, META_AT + turn * LMETA), et_tcols(PAIRS, (gg + 1) / 2);
      et_tbase(B, B_AT + turn * LB), et_tshape(B, 1, kk);
      et_ld(STORED, VA, ET_RNE);
      et_ld(PAIRS, VMETA, ET_RNE);
      et_ld(B, VB, ET_RNE);
      et_tbase(A, turn * LA), et_tcols(A, 2 * gg);
      et_tbase(META, META_AT + turn * LMETA), et_tcols(META, gg);
      if (k == 0)
        et_mm(ACC, A, B);
      else
        et_mma(ACC, A, B);
    }
    et_st(ACC, VC, ET_RNE);
  }
  return 0;
}
