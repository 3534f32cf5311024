/* SPDX-License-Identifier: Apache-2.0 */
/* conv2d as a matrix product through im2col *views*: no im2col matrix is ever made.

   What to learn here: a view has axes (dim, stride, origin) and box dims that walk them. The rows of
   the box are output pixels, its columns the elements of the filter window; several box dims on one
   axis add up, so pixel (oh, ow) and window element (r, s) meet at h = oh*stride - pad + r*dilation.
   Elements outside the picture are 0 by the bounds of the axes: padding costs nothing. Layouts
   (NHWC, NCHW) differ only in the strides, so both kernels are this one function. */
#include <etalon/xet.h>

struct conv_args {
  const et_bf16* x;
  const et_bf16* w; /* [R, S, C, F] */
  float* y;
  int64_t stride, pad, dilation;
};

/* Extents and byte strides; the layout is in the strides. */
struct conv_shape {
  int64_t B, H, W, C, R, S, F;
  int64_t xb, xh, xw, xc; /* of the picture */
  int64_t yb, yh, yw, yf; /* of the output */
};

enum {
  TF = 128,
  TC = 512,
  PIXELS = 128
}; /* filters, channels of a step, output pixels of a tile */
enum { VX, VW, VY };                             /* view registers */
enum { X0, X1, W0, W1, ACC };                    /* tile registers */
enum { LX = PIXELS * TC * 2, LW = TC * TF * 2 }; /* bytes */

static long conv_least(long a, long b) { return a < b ? a : b; }

/* Output pixels along one axis; none where the filter does not fit (C would round -1 / 2 to 0). */
static long conv_extent(long size, long filter, const struct conv_args* a) {
  const long last = size + 2 * a->pad - a->dilation * (filter - 1) - 1;
  return last < 0 ? 0 : last / a->stride + 1;
}

/* One filter element (r, s) and one block of channels: gather PIXELS x channels, multiply. */
#define CONV_STEP(X, W)                                         \
  do {                                                          \
    const long cc = conv_least(TC, channels - c);               \
    et_vseek(VX, oh * a->stride - a->pad + r * a->dilation, 1); \
    et_vseek(VX, ow * a->stride - a->pad + q * a->dilation, 2); \
    et_vseek(VX, c, 3);                                         \
    et_vext(VX, cc, 2);                                         \
    et_vseek(VW, r, 0);                                         \
    et_vseek(VW, q, 1);                                         \
    et_vseek(VW, c, 2);                                         \
    et_vext(VW, cc, 0);                                         \
    et_tcols(X, cc);                                            \
    et_tshape(W, 1, cc);                                        \
    et_ld(X, VX, ET_RNE);                                       \
    et_ld(W, VW, ET_RNE);                                       \
    if (first)                                                  \
      et_mm(ACC, X, W);                                         \
    else                                                        \
      et_mma(ACC, X, W);                                        \
    first = 0;                                                  \
    c += TC;                                                    \
    if (c >= channels) c = 0, q += 1;                           \
    if (q >= s->S) q = 0, r += 1;                               \
  } while (0)

static void conv2d(const struct conv_args* a, const struct conv_shape* s, long core, long cores) {
  /* A filter without elements multiplies no channels: +0, the sum of nothing. */
  const long channels = s->R > 0 && s->S > 0 ? s->C : 0;
  const long OH = conv_extent(s->H, s->R, a), OW = conv_extent(s->W, s->S, a);
  if (OH == 0 || OW == 0) return;
  const long tw = conv_least(OW, 32), th = PIXELS / tw; /* output pixels of a tile: th x tw */
  const et_view vx = {
      .base = (uint64_t)a->x,
      .type = ET_BF16,
      .naxes = 4,
      .nbox = 3,
      .ncol = 1,
      .version = 1,
      .axis = {{s->B, s->xb, 0}, {s->H, s->xh, 0}, {s->W, s->xw, 0}, {s->C, s->xc, 0}},
      .box = {ET_BOX(th, 1, a->stride), ET_BOX(tw, 2, a->stride), ET_BOX(TC, 3, 1)}};
  const et_view vw = {.base = (uint64_t)a->w,
                      .type = ET_BF16,
                      .naxes = 4,
                      .nbox = 2,
                      .ncol = 1,
                      .version = 1,
                      .axis = {{s->R, s->S * s->C * s->F * 2, 0},
                               {s->S, s->C * s->F * 2, 0},
                               {s->C, s->F * 2, 0},
                               {s->F, 2, 0}},
                      .box = {ET_BOX(TC, 2, 1), ET_BOX(TF, 3, 1)}};
  const et_view vy = {.base = (uint64_t)a->y,
                      .type = ET_F32,
                      .naxes = 4,
                      .nbox = 3,
                      .ncol = 1,
                      .version = 1,
                      .axis = {{s->B, s->yb, 0}, {OH, s->yh, 0}, {OW, s->yw, 0}, {s->F, s->yf, 0}},
                      .box = {ET_BOX(th, 1, 1), ET_BOX(tw, 2, 1), ET_BOX(TF, 3, 1)}};
  et_load_view(VX, vx);
  et_load_view(VW, vw);
  et_load_view(VY, vy);
  et_tile(X0, 0, th * tw, TC, ET_BF16);
  et_tile(X1, LX, th * tw, TC, ET_BF16);
  et_tile(W0, 2 * LX, TC, TF, ET_BF16);
  et_tile(W1, 2 * LX + LW, TC, TF, ET_BF16);
  et_tile(ACC, 2 * LX + 2 * LW, th * tw, TF, ET_F32);

  const long across = (OW + tw - 1) / tw, down = (OH + th - 1) / th, deep = (s->F + TF - 1) / TF;
  for (long t = core; t < s->B * down * across * deep; t += cores) {
    const long f = t % deep * TF, ow = t / deep % across * tw, oh = t / deep / across % down * th;
    const long b = t / deep / across / down, ff = conv_least(TF, s->F - f);
    const long hh = conv_least(th, OH - oh),
               ww = conv_least(tw, OW - ow); /* at the lower, right edge */
    et_vseek(VX, b, 0);
    et_vseek(VY, b, 0), et_vseek(VY, oh, 1), et_vseek(VY, ow, 2), et_vseek(VY, f, 3);
    et_vext(VX, hh, 0), et_vext(VX, ww, 1);
    et_vext(VY, hh, 0), et_vext(VY, ww, 1), et_vext(VY, ff, 2);
    et_vseek(VW, f, 3), et_vext(VW, ff, 1);
    et_tshape(X0, 1, hh * ww), et_tshape(X1, 1, hh * ww), et_tshape(ACC, 1, hh * ww);
    et_tcols(W0, ff), et_tcols(W1, ff), et_tcols(ACC, ff);
    long r = 0, q = 0, c = 0, first = 1;
    do {
      CONV_STEP(X0, W0);
      if (r < s->R) CONV_STEP(X1, W1);
    } while (r < s->R);
    et_st(ACC, VY, ET_RNE);
  }
}
