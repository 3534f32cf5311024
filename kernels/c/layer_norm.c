/* SPDX-License-Identifier: Apache-2.0 */
/* y = (x - mean) / sqrt(variance + eps) * gamma + beta along the last axis.

   What to learn here: row statistics by reductions, small arithmetic on a column of row values by
   one-step instructions with a scalar (.x), and a chain that reduces what it computes. Mean first,
   then the variance of the differences: two passes keep the bits good. */
#include <etalon/xet.h>

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

enum { TR = 64, TN = 4096, LANES = 64 };
enum { LX = TR * TN * 2, LT = TR * TN * 4, LLANES = TR * LANES * 4, LCOL = TR * 4, LROW = TN * 4 };
enum { VX, VY, VG, VB }; /* view registers */
/* Tile registers; MEANB, RSTDB: the column along its rows; GB, BB: the row on every row. */
enum { X, T, Y, SUMS, MEAN, MEANB, RSTD, RSTDB, G, B, GB, BB };
enum { SQUARES, NORMAL }; /* chain registers */

static long least(long a, long b) { return a < b ? a : b; }

/* sums of (x - mean)^2 into 64 lanes a row */
static const et_chain squares = {.version = 1,
                                 .nsteps = 2,
                                 .flags = ET_CHAIN_NO_TD | ET_CHAIN_REDUCE | ET_CHAIN_ACCUMULATE,
                                 .reduction_op = 0,
                                 .third_tile = ET_NO_TILE,
                                 .reduction_tile = SUMS,
                                 .reduction_selector = ET_SEL_TEMP(1),
                                 .step = {ET_STEP_F32(SUB, 0, ET_SEL_A, ET_SEL_B, 0),
                                          ET_STEP_F32(MUL, 1, ET_SEL_TEMP(0), ET_SEL_TEMP(0), 0)}};
/* t = (x - mean) * rstd */
static const et_chain normal = {.version = 1,
                                .nsteps = 2,
                                .third_tile = RSTDB,
                                .reduction_tile = ET_NO_TILE,
                                .td_selector = ET_SEL_TEMP(1),
                                .step = {ET_STEP_F32(SUB, 0, ET_SEL_A, ET_SEL_B, 0),
                                         ET_STEP_F32(MUL, 1, ET_SEL_TEMP(0), ET_SEL_C, 0)}};

/* The next chunk of columns, for all tiles. */
static void chunk(long n, long N, long load) {
  const long cols = least(TN, N - n);
  et_vseek(VX, n, 1), et_vext(VX, cols, 1);
  et_vseek(VY, n, 1), et_vext(VY, cols, 1);
  et_vseek(VG, n, 1), et_vext(VG, cols, 1);
  et_vseek(VB, n, 1), et_vext(VB, cols, 1);
  et_tcols(X, cols), et_tcols(T, cols), et_tcols(Y, cols), et_tcols(MEANB, cols),
      et_tcols(RSTDB, cols);
  et_tcols(G, cols), et_tcols(B, cols), et_tcols(GB, cols), et_tcols(BB, cols);
  if (load) et_ld(X, VX, ET_RNE);
}

int main(void* p, unsigned long core, unsigned long cores) {
  const struct args* a = p;
  const et_view vx = et_matrix_view(a->x, ET_BF16, a->R, a->N, a->N, TR, TN);
  const et_view vy = et_matrix_view(a->y, ET_BF16, a->R, a->N, a->N, TR, TN);
  const et_view vg = et_matrix_view(a->gamma, ET_F32, 1, a->N, a->N, 1, TN);
  const et_view vb = et_matrix_view(a->beta, ET_F32, 1, a->N, a->N, 1, TN);
  et_load_view(VX, vx);
  et_load_view(VY, vy);
  et_load_view(VG, vg);
  et_load_view(VB, vb);
  et_load_chain(SQUARES, squares);
  et_load_chain(NORMAL, normal);
  if (a->N == 0) return 0;
  const long lt = 2 * LX, lsums = lt + LT, lmean = lsums + LLANES, lrstd = lmean + LCOL,
             lg = lrstd + LCOL, lb = lg + LROW;
  const long reload = a->N > TN;
  const unsigned long share = et_float(1.0f / (float)a->N);

  for (long m = core * TR; m < a->R; m += cores * TR) {
    const long rows = least(TR, a->R - m);
    et_vseek(VX, m, 0), et_vext(VX, rows, 0);
    et_vseek(VY, m, 0), et_vext(VY, rows, 0);
    et_tile(X, 0, rows, TN, ET_BF16);
    et_tile(Y, LX, rows, TN, ET_BF16);
    et_tile(T, lt, rows, TN, ET_F32);
    et_tile(SUMS, lsums, rows, LANES, ET_F32);
    et_tile(MEAN, lmean, rows, 1, ET_F32);
    et_tile_column(MEANB, lmean, rows, TN, ET_F32);
    et_tile(RSTD, lrstd, rows, 1, ET_F32);
    et_tile_column(RSTDB, lrstd, rows, TN, ET_F32);
    et_tile(G, lg, 1, TN, ET_F32);
    et_tile(B, lb, 1, TN, ET_F32);
    et_tile_row(GB, lg, rows, TN, ET_F32);
    et_tile_row(BB, lb, rows, TN, ET_F32);

    et_iota(SUMS, et_float(-0.0f), 0, 0); /* a fill: steps 0 */
    for (long n = 0; n < a->N; n += TN) {
      chunk(n, a->N, 1);
      et_red_sum_acc(SUMS, X);
    }
    et_red_sum(MEAN, SUMS);
    et_mul_x(MEAN, MEAN, share);
    et_iota(SUMS, et_float(-0.0f), 0, 0);
    for (long n = 0; n < a->N; n += TN) {
      chunk(n, a->N, reload);
      et_vx(0, X, MEANB, SQUARES);
    }
    et_red_sum(RSTD, SUMS);
    et_mul_x(RSTD, RSTD, share);
    et_add_x(RSTD, RSTD, et_float(a->eps));
    et_rsqrt(RSTD, RSTD);
    for (long n = 0; n < a->N; n += TN) {
      chunk(n, a->N, reload);
      et_ld(G, VG, ET_RNE);
      et_ld(B, VB, ET_RNE);
      et_vx(T, X, MEANB, NORMAL);
      et_fma(Y, T, GB, BB);
      et_st(Y, VY, ET_RNE);
    }
  }
  return 0;
}
