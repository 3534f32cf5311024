/* SPDX-License-Identifier: Apache-2.0 */
/* conv2d of pictures with few channels, as a network's first: y[B,OH,OW,F] = x[B,H,W,C] * w[R,S,C,F],
   channels last, bf16 in, f32 out.

   What to learn here: a product of K = 3 channels leaves 125 of the matrix unit's 128 rows without
   work, so R*S of them cost R*S times too much. In a row of the picture the window's S pixels stand
   side by side already: they are one row of S*C elements of a tile whose rows overlap. The vector
   unit makes it S*R*C: it copies the R picture rows under each output row between each other, pixel
   by pixel, and one product has the whole window as its K:

     picture rows      aaa bbb ccc ..      spread    aaa ddd ggg bbb eee hhh ccc fff iii ..
                       ddd eee fff ..                |---- window of pixel 0 ---|
                       ggg hhh iii ..                            |---- of pixel 1 ----..

   That is R times the bytes, in local memory only. With many channels conv2d_implicit.c is better. */
#include <etalon/runtime.h>
#include <etalon/xet.h>

struct args {
  const et_bf16* x;
  const et_bf16* w;
  float* y;
  int64_t stride, pad, dilation;
  int64_t B, H, W, C, R, S, F;
};
ETALON_KERNEL(struct args,
              "conv2d_few_channels(x: bf16[B, H, W, C], w: bf16[R, S, C, F], "
              "out y: f32[B, (H + 2*pad - dilation*(R - 1) - 1)/stride + 1, "
              "(W + 2*pad - dilation*(S - 1) - 1)/stride + 1, F], "
              "stride: i32 = 1, pad: i32 = 0, dilation: i32 = 1) "
              "check conv2d(x, w) -> y with layout=NHWC, weights=HWIO, stride=stride, pads=pad, "
              "dilation=dilation")

enum { TF = 128, TOW = 128, TPIXELS = 1024, TK = 1024 }; /* filters, pixels, depth of a product */
enum { SUMS = 4, LACC = TPIXELS * TF * 4 };              /* places of sums, bytes of one */
enum { VX, VW, VY };                                     /* view registers */
/* Tile registers: the picture as loaded and as copied from, where to, as multiplied. */
enum { IMAGE, ROWS, SPREAD, PIXELS, W, ACC };

static long least(long a, long b) { return a < b ? a : b; }
static long most(long a, long b) { return a > b ? a : b; }
static long parts(long size, long part) { return (size + part - 1) / part; }

/* Output pixels along one axis; none where the filter does not fit (C would round -1 / 2 to 0). */
static long extent(long size, long filter, const struct args* a) {
  const long last = size + 2 * a->pad - a->dilation * (filter - 1) - 1;
  return last < 0 ? 0 : last / a->stride + 1;
}

/* Pixels of the picture under `pixels` output pixels along one axis. */
static long under(long pixels, long filter, const struct args* a) {
  return (pixels - 1) * a->stride + (filter - 1) * a->dilation + 1;
}

/* How the output is cut: toh x tow pixels of TF filters, from th x tw pixels of tc channels of the
   picture. Bytes of a picture, of it spread, and of weights, each of which has two places. */
struct plan {
  long OH, OW, toh, tow, th, tw, tc, image, spread, weights;
  long across, down, deep, blocks;
};

static struct plan plan_of(const struct args* a, long cores) {
  struct plan p = {.OH = extent(a->H, a->R, a), .OW = extent(a->W, a->S, a)};
  if (a->B == 0 || p.OH == 0 || p.OW == 0 || a->F == 0) return p;
  const long elements = a->R * a->S;
  p.tow = parts(p.OW, parts(p.OW, TOW));
  p.toh = parts(p.OH, parts(p.OH, TPIXELS / p.tow));
  p.tc = most(1, least(a->C, elements > 0 ? TK / elements : TK));
  for (;;) {
    p.weights = elements * p.tc * TF * 2;
    if (elements > 0) p.th = under(p.toh, a->R, a), p.tw = under(p.tow, a->S, a);
    p.image = (p.th * p.tw * p.tc * 2 + 127) & -128;
    p.spread = (p.toh * p.tw * a->R * p.tc * 2 + 127) & -128;
    p.across = parts(p.OW, p.tow), p.down = parts(p.OH, p.toh), p.deep = parts(a->F, TF);
    p.blocks = a->B * p.down * p.across * p.deep;
    if (SUMS * LACC + 2 * (p.image + p.spread + p.weights) > (long)et_local_bytes()) {
      if (p.toh * p.tow == 1) { /* halve until it fits, pixels before channels, */
        et_assert(p.tc > 1);
        p.tc = (p.tc + 1) / 2;
        continue;
      }
    } else if (p.blocks % cores == 0 || p.blocks >= 4 * cores || p.toh * p.tow < 128)
      return p; /* and until all cores have about the same to do */
    if (p.toh > 1)
      p.toh = (p.toh + 1) / 2;
    else
      p.tow = (p.tow + 1) / 2;
  }
}

