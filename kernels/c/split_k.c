/* SPDX-License-Identifier: Apache-2.0 */
/* C[M,N] = A[M,K] B[K,N] with K split among cores, bf16 in, f32 accumulated and out.

   What to learn here: a product of few rows and columns but much K has work for many cores only along
   K. Unit u = tile * splits + s is part s of a tile's K; core u mod cores computes it and keeps the
   partial sum in its own local memory. Core tile mod cores owns the tile: it fetches the parts
   through the windows of the other cores and adds them, part 0 first. So the bits depend on `splits`
   alone, never on the number of cores or on who is first.

   Semaphores carry the order, and nobody polls. `ready` of the owner counts the parts of a tile;
   `taken` of the core that computed a part says that its place may be used again. Each has two, in
   turn: signals for one tile or round are never taken for those of the next. et_sig is performed after
   every earlier access of its core, et_waitsub acquires and leaves 0 behind.

   Why nobody waits for ever: a core has places for two rounds of the most units it has of any tile, so
   what it waits for before a unit are parts of earlier tiles, and an owner adds a tile up before it
   computes units of later ones. */
#include <etalon/runtime.h>
#include <etalon/xet.h>

struct args {
  const et_bf16* A;
  const et_bf16* B;
  float* C;
  int64_t splits;
  int64_t M, K, N;
};
ETALON_KERNEL(struct args,
              "split_k(A: bf16[M, K], B: bf16[K, N], out C: f32[M, N], splits: i32 = 4) "
              "check matmul(A, B) -> C")

enum { TM = 128, TN = 128, TK = 256, GRAIN = 32 }; /* elements of a tile; parts are multiples of */
enum { LA = TM * TK * 2, LB = TK * TN * 2, LSUM = TM * TN * 4 }; /* bytes */
enum { VA, VB, VC, VPART };                                      /* view registers */
enum { A, B, PART, SUM, P, Q };                                  /* tile registers */
enum { ADD_TWO };                                                /* chain register */
enum { READY, TAKEN = 2 };                                       /* semaphores, two of each */
enum {
  B_AT = 2 * LA,
  SUM_AT = B_AT + 2 * LB,
  P_AT = SUM_AT + 2 * LSUM,
  PLACES_AT = P_AT + 4 * LSUM
};

static long least(long a, long b) { return a < b ? a : b; }

/* SUM = (SUM + P) + Q in one pass */
static const et_chain add_two = {.version = 1,
                                 .nsteps = 2,
                                 .third_tile = Q,
                                 .reduction_tile = ET_NO_TILE,
                                 .td_selector = ET_SEL_TEMP(0),
                                 .step = {ET_STEP_F32(ADD, 0, ET_SEL_A, ET_SEL_B, 0),
                                          ET_STEP_F32(ADD, 0, ET_SEL_TEMP(0), ET_SEL_C, 0)}};

/* How tiles and their parts are shared out. */
struct share {
  long cores, splits, per_tile; /* per_tile: the most units of a tile on one core */
};

/* The round, of two in turn, of unit u on its core, and its place there. */
static long round_of(const struct share* s, long u) { return u / s->cores / s->per_tile & 1; }
static long place_of(const struct share* s, long u) { return u / s->cores % (2 * s->per_tile); }

/* Loads part `u` from the core that has it into tile register TR at local byte `at`. */
#define FETCH(TR, at, u)                                                    \
  do {                                                                      \
    et_vseek(VPART, (u) % s.cores, 0), et_vseek(VPART, place_of(&s, u), 1); \
    et_tbase(TR, at), et_tshape(TR, 1, rows), et_tcols(TR, cols);           \
    et_ld(TR, VPART, ET_RNE);                                               \
    et_sig(et_semaphore((u) % s.cores, TAKEN + round_of(&s, u)), 1);        \
  } while (0)

