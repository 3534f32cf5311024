// SPDX-License-Identifier: Apache-2.0
#include "kernels/reference/attention_bound.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace etalon::kernels {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kHalfUlp = 0x1p-24;    // u of f32 to nearest
constexpr double kLeastF32 = 0x1p-149;  // eta
constexpr double kReference = 1 + 0x1p-28;
constexpr double kOverflow = 0x1.ffffffp127;  // least magnitude that f32 rounds to infinity
constexpr uint64_t kMost = uint64_t{1} << 22;

double growth(double k) { return k * kHalfUlp / (1 - k * kHalfUlp); }

/// (1 + u)^k.
double roundings(double k) { return std::exp(k * std::log1p(kHalfUlp)); }

struct Score {
  double value = 0;
  double error = 0;  // T_j; infinite where f32 may overflow from finite operands
};

Score scoreOf(std::span<const double> query, const double* key, double scale) {
  double sum = 0;
  double magnitude = 0;  // of the finite products
  for (size_t d = 0; d < query.size(); ++d) {
    const double product = query[d] * key[d];
    sum += product;
    if (std::isfinite(product)) magnitude += std::fabs(product);
  }
  const auto depth = static_cast<double>(query.size());
  const double grown = magnitude * (1 + growth(depth + 3)) * std::max(1.0, std::fabs(scale));
  Score score = {sum * scale, kInfinity};
  if (!(grown < kOverflow)) return score;
  score.error = std::fabs(scale) * growth(depth + 3) * magnitude +
                (depth + 1) * (1 + std::fabs(scale)) * kLeastF32;
  return score;
}

void fill(std::span<BoundedValue> out, const BoundedValue& value) {
  std::fill(out.begin(), out.end(), value);
}

}  // namespace

Result<AttentionBound> AttentionBound::create(const Call& call, uint64_t depth,
                                              uint64_t most_keys) {
  const Result<double> scale = call.real("scale", 0);
  if (!scale.ok()) return scale.error();
  const Result<int64_t> block = call.integer("block", 0, int64_t{1} << 32, 0);
  if (!block.ok()) return block.error();
  const Result<std::string> weights = call.choice("weights", {"f32", "bf16", "f16"});
  if (!weights.ok()) return weights.error();
  if (depth >= kMost || most_keys >= kMost)
    return call.error(
        fmt::format("{} elements a head and {} keys; the bound needs fewer than {} of either",
                    depth, most_keys, kMost));
  AttentionBound bound;
  bound.scale_ = *scale != 0 ? *scale : 1 / std::sqrt(static_cast<double>(depth));
  bound.block_ = static_cast<uint64_t>(*block);
  if (*weights == "bf16") {
    bound.weight_rounding_ = 0x1p-8;
    bound.weight_least_ = 0x1p-134;
  } else if (*weights == "f16") {
    bound.weight_rounding_ = 0x1p-11;
    bound.weight_least_ = 0x1p-25;
  }
  return bound;
}

void AttentionBound::bound(std::span<const double> query, std::span<const Seen> seen,
                           std::span<BoundedValue> out) const {
  fill(out, {});
  if (seen.empty()) return;
  std::vector<Score> scores(seen.size());
  double greatest = -kInfinity;
  double worst = 0;  // max T
  bool numbers = true;
  for (size_t j = 0; j < seen.size(); ++j) {
    scores[j] = scoreOf(query, seen[j].key, scale_);
    numbers = numbers && scores[j].value < kInfinity;  // false for NaN too
    greatest = std::max(greatest, scores[j].value);
    worst = std::max(worst, scores[j].error);
  }
  if (!numbers || std::isinf(greatest))
    return fill(out, {std::numeric_limits<double>::quiet_NaN()});
  if (std::isinf(worst)) return fill(out, {0, kInfinity});

  const auto n = static_cast<double>(seen.size());
  const double rescalings = block_ == 0 ? 0 : std::ceil(n / static_cast<double>(block_)) - 1;
  const double sum_roundings = roundings(n + 3 * rescalings);          // with those of the weight
  const double product_roundings = roundings(n + 1 + 3 * rescalings);  // the same
  std::vector<double> numerators(out.size());
  std::vector<double> errors(out.size());      // N
  std::vector<double> magnitudes(out.size());  // of what f32 may sum
  double sum = 0;
  double sum_error = 2 * n * kLeastF32;
  for (size_t j = 0; j < seen.size(); ++j) {
    const double distance = greatest - scores[j].value;
    const double weight = std::exp(-distance);
    // A score of -Inf has the weight 0 exactly.
    const double exponent = scores[j].error + kHalfUlp * (distance + scores[j].error + worst);
    const double off = std::isinf(distance) ? 1 : std::exp(exponent);
    sum += weight;
    sum_error += weight * (off * sum_roundings - 1);
    const double most = weight * off * (1 + weight_rounding_) * product_roundings;
    for (size_t e = 0; e < out.size(); ++e) {
      const double value = seen[j].value[e];
      numerators[e] += weight * value;
      errors[e] += std::fabs(value) * (most - weight + weight_least_ + 2 * kLeastF32);
      magnitudes[e] += std::fabs(value) * most;
      if (!std::isfinite(value)) out[e].may_be_nan = true;
    }
  }
  const double relative = sum_error / sum * kReference;  // S
  const double twice = roundings(2);
  for (size_t e = 0; e < out.size(); ++e) {
    out[e].value = numerators[e] / sum;
    if (!std::isfinite(out[e].value)) continue;
    const double y = std::fabs(out[e].value);
    out[e].error = ((errors[e] + 2 * n * kLeastF32) / sum + y * relative) / (1 - relative) * twice +
                   y * (twice - 1);
    out[e].error = relative < 1 ? out[e].error * kReference + 2 * kLeastF32 : kInfinity;
    out[e].may_overflow = !(magnitudes[e] < kOverflow);
  }
}

}  // namespace etalon::kernels
