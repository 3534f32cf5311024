/* SPDX-License-Identifier: Apache-2.0 */
/* conv2d as implicit GEMM: y[B,OH,OW,F] = x[B,H,W,C] * w[R,S,C,F], channels last, bf16 in, f32 out.

   What to learn here: a tile has rows in two levels, outer and inner, each with its stride. A block
   of the padded picture is loaded once; then, for every filter element (r, s), the *same bytes* seen
   through another base are the pixels that meet it: outer steps one output row, inner one output
   pixel, and stride and dilation are only numbers in the strides. Compare conv2d_im2col.h, which
   reads every pixel R*S times.

   Sums of up to 1024 pixels and FILTERS * 128 filters stand in local memory until all channels have
   passed; each product goes to other filters than the one before, so that no sum waits for itself.
   Places for as many sums again are there for the next block while these are stored. */
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
              "conv2d_implicit(x: bf16[B, H, W, C], w: bf16[R, S, C, F], "
              "out y: f32[B, (H + 2*pad - dilation*(R - 1) - 1)/stride + 1, "
              "(W + 2*pad - dilation*(S - 1) - 1)/stride + 1, F], "
              "stride: i32 = 1, pad: i32 = 0, dilation: i32 = 1) "
              "check conv2d(x, w) -> y with layout=NHWC, weights=HWIO, stride=stride, pads=pad, "
              "dilation=dilation")

enum { TF = 128, TC = 128 }; /* filters and channels of a product, at most */
enum { TOH = 32, TOW = 32 }; /* output rows and columns of a block, at most */
enum { FILTERS = 4 };        /* times TF: most filters of a block */
enum { SUMS = 2 * FILTERS, PIECES = 16, PART = 8 }; /* places of sums, of weights; rows of a load */
enum { VX, VW, VY };                                /* view registers */
enum { IMAGE, PIXELS, W, ACC }; /* tile registers; IMAGE as loaded, PIXELS as multiplied */
enum { LACC = TOH * TOW * TF * 4, LW = TC * TF * 2 }; /* bytes */
enum { W_AT = SUMS * LACC, IMAGES_AT = W_AT + PIECES * LW };

static long least(long a, long b) { return a < b ? a : b; }
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

/* How the output is cut: toh x tow pixels of `filters` filters, summed up over tc channels at a
   time, of which a block takes `image` bytes: th x tw pixels of the picture. */
struct plan {
  long OH, OW, toh, tow, tc, filters, th, tw, image;
  long across, down, deep, blocks;
};

static struct plan plan_of(const struct args* a, long cores) {
  struct plan p = {.OH = extent(a->H, a->R, a), .OW = extent(a->W, a->S, a)};
  if (a->B == 0 || p.OH == 0 || p.OW == 0 || a->F == 0) return p;
  p.toh = parts(p.OH, parts(p.OH, TOH)), p.tow = parts(p.OW, parts(p.OW, TOW)); /* even blocks */
  p.tc = a->C > 0 ? least(TC, a->C) : 1;
  p.filters = least(FILTERS, parts(a->F, TF)) * TF;
  for (;;) {
    if (a->R > 0 && a->S > 0) p.th = under(p.toh, a->R, a), p.tw = under(p.tow, a->S, a);
    p.image = p.th * p.tw * p.tc * 2;
    p.across = parts(p.OW, p.tow), p.down = parts(p.OH, p.toh), p.deep = parts(a->F, p.filters);
    p.blocks = a->B * p.down * p.across * p.deep;
    if (IMAGES_AT + 2 * p.image > (long)et_local_bytes()) { /* halve until it fits, */
      et_assert(p.toh * p.tow * p.tc > 1);
      if (p.toh * p.tow == 1)
        p.tc = (p.tc + 1) / 2;
      else if (p.toh >= p.tow)
        p.toh = (p.toh + 1) / 2;
      else
        p.tow = (p.tow + 1) / 2;
    } else if (p.blocks % cores == 0 || p.blocks >= 4 * cores) {
      return p;
    } else if (p.filters > TF) { /* and until all cores have about the same to do */
      p.filters = parts(p.filters / TF, 2) * TF;
    } else if (p.toh * p.tow >= 128 && p.toh > 1) {
      p.toh = (p.toh + 1) / 2;
    } else {
      return p;
    }
  }
}

