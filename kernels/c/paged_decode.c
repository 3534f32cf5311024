/* SPDX-License-Identifier: Apache-2.0 */
/* Decoding: one query token for each of N sequences against a paged cache of keys and values.

   The cache has P pages of L tokens (1 to 512) for G heads. Row n of `table` names the pages of
   sequence n in order; its first lengths[n] tokens (0 to M * L) are seen, the query's own among
   them. H heads of queries share the G heads of keys, H / G neighbours each (1 to 256). A sequence
   of length 0 gives 0; a page outside the cache, or a length that the table cannot hold, ends the
   run with a message. scale = 0 stands for 1 / sqrt(D).

   The numbers are those of attention_block.h, with blocks of as many whole pages as fit in 512 keys.

   What to learn here: an index of et_gather moves a whole page of a head, L rows of a view whose
   named axis are the pages; pages stand anywhere, the tile is dense. Only tokens that exist are
   moved: whole pages by one gather, what is left of the last page by another. The queries of a
   group are the rows of one product, so that keys are read once for all of them.

   The work of a core is a stream of blocks of keys, sequence after sequence, in three stages: page
   numbers are loaded two blocks ahead, keys and values one, and the scores of the next block are
   multiplied before the weights of this one, so that the matrix unit does not wait for the vector
   unit. (sequence, head) pairs are dealt to cores by their share of all blocks. */
#include <etalon/runtime.h>

#include "attention_block.h"

struct args {
  const et_bf16* q;
  const et_bf16* k;
  const et_bf16* v;
  const int32_t* table;
  const int32_t* lengths;
  et_bf16* y;
  float scale;
  uint32_t pad_; /* an argument takes 8 bytes */
  int64_t N, H, D, P, L, G, E, M;
};
ETALON_KERNEL(struct args,
              "paged_decode(q: bf16[N, H, D], k: bf16[P, L, G, D], v: bf16[P, L, G, E], "
              "table: i32[N, M], lengths: i32[N], out y: bf16[N, H, E], scale: f32 = 0) "
              "check paged_attention(q, k, v, table, lengths) -> y "
              "with scale=scale, block=512/L*L, weights=bf16")

enum { VQ, VK, VV, VY, VTABLE };                        /* view registers */
enum { INDEX = FREE_TILE };                             /* page numbers of a block */
enum { PAGE_AXIS, TOKEN_AXIS, HEAD_AXIS, COLUMN_AXIS }; /* of the cache */
enum { PAGES, TOKENS };                                 /* box dims of the cache */

/* A block of keys of one (sequence, head of keys). */
struct step {
  long unit; /* sequence * G + head */
  long key;  /* the first */
  long keys; /* of the sequence */
};

static long blocks_of(const struct args* a, long n, long block) {
  return most(1, (a->lengths[n] + block - 1) / block); /* one even of no keys: it writes y */
}

/* The first unit that begins at or past `work` blocks of keys from the first unit's begin. */
static long unit_at(const struct args* a, long block, long work) {
  long before = 0;
  for (long n = 0; n < a->N; ++n) {
    const long blocks = blocks_of(a, n, block);
    const long head = most(0, (work - before + blocks - 1) / blocks);
    if (head < a->G) return n * a->G + head;
    before += blocks * a->G;
  }
  return a->N * a->G;
}

static struct step first_of(const struct args* a, long unit, long end) {
  struct step s = {unit, 0, unit < end ? a->lengths[unit / a->G] : 0};
  return s;
}

static struct step after(const struct args* a, struct step s, long block, long end) {
  s.key += block;
  return s.key < s.keys ? s : first_of(a, s.unit + 1, end);
}

static long keys_of(const struct step* s, long block) { return least(block, s->keys - s->key); }

/* Page numbers of a block of keys in place 0 or 1, bytes. */
static long index_at(const struct places* at, long place) { return at->end + place * TK * 4; }

