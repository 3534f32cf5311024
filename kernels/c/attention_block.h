/* SPDX-License-Identifier: Apache-2.0 */
/* A block of queries against one block of keys after the other: the online softmax that attention.c
   and paged_decode.c share.

   What is computed, for each query, over blocks of keys in order, every operation rounded to f32
   (the length of a block of keys is part of the numbers; blocks of queries and cores are not):

     s[j] = sum over d, ascending, of q[d] * k[j, d], fused;  t[j] = s[j] * scale
     m'   = max(m, greatest t of the block)      m is -FLT_MAX before the first block
     a    = exp(m - m')
     p[j] = exp(t[j] - m'), 0 for a key that the query does not see
     l    = fma(l, a, sum of p in 64 lanes)      l is 0 before the first block
     o[e] = o[e] * a, then + bf16(p[j]) * v[j, e] over j, ascending, fused
     y[e] = bf16(o[e] * (1 / l)) after the last block; 0 for a query that sees no key

   scale = 0 stands for 1 / sqrt(D), root and reciprocal rounded to f32. Where a value that is not
   finite belongs to a key not seen, its weight of 0 may make y NaN.

   What to learn here: a block of scores passes the vector unit twice, for the greatest and for the
   weights with their sum; each pass is a chain that also reduces. Scaling and masking are steps of
   these chains and cost no pass. o passes once, columns of row values next to nothing. */
#include <etalon/xet.h>

enum { TQ = 512, TK = 512, TD = 256 }; /* most queries and keys of a block, most of D and E */

/* Local memory, bytes. A set belongs to a block of queries in flight and has two places for queries;
   keys and values have two places that all sets read. Columns are scratch of all sets. */
struct places {
  long query_bytes, key_bytes, value_bytes; /* of a place */
  long column_bytes;                        /* a number for each query of a block */
  long scores, weights, sums, output, rows; /* in a set, behind its queries */
  long set, keys, values, columns, end;     /* bytes of a set; what stands behind both */
};

/* For blocks of up to `height` queries; depth and columns: D and E. */
static struct places places_of(long height, long depth, long columns) {
  struct places at = {height * depth * 2, TK * depth * 2, TK * columns * 2, height * 4};
  at.scores = (2 * at.query_bytes + 127) & -128; /* words of banks are whole */
  at.weights = at.scores + height * TK * 4;
  at.sums = at.weights + height * TK * 2;
  at.output = at.sums + height * columns * 4;
  at.rows = (at.output + height * columns * 2 + 127) & -128;
  at.set = (at.rows + 2 * at.column_bytes + 127) & -128;
  at.keys = 2 * at.set;
  at.values = at.keys + 2 * at.key_bytes;
  at.columns = at.values + 2 * at.value_bytes;
  at.end = at.columns + 3 * at.column_bytes;
  return at;
}

/* Tile registers of a set: queries, keys (transposed), values, scores, weights, sums of weighted
   values, greatest score and the same along the keys, sum of weights, output. */
enum { Q, K, V, S, P, O, M, MB, L, Y, X_SET = 0, Y_SET = 10 };
/* For all sets: greatest score and sum of the block; what old sums shrink by, and the same along a
   row of O. For loads: queries, keys, values. */
enum { MOST = 20, SUM, ALPHA, ALPHAB, QLOAD, KLOAD, VLOAD, FREE_TILE };
enum { GREATEST, GREATEST_MASKED, SHRINK, WEIGHTS, WEIGHTS_MASKED, NORMALISE }; /* chains */
enum { MASK = 0, ELSE = 4, SCALE = 5 }; /* constants: base, os, is, cs; value if hidden; scale */

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
#define WEIGHT_STEPS                                           \
  SCALED(0), ET_STEP_F32(SUB, 1, ET_SEL_TEMP(0), ET_SEL_B, 0), \
      ET_STEP_F32(EXP, 2, ET_SEL_TEMP(1), 0, 0)
static const et_chain weights = {.version = 1,
                                 .nsteps = 3,
                                 .flags = ET_CHAIN_REDUCE,
                                 .third_tile = ET_NO_TILE,
                                 REDUCES(REDUCE_SUM, SUM, 2),
                                 .td_selector = ET_SEL_TEMP(2),
                                 .step = {WEIGHT_STEPS}};
static const et_chain weights_masked = {.version = 1,
                                        .nsteps = 4,
                                        .flags = ET_CHAIN_REDUCE,
                                        .third_tile = ET_NO_TILE,
                                        REDUCES(REDUCE_SUM, SUM, 3),
                                        .td_selector = ET_SEL_TEMP(3),
                                        .step = {WEIGHT_STEPS, SEEN(3, 2)},
                                        .constant = SEEN_CONSTANTS(0)};
/* o / l, 0 in the rows of queries that see no key: keep where base + row * is >= 0 */
static const et_chain normalise = {
    .version = 1,
    .nsteps = 2,
    .third_tile = ET_NO_TILE,
    .reduction_tile = ET_NO_TILE,
    .td_selector = ET_SEL_TEMP(1),
    .step = {ET_STEP_F32(MUL, 0, ET_SEL_A, ET_SEL_B, 0), SEEN(1, 0)}};

