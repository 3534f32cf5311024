/* SPDX-License-Identifier: Apache-2.0 */
/* y = softmax(scale q k^T) v for each head: attention forward, any number of queries S and keys T,
   head dimensions D and E of 0 to 256. H heads of queries share G heads of keys and values, H / G
   neighbours each (grouped-query; G = H: multi-head, G = 1: multi-query). scale = 0 stands for
   1 / sqrt(D), root and reciprocal rounded to f32.

   causal = 1: query i sees the keys j <= i + T - S, so that the last query sees all: aligned at the
   end, as PyTorch's causal_lower_right, FlashAttention (2.1 and later) and ONNX Attention with a
   past of T - S keys. A query that sees no key gives 0.

   What is computed, for each query, over blocks of 512 keys from key 0 on, every operation rounded
   to f32 (the block of keys is part of the numbers; blocks of queries and cores are not):

     s[j] = sum over d, ascending, of q[d] * k[j, d], fused;  t[j] = s[j] * scale
     m'   = max(m, greatest t of the block)      m is -FLT_MAX before the first block
     a    = exp(m - m')
     p[j] = exp(t[j] - m'), 0 for a key that the query does not see
     l    = fma(l, a, sum of p in 64 lanes)      l is 0 before the first block
     o[e] = o[e] * a, then + bf16(p[j]) * v[j, e] over j, ascending, fused
     y[e] = bf16(o[e] * (1 / l)) after the last block

   Where a value that is not finite belongs to a key not seen, its weight of 0 may make y NaN.

   What to learn here: two blocks of queries are in flight, x and y. While the vector unit turns the
   scores of one into weights, the matrix unit multiplies for the other, and program order is such
   that each finds its operands ready (y's weights meet the values one block of keys later):

     matrix   scores x | weights y | scores y | weights x | scores x | weights y | ..
     vector            | softmax x ........ | softmax y ........ | softmax x ..

   The stream runs on from one pair of blocks to the next; keys, values and queries are loaded one
   step ahead. A block of scores passes the vector unit twice (the greatest, then weights and their
   sum), o once. Blocks of keys that no query of a block sees are not computed, and only where the
   diagonal crosses one do the chains have a mask step. Pairs are dealt to cores in a snake, so that
   causal work, which grows along the queries, is even. One pair shares the loads of its keys. */
#include <etalon/runtime.h>
#include <etalon/xet.h>

struct args {
  const et_bf16* q;
  const et_bf16* k;
  const et_bf16* v;
  et_bf16* y;
  int32_t causal;
  uint32_t pad_; /* an argument takes 8 bytes */
  float scale;
  uint32_t pad2_;
  int64_t B, H, S, D, G, T, E;
};
ETALON_KERNEL(
    struct args,
    "attention(q: bf16[B, H, S, D], k: bf16[B, G, T, D], v: bf16[B, G, T, E], "
    "out y: bf16[B, H, S, E], causal: i32 = 0, scale: f32 = 0) "
    "check attention(q, k, v) -> y with causal=causal, scale=scale, block=512, weights=bf16")

enum { TQ = 256, TK = 512, TD = 256 }; /* most queries, keys of a block; most of a head dimension */

/* Bytes in local memory. A set belongs to one block of queries in flight and has two places for
   queries; keys and values have two places that both sets read. */
enum {
  BQ = TQ * TD * 2,
  BKEY = TK * TD * 2,
  BS = TQ * TK * 4,
  BP = TQ * TK * 2,
  BO = TQ * TD * 4,
  BCOL = TQ * 4
};
enum {
  LQ = 0,
  LS = 2 * BQ,
  LP = LS + BS,
  LO = LP + BP,
  LY = LO + BO,
  LM = LY + BQ,
  LL = LM + BCOL,
  SET = LL + BCOL
};
enum {
  LKEYS = 2 * SET,
  LVALUES = LKEYS + 2 * BKEY,
  LMOST = LVALUES + 2 * BKEY,
  LALPHA = LMOST + BCOL,
  LSUM = LALPHA + BCOL
};

