// SPDX-License-Identifier: Apache-2.0
#include "kernels/reference/dot.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "isa/base/check.h"
#include "kernels/reference/value.h"

namespace etalon::kernels {
namespace {

constexpr uint64_t kLanes = 8;
constexpr double kHalfUlp = 0x1p-24;    // u of f32 to nearest
constexpr double kLeastF32 = 0x1p-149;  // eta
constexpr uint64_t kMostTerms = uint64_t{1} << 23;

bool isFloat8(ElementType type) {
  return type == ElementType::f8e4m3 || type == ElementType::f8e5m2;
}
bool isInteger8(ElementType type) { return type == ElementType::i8 || type == ElementType::u8; }

/// Exact a * m + rounding, shifted right; 64 bits hold it: |a m| <= 2^62, 2^(s-1) <= 2^62.
int64_t requantise(int64_t a, int64_t multiplier, int64_t shift) {
  const int s = static_cast<int>(shift & 63);
  const __int128 product = static_cast<__int128>(a) * multiplier;
  const __int128 half = s == 0 ? 0 : static_cast<__int128>(1) << (s - 1);
  return static_cast<int64_t>((product + half) >> s);
}

int64_t saturated(ElementType type, int64_t value) {
  const ElementInfo& info = elementInfo(type);
  const bool is_signed = info.kind == ElementKind::Int;
  const int64_t low = is_signed ? -(int64_t{1} << (info.bits - 1)) : 0;
  const int64_t high = (int64_t{1} << (is_signed ? info.bits - 1 : info.bits)) - 1;
  return std::clamp(value, low, high);
}

}  // namespace

bool multiplies(ElementType a, ElementType b) {
  if (isInteger8(a)) return isInteger8(b);
  if (isFloat8(a)) return isFloat8(b);
  return a == b && (a == ElementType::bf16 || a == ElementType::f16 || a == ElementType::f32);
}

Status expectDotOperands(const Call& call) {
  using enum ElementType;
  for (const size_t index : {0, 1}) {
    Result<const Array*> operand = call.array(index, {i8, u8, f8e4m3, f8e5m2, f16, bf16, f32});
    if (!operand.ok()) return operand.error();
  }
  if (multiplies(call.inputs()[0].array->type, call.inputs()[1].array->type)) return {};
  return call.error(fmt::format(
      "{} and {}: it multiplies bf16, f16 or f32 with itself, f8 with f8, and i8 or u8 with either",
      call.describeInput(0), call.describeInput(1)));
}

DotWeights::DotWeights(std::span<const double> values, uint64_t k, uint64_t n, bool transposed)
    : k_(k), n_(n), panels_((n + kLanes - 1) / kLanes * kLanes * k) {
  ETALON_CHECK(values.size() == k * n, "K x N weights");
  for (uint64_t row = 0; row < k; ++row)
    for (uint64_t column = 0; column < n; ++column)
      panels_[(column / kLanes * k + row) * kLanes + column % kLanes] =
          transposed ? values[column * k + row] : values[row * n + column];
}

void DotWeights::multiply(std::span<const double> row, std::span<double> sums,
                          std::span<double> magnitudes) const {
  ETALON_CHECK(row.size() == k_ && sums.size() == n_ && magnitudes.size() == n_,
               "K values in, N sums out");
  for (uint64_t first = 0; first < n_; first += kLanes) {
    const double* panel = panels_.data() + first * k_;
    std::array<double, kLanes> sum{};
    std::array<double, kLanes> magnitude{};
    for (uint64_t k = 0; k < k_; ++k) {
      const double value = row[k];
      for (uint64_t lane = 0; lane < kLanes; ++lane) {
        const double product = value * panel[k * kLanes + lane];
        sum[lane] += product;
        magnitude[lane] += std::fabs(product);
      }
    }
    const uint64_t count = std::min(kLanes, n_ - first);
    std::copy_n(sum.begin(), count, sums.begin() + static_cast<ptrdiff_t>(first));
    std::copy_n(magnitude.begin(), count, magnitudes.begin() + static_cast<ptrdiff_t>(first));
  }
}

BoundedValue boundOfSum(double sum, double magnitude, double terms) {
  const double growth = terms * kHalfUlp / (1 - terms * kHalfUlp);
  BoundedValue bounded;
  bounded.value = sum;
  bounded.error = growth * magnitude * (1 + 0x1p-28) + terms * kLeastF32;
  bounded.may_overflow = std::isfinite(magnitude) && magnitude * (1 + growth) >= 0x1p128;
  return bounded;
}

Result<DotFinish> DotFinish::create(const Call& call, uint64_t k, uint64_t channels,
                                    bool requantising, std::optional<size_t> bias_input) {
  using enum ElementType;
  DotFinish finish;
  const ElementType operand = call.inputs()[0].array->type;
  finish.integer_ = isInteger(operand);
  finish.requantising_ = requantising;
  finish.output_type_ = call.outputType();
  finish.terms_ = static_cast<double>(k) + 1;
  if (!finish.integer_ && k >= kMostTerms)
    return call.error(
        fmt::format("K = {}; the error bound of f32 sums says nothing from {} on", k, kMostTerms));
  if (requantising) {
    ETALON_RETURN_IF_ERROR(call.expectOutputType({i8, u8, i16, u16, i32}));
  } else if (finish.integer_) {
    ETALON_RETURN_IF_ERROR(call.expectOutputType({i32}));
  } else {
    ETALON_RETURN_IF_ERROR(call.expectOutputType({f32, bf16, f16, f8e4m3, f8e5m2}));
  }
  const auto per_channel = [&](size_t index, bool one_for_all) -> Status {
    const Shape& shape = call.inputs()[index].array->shape;
    const uint64_t count = abi::elementCount(shape);
    if (shape.size() <= 1 && (count == channels || (one_for_all && count == 1))) return {};
    return call.error(fmt::format("{}; it must have {} element(s), one a channel{}",
                                  call.describeInput(index), channels,
                                  one_for_all ? ", or one" : ""));
  };
  const size_t parameters_end = requantising ? 4 : 2;
  const size_t bias_index = bias_input.value_or(parameters_end);
  for (size_t index = 2; index < std::min(parameters_end, call.inputs().size()); ++index) {
    Result<const Array*> array = call.array(index, {i32});
    if (!array.ok()) return array.error();
    ETALON_RETURN_IF_ERROR(per_channel(index, true));
    (index == 2 ? finish.multiplier_ : finish.shift_) = elementIntegers(**array);
  }
  if (call.inputs().size() > bias_index) {
    Result<const Array*> bias =
        finish.integer_ ? call.array(bias_index, {i32}) : call.array(bias_index, {f32, operand});
    if (!bias.ok()) return bias.error();
    ETALON_RETURN_IF_ERROR(per_channel(bias_index, false));
    finish.bias_ = elementValues(**bias);
  }
  const Result<int64_t> zero_point = call.integer("zero_point", INT32_MIN, INT32_MAX, 0);
  if (!zero_point.ok()) return zero_point.error();
  finish.zero_point_ = *zero_point;
  const Result<std::string> activation = call.choice("activation", {"none", "relu"});
  if (!activation.ok()) return activation.error();
  finish.relu_ = *activation == "relu";
  return finish;
}

void DotFinish::reserve(uint64_t elements) {
  if (integer_)
    exact_.reserve(elements);
  else
    bounded_.reserve(elements);
}

void DotFinish::take(uint64_t channel, double sum, double magnitude) {
  if (integer_)
    takeInteger(channel, sum);
  else
    takeFloat(channel, sum, magnitude);
}

void DotFinish::takeInteger(uint64_t channel, double sum) {
  if (!bias_.empty()) sum += bias_[channel];
  const auto wrapped = static_cast<uint32_t>(static_cast<uint64_t>(static_cast<int64_t>(sum)));
  int64_t value = static_cast<int32_t>(wrapped);
  if (requantising_) {
    const int64_t multiplier = multiplier_[multiplier_.size() == 1 ? 0 : channel];
    const int64_t shift = shift_[shift_.size() == 1 ? 0 : channel];
    value = saturated(ElementType::i32, requantise(value, multiplier, shift)) + zero_point_;
    value = saturated(output_type_, value);
  }
  if (relu_) value = std::max<int64_t>(value, 0);
  const uint64_t mask = ~uint64_t{0} >> (64 - elementInfo(output_type_).bits);
  exact_.push_back(static_cast<uint64_t>(value) & mask);
}

void DotFinish::takeFloat(uint64_t channel, double sum, double magnitude) {
  if (!bias_.empty()) {
    sum += bias_[channel];
    magnitude += std::fabs(bias_[channel]);
  }
  BoundedValue expected = boundOfSum(sum, magnitude, terms_);
  if (relu_ && sum < 0) expected.value = 0;
  bounded_.push_back(expected);
}

CheckReport DotFinish::report(const Call& call) const {
  if (integer_) return compareBits(call.operation(), "exact", call.output(), exact_);
  return compareBounds(call.operation(), call.output(), bounded_);
}

}  // namespace etalon::kernels