/* Once: chains, their constants, and the tiles that belong to no set. depth and columns: D and E. */
static void block_prepare(const struct places* at, float scale, long depth, long columns,
                          int causal) {
  et_load_chain(GREATEST, greatest);
  et_load_chain(GREATEST_MASKED, greatest_masked);
  et_load_chain(SHRINK, shrink);
  et_load_chain(WEIGHTS, weights);
  et_load_chain(WEIGHTS_MASKED, weights_masked);
  et_load_chain(NORMALISE, normalise);
  const unsigned long bits = et_float(scale == 0 ? 1.0f / __builtin_sqrtf((float)depth) : scale);
  et_cset(GREATEST, bits, SCALE), et_cset(GREATEST_MASKED, bits, SCALE);
  et_cset(WEIGHTS, bits, SCALE), et_cset(WEIGHTS_MASKED, bits, SCALE);
  et_cset(NORMALISE, causal, MASK + 2);
  et_tile(MOST, at->columns, TQ, 1, ET_F32);
  et_tile(SUM, at->columns + at->column_bytes, TQ, 1, ET_F32);
  et_tile(ALPHA, at->columns + 2 * at->column_bytes, TQ, 1, ET_F32);
  et_tile_column(ALPHAB, at->columns + 2 * at->column_bytes, TQ, columns, ET_F32);
  et_tile(QLOAD, 0, TQ, depth, ET_BF16);
  et_tile(KLOAD, at->keys, TK, depth, ET_BF16);
  et_tile(VLOAD, at->values, TK, columns, ET_BF16);
}

/* Byte of a set's queries in place 0 or 1. */
static long queries_at(const struct places* at, const int set, long place) {
  return (set == X_SET ? 0 : at->set) + place * at->query_bytes;
}

/* Names the tiles of a set for `rows` queries and a block of `keys` keys. */
INLINE void block_tiles(const int set, const struct places* at, long rows, long keys, long depth,
                        long columns, long place) {
  const long base = set == X_SET ? 0 : at->set;
  et_tile(set + Q, queries_at(at, set, place), rows, depth, ET_BF16);
  et_tile(set + K, at->keys, keys, depth, ET_BF16), et_tflags(set + K, 1);
  et_tile(set + V, at->values, keys, columns, ET_BF16);
  et_tile_strided(set + S, base + at->scores, rows, keys, ET_F32, TK * 4);
  et_tile_strided(set + P, base + at->weights, rows, keys, ET_BF16, TK * 2);
  et_tile(set + O, base + at->sums, rows, columns, ET_F32);
  et_tile(set + M, base + at->rows, rows, 1, ET_F32);
  et_tile_column(set + MB, base + at->rows, rows, keys, ET_F32);
  et_tile(set + L, base + at->rows + at->column_bytes, rows, 1, ET_F32);
  et_tile(set + Y, base + at->output, rows, columns, ET_BF16);
}

/* Before the first block of keys. */
INLINE void block_reset(const int set) {
  et_iota(set + M, et_float(LEAST_FLOAT), 0, 0); /* fills: steps 0 */
  et_iota(set + L, et_float(0), 0, 0);
}

/* A block of another number of keys: the last may be shorter. */
INLINE void block_keys(const int set, long keys) {
  et_tshape(set + K, 1, keys), et_tshape(set + V, 1, keys);
  et_tcols(set + S, keys), et_tcols(set + P, keys), et_tcols(set + MB, keys);
}

/* Scores of the keys in a place. */
INLINE void block_scores(const int set, const struct places* at, long place) {
  et_tbase(set + K, at->keys + place * at->key_bytes);
  et_tbase(set + V, at->values + place * at->value_bytes);
  et_mm(set + S, set + Q, set + K);
}

/* Scores to weights. masked: query r sees the keys up to r + shift of the block, else all. */
INLINE void block_softmax(const int set, long rows, int first, int masked, long shift) {
  et_tshape(MOST, 1, rows), et_tshape(SUM, 1, rows);
  et_tshape(ALPHA, 1, rows), et_tshape(ALPHAB, 1, rows);
  if (masked) {
    et_cset(GREATEST_MASKED, shift, MASK);
    et_cset(WEIGHTS_MASKED, shift, MASK);
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
  if (!first) et_mul(set + O, set + O, ALPHAB);
  et_fma(set + L, set + L, ALPHA, SUM);
}

/* Weighted values. */
INLINE void block_values(const int set, int first) {
  if (first)
    et_mm(set + O, set + P, set + V);
  else
    et_mma(set + O, set + P, set + V);
}

/* Output of a block of queries. seen: row r has seen a key where seen + r (or seen, if not causal)
   is not negative. */
INLINE void block_finish(const int set, long rows, long seen) {
  et_tshape(ALPHA, 1, rows), et_tshape(ALPHAB, 1, rows);
  et_cset(NORMALISE, seen, MASK);
  et_recip(ALPHA, set + L);
  et_vx(set + Y, set + O, ALPHAB, NORMALISE);
}
