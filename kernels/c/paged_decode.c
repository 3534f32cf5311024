/* SPDX-License-Identifier: Apache-2.0 */
/* Decoding: one query token for each of N sequences against a paged cache of keys and values.

   The cache has P pages of L tokens (1 to 512) for G heads. Row n of `table` names the pages of
   sequence n in order; its first lengths[n] tokens (0 to M * L) are seen, the query's own among
   them. H heads of queries share the G heads of keys, H / G neighbours each (1 to 256). A sequence
   of length 0 gives 0; a page outside the cache, or a length that the table cannot hold, ends the
   run with a message. scale = 0 stands for 1 / sqrt(D).

   The numbers are those of attention_block.h, with blocks of as many whole pages as fit in 512 keys.

   What to learn here: an index of et_gather moves L tokens of a view whose named axis are the pages;
   pages stand anywhere, the tile is dense. Only tokens that exist are moved: whole pages by one
   gather, what is left of the last page by another. The queries that share a head of keys are the
   rows of one product, those of all heads the rows of one softmax.

   Memory decides how long this takes, and how a page is read decides what memory gives:
   - All its heads are loaded at once, as they stand in the cache, so that rows of DRAM are opened
     for the whole page. A head alone would take 256 bytes of every 2 KiB.
   - A gather moves 32 columns of each head, a burst, and the channels of a core move neighbouring
     columns. So a request is one burst that one bank answers. A request for 256 bytes waits for
     four banks, and as long for room on its way as the last of them takes.

   The work of a core is a stream of steps, a block of keys of some heads each: sequence after
   sequence, block after block. Page numbers, keys and values are loaded steps ahead, and scores of
   the next step are multiplied between the weighted values of this one. Groups of heads are dealt
   to cores by their share of all tokens. */
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

enum { VQ, VK, VV, VY, VTABLE };                                     /* view registers */
enum { INDEX = FREE_TILE };                                          /* page numbers of a block */
enum { Q_PART = INDEX + 1, K_PART, S_PART, P_PART, V_PART, O_PART }; /* tiles of a product */
enum { PART = 128, SLICE = 32 }; /* keys of a product; columns of a gather: bf16 of a burst */
enum { PAGE_AXIS, TOKEN_AXIS, HEAD_AXIS, COLUMN_AXIS }; /* of the cache */
enum { PAGES, TOKENS, KEY_HEADS, COLUMNS };             /* box dims of the cache */
enum { HEADS = 8, ROWS = 256 }; /* most heads of keys at a time, most queries of one */
enum { GROUPS = 2 };            /* of heads, at least for each core, where heads suffice */
enum { INDEX_PLACES = 4 };

/* Local memory, bytes: that of attention_block.h for the queries of all heads, where a place has the
   keys or values of all heads. */
struct local {
  struct places at;
  long rows;  /* queries of a head of keys */
  long heads; /* of keys, at a time */
  long index, end;
};

/* A block of keys of one sequence and some heads. */
struct step {
  long unit;  /* sequence * G + first head */
  long key;   /* the first */
  long keys;  /* of the sequence */
  long place; /* of the queries: 0 or 1 */
};

static struct local local_of(const struct args* a, long heads) {
  const long rows = a->H / a->G;
  struct local m = {.at = places_of(heads * rows, a->D, a->E), .rows = rows, .heads = heads};
  m.at.key_bytes *= heads, m.at.value_bytes *= heads;
  m.at.values = m.at.keys + 2 * m.at.key_bytes;
  m.at.columns = m.at.values + 2 * m.at.value_bytes;
  m.index = (m.at.columns + 3 * m.at.column_bytes + 127) & -128;
  m.end = m.index + INDEX_PLACES * TK * 4;
  return m;
}

/* What a head of a sequence costs, in tokens; one even of no tokens: it writes y. */
static long work_of(const struct args* a, long n) { return a->lengths[n] + 1; }

/* The first unit of a group of heads that begins at or past `work` tokens from the first unit's
   begin. */
static long unit_at(const struct args* a, const struct local* m, long work) {
  for (long n = 0; n < a->N; ++n) {
    const long group = work_of(a, n) * m->heads, all = work_of(a, n) * a->G;
    if (work <= all - group) return n * a->G + (work + group - 1) / group * m->heads;
    work = most(0, work - all);
  }
  return a->N * a->G;
}

static struct step first_of(const struct args* a, long unit, long end, long place) {
  struct step s = {unit, 0, unit < end ? a->lengths[unit / a->G] : 0, place};
  return s;
}

static struct step after(const struct args* a, const struct local* m, struct step s, long block,
                         long end) {
  s.key += block;
  return s.key < s.keys ? s : first_of(a, s.unit + m->heads, end, 1 - s.place);
}

static long keys_of(const struct step* s, long block) { return least(block, s->keys - s->key); }

static long query_at(const struct local* m, const struct step* s) {
  return s->place * m->at.query_bytes;
}

