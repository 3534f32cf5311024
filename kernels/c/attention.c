/* SPDX-License-Identifier: Apache-2.0 */
/* y = softmax(scale q k^T) v for each head: attention forward, any number of queries S and keys T,
   head dimensions D and E of 0 to 256. H heads of queries share G heads of keys and values, H / G
   neighbours each (grouped-query; G = H: multi-head, G = 1: multi-query). scale = 0 stands for
   1 / sqrt(D).

   causal = 1: query i sees the keys j <= i + T - S, so that the last query sees all: aligned at the
   end, as PyTorch's causal_lower_right, FlashAttention (2.1 and later) and ONNX Attention with a
   past of T - S keys. A query that sees no key gives 0.

   The numbers are those of attention_block.h, with blocks of 512 keys from key 0 on.

   What to learn here: two blocks of queries are in flight, x and y. While the vector unit turns the
   scores of one into weights, the matrix unit multiplies for the other, and program order is such
   that each finds its operands ready (y's weights meet the values one block of keys later):

     matrix   scores x | weights y | scores y | weights x | scores x | weights y | ..
     vector            | softmax x ........ | softmax y ........ | softmax x ..

   The stream runs on from one pair of blocks to the next; keys, values and queries are loaded one
   step ahead. Blocks of keys that no query of a block sees are not computed, and only where the
   diagonal crosses one do the chains have a mask step. A pair shares the loads of its keys; pairs
   are dealt to cores in a snake, so that causal work, which grows along the queries, is even. */
#include <etalon/runtime.h>

#include "attention_block.h"

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

enum { VQ, VK, VV, VY }; /* view registers */

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
  struct places at;
};

