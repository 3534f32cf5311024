/* SPDX-License-Identifier: Apache-2.0 */
/* Backward pass of layer norm over rows of N, from the mean and the inverse deviation of each row:

     h = (x - mean) rstd, g = dy gamma        dgamma = sum of dy h over rows, dbeta = sum of dy
     dx = rstd (g - mean of g - h * mean of g h), the means along the row

   What to learn here: a displacement in a chain's constant makes one source out of several. x and dy
   stand at a fixed distance, and so do the columns of row values, so a single pass reads all of x, dy,
   gamma, mean and rstd. Sums over rows are cut in blocks of TR rows whoever computes them; each block
   leaves its partial sums in `partial`, and behind a barrier they are added block by block. So the
   bits do not depend on the number of cores. */
#include <etalon/xet.h>

struct args {
  const et_bf16* dy;
  const et_bf16* x;
  const float* mean;
  const float* rstd;
  const float* gamma;
  et_bf16* dx;
  float* dgamma;
  float* dbeta;
  float* partial;
  int64_t R, N;
};
ETALON_KERNEL(struct args,
              "layer_norm_backward(dy: bf16[R, N], x: bf16[R, N], mean: f32[R], rstd: f32[R], "
              "gamma: f32[N], out dx: bf16[R, N], out dgamma: f32[N], out dbeta: f32[N], "
              "out partial: f32[2, (R + 63)/64, N]) "
              "check layer_norm_backward(dy, x, mean, rstd, gamma) -> dx, dgamma, dbeta")

enum { TR = 64, TN = 4096, LANES = 64 };
enum { LX = TR * TN * 2, LT = TR * TN * 4, LLANES = TR * LANES * 4, LCOL = TR * 4, LROW = TN * 4 };
enum { VX, VDY, VDX, VMEAN, VRSTD, VGAMMA, VPARTIAL, VSUM }; /* view registers */
/* Tile registers. X and DY: as they are loaded, DY is LX bytes behind X. The columns MEAN, RSTD, SHIFT
   and SLOPE follow each other; COLUMNS is MEAN along its rows. */
enum { X, DY, DX, T, GS, GHS, MEAN, RSTD, SHIFT, SLOPE, COLUMNS, G, GB, ROW_T, ROW_DY, PARTS };
enum { SUM_GH, SUM_G, INPUT }; /* chain registers */
enum { IN_AT = 0, DX_AT = 4 * LX, T_AT = DX_AT + 2 * LX, LANES_AT = T_AT + LT };
enum { COLUMNS_AT = LANES_AT + 2 * LLANES, G_AT = COLUMNS_AT + 4 * LCOL, ROW_AT = G_AT + 2 * LROW };

static long least(long a, long b) { return a < b ? a : b; }

/* Constants of all chains: displacements of dy behind x and of the other columns behind mean. */
#define DISPLACEMENTS {0, LX, LCOL, 2 * LCOL, 3 * LCOL}
#define SEL_X ET_SEL_A_AT(0)
#define SEL_DY ET_SEL_A_AT(1)
#define SEL_MEAN ET_SEL_B_AT(0)
#define SEL_RSTD ET_SEL_B_AT(2)
#define SEL_SHIFT ET_SEL_B_AT(3)
#define SEL_SLOPE ET_SEL_B_AT(4)

/* t = dy h, and the sums of g h into 64 lanes a row */
static const et_chain sum_gh = {.version = 1,
                                .nsteps = 4,
                                .flags = ET_CHAIN_REDUCE | ET_CHAIN_ACCUMULATE,
                                .reduction_op = 0,
                                .third_tile = GB,
                                .reduction_tile = GHS,
                                .reduction_selector = ET_SEL_TEMP(2),
                                .td_selector = ET_SEL_TEMP(1),
                                .step = {ET_STEP_F32(SUB, 0, SEL_X, SEL_MEAN, 0),
                                         ET_STEP_F32(MUL, 0, ET_SEL_TEMP(0), SEL_RSTD, 0),
                                         ET_STEP_F32(MUL, 1, ET_SEL_TEMP(0), SEL_DY, 0),
                                         ET_STEP_F32(MUL, 2, ET_SEL_TEMP(1), ET_SEL_C, 0)},
                                .constant = DISPLACEMENTS};
/* the sums of g into 64 lanes a row; no element is written */
static const et_chain sum_g = {.version = 1,
                               .nsteps = 1,
                               .flags = ET_CHAIN_NO_TD | ET_CHAIN_REDUCE | ET_CHAIN_ACCUMULATE,
                               .reduction_op = 0,
                               .third_tile = ET_NO_TILE,
                               .reduction_tile = GS,
                               .reduction_selector = ET_SEL_TEMP(0),
                               .step = {ET_STEP_F32(MUL, 0, ET_SEL_A, ET_SEL_B, 0)}};