static long index_at(const struct local* m, long number) {
  return m->index + number % INDEX_PLACES * TK * 4;
}

/* Page numbers of step `number` of the core. */
static void load_index(const struct args* a, const struct local* m, const struct step* s,
                       long block, long number) {
  const long pages = (keys_of(s, block) + a->L - 1) / a->L;
  et_vseek(VTABLE, s->unit / a->G, 0), et_vseek(VTABLE, s->key / a->L, 1);
  et_vext(VTABLE, pages, 1);
  et_tile(INDEX, index_at(m, number), 1, pages, ET_I32);
  et_ld(INDEX, VTABLE, ET_RNE);
}

/* `tokens` tokens of each of `pages` pages, from page number `page` of the block on, `columns` of
   each head: a row of the tile is a head of a token. */
INLINE void gather(const int tile, const int view, const struct args* a, const struct local* m,
                   long pages, long tokens, long page, long at, long columns, long number) {
  if (pages == 0 || tokens == 0) return;
  et_tile(INDEX, index_at(m, number) + page * 4, 1, pages, ET_I32);
  et_vext(view, pages, PAGES), et_vext(view, tokens, TOKENS);
  for (long c = 0; c < columns; c += SLICE) {
    const long width = least(SLICE, columns - c);
    et_vseek(view, c, COLUMN_AXIS), et_vext(view, width, COLUMNS);
    et_tile_strided(tile, at + (page * a->L * m->heads * columns + c) * 2,
                    pages * tokens * m->heads, width, ET_BF16, columns * 2);
    et_gather(tile, view, INDEX, PAGE_AXIS, ET_RNE);
  }
}

/* Keys or values of step `number`. */
INLINE void load_block(const int tile, const int view, const struct args* a, const struct local* m,
                       const struct step* s, long at, long columns, long block, long number) {
  const long pages = keys_of(s, block) / a->L, rest = keys_of(s, block) % a->L;
  et_vseek(view, s->unit % a->G, HEAD_AXIS);
  gather(tile, view, a, m, pages, a->L, 0, at, columns, number);
  gather(tile, view, a, m, 1, rest, pages, at, columns, number);
}

static void load_keys(const struct args* a, const struct local* m, const struct step* s, long block,
                      long number) {
  if (s->key == 0) {
    et_vseek(VQ, s->unit * m->rows, 0);
    et_tile(QLOAD, query_at(m, s), m->heads * m->rows, a->D, ET_BF16);
    et_ld(QLOAD, VQ, ET_RNE);
  }
  load_block(KLOAD, VK, a, m, s, m->at.keys + number % 2 * m->at.key_bytes, a->D, block, number);
}

static void load_values(const struct args* a, const struct local* m, const struct step* s,
                        long block, long number) {
  load_block(VLOAD, VV, a, m, s, m->at.values + number % 2 * m->at.value_bytes, a->E, block,
             number);
}

/* Scores of head `head` for keys j to j + PART of step `number`. */
static void scores(const struct args* a, const struct local* m, const struct step* s, long block,
                   long number, long head, long j) {
  const long keys = least(PART, keys_of(s, block) - j), row = head * m->rows;
  if (keys <= 0) return;
  et_tile(Q_PART, query_at(m, s) + row * a->D * 2, m->rows, a->D, ET_BF16);
  et_tile_strided(K_PART,
                  m->at.keys + number % 2 * m->at.key_bytes + (j * m->heads + head) * a->D * 2,
                  keys, a->D, ET_BF16, m->heads * a->D * 2);
  et_tflags(K_PART, 1); /* transposed */
  et_tile_strided(S_PART, number % 2 * m->at.set + m->at.scores + (row * TK + j) * 4, m->rows, keys,
                  ET_F32, TK * 4);
  et_mm(S_PART, Q_PART, K_PART);
}

/* Weighted values of keys j to j + PART. */
static void values(const struct args* a, const struct local* m, const struct step* s, long block,
                   long number, long head, long j) {
  const long keys = least(PART, keys_of(s, block) - j), row = head * m->rows;
  if (keys <= 0 && j > 0) return; /* of no keys at all, the first product is 0 */
  et_tile_strided(P_PART, number % 2 * m->at.set + m->at.weights + (row * TK + j) * 2, m->rows,
                  keys, ET_BF16, TK * 2);
  et_tile_strided(V_PART,
                  m->at.values + number % 2 * m->at.value_bytes + (j * m->heads + head) * a->E * 2,
                  keys, a->E, ET_BF16, m->heads * a->E * 2);
  et_tile(O_PART, m->at.sums + row * a->E * 4, m->rows, a->E, ET_F32);
  if (s->key + j == 0)
    et_mm(O_PART, P_PART, V_PART);
  else
    et_mma(O_PART, P_PART, V_PART);
}

