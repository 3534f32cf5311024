/* SPDX-License-Identifier: Apache-2.0 */
/* y = softmax(x) along the last axis, any number of rows R and columns N.

   What to learn here: a *chain* runs several element-wise steps in one pass over a tile, with exact
   f32 temporaries between them, and can reduce one of them on the way. A row longer than a tile is
   taken in chunks: the `.acc` reductions keep 64 lanes a row, so cutting a row changes no bit.
   A column of row values is broadcast along its row by column step 0 (et_tile_column). How tiles come
   and go stands in row_tiles.h. */
#include "row_tiles.h"

struct args {
  const et_bf16* x;
  et_bf16* y;
  int64_t R, N;
};
ETALON_KERNEL(struct args, "softmax(x: bf16[R, N], out y: bf16[R, N]) check softmax(x) -> y")

enum { LANES = 64, LLANES = TR * LANES * 4, LCOL = TR * 4 }; /* bytes */
enum { MAXES = FREE_TILE, SUMS, MAX, MAXB, RSUM, RSUMB };    /* B: broadcast along rows */
enum { EXP_SUM, EXP_SCALE };                                 /* chain registers */

/* sums of exp(x - max) into 64 lanes a row; no element is written */
static const et_chain exp_sum = {.version = 1,
                                 .nsteps = 2,
                                 .flags = ET_CHAIN_NO_TD | ET_CHAIN_REDUCE | ET_CHAIN_ACCUMULATE,
                                 .reduction_op = 0,
                                 .third_tile = ET_NO_TILE,
                                 .reduction_tile = SUMS,
                                 .reduction_selector = ET_SEL_TEMP(1),
                                 .step = {ET_STEP_F32(SUB, 0, ET_SEL_A, ET_SEL_B, 0),
                                          ET_STEP_F32(EXP, 1, ET_SEL_TEMP(0), 0, 0)}};
/* y = exp(x - max) * (1 / sum); the third source is named here */
static const et_chain exp_scale = {
    .version = 1,
    .nsteps = 3,
    .third_tile = RSUMB,
    .reduction_tile = ET_NO_TILE,
    .td_selector = ET_SEL_TEMP(2),
    .step = {ET_STEP_F32(SUB, 0, ET_SEL_A, ET_SEL_B, 0), ET_STEP_F32(EXP, 1, ET_SEL_TEMP(0), 0, 0),
             ET_STEP_F32(MUL, 2, ET_SEL_TEMP(1), ET_SEL_C, 0)}};

int main(void* p, unsigned long core, unsigned long cores) {
  const struct args* a = p;
  if (a->N == 0) return 0;
  et_load_chain(EXP_SUM, exp_sum);
  et_load_chain(EXP_SCALE, exp_scale);
  struct rows t = rows_begin(a->x, a->y, a->R, a->N, 3, core, cores);
  const long lanes = FREE_BYTE, cols = lanes + 2 * LLANES;

  for (long m = core * t.tr; m < a->R; m += t.from_to_next) {
    const long rows = least(t.tr, a->R - m);
    et_tile(MAXES, lanes, rows, LANES, ET_F32);
    et_tile(SUMS, lanes + LLANES, rows, LANES, ET_F32);
    et_tile(MAX, cols, rows, 1, ET_F32);
    et_tile_column(MAXB, cols, rows, TN, ET_F32);
    et_tile(RSUM, cols + LCOL, rows, 1, ET_F32);
    et_tile_column(RSUMB, cols + LCOL, rows, TN, ET_F32);

    et_iota(MAXES, et_float(-__builtin_inff()), 0, 0); /* a fill: steps 0 */
    et_iota(SUMS, et_float(-0.0f), 0, 0);
    for (long n = 0; n < a->N; n += TN) {
      rows_chunk(&t, rows, n, 0);
      et_red_max_acc(MAXES, X);
    }
    et_red_max(MAX, MAXES);
    for (long n = 0; n < a->N; n += TN) {
      et_tcols(MAXB, rows_chunk(&t, rows, n, 1));
      et_vx(0, X, MAXB, EXP_SUM);
    }
    et_red_sum(RSUM, SUMS);
    et_recip(RSUM, RSUM);
    for (long n = 0; n < a->N; n += TN) {
      const long cols = rows_chunk(&t, rows, n, 2);
      et_tcols(MAXB, cols), et_tcols(RSUMB, cols);
      et_vx(X, X, MAXB, EXP_SCALE);
      rows_store(m, rows, n, cols);
    }
  }
  return 0;
}