/* Tile registers of a set: queries, keys (transposed), values, scores, weights, sums of weighted
   values, greatest score and the same along the keys, sum of weights, output. */
enum { Q, K, V, S, P, O, M, MB, L, Y, X_SET = 0, Y_SET = 10 };
/* For both sets: greatest score and sum of the block; what old sums shrink by, and the same along a
   row of O. For loads: queries, keys, values. */
enum { MOST = 20, SUM, ALPHA, ALPHAB, QLOAD, KLOAD, VLOAD };
enum { VQ, VK, VV, VY }; /* view registers */
enum {
  GREATEST,
  GREATEST_MASKED,
  SHRINK,
  WEIGHTS,
  WEIGHTS_MASKED,
  NORMALISE
}; /* chain registers */
enum {
  MASK = 0,
  ELSE = 4,
  SCALE = 5
}; /* constants: mask base, os, is, cs; value of hidden keys; scale */

#define INLINE static inline __attribute__((always_inline)) /* register numbers are constants */
#define LEAST_FLOAT (-3.40282347e38f)

static long least(long a, long b) { return a < b ? a : b; }
static long most(long a, long b) { return a > b ? a : b; }

/* Steps of the chains, on scores a. A key is seen where base + row - column >= 0. */
#define SCALED(dest) ET_STEP_F32(MUL, dest, ET_SEL_A, ET_SEL_CONST(SCALE), 0)
#define SEEN(dest, of) \
  ET_STEP_F32(MASK, dest, ET_SEL_TEMP(of), ET_SEL_CONST(MASK), ET_SEL_CONST(ELSE))
#define SEEN_CONSTANTS(hidden) {0, 0, 1, -1u, hidden}
#define REDUCES(operation, tile, temporary) \
  .reduction_op = operation, .reduction_tile = tile, .reduction_selector = ET_SEL_TEMP(temporary)
enum { REDUCE_SUM = 0, REDUCE_MAX = 2 };

static const et_chain greatest = {.version = 1,
                                  .nsteps = 1,
                                  .flags = ET_CHAIN_NO_TD | ET_CHAIN_REDUCE,
                                  .third_tile = ET_NO_TILE,
                                  REDUCES(REDUCE_MAX, MOST, 0),
                                  .step = {SCALED(0)}};
static const et_chain greatest_masked = {.version = 1,
                                         .nsteps = 2,
                                         .flags = ET_CHAIN_NO_TD | ET_CHAIN_REDUCE,
                                         .third_tile = ET_NO_TILE,
                                         REDUCES(REDUCE_MAX, MOST, 1),
                                         .step = {SCALED(0), SEEN(1, 0)},
                                         .constant = SEEN_CONSTANTS(0xff800000)}; /* -Inf */
/* exp(m - max(m, greatest)) */
static const et_chain shrink = {.version = 1,
                                .nsteps = 3,
                                .third_tile = ET_NO_TILE,
                                .reduction_tile = ET_NO_TILE,
                                .td_selector = ET_SEL_TEMP(2),
                                .step = {ET_STEP_F32(MAX, 0, ET_SEL_A, ET_SEL_B, 0),
                                         ET_STEP_F32(SUB, 1, ET_SEL_A, ET_SEL_TEMP(0), 0),
                                         ET_STEP_F32(EXP, 2, ET_SEL_TEMP(1), 0, 0)}};
static const et_chain weights = {
    .version = 1,
    .nsteps = 3,
    .flags = ET_CHAIN_REDUCE,
    .third_tile = ET_NO_TILE,
    REDUCES(REDUCE_SUM, SUM, 2),
    .td_selector = ET_SEL_TEMP(2),
    .step = {SCALED(0), ET_STEP_F32(SUB, 1, ET_SEL_TEMP(0), ET_SEL_B, 0),
             ET_STEP_F32(EXP, 2, ET_SEL_TEMP(1), 0, 0)}};