static void load_views(const struct args* a, const struct plan* p) {
  const long xw = a->C * 2, xh = a->W * xw, yw = a->F * 4, yh = p->OW * yw;
  const et_view vx = {.base = (uint64_t)a->x,
                      .type = ET_BF16,
                      .naxes = 4,
                      .nbox = 3,
                      .ncol = 1,
                      .version = 1,
                      .axis = {{a->B, a->H * xh, 0}, {a->H, xh, 0}, {a->W, xw, 0}, {a->C, 2, 0}},
                      .box = {ET_BOX(p->th, 1, 1), ET_BOX(p->tw, 2, 1), ET_BOX(p->tc, 3, 1)}};
  const et_view vw = {.base = (uint64_t)a->w,
                      .type = ET_BF16,
                      .naxes = 4,
                      .nbox = 2,
                      .ncol = 1,
                      .version = 1,
                      .axis = {{a->R, a->S * a->C * a->F * 2, 0},
                               {a->S, a->C * a->F * 2, 0},
                               {a->C, a->F * 2, 0},
                               {a->F, 2, 0}},
                      .box = {ET_BOX(p->tc, 2, 1), ET_BOX(TF, 3, 1)}};
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

/* Channels c.. of th x tw pixels of the picture from row `top` on, to byte `at`. In parts, since
   each load has a channel of its own, and a channel has no more than 4 KiB on their way. */
static void load_image(const struct args* a, const struct plan* p, long top, long c, long at) {
  const long cc = least(p->tc, a->C - c);
  et_vseek(VX, c, 3), et_vext(VX, cc, 2), et_tcols(IMAGE, cc);
  for (long r = 0; r < p->th; r += PART) {
    const long rows = least(PART, p->th - r);
    et_vseek(VX, top + r, 1), et_vext(VX, rows, 0);
    et_tbase(IMAGE, at + r * p->tw * p->tc * 2), et_tshape(IMAGE, 1, rows * p->tw);
    et_ld(IMAGE, VX, ET_RNE);
  }
}

int main(void* args, unsigned long core, unsigned long cores) {
  const struct args* a = args;
  const struct plan p = plan_of(a, cores);
  if (p.blocks == 0) return 0;
  load_views(a, &p);
  et_tile(ACC, 0, TOH * TOW, TF, ET_F32);
  et_tile(W, W_AT, p.tc, TF, ET_BF16);
  et_tile(IMAGE, IMAGES_AT, 1, p.tc, ET_BF16);
  et_tile(PIXELS, IMAGES_AT, 1, p.tc, ET_BF16);
  et_tstride(PIXELS, a->stride * p.tw * p.tc * 2, a->stride * p.tc * 2);

  const long elements = a->R * a->S;              /* of the filter */
  unsigned long sums = 0, pieces = 0, images = 0; /* so far: places are taken in turn */
  for (long t = core; t < p.blocks; t += cores) {
    const long f = t % p.deep * p.filters, ow = t / p.deep % p.across * p.tow;
    const long oh = t / p.deep / p.across % p.down * p.toh, b = t / p.deep / p.across / p.down;
    const long filters = least(p.filters, a->F - f);
    const long hh = least(p.toh, p.OH - oh), ww = least(p.tow, p.OW - ow); /* at the edges */
    et_vseek(VX, b, 0), et_vseek(VX, ow * a->stride - a->pad, 2);
    et_vseek(VY, b, 0), et_vseek(VY, oh, 1), et_vseek(VY, ow, 2);
    et_vext(VY, hh, 0), et_vext(VY, ww, 1);
    et_tshape(PIXELS, hh, ww), et_tshape(ACC, 1, hh * ww);
    for (long c = 0; elements > 0 && (c == 0 || c < a->C); c += p.tc) {
      const long cc = least(p.tc, a->C - c), image = IMAGES_AT + images++ % 2 * p.image;
      load_image(a, &p, oh * a->stride - a->pad, c, image);
      et_vseek(VW, c, 2), et_vext(VW, cc, 0);
      et_tcols(PIXELS, cc), et_tshape(W, 1, cc);
      for (long e = 0; e < elements; ++e) {
        const long r = e / a->S, s = e % a->S;
        et_tbase(PIXELS, image + (r * p.tw + s) * a->dilation * p.tc * 2);
        et_vseek(VW, r, 0), et_vseek(VW, s, 1);
        for (long j = 0; j < filters; j += TF) {
          const long ff = least(TF, filters - j);
          et_vseek(VW, f + j, 3), et_vext(VW, ff, 1);
          et_tbase(W, W_AT + pieces++ % PIECES * LW), et_tcols(W, ff);
          et_ld(W, VW, ET_RNE);
          et_tbase(ACC, (sums + j / TF) % SUMS * LACC), et_tcols(ACC, ff);
          if (c == 0 && e == 0)
            et_mm(ACC, PIXELS, W);
          else
            et_mma(ACC, PIXELS, W);
        }
      }
    }
    for (long j = 0; j < filters; j += TF, sums += 1) {
      const long ff = least(TF, filters - j);
      et_tbase(ACC, sums % SUMS * LACC), et_tcols(ACC, ff);
      if (elements == 0) et_iota(ACC, et_float(0.0f), 0, 0); /* a fill: the sum of nothing */
      et_vseek(VY, f + j, 3), et_vext(VY, ff, 2);
      et_st(ACC, VY, ET_RNE);
    }
  }
  return 0;
}