/* dx = g rstd + shift + h slope, with shift = -rstd mean(g), slope = -rstd mean(g h) */
static const et_chain input = {
    .version = 1,
    .nsteps = 5,
    .third_tile = GB,
    .reduction_tile = ET_NO_TILE,
    .td_selector = ET_SEL_TEMP(1),
    .step = {ET_STEP_F32(SUB, 0, SEL_X, SEL_MEAN, 0),
             ET_STEP_F32(MUL, 0, ET_SEL_TEMP(0), SEL_RSTD, 0),
             ET_STEP_F32(MUL, 1, SEL_DY, ET_SEL_C, 0),
             ET_STEP_F32(FMA, 1, ET_SEL_TEMP(1), SEL_RSTD, SEL_SHIFT),
             ET_STEP_F32(FMA, 1, ET_SEL_TEMP(0), SEL_SLOPE, ET_SEL_TEMP(1))},
    .constant = DISPLACEMENTS};

/* The next chunk of columns, for all tiles; x, dy and gamma come to one of two places. */
static void chunk(long n, long N, long place, long load) {
  const long cols = least(TN, N - n);
  et_vseek(VX, n, 1), et_vext(VX, cols, 1), et_vseek(VDY, n, 1), et_vext(VDY, cols, 1);
  et_vseek(VDX, n, 1), et_vext(VDX, cols, 1), et_vseek(VGAMMA, n, 1), et_vext(VGAMMA, cols, 1);
  et_vseek(VPARTIAL, n, 2), et_vext(VPARTIAL, cols, 1);
  et_tbase(X, IN_AT + place * 2 * LX), et_tcols(X, cols);
  et_tbase(DY, IN_AT + place * 2 * LX + LX), et_tcols(DY, cols);
  et_tbase(DX, DX_AT + place * LX), et_tcols(DX, cols), et_tcols(T, cols), et_tcols(COLUMNS, cols);
  et_tbase(G, G_AT + place * LROW), et_tcols(G, cols);
  et_tbase(GB, G_AT + place * LROW), et_tcols(GB, cols);
  et_tcols(ROW_T, cols), et_tcols(ROW_DY, cols);
  if (!load) return;
  et_ld(X, VX, ET_RNE);
  et_ld(DY, VDY, ET_RNE);
  et_ld(G, VGAMMA, ET_RNE);
}

/* dx of one block of rows, and its partial sums of dgamma and dbeta. */
static void block(const struct args* a, long m, long* turn) {
  const long rows = least(TR, a->R - m), reload = a->N > TN;
  const unsigned long share = et_float(-1.0f / (float)a->N);
  et_vseek(VX, m, 0), et_vext(VX, rows, 0), et_vseek(VDY, m, 0), et_vext(VDY, rows, 0);
  et_vseek(VDX, m, 0), et_vext(VDX, rows, 0);
  et_vseek(VMEAN, m, 0), et_vext(VMEAN, rows, 0), et_vseek(VRSTD, m, 0), et_vext(VRSTD, rows, 0);
  et_vseek(VPARTIAL, m / TR, 1);
  et_tile(X, IN_AT, rows, TN, ET_BF16), et_tile(DY, IN_AT, rows, TN, ET_BF16);
  et_tile(DX, DX_AT, rows, TN, ET_BF16), et_tile(T, T_AT, rows, TN, ET_F32);
  et_tile(GS, LANES_AT, rows, LANES, ET_F32), et_tile(GHS, LANES_AT + LLANES, rows, LANES, ET_F32);
  et_tile(MEAN, COLUMNS_AT, rows, 1, ET_F32), et_tile(RSTD, COLUMNS_AT + LCOL, rows, 1, ET_F32);
  et_tile(SHIFT, COLUMNS_AT + 2 * LCOL, rows, 1, ET_F32);
  et_tile(SLOPE, COLUMNS_AT + 3 * LCOL, rows, 1, ET_F32);
  et_tile_column(COLUMNS, COLUMNS_AT, rows, TN, ET_F32);
  et_tile_row(GB, G_AT, rows, TN, ET_F32);

  et_ld(MEAN, VMEAN, ET_RNE);
  et_ld(RSTD, VRSTD, ET_RNE);
  et_iota(GS, et_float(-0.0f), 0, 0); /* a fill: steps 0 */
  et_iota(GHS, et_float(-0.0f), 0, 0);
  for (long n = 0; n < a->N; n += TN) {
    chunk(n, a->N, *turn, 1);
    et_vx(T, X, COLUMNS, SUM_GH);
    et_vx(0, DY, GB, SUM_G);
    et_vseek(VPARTIAL, 0, 0);
    et_cred_sum(ROW_T, T);
    et_st(ROW_T, VPARTIAL, ET_RNE);
    et_vseek(VPARTIAL, 1, 0);
    et_cred_sum(ROW_DY, DY);
    et_st(ROW_DY, VPARTIAL, ET_RNE);
    if (reload) *turn ^= 1;
  }
  et_red_sum(SHIFT, GS);
  et_mul_x(SHIFT, SHIFT, share);
  et_mul(SHIFT, SHIFT, RSTD);
  et_red_sum(SLOPE, GHS);
  et_mul_x(SLOPE, SLOPE, share);
  et_mul(SLOPE, SLOPE, RSTD);
  for (long n = 0; n < a->N; n += TN, *turn ^= 1) {
    chunk(n, a->N, *turn, reload);
    et_vx(DX, X, COLUMNS, INPUT);
    et_st(DX, VDX, ET_RNE);
  }
}