static const et_chain weights_masked = {
    .version = 1,
    .nsteps = 4,
    .flags = ET_CHAIN_REDUCE,
    .third_tile = ET_NO_TILE,
    REDUCES(REDUCE_SUM, SUM, 3),
    .td_selector = ET_SEL_TEMP(3),
    .step = {SCALED(0), ET_STEP_F32(SUB, 1, ET_SEL_TEMP(0), ET_SEL_B, 0),
             ET_STEP_F32(EXP, 2, ET_SEL_TEMP(1), 0, 0), SEEN(3, 2)},
    .constant = SEEN_CONSTANTS(0)};
/* o / l, 0 in the rows of queries that see no key */
static const et_chain normalise = {
    .version = 1,
    .nsteps = 2,
    .third_tile = ET_NO_TILE,
    .reduction_tile = ET_NO_TILE,
    .td_selector = ET_SEL_TEMP(1),
    .step = {ET_STEP_F32(MUL, 0, ET_SEL_A, ET_SEL_B, 0), SEEN(1, 0)}};

/* A block of queries of one head. */
struct block {
  long first; /* row of its first query in all of q */
  long rows;  /* 0: there is none */
  long shift; /* query r of the block sees the keys up to r + shift; all of them if not causal */
  long keys;  /* how many keys its last query sees */
};
/* Two blocks whose heads share their keys. */
struct pair {
  struct block x, y;
  long first_key; /* row in all of k and v */
  long keys;      /* those of y, or of x if there is no y: later queries see no fewer */
};
/* How the work is cut: blocks of `height` queries, `items` of them for each head of keys, the heads
   that share it in turn at each position. */
struct plan {
  long height, share, items, pairs, count;
};

static struct plan plan_of(const struct args* a) {
  struct plan p = {.share = a->H / a->G};
  long blocks = (a->S + TQ - 1) / TQ;
  if (blocks * p.share % 2 == 1 && a->S >= TQ) blocks += 1; /* so that none is alone */
  p.height = (a->S + blocks - 1) / blocks;
  p.items = (a->S + p.height - 1) / p.height * p.share;
  p.pairs = (p.items + 1) / 2;
  p.count = p.pairs * a->G * a->B;
  return p;
}

static struct block block_of(const struct args* a, const struct plan* p, long group, long item) {
  struct block b = {0};
  if (item >= p->items) return b;
  const long query = item / p->share * p->height;
  b.first = (group * p->share + item % p->share) * a->S + query;
  b.rows = least(p->height, a->S - query);
  b.shift = query + a->T - a->S;
  b.keys = a->causal ? most(0, least(a->T, b.rows + b.shift)) : a->T;
  return b;
}

static struct pair pair_of(const struct args* a, const struct plan* p, long number) {
  const long group = number / p->pairs, item = number % p->pairs * 2;
  struct pair w = {block_of(a, p, group, item), block_of(a, p, group, item + 1), group * a->T, 0};
  w.keys = most(w.x.keys, w.y.keys);
  return w;
}

static void load_keys(const struct pair* w, long key, long place) {
  const long row = w->first_key + key, rows = least(TK, w->keys - key);
  et_vseek(VK, row, 0), et_vext(VK, rows, 0);
  et_vseek(VV, row, 0), et_vext(VV, rows, 0);
  et_tbase(KLOAD, LKEYS + place * BKEY), et_tshape(KLOAD, 1, rows);
  et_tbase(VLOAD, LVALUES + place * BKEY), et_tshape(VLOAD, 1, rows);
  et_ld(KLOAD, VK, ET_RNE);
  et_ld(VLOAD, VV, ET_RNE);
}

static void load_queries(const struct block* b, long base) {
  et_vseek(VQ, b->first, 0), et_vext(VQ, b->rows, 0);
  et_tbase(QLOAD, base), et_tshape(QLOAD, 1, b->rows);
  et_ld(QLOAD, VQ, ET_RNE);
}

