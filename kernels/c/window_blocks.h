/* SPDX-License-Identifier: Apache-2.0 */
/* Blocks of pictures under a sliding window, channels last, for chains that read displaced sources.

   What to learn here: a block of the padded picture is loaded once. The pixels that meet window
   element (r, s) are the *same tile* some bytes further, and a chain step may name its source at such
   a displacement, held in a constant of the chain. So one pass over the output pixels takes up to
   eight window elements with the running value in a temporary, never in memory. Blocks are loaded and
   stored in parts: each takes a channel, and a single one gives a fraction of what memory can. */
#include <etalon/runtime.h>
#include <etalon/xet.h>

/* A picture x[B,H,W,C], a window of R x S elements, an output y[B,OH,OW,C]. */
struct window {
  const et_bf16* x;
  et_bf16* y;
  int64_t B, H, W, C, R, S, stride, pad, dilation;
  uint64_t fill; /* bits of a bf16: what stands in the padding */
};

/* How the output is cut: toh x tow pixels of tc channels, over th x tw pixels of the picture. */
struct blocks {
  long OH, OW, toh, tow, tc, th, tw;
  long across, down, count;
  long image; /* bytes of a picture block */
};

enum { TC = 128, TOH = 16, TOW = 64 }; /* channels, rows and columns of a block at most */
enum { LOADS = 4, STORES = 2 };        /* parts of a block */
enum { VX, VY, VW };                   /* view registers */
enum { IMAGE, PIXELS, OUT, ACC }; /* tile registers; IMAGE as loaded, PIXELS as the chain reads */
enum { FIRST, NEXT, LAST };       /* chain registers */

static long least(long a, long b) { return a < b ? a : b; }

/* Output pixels along one axis; none where the window does not fit (C would round -1 / 2 to 0). */
static long window_extent(long size, long window, const struct window* w) {
  const long last = size + 2 * w->pad - w->dilation * (window - 1) - 1;
  return last < 0 ? 0 : last / w->stride + 1;
}

/* Cuts `size` into as few pieces of at most `most` as there must be, of much the same length: cores
   that take blocks in turn then have the same work. */
static long window_even(long size, long most) {
  const long pieces = (size + most - 1) / most;
  return (size + pieces - 1) / pieces;
}

/* Pixels of the picture under `pixels` output pixels. */
static long window_under(long pixels, long window, const struct window* w) {
  return (pixels - 1) * w->stride + (window - 1) * w->dilation + 1;
}

/* Bytes from the first window element to element e. */
static long window_displacement(const struct window* w, const struct blocks* g, long e) {
  return (e / w->S * g->tw + e % w->S) * w->dilation * g->tc * 2;
}

/* Writes the displacements of up to nine window elements, from number e on, into constants 0 to 8 of a
   chain register. */
#define WINDOW_DISPLACE(CHAIN, w, g, e, elements)                              \
  do {                                                                         \
    if ((elements) > 0) et_cset(CHAIN, window_displacement(w, g, (e)), 0);     \
    if ((elements) > 1) et_cset(CHAIN, window_displacement(w, g, (e) + 1), 1); \
    if ((elements) > 2) et_cset(CHAIN, window_displacement(w, g, (e) + 2), 2); \
    if ((elements) > 3) et_cset(CHAIN, window_displacement(w, g, (e) + 3), 3); \
    if ((elements) > 4) et_cset(CHAIN, window_displacement(w, g, (e) + 4), 4); \
    if ((elements) > 5) et_cset(CHAIN, window_displacement(w, g, (e) + 5), 5); \
    if ((elements) > 6) et_cset(CHAIN, window_displacement(w, g, (e) + 6), 6); \
    if ((elements) > 7) et_cset(CHAIN, window_displacement(w, g, (e) + 7), 7); \
    if ((elements) > 8) et_cset(CHAIN, window_displacement(w, g, (e) + 8), 8); \
  } while (0)

/* Where the output block and, after it, what else a kernel needs stand: behind two picture blocks. */
static long window_out_at(const struct blocks* g, long turn) {
  return 2 * g->image + turn * g->toh * g->tow * g->tc * 2;
}
static long window_acc_at(const struct blocks* g) { return window_out_at(g, 2); }
/* Of as many bytes as a picture block. */
static long window_rest_at(const struct blocks* g) {
  return window_acc_at(g) + g->toh * g->tow * g->tc * 4;
}

/* Chooses the blocks and loads the view and tile registers. */
static struct blocks window_setup(const struct window* w) {
  struct blocks g = {.OH = window_extent(w->H, w->R, w),
                     .OW = window_extent(w->W, w->S, w),
                     .toh = TOH,
                     .tow = TOW,
                     .tc = least(TC, w->C)};
  if (g.OH == 0 || g.OW == 0 || w->C == 0) return g;
  g.toh = window_even(g.OH, TOH), g.tow = window_even(g.OW, TOW);
  const long taps = w->R * w->S;
  for (;;) { /* halve until it fits */
    g.th = taps > 0 ? window_under(g.toh, w->R, w) : 0;
    g.tw = taps > 0 ? window_under(g.tow, w->S, w) : 0;
    g.image = g.th * g.tw * g.tc * 2;
    if (window_rest_at(&g) + g.image <= (long)et_local_bytes()) break;
    et_assert(g.toh * g.tow > 1);
    if (g.toh > 1)
      g.toh = (g.toh + 1) / 2;
    else
      g.tow = (g.tow + 1) / 2;
  }
  g.across = (g.OW + g.tow - 1) / g.tow, g.down = (g.OH + g.toh - 1) / g.toh;
  g.count = (w->C + g.tc - 1) / g.tc * w->B * g.down * g.across;

