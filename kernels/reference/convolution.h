// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "kernels/reference/call.h"

namespace etalon::kernels {

/// Where the elements of the arrays of a two-dimensional convolution stand.
struct ConvolutionLayout {
  std::string image = "NHWC";    // of input and output: NHWC or NCHW
  std::string weights = "HWIO";  // HWIO, OIHW or OHWI
};

/// Extents of a two-dimensional convolution. Output y reads input row y * stride + r * dilation -
/// pad_top for the kernel's row r; likewise along columns; outside the image stands 0.
struct ConvolutionExtents {
  uint64_t images = 1;  // N
  uint64_t height = 1;
  uint64_t width = 1;
  uint64_t channels = 1;        // C, of the input
  uint64_t outputs = 1;         // O, channels of the output
  uint64_t kernel_height = 1;   // R
  uint64_t kernel_width = 1;    // S
  uint64_t stride[2] = {1, 1};  // vertical, horizontal
  uint64_t dilation[2] = {1, 1};
  uint64_t pads[4] = {0, 0, 0, 0};  // top, left, bottom, right, as ONNX orders them

  /// Extents of the output: floor((H + pads - dilation (R - 1) - 1) / stride) + 1, for R = 0 too; 0
  /// where the kernel does not fit the padded image.
  uint64_t outputHeight() const;
  uint64_t outputWidth() const;
};

/// Reads the attributes stride, dilation and pads. Errors: what no window can have.
Status readWindowSteps(const Call& call, ConvolutionExtents& extents);

Shape imageShape(const ConvolutionLayout& layout, uint64_t n, uint64_t c, uint64_t h, uint64_t w);
Shape weightShape(const ConvolutionLayout& layout, const ConvolutionExtents& extents);
/// Index in C order of an element of an image of imageShape().
uint64_t imageIndex(const ConvolutionLayout& layout, const Shape& shape, uint64_t n, uint64_t c,
                    uint64_t h, uint64_t w);
/// Index in C order of the weight of output channel o, input channel c, kernel row r, column s.
uint64_t weightIndex(const ConvolutionLayout& layout, const Shape& shape, uint64_t o, uint64_t c,
                     uint64_t r, uint64_t s);

/// Judges a convolution (operators/conv2d.cc); `requantising` as DotFinish says.
Result<CheckReport> checkConvolution(const Call& call, bool requantising);

}  // namespace etalon::kernels
