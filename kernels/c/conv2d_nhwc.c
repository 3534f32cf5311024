/* SPDX-License-Identifier: Apache-2.0 */
/* 2-D convolution, channels last: y[B,OH,OW,F] = x[B,H,W,C] * w[R,S,C,F]. See conv2d_im2col.h. */
#include "conv2d_im2col.h"

struct args {
  struct conv_args conv;
  int64_t B, H, W, C, R, S, F;
};
ETALON_KERNEL(struct args,
              "conv2d_nhwc(x: bf16[B, H, W, C], w: bf16[R, S, C, F], "
              "out y: f32[B, (H + 2*pad - dilation*(R - 1) - 1)/stride + 1, "
              "(W + 2*pad - dilation*(S - 1) - 1)/stride + 1, F], "
              "stride: i32 = 1, pad: i32 = 0, dilation: i32 = 1) "
              "check conv2d(x, w) -> y with layout=NHWC, weights=HWIO, stride=stride, pads=pad, "
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
                               a->H * a->W * a->C * 2,
                               a->W * a->C * 2,
                               a->C * 2,
                               2,
                               OH * OW * a->F * 4,
                               OW * a->F * 4,
                               a->F * 4,
                               4};
  conv2d(&a->conv, &s, core, cores);
  return 0;
}
