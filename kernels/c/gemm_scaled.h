/* SPDX-License-Identifier: Apache-2.0 */
/* C[M,N] = A[M,K] B[K,N] in FP8 under block scales, f32 accumulated, any M, N, K.

   What to learn here: a tile may *link* to another that holds its block scales; the product then
   takes element * scale without a pass of its own. Scales are small, so they come in panels for many
   steps at once, and a step only moves the windows that the links name. Links, like all of a tile
   register, are read at issue: the next step may move the window while the product still runs. The
   accumulator has two places in turn, so that the next tile of C starts while this one is stored. */
#include <etalon/xet.h>

struct gemm_args {
  const et_f8* A;
  const void* a_scale; /* [M, blocks] */
  const et_f8* B;
  const void* b_scale; /* [blocks, N] */
  void* C;
  int64_t M, K, N;
};

/* Element types, and the elements of k that share a scale. */
struct gemm_kind {
  unsigned a, b, scale, block, c;
};

enum { TM = 256, TN = 256, TK = 512 }; /* elements of a tile */
enum { SPAN = 8192 };                  /* elements of k under one panel of scales */
enum { LA = TM * TK, LB = TK * TN, LACC = TM * TN * 4 }; /* bytes */
enum { LPANEL = 64 * 1024 };   /* bytes of a panel: 64 blocks in f32 or 256 in e8m0, 256 lines */
enum { VA, VB, VC, VSA, VSB }; /* view registers */
/* Tile registers: A and B as they are loaded and, the same bytes with a link, as they are multiplied;
   the scales as they are loaded and those of one step, which the links name. */
enum { A, B, ACC, PANEL_A, PANEL_B, LINKED_A, LINKED_B, SCALE_A, SCALE_B };
enum { B_AT = 2 * LA, ACC_AT = B_AT + 2 * LB, PANEL_AT = ACC_AT + 2 * LACC };

static long least(long a, long b) { return a < b ? a : b; }

static inline void gemm_scaled(const struct gemm_args* a, const struct gemm_kind kind,
                               unsigned long core, unsigned long cores) {
  const long blocks = (a->K + kind.block - 1) / kind.block, size = (long)et_size(kind.scale);
  const long wide = SPAN / kind.block; /* blocks of a panel */
  const et_view va = et_matrix_view(a->A, kind.a, a->M, a->K, a->K, TM, TK);
  const et_view vb = et_matrix_view(a->B, kind.b, a->K, a->N, a->N, TK, TN);
  const et_view vc = et_matrix_view(a->C, kind.c, a->M, a->N, a->N, TM, TN);
  const et_view vsa = et_matrix_view(a->a_scale, kind.scale, a->M, blocks, blocks, TM, wide);
  const et_view vsb = et_matrix_view(a->b_scale, kind.scale, blocks, a->N, a->N, wide, TN);
  et_load_view(VA, va);
  et_load_view(VB, vb);
  et_load_view(VC, vc);
  et_load_view(VSA, vsa);
  et_load_view(VSB, vsb);
  et_tile(A, 0, TM, TK, kind.a);
  et_tile(B, B_AT, TK, TN, kind.b);
  et_tile(ACC, ACC_AT, TM, TN, ET_F32);
  et_tile(PANEL_A, PANEL_AT, TM, wide, kind.scale);
  et_tile(PANEL_B, PANEL_AT + LPANEL, wide, TN, kind.scale);
  et_tmov(SCALE_A, PANEL_A), et_tmov(SCALE_B, PANEL_B);
  et_tmov(LINKED_A, A), et_tlink(LINKED_A, SCALE_A);
  et_tmov(LINKED_B, B), et_tlink(LINKED_B, SCALE_B);

  const long across = (a->N + TN - 1) / TN, tiles = (a->M + TM - 1) / TM * across;
  long turn = 0, panel = 0, acc = 0; /* which of two places: operands, scales, accumulator */
  for (long t = core; t < tiles; t += cores, acc ^= 1) {
    const long m = t / across * TM, n = t % across * TN;
    const long rows = least(TM, a->M - m), cols = least(TN, a->N - n);
    et_vseek(VA, m, 0), et_vext(VA, rows, 0), et_vseek(VSA, m, 0), et_vext(VSA, rows, 0);
    et_vseek(VB, n, 1), et_vext(VB, cols, 1), et_vseek(VSB, n, 1), et_vext(VSB, cols, 1);
    et_vseek(VC, m, 0), et_vext(VC, rows, 0), et_vseek(VC, n, 1), et_vext(VC, cols, 1);
    et_tshape(A, 1, rows), et_tshape(LINKED_A, 1, rows);
    et_tshape(PANEL_A, 1, rows), et_tshape(SCALE_A, 1, rows);
    et_tcols(B, cols), et_tcols(LINKED_B, cols), et_tcols(PANEL_B, cols), et_tcols(SCALE_B, cols);
    et_tbase(ACC, ACC_AT + acc * LACC), et_tshape(ACC, 1, rows), et_tcols(ACC, cols);
    for (long k = 0; k == 0 || k < a->K; k += TK, turn ^= 1) {
      if (k % SPAN == 0) { /* the scales of this and the following steps */
        const long first = k / kind.block, count = least(wide, blocks - first);
        panel ^= 1;
        et_vseek(VSA, first, 1), et_vext(VSA, count, 1);
        et_vseek(VSB, first, 0), et_vext(VSB, count, 0);
        et_tbase(PANEL_A, PANEL_AT + panel * 2 * LPANEL), et_tcols(PANEL_A, count);
        et_tbase(PANEL_B, PANEL_AT + panel * 2 * LPANEL + LPANEL), et_tshape(PANEL_B, 1, count);
        et_ld(PANEL_A, VSA, ET_RNE);
        et_ld(PANEL_B, VSB, ET_RNE);
      }
      const long kk = least(TK, a->K - k), at = PANEL_AT + panel * 2 * LPANEL;
      const long before = k % SPAN / kind.block * size, count = (kk + kind.block - 1) / kind.block;
      et_vseek(VA, k, 1), et_vext(VA, kk, 1), et_vseek(VB, k, 0), et_vext(VB, kk, 0);
      et_tbase(A, turn * LA), et_tcols(A, kk);
      et_tbase(B, B_AT + turn * LB), et_tshape(B, 1, kk);
      et_ld(A, VA, ET_RNE);
      et_ld(B, VB, ET_RNE);
      et_tbase(LINKED_A, turn * LA), et_tcols(LINKED_A, kk);
      et_tbase(LINKED_B, B_AT + turn * LB), et_tshape(LINKED_B, 1, kk);
      et_tbase(SCALE_A, at + before), et_tcols(SCALE_A, count);
      et_tbase(SCALE_B, at + LPANEL + before * TN), et_tshape(SCALE_B, 1, count);
      if (k == 0)
        et_mm(ACC, LINKED_A, LINKED_B);
      else
        et_mma(ACC, LINKED_A, LINKED_B);
    }
    et_st(ACC, VC, ET_RNE);
  }
}