static struct plan plan_of(const struct args* a, long cores) {
  struct plan p = {.share = a->H / a->G};
  for (long most_rows = TQ;; most_rows /= 2) {
    long blocks = (a->S + most_rows - 1) / most_rows;
    if (blocks * p.share % 2 == 1 && a->S >= most_rows) blocks += 1; /* so that none is alone */
    p.height = (a->S + blocks - 1) / blocks;
    p.items = (a->S + p.height - 1) / p.height * p.share;
    p.pairs = (p.items + 1) / 2;
    p.count = p.pairs * a->G * a->B;
    p.at = places_of(p.height, a->D, a->E);
    /* As high as fits, but so that every core has a pair, if not too low then. */
    if (p.at.end > (long)et_local_bytes())
      et_assert(most_rows > 1);
    else if (p.count >= cores || most_rows <= 128)
      return p;
  }
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

static void load_keys(const struct places* at, const struct pair* w, long key, long place) {
  const long row = w->first_key + key, rows = least(TK, w->keys - key);
  et_vseek(VK, row, 0), et_vext(VK, rows, 0);
  et_vseek(VV, row, 0), et_vext(VV, rows, 0);
  et_tbase(KLOAD, at->keys + place * at->key_bytes), et_tshape(KLOAD, 1, rows);
  et_tbase(VLOAD, at->values + place * at->value_bytes), et_tshape(VLOAD, 1, rows);
  et_ld(KLOAD, VK, ET_RNE);
  et_ld(VLOAD, VV, ET_RNE);
}

static void load_queries(const struct places* at, const struct pair* w, long place) {
  et_vseek(VQ, w->x.first, 0), et_vext(VQ, w->x.rows, 0);
  et_tbase(QLOAD, queries_at(at, X_SET, place)), et_tshape(QLOAD, 1, w->x.rows);
  et_ld(QLOAD, VQ, ET_RNE);
  et_vseek(VQ, w->y.first, 0), et_vext(VQ, w->y.rows, 0);
  et_tbase(QLOAD, queries_at(at, Y_SET, place)), et_tshape(QLOAD, 1, w->y.rows);
  et_ld(QLOAD, VQ, ET_RNE);
}

INLINE void begin(const int set, const struct args* a, const struct places* at,
                  const struct block* b, long place) {
  block_tiles(set, at, b->rows, least(TK, b->keys), a->D, a->E, place);
  block_reset(set);
}

INLINE void scores(const int set, const struct places* at, const struct block* b, long key,
                   long place) {
  if (key > 0 && b->keys - key < TK) block_keys(set, b->keys - key);
  block_scores(set, at, place);
}

INLINE void softmax(const int set, const struct args* a, const struct block* b, long key) {
  const long last = least(key + TK, b->keys) - 1;
  const int masked = a->causal && last > b->shift; /* the first query does not see the last key */
  block_softmax(set, b->rows, key == 0, masked, b->shift - key);
}

INLINE void finish(const int set, const struct args* a, const struct block* b) {
  if (b->rows == 0) return;
  block_finish(set, b->rows, a->causal ? most(-TQ, least(0, b->shift)) : a->T > 0 ? 0 : -1);
  et_vseek(VY, b->first, 0), et_vext(VY, b->rows, 0);
  et_st(set + Y, VY, ET_RNE);
}

static void prepare(const struct args* a, const struct places* at) {
  const et_view vq = et_matrix_view(a->q, ET_BF16, a->B * a->H * a->S, a->D, a->D, TQ, a->D);
  const et_view vk = et_matrix_view(a->k, ET_BF16, a->B * a->G * a->T, a->D, a->D, TK, a->D);
  const et_view vv = et_matrix_view(a->v, ET_BF16, a->B * a->G * a->T, a->E, a->E, TK, a->E);
  const et_view vy = et_matrix_view(a->y, ET_BF16, a->B * a->H * a->S, a->E, a->E, TQ, a->E);
  et_load_view(VQ, vq);
  et_load_view(VK, vk);
  et_load_view(VV, vv);
  et_load_view(VY, vy);
  block_prepare(at, a->scale, a->D, a->E, a->causal != 0);
}

int main(void* p, unsigned long core, unsigned long cores) {
  const struct args* a = p;
  if (a->B == 0 || a->H == 0 || a->S == 0 || a->E == 0) return 0;
  et_assert(a->D <= TD && a->E <= TD);
  et_assert(a->G > 0 && a->H % a->G == 0); /* heads of keys serve equally many of queries */
  const struct plan plan = plan_of(a, cores);
  const struct places* at = &plan.at;
  prepare(a, at);

  long number = core;
  if (number >= plan.count) return 0;
  struct pair now = pair_of(a, &plan, number);
  struct block y = {0}; /* the block whose weights the matrix unit has yet to take, or none */
  long y_key = 0;       /* its block of keys */
  load_queries(at, &now, 0);
  load_keys(at, &now, 0, 0);
  long place = 0; /* of keys and values */
  for (long round = 1;; ++round) {
    /* A snake: the last core of a round is the first of the next. */
    number = round * cores + (round % 2 ? cores - 1 - core : core);
    const int more = number < plan.count;
    const struct pair next = pair_of(a, &plan, more ? number : 0);
    const long queries = (round - 1) % 2;
    begin(X_SET, a, at, &now.x, queries);
    long key = 0;
    do { /* once even without keys: products and sums are then those of nothing */
      const int x_takes = key == 0 || key < now.x.keys, y_takes = now.y.rows > 0;
      if (x_takes) scores(X_SET, at, &now.x, key, place);
      if (y.rows > 0) block_values(Y_SET, y_key == 0);
      if (key + TK < now.keys) {
        load_keys(at, &now, key + TK, 1 - place);
      } else if (more) {
        load_queries(at, &next, 1 - queries);
        load_keys(at, &next, 0, 1 - place);
      }
      if (x_takes) softmax(X_SET, a, &now.x, key);
      if (key == 0) {
        finish(Y_SET, a, &y); /* of the pair before */
        begin(Y_SET, a, at, &now.y, queries);
      }
      if (y_takes) scores(Y_SET, at, &now.y, key, place);
      if (x_takes) block_values(X_SET, key == 0);
      if (y_takes) softmax(Y_SET, a, &now.y, key);
      y = now.y, y_key = key;
      place = 1 - place;
      key += TK;
    } while (key < now.keys);
    finish(X_SET, a, &now.x);
    if (!more) break;
    now = next;
  }
  if (y.rows > 0) block_values(Y_SET, y_key == 0);
  finish(Y_SET, a, &y);
  return 0;
}