static void load_views(const struct args* a, const struct plan* p) {
  const long xw = a->C * 2, xh = a->W * xw, yw = a->F * 4, yh = p->OW * yw;
  const et_view vx = {.base = (uint64_t)a->x, /* a row of the box is one of the picture */
                      .type = ET_BF16,
                      .naxes = 4,
                      .nbox = 3,
                      .ncol = 2,
                      .version = 1,
                      .axis = {{a->B, a->H * xh, 0}, {a->H, xh, 0}, {a->W, xw, 0}, {a->C, 2, 0}},
                      .box = {ET_BOX(p->th, 1, 1), ET_BOX(p->tw, 2, 1), ET_BOX(p->tc, 3, 1)}};
  const et_view vw = {
      .base = (uint64_t)a->w, /* in the order of a window's elements: s, r, c */
      .type = ET_BF16,
      .naxes = 4,
      .nbox = 4,
      .ncol = 1,
      .version = 1,
      .axis = {{a->R, a->S * a->C * a->F * 2, 0},
               {a->S, a->C * a->F * 2, 0},
               {a->C, a->F * 2, 0},
               {a->F, 2, 0}},
      .box = {ET_BOX(a->S, 1, 1), ET_BOX(a->R, 0, 1), ET_BOX(p->tc, 2, 1), ET_BOX(TF, 3, 1)}};
  const et_view vy = {.base = (uint64_t)a->y,
                      .type = ET_F32,
                      .naxes = 4,
                      .nbox = 3,
                      .ncol = 1,
                      .version = 1,
                      .axis = {{a->B, p->OH * yh, 0}, {p->OH, yh, 0}, {p->OW, yw, 0}, {a->F, 4, 0}},
                      .box = {ET_BOX(p->toh, 1, 1), ET_BOX(p->tow, 2, 1), ET_BOX(TF, 3, 1)}};
  et_load_view(VX, vx);
  et_load_view(VW, vw);
  et_load_view(VY, vy);
}

/* Loads cc channels of the block's picture to byte `image` and spreads them to byte `spread`. */
static void load_pixels(const struct args* a, const struct plan* p, long hh, long cc, long image,
                        long spread) {
  const long pixel = cc * 2, row = p->tw * pixel; /* bytes */
  et_tile(IMAGE, image, p->th, p->tw * cc, ET_BF16);
  et_ld(IMAGE, VX, ET_RNE);
  et_tile(ROWS, image, 1, cc, ET_BF16), et_tshape(ROWS, hh, p->tw);
  et_tstride(ROWS, a->stride * row, pixel);
  et_tile(SPREAD, spread, 1, cc, ET_BF16), et_tshape(SPREAD, hh, p->tw);
  et_tstride(SPREAD, a->R * row, a->R * pixel);
  for (long r = 0; r < a->R; ++r) {
    et_tbase(ROWS, image + r * a->dilation * row), et_tbase(SPREAD, spread + r * pixel);
    et_copy(SPREAD, ROWS);
  }
}

int main(void* args, unsigned long core, unsigned long cores) {
  const struct args* a = args;
  const struct plan p = plan_of(a, cores);
  if (p.blocks == 0) return 0;
  load_views(a, &p);
  et_tile(ACC, 0, TPIXELS, TF, ET_F32);
  const long images_at = SUMS * LACC, spread_at = images_at + 2 * p.image;
  const long weights_at = spread_at + 2 * p.spread;

  /* Pixels of the window that stand side by side: all, if nothing is left out between them. */
  const long near = a->dilation == 1 ? a->S : 1;
  const int empty = a->R * a->S == 0;
  unsigned long turn = 0, sums = 0; /* so far: places are taken in turn */
  for (long t = core; t < p.blocks; t += cores) {
    const long f = t % p.deep * TF, ow = t / p.deep % p.across * p.tow;
    const long oh = t / p.deep / p.across % p.down * p.toh, b = t / p.deep / p.across / p.down;
    const long ff = least(TF, a->F - f);
    const long hh = least(p.toh, p.OH - oh), ww = least(p.tow, p.OW - ow); /* at the edges */
    et_vseek(VX, b, 0), et_vseek(VX, oh * a->stride - a->pad, 1);
    et_vseek(VX, ow * a->stride - a->pad, 2), et_vseek(VW, f, 3), et_vext(VW, ff, 3);
    et_vseek(VY, b, 0), et_vseek(VY, oh, 1), et_vseek(VY, ow, 2), et_vseek(VY, f, 3);
    et_vext(VY, hh, 0), et_vext(VY, ww, 1), et_vext(VY, ff, 2);
    et_tbase(ACC, sums++ % SUMS * LACC), et_tshape(ACC, 1, hh * ww), et_tcols(ACC, ff);
    if (empty) et_iota(ACC, et_float(0.0f), 0, 0); /* a fill: the sum of nothing */
    for (long c = 0; !empty && (c == 0 || c < a->C); c += p.tc, ++turn) {
      const long cc = least(p.tc, a->C - c), place = turn % 2;
      const long spread = spread_at + place * p.spread, pixel = a->R * cc * 2; /* bytes */
      et_vseek(VX, c, 3), et_vext(VX, cc, 2), et_vseek(VW, c, 2), et_vext(VW, cc, 2);
      load_pixels(a, &p, hh, cc, images_at + place * p.image, spread);
      et_tile(PIXELS, spread, 1, near * a->R * cc, ET_BF16), et_tshape(PIXELS, hh, ww);
      et_tstride(PIXELS, p.tw * pixel, a->stride * pixel);
      et_vext(VW, near, 0);
      for (long s = 0; s < a->S; s += near) {
        const long depth = near * a->R * cc;
        et_tbase(PIXELS, spread + s * a->dilation * pixel);
        et_vseek(VW, s, 1);
        et_tile(W, weights_at + place * p.weights + s * a->R * cc * TF * 2, depth, ff, ET_BF16);
        et_ld(W, VW, ET_RNE);
        if (c == 0 && s == 0)
          et_mm(ACC, PIXELS, W);
        else
          et_mma(ACC, PIXELS, W);
      }
    }
    et_st(ACC, VY, ET_RNE);
  }
  return 0;
}
