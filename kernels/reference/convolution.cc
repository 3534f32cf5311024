// SPDX-License-Identifier: Apache-2.0
#include "kernels/reference/convolution.h"

#include <fmt/format.h>

#include <algorithm>

#include "kernels/reference/dot.h"

namespace etalon::kernels {
namespace {

using Int128 = __int128;  // extents reach 2^48, times a dilation

constexpr int64_t kMostStep = 1 << 20;  // of strides, dilations and pads: far beyond any image

uint64_t outputExtent(uint64_t extent, uint64_t before, uint64_t after, uint64_t kernel,
                      uint64_t dilation, uint64_t stride) {
  const Int128 last = Int128{extent} + before + after - (Int128{kernel} - 1) * dilation - 1;
  return last < 0 ? 0 : static_cast<uint64_t>(last / stride) + 1;
}

Result<ConvolutionLayout> layoutOf(const Call& call) {
  const Result<std::string> image = call.choice("layout", {"NHWC", "NCHW"});
  if (!image.ok()) return image.error();
  const Result<std::string> weights = *image == "NHWC"
                                          ? call.choice("weights", {"HWIO", "OIHW", "OHWI"})
                                          : call.choice("weights", {"OIHW", "HWIO", "OHWI"});
  if (!weights.ok()) return weights.error();
  return ConvolutionLayout{*image, *weights};
}

/// Extent of the axis that a layout calls by a letter.
uint64_t extentNamed(const Shape& shape, const std::string& layout, char letter) {
  return shape[layout.find(letter)];
}

Result<ConvolutionExtents> extentsOf(const Call& call, const ConvolutionLayout& layout) {
  const Shape& x = call.inputs()[0].array->shape;
  const Shape& w = call.inputs()[1].array->shape;
  if (x.size() != 4 || w.size() != 4)
    return call.error(fmt::format("{} and {}: they must be {} and {}", call.describeInput(0),
                                  call.describeInput(1), layout.image, layout.weights));
  ConvolutionExtents e;
  ETALON_RETURN_IF_ERROR(readWindowSteps(call, e));
  e.images = extentNamed(x, layout.image, 'N');
  e.height = extentNamed(x, layout.image, 'H');
  e.width = extentNamed(x, layout.image, 'W');
  e.channels = extentNamed(x, layout.image, 'C');
  e.outputs = extentNamed(w, layout.weights, 'O');
  e.kernel_height = extentNamed(w, layout.weights, 'H');
  e.kernel_width = extentNamed(w, layout.weights, 'W');
  if (extentNamed(w, layout.weights, 'I') != e.channels)
    return call.error(fmt::format(
        "{} has {} channels ({}), but {} takes {} ({})", call.describeInput(0), e.channels,
        layout.image, call.describeInput(1), extentNamed(w, layout.weights, 'I'), layout.weights));
  return e;
}

/// The values under the kernel at one output place, in the order [R][S][C].
class Patch {
 public:
  Patch(const Call& call, const ConvolutionLayout& layout, const ConvolutionExtents& extents)
      : layout_(layout),
        e_(extents),
        shape_(call.inputs()[0].array->shape),
        values_(elementValues(*call.inputs()[0].array)),
        patch_(extents.kernel_height * extents.kernel_width * extents.channels) {}

  const std::vector<double>& at(uint64_t n, uint64_t y, uint64_t x) {
    size_t next = 0;
    for (uint64_t r = 0; r < e_.kernel_height; ++r) {
      for (uint64_t s = 0; s < e_.kernel_width; ++s) {
        // Wraps to a huge number above and left of the image.
        const uint64_t row = y * e_.stride[0] + r * e_.dilation[0] - e_.pads[0];
        const uint64_t column = x * e_.stride[1] + s * e_.dilation[1] - e_.pads[1];
        const bool inside = row < e_.height && column < e_.width;
        for (uint64_t c = 0; c < e_.channels; ++c)
          patch_[next++] = inside ? values_[imageIndex(layout_, shape_, n, c, row, column)] : 0;
      }
    }
    return patch_;
  }

