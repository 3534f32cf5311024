/* SPDX-License-Identifier: Apache-2.0 */
/* Tiles of rows of x[R, N], bf16, each computed in place and stored where it belongs in y[R, N].

   What to learn here: where memory binds, what counts is that it never waits. Tiles are small, those
   of all cores stand side by side in memory (open rows of DRAM serve several), and each is loaded
   AHEAD tiles before its use into one of PLACES in turn: so the load channels always have the next
   tiles, the vector unit goes over one, and older ones leave. A row longer than TN is taken in
   chunks, once for each pass over it. */
#include <etalon/xet.h>

enum { TILE = 16384, TN = 4096, TR = 256 };     /* elements, columns and rows of a tile at most */
enum { AHEAD = 8, PLACES = 12, LX = TILE * 2 }; /* LX: bytes of a place */
enum { FREE_BYTE = PLACES * LX };               /* here and below: where the kernel's own begin */
enum { VX, VY, FREE_VIEW };                     /* view registers */
enum { NEXT, X, FREE_TILE }; /* tile registers: the one loaded, the one computed */

struct rows {
  long R, N;
  long tr;           /* rows of a tile */
  long from_to_next; /* rows from a tile of this core to its next */
  long passes;       /* loads of a row */
  long m, pass, n;   /* what is loaded next: rows from m on, columns from n on */
  long loads, turns; /* places so far */
};

static long least(long a, long b) { return a < b ? a : b; }
static long most(long a, long b) { return a > b ? a : b; }

static void rows_load(struct rows* t) {
  if (t->m >= t->R) return;
  const long rows = least(t->tr, t->R - t->m), cols = least(TN, t->N - t->n);
  et_vseek(VX, t->m, 0), et_vext(VX, rows, 0);
  et_vseek(VX, t->n, 1), et_vext(VX, cols, 1);
  et_tile(NEXT, t->loads++ % PLACES * LX, rows, cols, ET_BF16);
  et_ld(NEXT, VX, ET_RNE);
  t->n += TN;
  if (t->n < t->N) return;
  t->n = 0;
  if (++t->pass < t->passes) return;
  t->pass = 0;
  t->m += t->from_to_next;
}

/* `passes` go over each row; if it fits in a tile they find it where the first has found it. */
static struct rows rows_begin(const et_bf16* x, et_bf16* y, long R, long N, long passes,
                              unsigned long core, unsigned long cores) {
  const long share = (R + (long)cores - 1) / (long)cores;
  const long tr = most(1, least(share, least(TR, TILE / least(N, TN))));
  const et_view vx = et_matrix_view(x, ET_BF16, R, N, N, tr, TN);
  const et_view vy = et_matrix_view(y, ET_BF16, R, N, N, tr, TN);
  et_load_view(VX, vx);
  et_load_view(VY, vy);
  struct rows t = {R, N, tr, (long)cores * tr, N > TN ? passes : 1, (long)core * tr, 0, 0, 0, 0};
  for (int i = 0; i < AHEAD; ++i) rows_load(&t);
  return t;
}

/* Turns to the chunk of columns from n on, of `rows` rows, in pass number `pass`. Returns its columns. */
static long rows_chunk(struct rows* t, long rows, long n, long pass) {
  const long cols = least(TN, t->N - n);
  if (pass > 0 && t->passes == 1) return cols; /* it stays in X */
  et_tile(X, t->turns++ % PLACES * LX, rows, cols, ET_BF16);
  rows_load(t);
  return cols;
}

static void rows_store(long m, long rows, long n, long cols) {
  et_vseek(VY, m, 0), et_vext(VY, rows, 0);
  et_vseek(VY, n, 1), et_vext(VY, cols, 1);
  et_st(X, VY, ET_RNE);
}
