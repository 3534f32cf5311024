// SPDX-License-Identifier: Apache-2.0
#include "kernels/reference/element_data.h"
#include "kernels/reference/probe.h"
#include "kernels/reference/probe_plan.h"

namespace etalon::kernels {
namespace {

/// Draws, encodes and sums one convolution probe. Image integers are kept as [N][H][W][C], weights
/// as [O][R][S][C].
class ConvolutionProbeMaker {
 public:
  ConvolutionProbeMaker(ProbeTypes types, const ConvolutionLayout& layout,
                        const ConvolutionExtents& extents, const ProbePlan& plan, uint64_t seed)
      : types_(types), layout_(layout), e_(extents), plan_(plan), random_(seed) {}

  ConvolutionProbe make() {
    drawExponents();
    drawPair();
    const Shape x_shape = imageShape(layout_, e_.images, e_.channels, e_.height, e_.width);
    const Shape w_shape = weightShape(layout_, e_);
    const Shape y_shape =
        imageShape(layout_, e_.images, e_.outputs, e_.outputHeight(), e_.outputWidth());
    Array x = drawImage(x_shape);
    Array w = drawWeights(w_shape);
    return {std::move(x), std::move(w), expected(y_shape)};
  }

 private:
  std::vector<int> exponents(uint64_t count, int low, int high) {
    std::vector<int> out(count);
    for (int& exponent : out) exponent = static_cast<int>(random_.between(low, high));
    return out;
  }

  void drawExponents() {
    by_image_ = exponents(e_.images, plan_.a.low, plan_.a.high);
    by_output_ = exponents(e_.outputs, plan_.b.low, plan_.b.high);
    by_channel_ = exponents(e_.channels, -plan_.spread, plan_.spread);
  }

  void drawPair() {
    if (!plan_.paired) return;
    const auto channels = static_cast<int64_t>(e_.channels);
    pair_[0] = static_cast<uint64_t>(random_.between(0, channels / 2 - 1));
    pair_[1] = static_cast<uint64_t>(random_.between(channels / 2, channels - 1));
  }

  /// The integers of all channels at one place.
  void drawPlace(const ProbeFactor& factor, bool opposite, std::vector<int64_t>& out) {
    const size_t first = out.size();
    for (uint64_t c = 0; c < e_.channels; ++c) out.push_back(plan_.draw(factor, random_));
    if (!plan_.paired) return;
    const int64_t large = random_.sign() * (int64_t{1} << factor.large);
    out[first + pair_[0]] = large;
    out[first + pair_[1]] = opposite ? -large : large;
  }

  Array drawImage(const Shape& shape) {
    std::vector<uint64_t> bits(abi::elementCount(shape));
    for (uint64_t n = 0; n < e_.images; ++n)
      for (uint64_t h = 0; h < e_.height; ++h)
        for (uint64_t w = 0; w < e_.width; ++w) {
          const size_t first = image_.size();
          drawPlace(plan_.a, false, image_);
          for (uint64_t c = 0; c < e_.channels; ++c)
            bits[imageIndex(layout_, shape, n, c, h, w)] =
                probeElement(types_.a, image_[first + c], by_image_[n] + by_channel_[c]);
        }
    return arrayOf(types_.a, shape, bits);
  }

  Array drawWeights(const Shape& shape) {
    std::vector<uint64_t> bits(abi::elementCount(shape));
    for (uint64_t o = 0; o < e_.outputs; ++o)
      for (uint64_t r = 0; r < e_.kernel_height; ++r)
        for (uint64_t s = 0; s < e_.kernel_width; ++s) {
          const size_t first = weights_.size();
          drawPlace(plan_.b, true, weights_);
          for (uint64_t c = 0; c < e_.channels; ++c)
            bits[weightIndex(layout_, shape, o, c, r, s)] =
                probeElement(types_.b, weights_[first + c], by_output_[o] - by_channel_[c]);
        }
    return arrayOf(types_.b, shape, bits);
  }

  int64_t sumAt(uint64_t n, uint64_t y, uint64_t x, uint64_t o) const {
    int64_t sum = 0;
    for (uint64_t r = 0; r < e_.kernel_height; ++r) {
      for (uint64_t s = 0; s < e_.kernel_width; ++s) {
        // Wraps to a huge number above and left of the image.
        const uint64_t row = y * e_.stride[0] + r * e_.dilation[0] - e_.pads[0];
        const uint64_t column = x * e_.stride[1] + s * e_.dilation[1] - e_.pads[1];
        if (row >= e_.height || column >= e_.width) continue;
        const uint64_t image = ((n * e_.height + row) * e_.width + column) * e_.channels;
        const uint64_t weight = ((o * e_.kernel_height + r) * e_.kernel_width + s) * e_.channels;
        for (uint64_t c = 0; c < e_.channels; ++c) sum += image_[image + c] * weights_[weight + c];
      }
    }
    return sum;
  }

  Array expected(const Shape& shape) const {
    std::vector<uint64_t> bits(abi::elementCount(shape));
    for (uint64_t n = 0; n < e_.images; ++n)
      for (uint64_t y = 0; y < e_.outputHeight(); ++y)
        for (uint64_t x = 0; x < e_.outputWidth(); ++x)
          for (uint64_t o = 0; o < e_.outputs; ++o)
            bits[imageIndex(layout_, shape, n, o, y, x)] =
                probeSum(types_.out, sumAt(n, y, x, o), by_image_[n] + by_output_[o]);
    return arrayOf(types_.out, shape, bits);
  }

  ProbeTypes types_;
  ConvolutionLayout layout_;
  ConvolutionExtents e_;
  ProbePlan plan_;
  ProbeRandom random_;
  std::vector<int> by_image_, by_output_, by_channel_;
  uint64_t pair_[2] = {0, 0};
  std::vector<int64_t> image_, weights_;
};

}  // namespace

Result<ConvolutionProbe> makeConvolutionProbe(ProbeTypes types, const ConvolutionLayout& layout,
                                              const ConvolutionExtents& extents, uint64_t seed) {
  const Shape output = imageShape(layout, extents.images, extents.outputs, extents.outputHeight(),
                                  extents.outputWidth());
  const Shape image =
      imageShape(layout, extents.images, extents.channels, extents.height, extents.width);
  for (const Shape& shape : {image, weightShape(layout, extents), output})
    if (const Result<uint64_t> bytes = abi::arrayBytes(ElementType::f32, shape); !bytes.ok())
      return bytes.error();
  const uint64_t places = extents.kernel_height * extents.kernel_width;
  const Result<ProbePlan> plan =
      planProbe(types, places * extents.channels, extents.channels >= 2 ? places : 0);
  if (!plan.ok()) return plan.error();
  return ConvolutionProbeMaker(types, layout, extents, *plan, seed).make();
}

}  // namespace etalon::kernels
