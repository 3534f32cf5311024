/* SPDX-License-Identifier: Apache-2.0 */
/* conv2d as implicit GEMM: y[B,OH,OW,F] = x[B,H,W,C] * w[R,S,C,F], channels last, bf16 in, f32 out.

   What to learn here: a tile has rows in two levels, outer and inner, each with its stride. A block
   of the padded picture is loaded once; then, for every filter element (r, s), the *same bytes* seen
   through another base are the pixels that meet it: outer steps one output row, inner one output
   pixel, and stride and dilation are only numbers in the strides. Compare conv2d_im2col.h, which
   reads every pixel R*S times. */
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

enum {
  TF = 128,
  TC = 64,
  TOW = 32,
  TOH = 8
}; /* filters, channels, output columns and rows of a block */
enum { VX, VW, VY };                 /* view registers */
enum { IMAGE, PIXELS, W0, W1, ACC }; /* tile registers */
enum { LW = TC * TF * 2, LACC = TOH * TOW * TF * 4 };

static long least(long a, long b) { return a < b ? a : b; }

/* Output pixels along one axis; none where the filter does not fit (C would round -1 / 2 to 0). */
static long extent(long size, long filter, const struct args* a) {
  const long last = size + 2 * a->pad - a->dilation * (filter - 1) - 1;
  return last < 0 ? 0 : last / a->stride + 1;
}

int main(void* p, unsigned long core, unsigned long cores) {
  const struct args* a = p;
  const long OH = extent(a->H, a->R, a), OW = extent(a->W, a->S, a);
  if (OH == 0 || OW == 0) return 0;
  const long elements = a->R * a->S; /* of the filter */
  /* Rows and columns of the picture under a block of TOH x TOW output pixels. */
  const long th = elements > 0 ? (TOH - 1) * a->stride + (a->R - 1) * a->dilation + 1 : 0;
  const long tw = elements > 0 ? (TOW - 1) * a->stride + (a->S - 1) * a->dilation + 1 : 0;
  const long limage = LACC + 2 * LW; /* where the block stands in local memory */
  et_assert(limage + th * tw * TC * 2 <= (long)et_local_bytes());

  const long xw = a->C * 2, xh = a->W * xw, yw = a->F * 4, yh = OW * yw;
  const et_view vx = {.base = (uint64_t)a->x,
                      .type = ET_BF16,
                      .naxes = 4,
                      .nbox = 3,
                      .ncol = 1,
                      .version = 1,
                      .axis = {{a->B, a->H * xh, 0}, {a->H, xh, 0}, {a->W, xw, 0}, {a->C, 2, 0}},
                      .box = {ET_BOX(th, 1, 1), ET_BOX(tw, 2, 1), ET_BOX(TC, 3, 1)}};
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
                      .box = {ET_BOX(TC, 2, 1), ET_BOX(TF, 3, 1)}};
  const et_view vy = {.base = (uint64_t)a->y,
                      .type = ET_F32,
                      .naxes = 4,
                      .nbox = 3,
                      .ncol = 1,
                      .version = 1,
                      .axis = {{a->B, OH * yh, 0}, {OH, yh, 0}, {OW, yw, 0}, {a->F, 4, 0}},
                      .box = {ET_BOX(TOH, 1, 1), ET_BOX(TOW, 2, 1), ET_BOX(TF, 3, 1)}};
  et_load_view(VX, vx);
  et_load_view(VW, vw);
  et_load_view(VY, vy);
  et_tile(ACC, 0, TOH * TOW, TF, ET_F32);
  et_tile(W0, LACC, TC, TF, ET_BF16);
  et_tile(W1, LACC + LW, TC, TF, ET_BF16);
  et_tile(IMAGE, limage, th * tw, TC, ET_BF16);
  et_tile(PIXELS, limage, TOH * TOW, TC, ET_BF16);
  et_tshape(PIXELS, TOH, TOW);
  et_tstride(PIXELS, a->stride * tw * TC * 2, a->stride * TC * 2);

  const long across = (OW + TOW - 1) / TOW, down = (OH + TOH - 1) / TOH,
             deep = (a->F + TF - 1) / TF;
  for (long t = core; t < a->B * down * across * deep; t += cores) {
    const long f = t % deep * TF, ow = t / deep % across * TOW, oh = t / deep / across % down * TOH;
    const long b = t / deep / across / down, ff = least(TF, a->F - f);
    const long hh = least(TOH, OH - oh), ww = least(TOW, OW - ow); /* at the lower, right edge */
    et_vseek(VX, b, 0), et_vseek(VX, oh * a->stride - a->pad, 1),
        et_vseek(VX, ow * a->stride - a->pad, 2);
    et_vseek(VY, b, 0), et_vseek(VY, oh, 1), et_vseek(VY, ow, 2), et_vseek(VY, f, 3),
        et_vext(VY, hh, 0), et_vext(VY, ww, 1), et_vext(VY, ff, 2);
    et_vseek(VW, f, 3), et_vext(VW, ff, 1);
    et_tcols(W0, ff), et_tcols(W1, ff), et_tcols(ACC, ff);
    et_tshape(PIXELS, hh, ww), et_tshape(ACC, 1, hh * ww);
    if (elements == 0) et_iota(ACC, et_float(0.0f), 0, 0); /* a fill: the sum of nothing */
    for (long c = 0; c == 0 || c < a->C; c += TC) {
      const long cc = least(TC, a->C - c);
      et_vseek(VX, c, 3), et_vext(VX, cc, 2), et_vseek(VW, c, 2), et_vext(VW, cc, 0);
      et_tcols(IMAGE, cc), et_tcols(PIXELS, cc), et_tshape(W0, 1, cc), et_tshape(W1, 1, cc);
      et_ld(IMAGE, VX, ET_RNE);
      for (long e = 0; e < elements; ++e) {
        const long r = e / a->S, s = e % a->S;
        et_tbase(PIXELS, limage + (r * tw + s) * a->dilation * TC * 2);
        et_vseek(VW, r, 0), et_vseek(VW, s, 1);
        if (e & 1) { /* two weight buffers in turn: the next load runs under this product */
          et_ld(W1, VW, ET_RNE);
          et_mma(ACC, PIXELS, W1);
        } else {
          et_ld(W0, VW, ET_RNE);
          if (c == 0 && e == 0)
            et_mm(ACC, PIXELS, W0);
          else
            et_mma(ACC, PIXELS, W0);
        }
      }
    }
    et_st(ACC, VY, ET_RNE);
  }
  return 0;
}