static void load_index(const struct args* a, const struct places* at, const struct step* s,
                       long block, long place) {
  const long pages = (keys_of(s, block) + a->L - 1) / a->L;
  et_vseek(VTABLE, s->unit / a->G, 0), et_vseek(VTABLE, s->key / a->L, 1);
  et_vext(VTABLE, pages, 1);
  et_tile(INDEX, index_at(at, place), 1, pages, ET_I32);
  et_ld(INDEX, VTABLE, ET_RNE);
}

/* `pages` boxes of `tokens` rows, to the tiles' row `row`. */
static void gather(const struct args* a, const struct places* at, long pages, long tokens, long row,
                   long place) {
  et_vext(VK, pages, PAGES), et_vext(VK, tokens, TOKENS);
  et_vext(VV, pages, PAGES), et_vext(VV, tokens, TOKENS);
  et_tbase(KLOAD, at->keys + place * at->key_bytes + row * a->D * 2);
  et_tbase(VLOAD, at->values + place * at->value_bytes + row * a->E * 2);
  et_tshape(KLOAD, 1, pages * tokens), et_tshape(VLOAD, 1, pages * tokens);
  et_tile(INDEX, index_at(at, place) + row / a->L * 4, 1, pages, ET_I32);
  et_gather(KLOAD, VK, INDEX, PAGE_AXIS, ET_RNE);
  et_gather(VLOAD, VV, INDEX, PAGE_AXIS, ET_RNE);
}

static void load_keys(const struct args* a, const struct places* at, const struct step* s,
                      long block, long place) {
  const long keys = keys_of(s, block), pages = keys / a->L, rest = keys % a->L;
  if (s->key == 0) {
    et_vseek(VQ, s->unit * (a->H / a->G), 0);
    et_tbase(QLOAD, queries_at(at, X_SET, s->unit % 2));
    et_ld(QLOAD, VQ, ET_RNE);
  }
  et_vseek(VK, s->unit % a->G, HEAD_AXIS), et_vseek(VV, s->unit % a->G, HEAD_AXIS);
  if (pages > 0) gather(a, at, pages, a->L, 0, place);
  if (rest > 0) gather(a, at, 1, rest, pages * a->L, place);
}

INLINE void scores(const int set, const struct places* at, const struct step* s, long block,
                   long place) {
  block_keys(set, keys_of(s, block));
  et_tbase(set + Q, queries_at(at, X_SET, s->unit % 2));
  block_scores(set, at, place);
}

INLINE void rest(const int set, const struct args* a, const struct step* s, long block) {
  const long rows = a->H / a->G;
  if (s->key == 0) block_reset(set);
  block_softmax(set, rows, s->key == 0, 0, 0);
  block_values(set, s->key == 0);
  if (s->key + block < s->keys) return;
  block_finish(set, rows, s->keys > 0 ? 0 : -1);
  et_vseek(VY, s->unit * rows, 0);
  et_st(set + Y, VY, ET_RNE);
}

