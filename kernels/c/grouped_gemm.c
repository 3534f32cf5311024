/* SPDX-License-Identifier: Apache-2.0 */
/* The experts of a mixture: z[t,j] = gate[t,j] * x[t] W[expert[t,j]], y[t] = z[t,0] + z[t,1] + ..,
   bf16 in, f32 accumulated and out. Groups are ragged and may be empty; an expert outside 0..E-1 gives
   zeros.

   What to learn here: et_sort on the row of all assignments (t, j) gives them by expert, and the
   columns they came from are the index tile that gathers x and scatters z, so no token is copied to be
   grouped. Where groups begin is read by plain C from local memory: the core interlocks. Each product
   goes to its own row of z and the rows of a token are added by j behind a barrier, so neither the
   cores nor the order of experts shows in the bits. */
#include <etalon/runtime.h>
#include <etalon/xet.h>

struct args {
  const et_bf16* x;
  const et_bf16* W;
  const int32_t* expert;
  const float* gate;
  float* z;
  float* y;
  int64_t T, D, E, F, K;
};
ETALON_KERNEL(struct args,
              "grouped_gemm(x: bf16[T, D], W: bf16[E, D, F], expert: i32[T, K], gate: f32[T, K], "
              "out z: f32[T, K, F], out y: f32[T, F]) "
              "check grouped_matmul(x, W, expert, gate) -> z, y")

enum { TM = 128, TF = 256, TD = 256 };                                      /* elements of a tile */
enum { LX = TM * TD * 2, LW = TD * TF * 2, LZ = TM * TF * 4, LG = TM * 4 }; /* bytes */
enum { VX, VW, VZ, VGATE, VIDS, VPART, VY };                                /* view registers */
/* Tile registers. IDS, SORTED, ORDER, TOKEN are lists of all assignments; ROWS and TOKENS the part of
   ORDER and TOKEN that a tile takes; P and Q share the places of X and W in the second phase. */
enum { IDS, SORTED, ORDER, TOKEN, ROWS, TOKENS, X, WE, Z, G, GB, SUM, P, Q };
enum { ADD_TWO }; /* chain register */
enum { W_AT = 2 * LX, Z_AT = W_AT + 2 * LW, G_AT = Z_AT + 2 * LZ, LISTS_AT = G_AT + 2 * LG };
enum { P_AT = Z_AT + 4 * LZ }; /* second phase: the lists are no longer needed */

static long least(long a, long b) { return a < b ? a : b; }

/* SUM = (SUM + P) + Q in one pass */
static const et_chain add_two = {.version = 1,
                                 .nsteps = 2,
                                 .third_tile = Q,
                                 .reduction_tile = ET_NO_TILE,
                                 .td_selector = ET_SEL_TEMP(0),
                                 .step = {ET_STEP_F32(ADD, 0, ET_SEL_A, ET_SEL_B, 0),
                                          ET_STEP_F32(ADD, 0, ET_SEL_TEMP(0), ET_SEL_C, 0)}};