int main(void* p, unsigned long core, unsigned long cores) {
  const struct args* a = p;
  et_assert(a->splits > 0);
  const struct share s = {cores, a->splits, (a->splits + cores - 1) / cores};
  et_assert(PLACES_AT + 2 * s.per_tile * LSUM <= (long)et_local_bytes());
  /* elements of K in a part */
  const long deep = ((a->K + s.splits - 1) / s.splits + GRAIN - 1) / GRAIN * GRAIN;
  const et_view va = et_matrix_view(a->A, ET_BF16, a->M, a->K, a->K, TM, TK);
  const et_view vb = et_matrix_view(a->B, ET_BF16, a->K, a->N, a->N, TK, TN);
  const et_view vc = et_matrix_view(a->C, ET_F32, a->M, a->N, a->N, TM, TN);
  /* The places of all cores, through their windows: axes core, place, row, column. */
  const et_view vpart = {
      .base = ET_CORE_WINDOW + PLACES_AT,
      .type = ET_F32,
      .naxes = 4,
      .nbox = 2,
      .ncol = 1,
      .version = 1,
      .axis = {{cores, ET_CORE_STRIDE, 0}, {2 * s.per_tile, LSUM, 0}, {TM, TN * 4, 0}, {TN, 4, 0}},
      .box = {ET_BOX(TM, 2, 1), ET_BOX(TN, 3, 1)}};
  et_load_view(VA, va);
  et_load_view(VB, vb);
  et_load_view(VC, vc);
  et_load_view(VPART, vpart);
  et_load_chain(ADD_TWO, add_two);
  et_tile(A, 0, TM, TK, ET_BF16);
  et_tile(B, B_AT, TK, TN, ET_BF16);
  et_tile(PART, PLACES_AT, TM, TN, ET_F32);
  et_tile(SUM, SUM_AT, TM, TN, ET_F32);
  et_tile(P, P_AT, TM, TN, ET_F32);
  et_tile(Q, P_AT, TM, TN, ET_F32);

  const long across = (a->N + TN - 1) / TN, tiles = (a->M + TM - 1) / TM * across;
  long turn = 0;            /* which of two places the operands have */
  long untaken[2] = {0, 0}; /* parts of a round that no one was seen to have fetched */
  long owned = 0;           /* tiles of this core so far */
  for (long t = 0; t < tiles; ++t) {
    const long m = t / across * TM, n = t % across * TN;
    const long rows = least(TM, a->M - m), cols = least(TN, a->N - n);
    /* The first unit of the tile that is this core's. */
    const long first = t * s.splits + (core + cores - t * s.splits % cores) % cores;
    for (long u = first; u < (t + 1) * s.splits; u += cores) {
      const long round = round_of(&s, u), begin = (u - t * s.splits) * deep;
      const long end = least(a->K, begin + deep);
      if (u / s.cores % s.per_tile == 0 && untaken[round] > 0) { /* all places of the round again */
        if (round)
          et_waitsub(TAKEN + 1, untaken[round]);
        else
          et_waitsub(TAKEN, untaken[round]);
        untaken[round] = 0;
      }
      untaken[round] += 1;
      et_vseek(VA, m, 0), et_vext(VA, rows, 0);
      et_vseek(VB, n, 1), et_vext(VB, cols, 1);
      et_tshape(A, 1, rows), et_tcols(B, cols);
      et_tbase(PART, PLACES_AT + place_of(&s, u) * LSUM), et_tshape(PART, 1, rows),
          et_tcols(PART, cols);
      for (long k = begin; k == begin || k < end; k += TK, turn ^= 1) {
        const long kk = k < end ? least(TK, end - k) : 0; /* 0: a part behind the end of K */
        et_vseek(VA, k, 1), et_vext(VA, kk, 1);
        et_vseek(VB, k, 0), et_vext(VB, kk, 0);
        et_tbase(A, turn * LA), et_tcols(A, kk);
        et_tbase(B, B_AT + turn * LB), et_tshape(B, 1, kk);
        et_ld(A, VA, ET_RNE);
        et_ld(B, VB, ET_RNE);
        if (k == begin)
          et_mm(PART, A, B);
        else
          et_mma(PART, A, B);
      }
      et_sig(et_semaphore(t % cores, READY + (t / cores & 1)), 1);
    }
    if (t % cores != core) continue;
    if (owned & 1)
      et_waitsub(READY + 1, s.splits);
    else
      et_waitsub(READY, s.splits);
    et_vext(VPART, rows, 0), et_vext(VPART, cols, 1);
    FETCH(SUM, SUM_AT + (owned & 1) * LSUM, t * s.splits);
    for (long i = 1; i < s.splits; i += 2) { /* two places in turn for each of P and Q */
      const long at = P_AT + (i >> 1 & 1) * 2 * LSUM;
      FETCH(P, at, t * s.splits + i);
      if (i + 1 < s.splits) {
        FETCH(Q, at + LSUM, t * s.splits + i + 1);
        et_vx(SUM, SUM, P, ADD_TWO);
      } else {
        et_add(SUM, SUM, P);
      }
    }
    et_vseek(VC, m, 0), et_vext(VC, rows, 0);
    et_vseek(VC, n, 1), et_vext(VC, cols, 1);
    et_st(SUM, VC, ET_RNE);
    owned += 1;
  }
  /* The parts stay until they are fetched; after that no semaphore holds anything. */
  et_waitsub(TAKEN, untaken[0]);
  et_waitsub(TAKEN + 1, untaken[1]);
  return 0;
}
