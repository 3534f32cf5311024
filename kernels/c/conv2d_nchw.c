/* SPDX-License-Identifier: Apache-2.0 */
/* 2-D convolution, channels first: y[B,F,OH,OW] = x[B,C,H,W] * w[R,S,C,F]. See conv2d_im2col.h. */
#include "conv2d_im2col.h"

struct args {
  struct conv_args conv;
  int64_t B, C, H, W, R, S, F;
};
ETALON_KERNEL(struct args,
              "conv2d_nchw(x: bf16[B, C, H, W], w: bf16[R, S, C, F], "
              "out y: f32[B, F, (H + 2*pad - dilation*(R - 1) - 1)/stride + 1, "
              "(W + 2*pad - dilation*(S - 1) - 1)/stride + 1], "
              "stride: i32 = 1, pad: i32 = 0, dilation: i32 = 1) "
              "check conv2d(x, w) -> y with layout=NCHW, weights=HWIO, stride=stride, pads=pad, "
              "dilation=dilation")

int main(void* p, unsigned long core, unsigned long cores) {
  const struct args* a = p;
  const long OH = conv_extent(a->H, a->R, &a->conv), OW = conv_extent(a->W, a->S, &a->conv);
  const struct conv_shape s = {a->B,
                               a->H,
                               a->W,
                               a->C,
                               a->R,
                               a->S,
                               a->F,
                               a->C * a->H * a->W * 2,
                               a->W * 2,
                               2,
                               a->H * a->W * 2,
                               a->F * OH * OW * 4,
                               OW * 4,
                               4,
                               OH * OW * 4};
  conv2d(&a->conv, &s, core, cores);
  return 0;
}