/* Names the tiles of a set for a block of queries and its first block of keys. */
INLINE void begin(const int set, const struct args* a, const struct block* b, long queries) {
  const long base = set == X_SET ? 0 : SET, rows = b->rows, keys = least(TK, b->keys);
  et_tile(set + Q, base + LQ + queries * BQ, rows, a->D, ET_BF16);
  et_tile(set + K, LKEYS, keys, a->D, ET_BF16), et_tflags(set + K, 1);
  et_tile(set + V, LVALUES, keys, a->E, ET_BF16);
  et_tile_strided(set + S, base + LS, rows, keys, ET_F32, TK * 4);
  et_tile_strided(set + P, base + LP, rows, keys, ET_BF16, TK * 2);
  et_tile(set + O, base + LO, rows, a->E, ET_F32);
  et_tile(set + M, base + LM, rows, 1, ET_F32);
  et_tile_column(set + MB, base + LM, rows, keys, ET_F32);
  et_tile(set + L, base + LL, rows, 1, ET_F32);
  et_tile(set + Y, base + LY, rows, a->E, ET_BF16);
  et_iota(set + M, et_float(LEAST_FLOAT), 0, 0); /* fills: steps 0 */
  et_iota(set + L, et_float(0), 0, 0);
}

INLINE void scores(const int set, const struct block* b, long key, long place) {
  const long keys = least(TK, b->keys - key);
  if (key > 0 && keys < TK) { /* the last, shorter one */
    et_tshape(set + K, 1, keys), et_tshape(set + V, 1, keys);
    et_tcols(set + S, keys), et_tcols(set + P, keys), et_tcols(set + MB, keys);
  }
  et_tbase(set + K, LKEYS + place * BKEY);
  et_tbase(set + V, LVALUES + place * BKEY);
  et_mm(set + S, set + Q, set + K);
}

INLINE void softmax(const int set, const struct args* a, const struct block* b, long key) {
  const long keys = least(TK, b->keys - key);
  et_tshape(MOST, 1, b->rows), et_tshape(SUM, 1, b->rows), et_tshape(ALPHA, 1, b->rows),
      et_tshape(ALPHAB, 1, b->rows);
  const int masked =
      a->causal && key + keys - 1 > b->shift; /* the first query does not see the last key */
  if (masked) {
    et_cset(GREATEST_MASKED, b->shift - key, MASK);
    et_cset(WEIGHTS_MASKED, b->shift - key, MASK);
    et_vx(0, set + S, set + S, GREATEST_MASKED);
  } else {
    et_vx(0, set + S, set + S, GREATEST);
  }
  et_vx(ALPHA, set + M, MOST, SHRINK);
  et_max(set + M, set + M, MOST);
  if (masked)
    et_vx(set + P, set + S, set + MB, WEIGHTS_MASKED);
  else
    et_vx(set + P, set + S, set + MB, WEIGHTS);
  if (key > 0) et_mul(set + O, set + O, ALPHAB);
  et_fma(set + L, set + L, ALPHA, SUM);
}

INLINE void values(const int set, long key) {
  if (key == 0)
    et_mm(set + O, set + P, set + V);
  else
    et_mma(set + O, set + P, set + V);
}

INLINE void finish(const int set, const struct args* a, const struct block* b) {
  if (b->rows == 0) return;
  /* A row sees a key if it is at or past -shift, or, not causal, if there is a key. */
  const long seen = a->causal ? most(-TQ, least(0, b->shift)) : a->T > 0 ? 0 : -TQ;
  et_tshape(ALPHA, 1, b->rows), et_tshape(ALPHAB, 1, b->rows);
  et_cset(NORMALISE, seen, MASK);
  et_recip(ALPHA, set + L);
  et_vx(set + Y, set + O, ALPHAB, NORMALISE);
  et_vseek(VY, b->first, 0), et_vext(VY, b->rows, 0);
  et_st(set + Y, VY, ET_RNE);
}

