/* SPDX-License-Identifier: Apache-2.0 */
/* y[R,N] = max(a[R,N] * b[N] + c[R,1], 0) with broadcasting: b on every row, c along every row.

   What to learn here: strides of 0 broadcast. A row vector is a tile whose rows repeat, a column
   vector one whose columns repeat; the chain reads all three sources in one pass. */
#include <etalon/xet.h>

struct args {
  const et_bf16* a;
  const float* b;
  const float* c;
  et_bf16* y;
  int64_t R, N;
};
ETALON_KERNEL(struct args,
              "fma_relu(a: bf16[R, N], b: f32[N], c: f32[R, 1], out y: bf16[R, N]) "
              "check fma_relu(a, b, c) -> y")

enum { TR = 128, TN = 1024 };
enum { LA = TR * TN * 2 };
enum { VA, VB, VC, VY };     /* view registers */
enum { A, Y, B, C, BB, CB }; /* tile registers; BB, CB: broadcast */
enum { CHAIN };

static long least(long a, long b) { return a < b ? a : b; }

static const et_chain chain = {.version = 1,
                               .nsteps = 2,
                               .third_tile = CB,
                               .reduction_tile = ET_NO_TILE,
                               .td_selector = ET_SEL_TEMP(1),
                               .step = {ET_STEP_F32(FMA, 0, ET_SEL_A, ET_SEL_B, ET_SEL_C),
                                        ET_STEP_F32(MAX, 1, ET_SEL_TEMP(0), ET_SEL_CONST(0), 0)},
                               .constant = {0 /* +0.0 */}};

int main(void* p, unsigned long core, unsigned long cores) {
  const struct args* a = p;
  const et_view va = et_matrix_view(a->a, ET_BF16, a->R, a->N, a->N, TR, TN);
  const et_view vb = et_matrix_view(a->b, ET_F32, 1, a->N, a->N, 1, TN);
  const et_view vc = et_matrix_view(a->c, ET_F32, a->R, 1, 1, TR, 1);
  const et_view vy = et_matrix_view(a->y, ET_BF16, a->R, a->N, a->N, TR, TN);
  et_load_view(VA, va);
  et_load_view(VB, vb);
  et_load_view(VC, vc);
  et_load_view(VY, vy);
  et_load_chain(CHAIN, chain);

  const long across = (a->N + TN - 1) / TN, tiles = (a->R + TR - 1) / TR * across;
  for (long t = core; t < tiles; t += cores) {
    const long m = t / across * TR, n = t % across * TN;
    const long rows = least(TR, a->R - m), cols = least(TN, a->N - n);
    et_vseek(VA, m, 0), et_vext(VA, rows, 0), et_vseek(VA, n, 1), et_vext(VA, cols, 1);
    et_vseek(VY, m, 0), et_vext(VY, rows, 0), et_vseek(VY, n, 1), et_vext(VY, cols, 1);
    et_vseek(VB, n, 1), et_vext(VB, cols, 1);
    et_vseek(VC, m, 0), et_vext(VC, rows, 0);
    et_tile(A, 0, rows, cols, ET_BF16);
    et_tile(Y, LA, rows, cols, ET_BF16);
    et_tile(B, 2 * LA, 1, cols, ET_F32);
    et_tile_row(BB, 2 * LA, rows, cols, ET_F32);
    et_tile(C, 2 * LA + TN * 4, rows, 1, ET_F32);
    et_tile_column(CB, 2 * LA + TN * 4, rows, cols, ET_F32);
    et_ld(A, VA, ET_RNE);
    et_ld(B, VB, ET_RNE);
    et_ld(C, VC, ET_RNE);
    et_vx(Y, A, BB, CHAIN);
    et_st(Y, VY, ET_RNE);
  }
  return 0;
}
