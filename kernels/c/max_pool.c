/* SPDX-License-Identifier: Apache-2.0 */
/* Max pooling: y[B,OH,OW,C] = the greatest of x under a window of window_h x window_w, bf16.

   What to learn here, beside window_blocks.h: the fill of a view is what padding holds, here -Inf,
   which no maximum takes. The first step reads two displaced pixels, so nine elements, a 3 x 3 window,
   are one pass. A NaN under the window wins. */
#include "window_blocks.h"

struct args {
  const et_bf16* x;
  et_bf16* y;
  int64_t window_h, window_w, stride, pad, dilation;
  int64_t B, H, W, C;
};
ETALON_KERNEL(struct args,
              "max_pool(x: bf16[B, H, W, C], "
              "out y: bf16[B, (H + 2*pad - dilation*(window_h - 1) - 1)/stride + 1, "
              "(W + 2*pad - dilation*(window_w - 1) - 1)/stride + 1, C], "
              "window_h: i32 = 2, window_w: i32 = 2, stride: i32 = 2, pad: i32 = 0, "
              "dilation: i32 = 1) "
              "check max_pool2d(x) -> y with window=[window_h, window_w], stride=stride, pads=pad, "
              "dilation=dilation")

enum { STEPS = 8, TAPS = STEPS + 1 }; /* of a chain; window elements of the first pass */

/* t = max of the elements, two in the first step; or of what earlier passes found and the elements. */
static et_chain greatest(long taps, int go_on) {
  const int steps = go_on || taps == 1 ? taps : taps - 1;
  et_chain chain = {.version = 1,
                    .nsteps = (uint8_t)steps,
                    .third_tile = go_on ? ACC : ET_NO_TILE,
                    .reduction_tile = ET_NO_TILE,
                    .td_selector = ET_SEL_TEMP(0)};
  for (int k = 0; k < steps; ++k) {
    const int before = k > 0 ? ET_SEL_TEMP(0) : go_on ? ET_SEL_C : ET_SEL_A_AT(0);
    const int tap = go_on || taps == 1 ? k : k + 1;
    const et_step step = ET_STEP_F32(MAX, 0, (uint8_t)before, ET_SEL_A_AT(tap), 0);
    chain.step[k] = step;
  }
  return chain;
}

int main(void* p, unsigned long core, unsigned long cores) {
  const struct args* a = p;
  et_assert(a->window_h > 0 && a->window_w > 0);
  const struct window w = {a->x,        a->y,        a->B,      a->H,   a->W,        a->C,
                           a->window_h, a->window_w, a->stride, a->pad, a->dilation, 0xff80};
  const struct blocks g = window_setup(&w);
  if (g.OH == 0 || g.OW == 0 || a->C == 0) return 0;
  const long taps = a->window_h * a->window_w, first = least(taps, TAPS);
  const long rest = taps - first, last = rest > 0 ? rest - (rest - 1) / STEPS * STEPS : 1;
  const et_chain begin = greatest(first, 0), more = greatest(STEPS, 1), end = greatest(last, 1);
  et_load_chain(FIRST, begin);
  et_load_chain(NEXT, more);
  et_load_chain(LAST, end);
  WINDOW_DISPLACE(FIRST, &w, &g, 0, first);
  WINDOW_DISPLACE(LAST, &w, &g, taps - last, last);

  long turn = 0;
  for (long t = core; t < g.count; t += cores, turn ^= 1) {
    window_block(&w, &g, t, turn);
    if (rest == 0) {
      et_vx(OUT, PIXELS, PIXELS, FIRST);
    } else {
      et_vx(ACC, PIXELS, PIXELS, FIRST);
      for (long e = TAPS; e < taps - last; e += STEPS) {
        WINDOW_DISPLACE(NEXT, &w, &g, e, STEPS);
        et_vx(ACC, PIXELS, PIXELS, NEXT);
      }
      et_vx(OUT, PIXELS, PIXELS, LAST);
    }
    window_store(&g, t, turn);
  }
  return 0;
}