static void prepare(const struct args* a) {
  const et_view vq = et_matrix_view(a->q, ET_BF16, a->B * a->H * a->S, a->D, a->D, TQ, a->D);
  const et_view vk = et_matrix_view(a->k, ET_BF16, a->B * a->G * a->T, a->D, a->D, TK, a->D);
  const et_view vv = et_matrix_view(a->v, ET_BF16, a->B * a->G * a->T, a->E, a->E, TK, a->E);
  const et_view vy = et_matrix_view(a->y, ET_BF16, a->B * a->H * a->S, a->E, a->E, TQ, a->E);
  et_load_view(VQ, vq);
  et_load_view(VK, vk);
  et_load_view(VV, vv);
  et_load_view(VY, vy);
  et_load_chain(GREATEST, greatest);
  et_load_chain(GREATEST_MASKED, greatest_masked);
  et_load_chain(SHRINK, shrink);
  et_load_chain(WEIGHTS, weights);
  et_load_chain(WEIGHTS_MASKED, weights_masked);
  et_load_chain(NORMALISE, normalise);
  const float usual = 1.0f / __builtin_sqrtf((float)a->D);
  const unsigned long scale = et_float(a->scale == 0 ? usual : a->scale);
  et_cset(GREATEST, scale, SCALE), et_cset(GREATEST_MASKED, scale, SCALE);
  et_cset(WEIGHTS, scale, SCALE), et_cset(WEIGHTS_MASKED, scale, SCALE);
  et_cset(NORMALISE, a->causal ? 1 : 0, MASK + 2); /* rows count, columns do not */
  et_tile(MOST, LMOST, TQ, 1, ET_F32);
  et_tile(SUM, LSUM, TQ, 1, ET_F32);
  et_tile(ALPHA, LALPHA, TQ, 1, ET_F32);
  et_tile_column(ALPHAB, LALPHA, TQ, a->E, ET_F32);
  et_tile(QLOAD, LQ, TQ, a->D, ET_BF16);
  et_tile(KLOAD, LKEYS, TK, a->D, ET_BF16);
  et_tile(VLOAD, LVALUES, TK, a->E, ET_BF16);
}

int main(void* p, unsigned long core, unsigned long cores) {
  const struct args* a = p;
  if (a->B == 0 || a->H == 0 || a->S == 0 || a->E == 0) return 0;
  et_assert(a->D <= TD && a->E <= TD);
  et_assert(a->G > 0 &&
            a->H % a->G == 0); /* each head of keys serves equally many heads of queries */
  prepare(a);
  const struct plan plan = plan_of(a);

  long number = core;
  if (number >= plan.count) return 0;
  struct pair now = pair_of(a, &plan, number);
  struct block y = {0}; /* the block whose weights the matrix unit has yet to take, or none */
  long y_key = 0;       /* its block of keys */
  load_queries(&now.x, LQ), load_queries(&now.y, SET + LQ);
  load_keys(&now, 0, 0);
  long place = 0; /* of keys and values */
  for (long round = 1;; ++round) {
    /* A snake: the last core of a round is the first of the next. */
    number = round * cores + (round % 2 ? cores - 1 - core : core);
    const int more = number < plan.count;
    const struct pair next = pair_of(a, &plan, more ? number : 0);
    const long queries = (round - 1) % 2;
    begin(X_SET, a, &now.x, queries);
    long key = 0;
    do { /* once even without keys: products and sums are then those of nothing */
      const int x_takes = key == 0 || key < now.x.keys, y_takes = now.y.rows > 0;
      if (x_takes) scores(X_SET, &now.x, key, place);
      if (y.rows > 0) values(Y_SET, y_key);
      if (key + TK < now.keys) {
        load_keys(&now, key + TK, 1 - place);
      } else if (more) {
        load_queries(&next.x, LQ + (1 - queries) * BQ),
            load_queries(&next.y, SET + LQ + (1 - queries) * BQ);
        load_keys(&next, 0, 1 - place);
      }
      if (x_takes) softmax(X_SET, a, &now.x, key);
      if (key == 0) {
        finish(Y_SET, a, &y); /* of the pair before */
        begin(Y_SET, a, &now.y, queries);
      }
      if (y_takes) scores(Y_SET, &now.y, key, place);
      if (x_takes) values(X_SET, key);
      if (y_takes) softmax(Y_SET, a, &now.y, key);
      y = now.y, y_key = key;
      place = 1 - place;
      key += TK;
    } while (key < now.keys);
    finish(X_SET, a, &now.x);
    if (!more) break;
    now = next;
  }
  if (y.rows > 0) values(Y_SET, y_key);
  finish(Y_SET, a, &y);
  return 0;
}
