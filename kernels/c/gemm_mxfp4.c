/* SPDX-License-Identifier: Apache-2.0 */
/* C[M,N] = A[M,K] B[N,K]^T in MXFP4: e2m1 elements, an e8m0 scale for 32 of them, f32 out.

   What to learn here, beside gemm_scaled.h: a tile register only names bytes, so two registers may
   name the same ones in two ways. Pairs of 4-bit elements come in as bytes and are multiplied as
   f4e2m1. B is stored as weights are, one row for each output: the transpose flag turns it, and its
   scales with it. */
#include <etalon/xet.h>

struct args {
  const uint8_t* A;
  const uint8_t* a_scale;
  const uint8_t* B;
  const uint8_t* b_scale;
  float* C;
  int64_t M, K, N;
};
ETALON_KERNEL(struct args,
              "gemm_mxfp4(A: f4e2m1[M, K], a_scale: e8m0[M, (K + 31)/32], B: f4e2m1[N, K], "
              "b_scale: e8m0[N, (K + 31)/32], out C: f32[M, N]) "
              "check matmul_scaled(A, B, a_scale, b_scale) -> C with transpose=[0, 1]")

enum { TM = 256, TN = 256, TK = 1024, BLOCK = 32 }; /* elements of a tile, of a block */
enum { SPAN = 8192, WIDE = SPAN / BLOCK };          /* k and blocks of a panel of scales */
enum { LA = TM * TK / 2, LB = TN * TK / 2, LACC = TM * TN * 4 }; /* bytes */
enum { LPANEL = TM * WIDE };
enum { VA, VB, VC, VSA, VSB }; /* view registers */
/* Tile registers: A and B as bytes and as what is multiplied; scales as loaded and those of a step. */
enum { BYTES_A, BYTES_B, A, B, ACC, PANEL_A, PANEL_B, SCALE_A, SCALE_B };
enum { B_AT = 2 * LA, ACC_AT = B_AT + 2 * LB, PANEL_AT = ACC_AT + 2 * LACC };

static long least(long a, long b) { return a < b ? a : b; }

int main(void* p, unsigned long core, unsigned long cores) {
  const struct args* a = p;
  const long bytes = (a->K + 1) / 2, blocks = (a->K + BLOCK - 1) / BLOCK; /* of a row */
  const et_view va = et_matrix_view(a->A, ET_U8, a->M, bytes, bytes, TM, TK / 2);
  const et_view vb = et_matrix_view(a->B, ET_U8, a->N, bytes, bytes, TN, TK / 2);
  const et_view vc = et_matrix_view(a->C, ET_F32, a->M, a->N, a->N, TM, TN);
  const et_view vsa = et_matrix_view(a->a_scale, ET_E8M0, a->M, blocks, blocks, TM, WIDE);
  const et_view vsb = et_matrix_view(a->b_scale, ET_E8M0, a->N, blocks, blocks, TN, WIDE);
  et_load_view(VA, va);
  et_load_view(VB, vb);
  et_load_view(VC, vc);
  et_load_view(VSA, vsa);
  et_load_view(VSB, vsb);
  et_tile(BYTES_A, 0, TM, TK / 2, ET_U8);
  et_tile(BYTES_B, B_AT, TN, TK / 2, ET_U8);
  et_tile(A, 0, TM, TK, ET_F4E2M1);
  et_tile(B, B_AT, TN, TK, ET_F4E2M1);
  et_tflags(B, 1); /* transposed */
  et_tile(ACC, ACC_AT, TM, TN, ET_F32);
  et_tile(PANEL_A, PANEL_AT, TM, WIDE, ET_E8M0);
  et_tile(PANEL_B, PANEL_AT + LPANEL, TN, WIDE, ET_E8M0);
  et_tmov(SCALE_A, PANEL_A), et_tmov(SCALE_B, PANEL_B);
  et_tlink(A, SCALE_A), et_tlink(B, SCALE_B);

  const long across = (a->N + TN - 1) / TN, tiles = (a->M + TM - 1) / TM * across;
  long turn = 0, panel = 0, acc = 0; /* which of two places: operands, scales, accumulator */
  for (long t = core; t < tiles; t += cores, acc ^= 1) {
    const long m = t / across * TM, n = t % across * TN;
    const long rows = least(TM, a->M - m), cols = least(TN, a->N - n);
    et_vseek(VA, m, 0), et_vext(VA, rows, 0), et_vseek(VSA, m, 0), et_vext(VSA, rows, 0);
    et_vseek(VB, n, 0), et_vext(VB, cols, 0), et_vseek(VSB, n, 0), et_vext(VSB, cols, 0);
    et_vseek(VC, m, 0), et_vext(VC, rows, 0), et_vseek(VC, n, 1), et_vext(VC, cols, 1);
    et_tshape(BYTES_A, 1, rows), et_tshape(A, 1, rows);
    et_tshape(PANEL_A, 1, rows), et_tshape(SCALE_A, 1, rows);
    et_tshape(BYTES_B, 1, cols), et_tshape(B, 1, cols);
    et_tshape(PANEL_B, 1, cols), et_tshape(SCALE_B, 1, cols);
    et_tbase(ACC, ACC_AT + acc * LACC), et_tshape(ACC, 1, rows), et_tcols(ACC, cols);
    for (long k = 0; k == 0 || k < a->K; k += TK, turn ^= 1) {
      if (k % SPAN == 0) { /* the scales of this and the following steps */
        const long first = k / BLOCK, count = least(WIDE, blocks - first);
        panel ^= 1;
        et_vseek(VSA, first, 1), et_vext(VSA, count, 1);
        et_vseek(VSB, first, 1), et_vext(VSB, count, 1);
        et_tbase(PANEL_A, PANEL_AT + panel * 2 * LPANEL), et_tcols(PANEL_A, count);
        et_tbase(PANEL_B, PANEL_AT + panel * 2 * LPANEL + LPANEL), et_tcols(PANEL_B, count);
        et_ld(PANEL_A, VSA, ET_RNE);
        et_ld(PANEL_B, VSB, ET_RNE);
      }
      const long kk = least(TK, a->K - k), pairs = (kk + 1) / 2, count = (kk + BLOCK - 1) / BLOCK;
      const long scales = PANEL_AT + panel * 2 * LPANEL + k % SPAN / BLOCK;
      et_vseek(VA, k / 2, 1), et_vext(VA, pairs, 1), et_vseek(VB, k / 2, 1), et_vext(VB, pairs, 1);
      et_tbase(BYTES_A, turn * LA), et_tcols(BYTES_A, pairs);
      et_tbase(BYTES_B, B_AT + turn * LB), et_tcols(BYTES_B, pairs);
      et_ld(BYTES_A, VA, ET_RNE);
      et_ld(BYTES_B, VB, ET_RNE);
      et_tbase(A, turn * LA), et_tcols(A, kk);
      et_tbase(B, B_AT + turn * LB), et_tcols(B, kk);
      et_tbase(SCALE_A, scales), et_tcols(SCALE_A, count);
      et_tbase(SCALE_B, scales + LPANEL), et_tcols(SCALE_B, count);
      if (k == 0)
        et_mm(ACC, A, B);
      else
        et_mma(ACC, A, B);
    }
    et_st(ACC, VC, ET_RNE);
  }
  return 0;
}