static void prepare(const struct args* a, const struct places* at, long block) {
  const long rows = a->H / a->G;
  const et_view vq = et_matrix_view(a->q, ET_BF16, a->N * a->H, a->D, a->D, rows, a->D);
  const et_view vy = et_matrix_view(a->y, ET_BF16, a->N * a->H, a->E, a->E, rows, a->E);
  const et_view vtable = et_matrix_view(a->table, ET_I32, a->N, a->M, a->M, 1, 1);
  et_view vk = {
      .base = (uint64_t)a->k,
      .type = ET_BF16,
      .naxes = 4,
      .nbox = 3,
      .ncol = 1,
      .version = 1,
      .axis = {{a->P, a->L * a->G * a->D * 2, 0},
               {a->L, a->G * a->D * 2, 0},
               {a->G, a->D * 2, 0},
               {a->D, 2, 0}},
      .box = {ET_BOX(1, PAGE_AXIS, 1), ET_BOX(a->L, TOKEN_AXIS, 1), ET_BOX(a->D, COLUMN_AXIS, 1)}};
  et_view vv = vk;
  vv.base = (uint64_t)a->v;
  vv.axis[PAGE_AXIS].stride = a->L * a->G * a->E * 2;
  vv.axis[TOKEN_AXIS].stride = a->G * a->E * 2;
  vv.axis[HEAD_AXIS].stride = a->E * 2;
  vv.axis[COLUMN_AXIS].dim = a->E;
  vv.box[2].extent_axis = a->E | COLUMN_AXIS << 24;
  et_load_view(VQ, vq);
  et_load_view(VK, vk);
  et_load_view(VV, vv);
  et_load_view(VY, vy);
  et_load_view(VTABLE, vtable);
  block_prepare(at, a->scale, a->D, a->E, 0);
  et_tshape(QLOAD, 1, rows);
  /* Steps take the sets in turn, for their own scores and weights; what goes on from step to step
     is one. */
  block_tiles(X_SET, at, rows, block, a->D, a->E, 0);
  block_tiles(Y_SET, at, rows, block, a->D, a->E, 0);
  et_tmov(Y_SET + O, X_SET + O);
  et_tmov(Y_SET + M, X_SET + M);
  et_tmov(Y_SET + MB, X_SET + MB);
  et_tmov(Y_SET + L, X_SET + L);
  et_tmov(Y_SET + Y, X_SET + Y);
}

int main(void* p, unsigned long core, unsigned long cores) {
  const struct args* a = p;
  if (a->N == 0 || a->H == 0 || a->E == 0) return 0;
  et_assert(a->D <= TD && a->E <= TD && a->L >= 1 && a->L <= TK);
  et_assert(a->G > 0 && a->H % a->G == 0 && a->H / a->G <= TQ);
  const long block = TK / a->L * a->L;
  long work = 0;
  for (long n = 0; n < a->N; ++n) {
    if (a->lengths[n] < 0 || a->lengths[n] > a->M * a->L) {
      et_printf("paged_decode: lengths[%ld] is %d; %ld page(s) of %ld hold 0 to %ld\n", n,
                a->lengths[n], a->M, a->L, a->M * a->L);
      return 1;
    }
    work += blocks_of(a, n, block) * a->G;
  }
  const long end = unit_at(a, block, work * (core + 1) / cores);
  struct step now = first_of(a, unit_at(a, block, work * core / cores), end);
  if (now.unit >= end) return 0;
  const struct places places = places_of(a->H / a->G, a->D, a->E), *at = &places;
  et_assert(index_at(at, 2) <= (long)et_local_bytes());
  prepare(a, at, block);

  struct step next = after(a, now, block, end);
  load_index(a, at, &now, block, 0);
  if (next.unit < end) load_index(a, at, &next, block, 1);
  load_keys(a, at, &now, block, 0);
  scores(X_SET, at, &now, block, 0);
  for (long place = 0; now.unit < end; place = 1 - place) {
    const struct step last = next.unit < end ? after(a, next, block, end) : next;
    if (last.unit < end) load_index(a, at, &last, block, place);
    if (next.unit < end) {
      load_keys(a, at, &next, block, 1 - place);
      if (place == 0)
        scores(Y_SET, at, &next, block, 1);
      else
        scores(X_SET, at, &next, block, 0);
    }
    if (place == 0)
      rest(X_SET, a, &now, block);
    else
      rest(Y_SET, a, &now, block);
    now = next, next = last;
  }
  et_fence();
  unsigned long status; /* CSR etstatus: bit 0, an index was outside */
  __asm__ volatile("csrr %0, 0x7c0" : "=r"(status));
  if (status & 1) {
    et_printf("paged_decode: the block table names a page outside the cache of %ld page(s)\n",
              a->P);
    return 1;
  }
  return 0;
}