static void softmax(const struct local* m, const struct step* s, long block, long number) {
  et_tbase(X_SET + S, number % 2 * m->at.set + m->at.scores);
  et_tbase(X_SET + P, number % 2 * m->at.set + m->at.weights);
  block_keys(X_SET, keys_of(s, block));
  if (s->key == 0) block_reset(X_SET);
  block_softmax(X_SET, m->heads * m->rows, s->key == 0, 0, 0);
}

static void finish(const struct local* m, const struct step* s) {
  block_finish(X_SET, m->heads * m->rows, s->keys > 0 ? 0 : -1);
  et_vseek(VY, s->unit * m->rows, 0);
  et_st(X_SET + Y, VY, ET_RNE);
}

static void prepare_index(const struct args* a) {
  const et_view vtable = et_matrix_view(a->table, ET_I32, a->N, a->M, a->M, 1, 1);
  et_load_view(VTABLE, vtable);
}

static void prepare_loads(const struct args* a, const struct local* m) {
  const long rows = m->heads * m->rows;
  const et_view vq = et_matrix_view(a->q, ET_BF16, a->N * a->H, a->D, a->D, rows, a->D);
  et_view vk = {.base = (uint64_t)a->k,
                .type = ET_BF16,
                .naxes = 4,
                .nbox = 4,
                .ncol = 1,
                .version = 1,
                .axis = {{a->P, a->L * a->G * a->D * 2, 0},
                         {a->L, a->G * a->D * 2, 0},
                         {a->G, a->D * 2, 0},
                         {a->D, 2, 0}},
                .box = {ET_BOX(1, PAGE_AXIS, 1), ET_BOX(a->L, TOKEN_AXIS, 1),
                        ET_BOX(m->heads, HEAD_AXIS, 1), ET_BOX(SLICE, COLUMN_AXIS, 1)}};
  et_view vv = vk;
  vv.base = (uint64_t)a->v;
  vv.axis[PAGE_AXIS].stride = a->L * a->G * a->E * 2;
  vv.axis[TOKEN_AXIS].stride = a->G * a->E * 2;
  vv.axis[HEAD_AXIS].stride = a->E * 2;
  vv.axis[COLUMN_AXIS].dim = a->E;
  et_load_view(VQ, vq);
  et_load_view(VK, vk);
  et_load_view(VV, vv);
}

static void prepare_blocks(const struct args* a, const struct local* m, long block) {
  const long rows = m->heads * m->rows;
  const et_view vy = et_matrix_view(a->y, ET_BF16, a->N * a->H, a->E, a->E, rows, a->E);
  et_load_view(VY, vy);
  block_prepare(&m->at, a->scale, a->D, a->E, 0);
  block_tiles(X_SET, &m->at, rows, block, a->D, a->E, 0);
}

/* The most heads at a time of which there are groups enough, and room for them. */
static long heads_of(const struct args* a, long cores) {
  long heads = least(HEADS, a->G);
  while (heads > 1 &&
         (a->G % heads != 0 || heads * a->H > TQ * a->G || a->N * a->G < GROUPS * heads * cores ||
          local_of(a, heads).end > (long)et_local_bytes()))
    --heads;
  return heads;
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
    work += work_of(a, n) * a->G;
  }
  const struct local local = local_of(a, heads_of(a, (long)cores)), *m = &local;
  et_assert(m->end <= (long)et_local_bytes());
  const long end = unit_at(a, m, work * (core + 1) / cores);
  struct step now = first_of(a, unit_at(a, m, work * core / cores), end, 0);
  if (now.unit >= end) return 0;
  struct step index = now, keys = now, next = now; /* what these stages take up next */
  for (long i = -3; now.unit < end; ++i) {         /* i: number of the step `now` */
    if (i == -3) prepare_index(a); /* each when it is first needed, so that loads begin early */
    if (i == -2) prepare_loads(a, m);
    if (i == -1) prepare_blocks(a, m, block);
    const struct step loaded = keys;
    const int loads = i >= -2 && keys.unit < end;
    if (index.unit < end) {
      load_index(a, m, &index, block, i + 3);
      index = after(a, m, index, block, end);
    }
    if (loads) {
      load_keys(a, m, &loaded, block, i + 2);
      keys = after(a, m, keys, block, end);
    }
    /* A product with values waits for the sums of the one before: two of scores fill the gap. */
    const int scored = i >= -1 && next.unit < end;
    for (long j = 0; j < TK; j += PART)
      for (long head = 0; head < m->heads; ++head) {
        if (i >= 0) values(a, m, &now, block, i, head, j);
        if (!scored) continue;
        scores(a, m, &next, block, i + 1, head, 2 * j);
        scores(a, m, &next, block, i + 1, head, 2 * j + PART);
      }
    if (loads) load_values(a, m, &loaded, block, i + 2); /* in the place that values() has read */
    if (i >= 0) {
      if (now.key + block >= now.keys) finish(m, &now);
      now = after(a, m, now, block, end);
    }
    if (!scored) continue;
    softmax(m, &next, block, i + 1);
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
