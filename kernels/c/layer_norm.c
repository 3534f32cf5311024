/* SPDX-License-Identifier: Apache-2.0 */
/* y = (x - mean) / sqrt(variance + eps) * gamma + beta along the last axis.

   What to learn here: row statistics by reductions, small arithmetic on a column of row values by
   one-step instructions with a scalar (.x), and a chain that reduces what it computes. Mean first,
   then the variance of the differences: two passes keep the bits good. The last pass has five
   sources: the columns of mean and rstd, and the rows gamma and beta, are pairs at a distance, each
   pair one source at two displacements. How tiles come and go stands in row_tiles.h. */
#include "row_tiles.h"

struct args {
  const et_bf16* x;
  const float* gamma;
  const float* beta;
  et_bf16* y;
  float eps;
  uint32_t pad_; /* an argument takes 8 bytes */
  int64_t R, N;
};
ETALON_KERNEL(
    struct args,
    "layer_norm(x: bf16[R, N], gamma: f32[N], beta: f32[N], out y: bf16[R, N], eps: f32 = 0.00001) "
    "check layer_norm(x, gamma, beta) -> y with epsilon=eps")

enum { LANES = 64, LLANES = TR * LANES * 4, LCOL = TR * 4, LROW = TN * 4 }; /* bytes */
enum { SUMS_AT = FREE_BYTE, MEAN_AT = SUMS_AT + 2 * LLANES, GAMMA_AT = MEAN_AT + 2 * LCOL };
enum { VG = FREE_VIEW, VB }; /* view registers */
/* Tile registers; MEANB: the column along its rows; GB: the row on every row. RSTD stands LCOL bytes
   behind MEAN, B stands LROW bytes behind G. */
enum { SUMS = FREE_TILE, SQUARE_SUMS, MEAN, MEANB, RSTD, G, B, GB };
enum { SQUARES, RSTD_OF_SUM, NORMAL }; /* chain registers */

/* sums of (x - mean)^2 into 64 lanes a row */
static const et_chain squares = {.version = 1,
                                 .nsteps = 2,
                                 .flags = ET_CHAIN_NO_TD | ET_CHAIN_REDUCE | ET_CHAIN_ACCUMULATE,
                                 .reduction_op = 0,
                                 .third_tile = ET_NO_TILE,
                                 .reduction_tile = SQUARE_SUMS,
                                 .reduction_selector = ET_SEL_TEMP(1),
                                 .step = {ET_STEP_F32(SUB, 0, ET_SEL_A, ET_SEL_B, 0),
                                          ET_STEP_F32(MUL, 1, ET_SEL_TEMP(0), ET_SEL_TEMP(0), 0)}};
/* rstd = 1 / sqrt(sum / N + eps); the constants are 1 / N and eps */
static const et_chain rstd_of_sum = {
    .version = 1,
    .nsteps = 3,
    .third_tile = ET_NO_TILE,
    .reduction_tile = ET_NO_TILE,
    .td_selector = ET_SEL_TEMP(0),
    .step = {ET_STEP_F32(MUL, 0, ET_SEL_A, ET_SEL_CONST(0), 0),
             ET_STEP_F32(ADD, 0, ET_SEL_TEMP(0), ET_SEL_CONST(1), 0),
             ET_STEP_F32(RSQRT, 0, ET_SEL_TEMP(0), 0, 0)}};
/* y = (x - mean) * rstd * gamma + beta: a = gamma and beta, b = mean and rstd, c = x */
static const et_chain normal = {
    .version = 1,
    .nsteps = 3,
    .third_tile = X,
    .reduction_tile = ET_NO_TILE,
    .td_selector = ET_SEL_TEMP(0),
    .constant = {0, LROW, LCOL},
    .step = {ET_STEP_F32(SUB, 0, ET_SEL_C, ET_SEL_B_AT(0), 0),
             ET_STEP_F32(MUL, 0, ET_SEL_TEMP(0), ET_SEL_B_AT(2), 0),
             ET_STEP_F32(FMA, 0, ET_SEL_TEMP(0), ET_SEL_A_AT(0), ET_SEL_A_AT(1))}};

/* Into one of two places in turn, so that a load need not wait for the chunk before. */
static void load_gamma_beta(long n, long cols) {
  const long at = GAMMA_AT + n / TN % 2 * 2 * LROW;
  et_vseek(VG, n, 1), et_vext(VG, cols, 1);
  et_vseek(VB, n, 1), et_vext(VB, cols, 1);
  et_tile(G, at, 1, cols, ET_F32);
  et_tile(B, at + LROW, 1, cols, ET_F32);
  et_tbase(GB, at);
  et_ld(G, VG, ET_RNE);
  et_ld(B, VB, ET_RNE);
}

int main(void* p, unsigned long core, unsigned long cores) {
  const struct args* a = p;
  if (a->N == 0) return 0;
  const et_view vg = et_matrix_view(a->gamma, ET_F32, 1, a->N, a->N, 1, TN);
  const et_view vb = et_matrix_view(a->beta, ET_F32, 1, a->N, a->N, 1, TN);
  et_load_view(VG, vg);
  et_load_view(VB, vb);
  et_load_chain(SQUARES, squares);
  et_load_chain(RSTD_OF_SUM, rstd_of_sum);
  et_load_chain(NORMAL, normal);
  const unsigned long share = et_float(1.0f / (float)a->N);
  et_cset(RSTD_OF_SUM, share, 0);
  et_cset(RSTD_OF_SUM, et_float(a->eps), 1);
  struct rows t = rows_begin(a->x, a->y, a->R, a->N, 3, core, cores);
  if (t.passes == 1) load_gamma_beta(0, a->N);

  for (long m = core * t.tr; m < a->R; m += t.from_to_next) {
    const long rows = least(t.tr, a->R - m);
    et_tile(SUMS, SUMS_AT, rows, LANES, ET_F32);
    et_tile(SQUARE_SUMS, SUMS_AT + LLANES, rows, LANES, ET_F32);
    et_tile(MEAN, MEAN_AT, rows, 1, ET_F32);
    et_tile(RSTD, MEAN_AT + LCOL, rows, 1, ET_F32);
    et_tile_column(MEANB, MEAN_AT, rows, TN, ET_F32);
    et_tile_row(GB, GAMMA_AT, rows, TN, ET_F32);

    et_iota(SUMS, et_float(-0.0f), 0, 0); /* a fill: steps 0 */
    et_iota(SQUARE_SUMS, et_float(-0.0f), 0, 0);
    for (long n = 0; n < a->N; n += TN) {
      rows_chunk(&t, rows, n, 0);
      et_red_sum_acc(SUMS, X);
    }
    et_red_sum(MEAN, SUMS);
    et_mul_x(MEAN, MEAN, share);
    for (long n = 0; n < a->N; n += TN) {
      et_tcols(MEANB, rows_chunk(&t, rows, n, 1));
      et_vx(0, X, MEANB, SQUARES);
    }
    et_red_sum(RSTD, SQUARE_SUMS);
    et_vx(RSTD, RSTD, RSTD, RSTD_OF_SUM);
    for (long n = 0; n < a->N; n += TN) {
      const long cols = rows_chunk(&t, rows, n, 2);
      if (t.passes > 1) load_gamma_beta(n, cols);
      et_tcols(MEANB, cols), et_tcols(GB, cols);
      et_vx(X, GB, MEANB, NORMAL);
      rows_store(m, rows, n, cols);
    }
  }
  return 0;
}