/* Adds the partial sums of all blocks, in their order, for dgamma (which = 0) or dbeta (1). */
static void add_up(const struct args* a, long which, unsigned long core, unsigned long cores) {
  enum { TC = 1024 }; /* columns of a stripe */
  const long blocks = (a->R + TR - 1) / TR;
  const et_view vsum = et_matrix_view(which ? a->dbeta : a->dgamma, ET_F32, 1, a->N, a->N, 1, TC);
  et_load_view(VSUM, vsum);
  et_vseek(VPARTIAL, which, 0);
  long turn = 0;
  for (long n = core * TC; n < a->N; n += cores * TC) {
    const long cols = least(TC, a->N - n);
    et_vseek(VPARTIAL, n, 2), et_vext(VPARTIAL, cols, 1);
    et_vseek(VSUM, n, 1), et_vext(VSUM, cols, 1);
    et_tile(ROW_T, ROW_AT, 1, cols, ET_F32);
    et_iota(ROW_T, et_float(-0.0f), 0, 0); /* where a sum begins */
    for (long b = 0; b < blocks; b += TR, turn ^= 1) {
      const long rows = least(TR, blocks - b);
      et_vseek(VPARTIAL, b, 1), et_vext(VPARTIAL, rows, 0);
      et_tile(PARTS, turn * TR * TC * 4, rows, cols, ET_F32);
      et_ld(PARTS, VPARTIAL, ET_RNE);
      et_cred_sum_acc(ROW_T, PARTS);
    }
    et_st(ROW_T, VSUM, ET_RNE);
  }
}

int main(void* p, unsigned long core, unsigned long cores) {
  const struct args* a = p;
  const long blocks = (a->R + TR - 1) / TR;
  const et_view vx = et_matrix_view(a->x, ET_BF16, a->R, a->N, a->N, TR, TN);
  const et_view vdy = et_matrix_view(a->dy, ET_BF16, a->R, a->N, a->N, TR, TN);
  const et_view vdx = et_matrix_view(a->dx, ET_BF16, a->R, a->N, a->N, TR, TN);
  const et_view vmean = et_matrix_view(a->mean, ET_F32, a->R, 1, 1, TR, 1);
  const et_view vrstd = et_matrix_view(a->rstd, ET_F32, a->R, 1, 1, TR, 1);
  const et_view vgamma = et_matrix_view(a->gamma, ET_F32, 1, a->N, a->N, 1, TN);
  const et_view vpartial = {
      .base = (uint64_t)a->partial,
      .type = ET_F32,
      .naxes = 3,
      .nbox = 2,
      .ncol = 1,
      .version = 1,
      .axis = {{2, blocks * a->N * 4, 0}, {blocks, a->N * 4, 0}, {a->N, 4, 0}},
      .box = {ET_BOX(1, 1, 1), ET_BOX(TN, 2, 1)}};
  et_load_view(VX, vx);
  et_load_view(VDY, vdy);
  et_load_view(VDX, vdx);
  et_load_view(VMEAN, vmean);
  et_load_view(VRSTD, vrstd);
  et_load_view(VGAMMA, vgamma);
  et_load_view(VPARTIAL, vpartial);
  et_load_chain(SUM_GH, sum_gh);
  et_load_chain(SUM_G, sum_g);
  et_load_chain(INPUT, input);
  et_tile(G, G_AT, 1, TN, ET_F32);
  et_tile(ROW_T, ROW_AT, 1, TN, ET_F32);
  et_tile(ROW_DY, ROW_AT + LROW, 1, TN, ET_F32);
  if (a->N == 0) return 0;

  long turn = 0;
  for (long m = core * TR; m < a->R; m += cores * TR) block(a, m, &turn);
  et_barrier_all();
  add_up(a, 0, core, cores);
  add_up(a, 1, core, cores);
  return 0;
}
