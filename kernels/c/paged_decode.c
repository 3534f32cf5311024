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

   The work of a core is a stream of steps, a block of keys of one head each: sequence after sequence,
   of these up to HEADS heads at a time, block after block. Heads of one block are loaded together, a
   channel each, keys first and then values: they stand side by side in the cache, so that an open row
   of DRAM serves all of them. Page numbers are loaded before, and the scores of the next step are
   multiplied between the weighted values of this one. Groups of heads are dealt to cores by their
   share of all blocks. */
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

enum { VQ, VK, VV, VY, VTABLE };                                 /* view registers */
enum { INDEX = FREE_TILE };                                      /* page numbers of a block */
enum { PART = 128, S_PART = INDEX + 1, P_PART, K_PART, V_PART }; /* keys of a product, its tiles */
enum { PAGE_AXIS, TOKEN_AXIS, HEAD_AXIS, COLUMN_AXIS };          /* of the cache */
enum { PAGES, TOKENS };                                          /* box dims of the cache */
enum { HEADS = 4, ROWS = 256, INDEX_PLACES = 16 }; /* most heads at a time, most queries of one */

/* As attention_block.h has it, with more places behind, since keys come from further ahead. */
struct local {
  struct places at;
  long rows;   /* queries of a head of keys */
  long heads;  /* at a time: HEADS, or fewer if cores want work or room */
  long places; /* for keys, values, queries; like heads a power of two, to mask by */
  long queries, state, index, end; /* bytes */
  long state_bytes;                /* sums, greatest score and sum of weights of a head */
};

/* A block of keys of one (sequence, head of keys). */
struct step {
  long unit; /* sequence * G + head */
  long key;  /* the first */
  long keys; /* of the sequence */
};

static struct local local_of(const struct args* a, long heads) {
  const long rows = a->H / a->G;
  struct local m = {.at = places_of(rows, a->D, a->E),
                    .rows = rows,
                    .heads = heads,
                    .places = most(4, 2 * heads)};
  m.state_bytes = (rows * a->E * 4 + 2 * m.at.column_bytes + 127) & -128; /* whole words of banks */
  m.at.keys = m.at.end;
  m.at.values = m.at.keys + m.places * m.at.key_bytes;
  m.queries = m.at.values + m.places * m.at.value_bytes;
  m.state = (m.queries + m.places * m.at.query_bytes + 127) & -128;
  m.index = m.state + heads * m.state_bytes;
  m.end = m.index + INDEX_PLACES * TK * 4;
  return m;
}

static long blocks_of(const struct args* a, long n, long block) {
  return most(1, (a->lengths[n] + block - 1) / block); /* one even of no keys: it writes y */
}

/* The first unit of a group of heads that begins at or past `work` blocks of keys from the first
   unit's begin. */
static long unit_at(const struct args* a, const struct local* m, long block, long work) {
  long before = 0;
  for (long n = 0; n < a->N; ++n) {
    const long blocks = blocks_of(a, n, block) * m->heads;
    const long group = most(0, (work - before + blocks - 1) / blocks);
    if (group * m->heads < a->G) return n * a->G + group * m->heads;
    before += blocks * (a->G / m->heads);
  }
  return a->N * a->G;
}

static struct step first_of(const struct args* a, long unit, long end) {
  struct step s = {unit, 0, unit < end ? a->lengths[unit / a->G] : 0};
  return s;
}

static struct step after(const struct args* a, const struct local* m, struct step s, long block,
                         long end) {
  if ((++s.unit & (m->heads - 1)) != 0) return s; /* the next head, same keys */
  s.key += block;
  if (s.key >= s.keys) return first_of(a, s.unit, end);
  s.unit -= m->heads;
  return s;
}

static long keys_of(const struct step* s, long block) { return least(block, s->keys - s->key); }

static long query_at(const struct local* m, const struct step* s) {
  return m->queries + (s->unit & (m->places - 1)) * m->at.query_bytes;
}

static long index_at(const struct local* m, long number) {
  return m->index + number / m->heads % INDEX_PLACES * TK * 4;
}