  const long xw = w->C * 2, xh = w->W * xw, yw = w->C * 2, yh = g.OW * yw;
  const et_view vx = {.base = (uint64_t)w->x,
                      .type = ET_BF16,
                      .naxes = 4,
                      .nbox = 3,
                      .ncol = 1,
                      .version = 1,
                      .fill = w->fill,
                      .axis = {{w->B, w->H * xh, 0}, {w->H, xh, 0}, {w->W, xw, 0}, {w->C, 2, 0}},
                      .box = {ET_BOX(g.th, 1, 1), ET_BOX(g.tw, 2, 1), ET_BOX(g.tc, 3, 1)}};
  const et_view vy = {.base = (uint64_t)w->y,
                      .type = ET_BF16,
                      .naxes = 4,
                      .nbox = 3,
                      .ncol = 1,
                      .version = 1,
                      .axis = {{w->B, g.OH * yh, 0}, {g.OH, yh, 0}, {g.OW, yw, 0}, {w->C, 2, 0}},
                      .box = {ET_BOX(g.toh, 1, 1), ET_BOX(g.tow, 2, 1), ET_BOX(g.tc, 3, 1)}};
  et_load_view(VX, vx);
  et_load_view(VY, vy);
  const long pixel = g.tc * 2, row = g.tw * pixel; /* bytes */
  et_tile(IMAGE, 0, 1, g.tc, ET_BF16), et_tstride(IMAGE, row, pixel);
  et_tile(PIXELS, 0, 1, g.tc, ET_BF16), et_tstride(PIXELS, w->stride * row, w->stride * pixel);
  et_tile(OUT, window_out_at(&g, 0), 1, g.tc, ET_BF16);
  et_tile(ACC, window_acc_at(&g), 1, g.tc, ET_F32);
  return g;
}

/* Channel of the first output element of block t: the slowest to change. */
static long window_channel(const struct blocks* g, long B, long t) {
  return t / g->across / g->down / B * g->tc;
}

/* Turns to block t: loads its part of the picture into one of two places in turn and sets the extents
   of all tiles and views. Returns the output pixels of the block. */
static long window_block(const struct window* w, const struct blocks* g, long t, long turn) {
  const long ow = t % g->across * g->tow, oh = t / g->across % g->down * g->toh;
  const long b = t / g->across / g->down % w->B, c = window_channel(g, w->B, t);
  const long hh = least(g->toh, g->OH - oh), ww = least(g->tow, g->OW - ow);
  const long cc = least(g->tc, w->C - c);
  et_vseek(VY, b, 0), et_vseek(VY, oh, 1), et_vseek(VY, ow, 2), et_vseek(VY, c, 3);
  et_vext(VY, hh, 0), et_vext(VY, ww, 1), et_vext(VY, cc, 2);
  et_tbase(OUT, window_out_at(g, turn)), et_tshape(OUT, 1, hh * ww), et_tcols(OUT, cc);
  et_tshape(ACC, 1, hh * ww), et_tcols(ACC, cc);
  if (g->image > 0) {
    const long eh = window_under(hh, w->R, w), ew = window_under(ww, w->S, w);
    const long part = (eh + LOADS - 1) / LOADS;
    et_vseek(VX, b, 0), et_vseek(VX, ow * w->stride - w->pad, 2), et_vseek(VX, c, 3);
    et_vext(VX, ew, 1), et_vext(VX, cc, 2), et_tcols(IMAGE, cc);
    for (long r = 0; r < eh; r += part) {
      const long rows = least(part, eh - r);
      et_vseek(VX, oh * w->stride - w->pad + r, 1), et_vext(VX, rows, 0);
      et_tbase(IMAGE, turn * g->image + r * g->tw * g->tc * 2), et_tshape(IMAGE, rows, ew);
      et_ld(IMAGE, VX, ET_RNE);
    }
    et_tbase(PIXELS, turn * g->image), et_tshape(PIXELS, hh, ww), et_tcols(PIXELS, cc);
  }
  return hh * ww;
}

/* Stores the output of block t, which window_block has turned to. */
static void window_store(const struct blocks* g, long t, long turn) {
  const long ow = t % g->across * g->tow, oh = t / g->across % g->down * g->toh;
  const long hh = least(g->toh, g->OH - oh), ww = least(g->tow, g->OW - ow);
  const long part = (hh + STORES - 1) / STORES;
  for (long r = 0; r < hh; r += part) {
    const long rows = least(part, hh - r);
    et_vseek(VY, oh + r, 1), et_vext(VY, rows, 0);
    et_tbase(OUT, window_out_at(g, turn) + r * ww * g->tc * 2), et_tshape(OUT, 1, rows * ww);
    et_st(OUT, VY, ET_RNE);
  }
}