 private:
  ConvolutionLayout layout_;
  ConvolutionExtents e_;
  Shape shape_;
  std::vector<double> values_;
  std::vector<double> patch_;
};

DotWeights weightsOf(const Call& call, const ConvolutionLayout& layout,
                     const ConvolutionExtents& e) {
  const Array& array = *call.inputs()[1].array;
  const std::vector<double> values = elementValues(array);
  std::vector<double> matrix;
  matrix.reserve(values.size());
  for (uint64_t r = 0; r < e.kernel_height; ++r)
    for (uint64_t s = 0; s < e.kernel_width; ++s)
      for (uint64_t c = 0; c < e.channels; ++c)
        for (uint64_t o = 0; o < e.outputs; ++o)
          matrix.push_back(values[weightIndex(layout, array.shape, o, c, r, s)]);
  return {matrix, e.kernel_height * e.kernel_width * e.channels, e.outputs, false};
}

}  // namespace

uint64_t ConvolutionExtents::outputHeight() const {
  return outputExtent(height, pads[0], pads[2], kernel_height, dilation[0], stride[0]);
}

uint64_t ConvolutionExtents::outputWidth() const {
  return outputExtent(width, pads[1], pads[3], kernel_width, dilation[1], stride[1]);
}

Status readWindowSteps(const Call& call, ConvolutionExtents& e) {
  const Result<std::vector<int64_t>> stride = call.integers("stride", 2, 1, kMostStep, 1);
  if (!stride.ok()) return stride.error();
  const Result<std::vector<int64_t>> dilation = call.integers("dilation", 2, 1, kMostStep, 1);
  if (!dilation.ok()) return dilation.error();
  const Result<std::vector<int64_t>> pads = call.integers("pads", 4, 0, kMostStep, 0);
  if (!pads.ok()) return pads.error();
  std::copy(stride->begin(), stride->end(), e.stride);
  std::copy(dilation->begin(), dilation->end(), e.dilation);
  std::copy(pads->begin(), pads->end(), e.pads);
  return {};
}

Shape imageShape(const ConvolutionLayout& layout, uint64_t n, uint64_t c, uint64_t h, uint64_t w) {
  if (layout.image == "NCHW") return {n, c, h, w};
  return {n, h, w, c};
}

Shape weightShape(const ConvolutionLayout& layout, const ConvolutionExtents& e) {
  if (layout.weights == "OIHW") return {e.outputs, e.channels, e.kernel_height, e.kernel_width};
  if (layout.weights == "OHWI") return {e.outputs, e.kernel_height, e.kernel_width, e.channels};
  return {e.kernel_height, e.kernel_width, e.channels, e.outputs};
}

uint64_t imageIndex(const ConvolutionLayout& layout, const Shape& shape, uint64_t n, uint64_t c,
                    uint64_t h, uint64_t w) {
  const Shape at = imageShape(layout, n, c, h, w);
  return ((at[0] * shape[1] + at[1]) * shape[2] + at[2]) * shape[3] + at[3];
}

uint64_t weightIndex(const ConvolutionLayout& layout, const Shape& shape, uint64_t o, uint64_t c,
                     uint64_t r, uint64_t s) {
  ConvolutionExtents place;
  place.outputs = o;
  place.channels = c;
  place.kernel_height = r;
  place.kernel_width = s;
  const Shape at = weightShape(layout, place);
  return ((at[0] * shape[1] + at[1]) * shape[2] + at[2]) * shape[3] + at[3];
}

Result<CheckReport> checkConvolution(const Call& call, bool requantising) {
  const Result<ConvolutionLayout> layout = layoutOf(call);
  if (!layout.ok()) return layout.error();
  const Result<ConvolutionExtents> found = extentsOf(call, *layout);
  if (!found.ok()) return found.error();
  const ConvolutionExtents& e = *found;
  const uint64_t height = e.outputHeight();
  const uint64_t width = e.outputWidth();
  const Shape shape = imageShape(*layout, e.images, e.outputs, height, width);
  ETALON_RETURN_IF_ERROR(call.expectOutputShape(shape));
  const uint64_t terms = e.kernel_height * e.kernel_width * e.channels;
  Result<DotFinish> made = DotFinish::create(call, terms, e.outputs, requantising);
  if (!made.ok()) return made.error();
  DotFinish finish = *std::move(made);

  const DotWeights weights = weightsOf(call, *layout, e);
  Patch patch(call, *layout, e);
  std::vector<double> sums(abi::elementCount(shape));
  std::vector<double> magnitudes(sums.size());
  std::vector<double> place_sums(e.outputs);
  std::vector<double> place_magnitudes(e.outputs);
  for (uint64_t n = 0; n < e.images; ++n)
    for (uint64_t y = 0; y < height; ++y)
      for (uint64_t x = 0; x < width; ++x) {
        weights.multiply(patch.at(n, y, x), place_sums, place_magnitudes);
        for (uint64_t o = 0; o < e.outputs; ++o) {
          const uint64_t index = imageIndex(*layout, shape, n, o, y, x);
          sums[index] = place_sums[o];
          magnitudes[index] = place_magnitudes[o];
        }
      }
  const uint64_t plane = layout->image == "NCHW" ? height * width : 1;
  for (uint64_t i = 0; i < sums.size(); ++i)
    finish.take(i / plane % e.outputs, sums[i], magnitudes[i]);
  return finish.report(call);
}

}  // namespace etalon::kernels