/* Page numbers of the heads whose first is step number `number` of the core. */
static void load_index(const struct args* a, const struct local* m, const struct step* s,
                       long block, long number) {
  const long pages = (keys_of(s, block) + a->L - 1) / a->L;
  et_vseek(VTABLE, s->unit / a->G, 0), et_vseek(VTABLE, s->key / a->L, 1);
  et_vext(VTABLE, pages, 1);
  et_tile(INDEX, index_at(m, number), 1, pages, ET_I32);
  et_ld(INDEX, VTABLE, ET_RNE);
}

/* `pages` boxes of `tokens` rows of one head, from page number `page` of the block on. */
INLINE void gather(const int tile, const int view, const struct args* a, const struct local* m,
                   long pages, long tokens, long page, long at, long row_bytes, long number) {
  if (pages == 0 || tokens == 0) return;
  et_vext(view, pages, PAGES), et_vext(view, tokens, TOKENS);
  et_tbase(tile, at + page * a->L * row_bytes), et_tshape(tile, 1, pages * tokens);
  et_tile(INDEX, index_at(m, number) + page * 4, 1, pages, ET_I32);
  et_gather(tile, view, INDEX, PAGE_AXIS, ET_RNE);
}

/* Queries, keys and values of these heads. */
static void load_heads(const struct args* a, const struct local* m, const struct step* s,
                       long block, long number) {
  const long keys = keys_of(s, block), pages = keys / a->L, rest = keys % a->L;
  if (s->key == 0) {
    et_vseek(VQ, s->unit * m->rows, 0);
    et_tbase(QLOAD, query_at(m, s));
    et_ld(QLOAD, VQ, ET_RNE);
  }
  for (long h = 0; h < m->heads; ++h) {
    const long at = m->at.keys + ((number + h) & (m->places - 1)) * m->at.key_bytes;
    et_vseek(VK, s->unit % a->G + h, HEAD_AXIS);
    gather(KLOAD, VK, a, m, pages, a->L, 0, at, a->D * 2, number);
    gather(KLOAD, VK, a, m, 1, rest, pages, at, a->D * 2, number);
  }
  for (long h = 0; h < m->heads; ++h) {
    const long at = m->at.values + ((number + h) & (m->places - 1)) * m->at.value_bytes;
    et_vseek(VV, s->unit % a->G + h, HEAD_AXIS);
    gather(VLOAD, VV, a, m, pages, a->L, 0, at, a->E * 2, number);
    gather(VLOAD, VV, a, m, 1, rest, pages, at, a->E * 2, number);
  }
}

/* Turns a set to what goes on from step to step of a head. */
INLINE void turn(const int set, const struct args* a, const struct local* m, const struct step* s) {
  const long at = m->state + (s->unit & (m->heads - 1)) * m->state_bytes;
  const long columns = at + m->rows * a->E * 4;
  et_tbase(set + O, at);
  et_tbase(set + M, columns), et_tbase(set + MB, columns);
  et_tbase(set + L, columns + m->at.column_bytes);
}

/* Scores of keys j to j + PART of step number `number`. */
static void scores(const struct args* a, const struct local* m, const struct step* s, long block,
                   long number, long j) {
  const long keys = least(PART, keys_of(s, block) - j), rows = m->rows;
  if (keys <= 0) return;
  et_tbase(X_SET + Q, query_at(m, s));
  et_tile_strided(S_PART, number % 2 * m->at.set + m->at.scores + j * 4, rows, keys, ET_F32,
                  TK * 4);
  et_tile(K_PART, m->at.keys + (number & (m->places - 1)) * m->at.key_bytes + j * a->D * 2, keys,
          a->D, ET_BF16);
  et_tflags(K_PART, 1); /* transposed */
  et_mm(S_PART, X_SET + Q, K_PART);
}

/* Weighted values of keys j to j + PART. */
static void values(const struct args* a, const struct local* m, const struct step* s, long block,
                   long number, long j) {
  const long keys = least(PART, keys_of(s, block) - j), rows = m->rows;
  if (keys <= 0 && j > 0) return; /* of no keys at all, the first product is 0 */
  et_tile_strided(P_PART, number % 2 * m->at.set + m->at.weights + j * 2, rows, keys, ET_BF16,
                  TK * 2);
  et_tile(V_PART, m->at.values + (number & (m->places - 1)) * m->at.value_bytes + j * a->E * 2,
          keys, a->E, ET_BF16);
  if (s->key + j == 0)
    et_mm(X_SET + O, P_PART, V_PART);
  else
    et_mma(X_SET + O, P_PART, V_PART);
}

