/* SPDX-License-Identifier: Apache-2.0 */
/* C[M,N] = A[M,K] B[K,N], bf16 in, f32 accumulated and out, any M, N, K.

   What to learn here: a matrix in global memory is a *view*, a block in local memory a *tile*;
   et_ld moves a box of the view into a tile, et_mma multiplies. There is no event and no wait: the
   core interlocks, so double buffering is nothing but using places in turn. While the matrix unit
   works on one pair of tiles, the load unit fills others. Cores share nothing but the work: each
   takes its own blocks of C.

   How large a block is decides how often A and B are read: one of 1024 x 1024 sums stays in local
   memory, panels of A (1024 x 128) and pieces of B (128 x 128) pass by. Along K two orders follow
   each other, and no sum depends on either, since k ascends in both:

     all but the last panels:  for each panel of A, for each piece of B    many sums in turn, so that
                                                                           none waits for itself
     the last panels:          for each column of pieces, for each panel   columns are finished, and
                                                                           stored, one by one */
#include <etalon/runtime.h>
#include <etalon/xet.h>

struct args {
  const et_bf16* A;
  const et_bf16* B;
  float* C;
  int64_t M, K, N;
};
ETALON_KERNEL(struct args,
              "gemm_bf16(A: bf16[M, K], B: bf16[K, N], out C: f32[M, N]) check matmul(A, B) -> C")

enum { TM = 1024, TN = 1024, TS = 128 };     /* most rows and columns of a block; a step */
enum { PART = 256 };                         /* rows of a panel that one load brings */
enum { PANELS = 10, PIECES = 16, LAST = 8 }; /* places of A and B; panels of the second order */
enum { LA = TM * TS * 2, LB = TS * TS * 2 }; /* bytes of a panel of A, of a piece of B */
enum { LACC = TM * TS * 4 };                 /* bytes of TS columns of sums */
enum { A_AT = TN / TS * LACC, B_AT = A_AT + PANELS * LA, LOCAL_END = B_AT + PIECES * LB };
enum { VA, VB, VC };               /* view registers */
enum { ALOAD, A, B, ACC, CSTORE }; /* tile registers */

static long least(long a, long b) { return a < b ? a : b; }
static long steps(long elements) { return (elements + TS - 1) / TS; }

/* Sizes of a block: as large as may be, even, but as many as give every core the same, or nearly. */
struct plan {
  long tm, tn, across, blocks;
};
static long even(long size, long most) {
  const long parts = (size + most - 1) / most;
  return steps((size + parts - 1) / parts) * TS;
}
static struct plan plan_of(const struct args* a, long cores) {
  struct plan p = {0};
  if (a->M == 0 || a->N == 0) return p;
  p.tm = even(a->M, TM), p.tn = even(a->N, TN);
  for (;;) {
    p.across = (a->N + p.tn - 1) / p.tn;
    p.blocks = (a->M + p.tm - 1) / p.tm * p.across;
    if (p.blocks % cores == 0 || p.blocks >= 4 * cores) return p;
    if (p.tm <= TS && p.tn <= TS) return p;
    if (p.tm > p.tn)
      p.tm = steps(p.tm / 2) * TS;
    else
      p.tn = steps(p.tn / 2) * TS;
  }
}

/* Columns k.. of A's rows m.. into the panel at byte `at`. In parts, since each load has a channel
   of its own, and a channel has no more than 4 KiB on their way. */
static void load_panel(const struct args* a, long m, long rows, long k, long at) {
  const long kk = least(TS, a->K - k);
  et_vseek(VA, k, 1), et_vext(VA, kk, 1), et_tcols(ALOAD, kk);
  for (long r = 0; r < rows; r += PART) {
    const long rr = least(PART, rows - r);
    et_vseek(VA, m + r, 0), et_vext(VA, rr, 0);
    et_tbase(ALOAD, at + r * TS * 2), et_tshape(ALOAD, 1, rr);
    et_ld(ALOAD, VA, ET_RNE);
  }
}

/* The sums at byte `at` to where VC stands. */
static void store_sums(long m, long rows, long at) {
  for (long r = 0; r < rows; r += PART) {
    const long rr = least(PART, rows - r);
    et_vseek(VC, m + r, 0), et_vext(VC, rr, 0);
    et_tbase(CSTORE, at + r * TS * 4), et_tshape(CSTORE, 1, rr);
    et_st(CSTORE, VC, ET_RNE);
  }
}

int main(void* p, unsigned long core, unsigned long cores) {
  const struct args* a = p;
  et_assert(LOCAL_END <= et_local_bytes());
  const struct plan plan = plan_of(a, cores);
  const et_view va = et_matrix_view(a->A, ET_BF16, a->M, a->K, a->K, PART, TS);
  const et_view vb = et_matrix_view(a->B, ET_BF16, a->K, a->N, a->N, TS, TS);
  const et_view vc = et_matrix_view(a->C, ET_F32, a->M, a->N, a->N, PART, TS);
  et_load_view(VA, va);
  et_load_view(VB, vb);
  et_load_view(VC, vc);
  et_tile(ALOAD, A_AT, PART, TS, ET_BF16);
  et_tile(A, A_AT, TM, TS, ET_BF16);
  et_tile(B, B_AT, TS, TS, ET_BF16);
  et_tile(ACC, 0, TM, TS, ET_F32);
  et_tile(CSTORE, 0, PART, TS, ET_F32);

  const long depth = a->K > 0 ? steps(a->K) : 1; /* a step even without K: the sum of nothing */
  unsigned long first = 0, piece = 0; /* of all panels, of all pieces: places are taken in turn */
  for (long t = core; t < plan.blocks; t += cores) {
    const long m = t / plan.across * plan.tm, n = t % plan.across * plan.tn;
    const long rows = least(plan.tm, a->M - m), cols = least(plan.tn, a->N - n);
    /* With few rows a sum would wait for itself in the second order. */
    const long last = least(depth, rows >= 512 ? LAST : 1);
    et_tshape(A, 1, rows), et_tshape(ACC, 1, rows);

    long k = 0, j = 0, next = 0; /* panel, column of pieces; next panel to load */
    for (;;) {
      const long kk = least(TS, a->K - k * TS), jj = least(TS, cols - j * TS);
      /* The first order loads panels faster than it needs them: the second needs one each step. */
      if (next == k || (j % 4 == 2 && next < depth && next - k < PANELS - 1))
        load_panel(a, m, rows, next * TS, A_AT + (first + next) % PANELS * LA), next += 1;
      et_vseek(VB, k * TS, 0), et_vext(VB, kk, 0);
      et_vseek(VB, n + j * TS, 1), et_vext(VB, jj, 1);
      et_tbase(B, B_AT + piece++ % PIECES * LB), et_tshape(B, 1, kk), et_tcols(B, jj);
      et_ld(B, VB, ET_RNE);
      et_tbase(A, A_AT + (first + k) % PANELS * LA), et_tcols(A, kk);
      et_tbase(ACC, j * LACC), et_tcols(ACC, jj);
      if (k == 0)
        et_mm(ACC, A, B);
      else
        et_mma(ACC, A, B);

      if (k < depth - last) { /* first order: j inside k */
        if (++j * TS >= cols) j = 0, k += 1;
      } else if (++k == depth) { /* second order: k inside j */
        et_vseek(VC, n + j * TS, 1), et_vext(VC, jj, 1), et_tcols(CSTORE, jj);
        store_sums(m, rows, j * LACC);
        if (++j * TS >= cols) break;
        k = depth - last;
      }
    }
    first += depth;
  }
  return 0;
}