/* How many of the sorted numbers are below `value`. */
static long below(const int32_t* sorted, long count, long value) {
  long low = 0, high = count;
  while (low < high) {
    const long middle = (low + high) / 2;
    if (sorted[middle] < value)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

/* Sorts the assignments by expert: lists of their numbers t * K + j and of their tokens. */
static const int32_t* group(const struct args* a, long n) {
  const et_view vids = et_matrix_view(a->expert, ET_I32, 1, n, n, 1, n);
  et_load_view(VIDS, vids);
  et_tile(IDS, LISTS_AT, 1, n, ET_I32);
  et_tile(SORTED, LISTS_AT + 4 * n, 1, n, ET_I32);
  et_tile(ORDER, LISTS_AT + 8 * n, 1, n, ET_I32);
  et_tile(TOKEN, LISTS_AT + 12 * n, 1, n, ET_I32);
  et_ld(IDS, VIDS, ET_RNE);
  et_sort(SORTED, IDS, ORDER, ET_ASCENDING);
  et_div_x(TOKEN, ORDER, a->K);
  return (const int32_t*)ET_LOCAL(LISTS_AT + 4 * n);
}

/* Rows of z number `row` to `row` + rows - 1 of the list, columns f to f + cols - 1, of expert e. */
static void product(const struct args* a, long n, long e, long row, long rows, long f, long cols,
                    long turn) {
  et_tbase(ROWS, LISTS_AT + 8 * n + 4 * row), et_tcols(ROWS, rows);
  et_tbase(TOKENS, LISTS_AT + 12 * n + 4 * row), et_tcols(TOKENS, rows);
  et_tbase(Z, Z_AT + turn * LZ), et_tshape(Z, 1, rows), et_tcols(Z, cols);
  et_vext(VZ, rows, 0), et_vseek(VZ, f, 1), et_vext(VZ, cols, 1);
  if (e < 0 || e >= a->E) {
    et_iota(Z, et_float(0.0f), 0, 0); /* a fill */
    et_scatter(Z, VZ, ROWS, 0, ET_RNE);
    return;
  }
  et_tbase(G, G_AT + turn * LG), et_tshape(G, 1, rows);
  et_tbase(GB, G_AT + turn * LG), et_tshape(GB, 1, rows), et_tcols(GB, cols);
  et_vext(VGATE, rows, 0);
  et_gather(G, VGATE, ROWS, 0, ET_RNE);
  et_vext(VX, rows, 0), et_tshape(X, 1, rows);
  et_vseek(VW, e, 0), et_vseek(VW, f, 2), et_vext(VW, cols, 1), et_tcols(WE, cols);
  for (long d = 0; d == 0 || d < a->D; d += TD) {
    const long dd = least(TD, a->D - d), half = d / TD & 1;
    et_vseek(VX, d, 1), et_vext(VX, dd, 1), et_vseek(VW, d, 1), et_vext(VW, dd, 0);
    et_tbase(X, half * LX), et_tcols(X, dd);
    et_tbase(WE, W_AT + half * LW), et_tshape(WE, 1, dd);
    et_gather(X, VX, TOKENS, 0, ET_RNE);
    et_ld(WE, VW, ET_RNE);
    if (d == 0)
      et_mm(Z, X, WE);
    else
      et_mma(Z, X, WE);
  }
  et_mul(Z, Z, GB);
  et_scatter(Z, VZ, ROWS, 0, ET_RNE);
}

/* y = the rows of z of each token, added by j. */
static void combine(const struct args* a, unsigned long core, unsigned long cores) {
  const et_view vpart = {.base = (uint64_t)a->z,
                         .type = ET_F32,
                         .naxes = 3,
                         .nbox = 2,
                         .ncol = 1,
                         .version = 1,
                         .axis = {{a->T, a->K * a->F * 4, 0}, {a->K, a->F * 4, 0}, {a->F, 4, 0}},
                         .box = {ET_BOX(TM, 0, 1), ET_BOX(TF, 2, 1)}};
  const et_view vy = et_matrix_view(a->y, ET_F32, a->T, a->F, a->F, TM, TF);
  et_load_view(VPART, vpart);
  et_load_view(VY, vy);
  et_load_chain(ADD_TWO, add_two);
  et_tile(SUM, Z_AT, TM, TF, ET_F32);
  et_tile(P, P_AT, TM, TF, ET_F32);
  et_tile(Q, P_AT, TM, TF, ET_F32);
  const long across = (a->F + TF - 1) / TF, tiles = (a->T + TM - 1) / TM * across;
  long turn = 0, pair = 0; /* which of two places: the sum, P and Q */
  for (long i = core; i < tiles; i += cores, turn ^= 1) {
    const long t = i / across * TM, f = i % across * TF;
    const long rows = least(TM, a->T - t), cols = least(TF, a->F - f);
    et_vseek(VPART, t, 0), et_vext(VPART, rows, 0), et_vseek(VPART, f, 2), et_vext(VPART, cols, 1);
    et_vseek(VY, t, 0), et_vext(VY, rows, 0), et_vseek(VY, f, 1), et_vext(VY, cols, 1);
    et_tbase(SUM, Z_AT + turn * LZ), et_tshape(SUM, 1, rows), et_tcols(SUM, cols);
    et_tshape(P, 1, rows), et_tcols(P, cols), et_tshape(Q, 1, rows), et_tcols(Q, cols);
    et_vseek(VPART, 0, 1);
    if (a->K == 0)
      et_iota(SUM, et_float(0.0f), 0, 0);
    else
      et_ld(SUM, VPART, ET_RNE);
    for (long j = 1; j < a->K; j += 2, pair ^= 1) {
      et_vseek(VPART, j, 1), et_tbase(P, P_AT + pair * 2 * LZ);
      et_ld(P, VPART, ET_RNE);
      if (j + 1 < a->K) {
        et_vseek(VPART, j + 1, 1), et_tbase(Q, P_AT + pair * 2 * LZ + LZ);
        et_ld(Q, VPART, ET_RNE);
        et_vx(SUM, SUM, P, ADD_TWO);
      } else {
        et_add(SUM, SUM, P);
      }
    }
    et_st(SUM, VY, ET_RNE);
  }
}

int main(void* p, unsigned long core, unsigned long cores) {
  const struct args* a = p;
  const long n = a->T * a->K; /* assignments */
  et_assert(LISTS_AT + 16 * n <= (long)et_local_bytes() && P_AT + 4 * LZ <= et_local_bytes());
  const et_view vx = et_matrix_view(a->x, ET_BF16, a->T, a->D, a->D, TM, TD);
  const et_view vw = {.base = (uint64_t)a->W,
                      .type = ET_BF16,
                      .naxes = 3,
                      .nbox = 2,
                      .ncol = 1,
                      .version = 1,
                      .axis = {{a->E, a->D * a->F * 2, 0}, {a->D, a->F * 2, 0}, {a->F, 2, 0}},
                      .box = {ET_BOX(TD, 1, 1), ET_BOX(TF, 2, 1)}};
  const et_view vz = et_matrix_view(a->z, ET_F32, n, a->F, a->F, TM, TF);
  const et_view vgate = et_matrix_view(a->gate, ET_F32, n, 1, 1, TM, 1);
  et_load_view(VX, vx);
  et_load_view(VW, vw);
  et_load_view(VZ, vz);
  et_load_view(VGATE, vgate);
  et_tile(X, 0, TM, TD, ET_BF16);
  et_tile(WE, W_AT, TD, TF, ET_BF16);
  et_tile(Z, Z_AT, TM, TF, ET_F32);
  et_tile(G, G_AT, TM, 1, ET_F32);
  et_tile_column(GB, G_AT, TM, TF, ET_F32);
  et_tile(ROWS, LISTS_AT, 1, TM, ET_I32);
  et_tile(TOKENS, LISTS_AT, 1, TM, ET_I32);
  const int32_t* sorted = group(a, n);

  long item = 0, turn = 0;                       /* items of all groups go round the cores */
  for (long e = -1, begin = 0; e <= a->E; ++e) { /* the first and last: outside */
    const long end = e < a->E ? below(sorted, n, e + 1) : n;
    for (long row = begin; row < end; row += TM) {
      for (long f = 0; f < a->F; f += TF, ++item) {
        if (item % cores != core) continue;
        product(a, n, e, row, least(TM, end - row), f, least(TF, a->F - f), turn);
        turn ^= 1;
      }
    }
    begin = end;
  }
  et_barrier_all();
  combine(a, core, cores);
  return 0;
}