INLINE void softmax(const int set, const struct args* a, const struct local* m,
                    const struct step* s, long block) {
  turn(set, a, m, s);
  if (s->key == 0) block_reset(set);
  block_keys(set, keys_of(s, block));
  block_softmax(set, m->rows, s->key == 0, 0, 0);
}

static void finish(const struct local* m, const struct step* s) {
  block_finish(X_SET, m->rows, s->keys > 0 ? 0 : -1);
  et_vseek(VY, s->unit * m->rows, 0);
  et_st(X_SET + Y, VY, ET_RNE);
}

static void prepare(const struct args* a, const struct local* m, long block) {
  const struct places* at = &m->at;
  const long rows = m->rows;
  const et_view vq = et_matrix_view(a->q, ET_BF16, a->N * a->H, a->D, a->D, m->heads * rows, a->D);
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
  et_tshape(QLOAD, 1, m->heads * rows);
  /* Steps take the sets in turn, for their own scores and weights. */
  block_tiles(X_SET, at, rows, block, a->D, a->E, 0);
  block_tiles(Y_SET, at, rows, block, a->D, a->E, 0);
}

int main(void* p, unsigned long core, unsigned long cores) {
  const struct args* a = p;
  if (a->N == 0 || a->H == 0 || a->E == 0) return 0;
  et_assert(a->D <= TD && a->E <= TD && a->L >= 1 && a->L <= TK);
  et_assert(a->G > 0 && a->H % a->G == 0 && a->H / a->G <= ROWS);
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
  long heads = HEADS;
  while (heads > 1 && (a->G % heads != 0 || a->N * a->G < heads * (long)cores ||
                       local_of(a, heads).end > (long)et_local_bytes()))
    heads /= 2;
  const struct local local = local_of(a, heads), *m = &local;
  et_assert(m->end <= (long)et_local_bytes());
  const long end = unit_at(a, m, block, work * (core + 1) / cores);
  struct step now = first_of(a, unit_at(a, m, block, work * core / cores), end);
  if (now.unit >= end) return 0;
  prepare(a, m, block);

  const long keys_ahead = m->places - heads, index_ahead = keys_ahead + 2 * heads; /* steps */
  struct step index = now, keys = now, next = now;   /* what these stages take up next */
  for (long i = -index_ahead; now.unit < end; ++i) { /* i: number of the step `now` */
    if ((i & (heads - 1)) == 0 && index.unit < end) {
      load_index(a, m, &index, block, i + index_ahead);
      for (long h = 0; h < heads; ++h) index = after(a, m, index, block, end);
    }
    if ((i & (heads - 1)) == 0 && i + keys_ahead >= 0 && keys.unit < end) {
      load_heads(a, m, &keys, block, i + keys_ahead);
      for (long h = 0; h < heads; ++h) keys = after(a, m, keys, block, end);
    }
    if (i + 1 < 0) continue;
    /* A product with values waits for the sums of the one before: two of scores fill the gap. So
       scores are there by half time, and what softmax makes of them is ready for the next round. */
    if (i >= 0) turn(X_SET, a, m, &now);
    for (long j = 0; j < TK; j += PART) {
      if (i >= 0) values(a, m, &now, block, i, j);
      if (next.unit >= end) continue;
      scores(a, m, &next, block, i + 1, 2 * j);
      scores(a, m, &next, block, i + 1, 2 * j + PART);
    }
    if (i >= 0) {
      if (now.key + block >= now.keys) finish(m, &now);
      now = after(a, m, now, block, end);
    }
    if (next.unit >= end) continue;
    if (i % 2 == 0)
      softmax(Y_SET, a, m, &next, block);
    else
      softmax(X_SET, a, m, &next, block);
    next = after(a, m, next, block, end);
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
