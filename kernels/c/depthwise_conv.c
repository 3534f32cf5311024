/* SPDX-License-Identifier: Apache-2.0 */
/* Depthwise convolution: y[B,OH,OW,C] = sum over r, s of x[.., C] * w[R,S,C], channels last, bf16.

   What to learn here, beside window_blocks.h: the weights of window element (r, s) are one row that
   stands for every pixel (stride 0). They are laid into local memory at the very distances that the
   pixels of (r, s) have in the picture, so that one constant displaces both sources of a step: eight
   elements a pass, and the last pass rounds to bf16 as it writes. */
#include "window_blocks.h"

struct args {
  const et_bf16* x;
  const et_bf16* w;
  et_bf16* y;
  int64_t stride, pad, dilation;
  int64_t B, H, W, C, R, S;
};
ETALON_KERNEL(struct args,
              "depthwise_conv(x: bf16[B, H, W, C], w: bf16[R, S, C], "
              "out y: bf16[B, (H + 2*pad - dilation*(R - 1) - 1)/stride + 1, "
              "(W + 2*pad - dilation*(S - 1) - 1)/stride + 1, C], "
              "stride: i32 = 1, pad: i32 = 0, dilation: i32 = 1) "
              "check depthwise_conv2d(x, w) -> y with stride=stride, pads=pad, dilation=dilation")

enum { WEIGHTS = ACC + 1, WEIGHT }; /* tile registers: as loaded; one row on every pixel */
enum { TAPS = 8 };                  /* window elements of a pass */

/* t = a * b + c for `taps` elements; c begins with +0, or with what earlier passes summed. */
static et_chain sum_of_taps(long taps, int go_on) {
  et_chain chain = {.version = 1,
                    .nsteps = (uint8_t)taps,
                    .third_tile = go_on ? ACC : ET_NO_TILE,
                    .reduction_tile = ET_NO_TILE,
                    .td_selector = ET_SEL_TEMP(0)};
  for (int k = 0; k < taps; ++k) {
    const int c = k > 0 ? ET_SEL_TEMP(0) : go_on ? ET_SEL_C : ET_SEL_CONST(TAPS) /* +0 */;
    const et_step step = ET_STEP_F32(FMA, 0, ET_SEL_A_AT(k), ET_SEL_B_AT(k), (uint8_t)c);
    chain.step[k] = step;
  }
  return chain;
}

int main(void* p, unsigned long core, unsigned long cores) {
  const struct args* a = p;
  const struct window w = {a->x, a->y, a->B,      a->H,   a->W,        a->C,
                           a->R, a->S, a->stride, a->pad, a->dilation, 0};
  const struct blocks g = window_setup(&w);
  if (g.OH == 0 || g.OW == 0 || a->C == 0) return 0;
  const long taps = a->R * a->S, first = least(taps, TAPS);
  const long last = taps - (taps - 1) / TAPS * TAPS; /* elements of the last pass */

  const et_view vw = {.base = (uint64_t)a->w,
                      .type = ET_BF16,
                      .naxes = 3,
                      .nbox = 3,
                      .ncol = 1,
                      .version = 1,
                      .axis = {{a->R, a->S * a->C * 2, 0}, {a->S, a->C * 2, 0}, {a->C, 2, 0}},
                      .box = {ET_BOX(a->R, 0, 1), ET_BOX(a->S, 1, 1), ET_BOX(g.tc, 2, 1)}};
  et_load_view(VW, vw);
  et_tile(WEIGHTS, window_rest_at(&g), 1, g.tc, ET_BF16);
  et_tshape(WEIGHTS, a->R, a->S);
  et_tstride(WEIGHTS, a->dilation * g.tw * g.tc * 2, a->dilation * g.tc * 2);
  et_tile_row(WEIGHT, window_rest_at(&g), 1, g.tc, ET_BF16);
  if (taps > 0) { /* without steps a chain would write what it has not got */
    const et_chain begin = sum_of_taps(first, 0), more = sum_of_taps(TAPS, 1),
                   end = sum_of_taps(last, 1);
    et_load_chain(FIRST, begin);
    et_load_chain(NEXT, more);
    et_load_chain(LAST, end);
    WINDOW_DISPLACE(FIRST, &w, &g, 0, first);
    WINDOW_DISPLACE(LAST, &w, &g, taps - last, last);
  }

  long channel = -1, turn = 0;
  for (long t = core; t < g.count; t += cores, turn ^= 1) {
    const long c = window_channel(&g, a->B, t), cc = least(g.tc, a->C - c);
    const long pixels = window_block(&w, &g, t, turn);
    if (taps == 0) { /* the sum of nothing: a fill */
      et_iota(OUT, et_float(0.0f), 0, 0);
      window_store(&g, t, turn);
      continue;
    }
    if (c != channel) { /* the slowest to change */
      channel = c;
      et_vseek(VW, c, 2), et_vext(VW, cc, 2), et_tcols(WEIGHTS, cc), et_tcols(WEIGHT, cc);
      et_ld(WEIGHTS, VW, ET_RNE);
    }
    et_tshape(WEIGHT, 1, pixels);
    if (taps <= TAPS) {
      et_vx(OUT, PIXELS, WEIGHT, FIRST);
    } else {
      et_vx(ACC, PIXELS, WEIGHT, FIRST);
      for (long e = TAPS; e < taps - last; e += TAPS) {
        WINDOW_DISPLACE(NEXT, &w, &g, e, TAPS);
        et_vx(ACC, PIXELS, WEIGHT, NEXT);
      }
      et_vx(OUT, PIXELS, WEIGHT, LAST);
    }
    window_store(&g, t, turn);
  }
  return 0;
}
