// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "kernels/reference/dot.h"
#include "kernels/reference/operators.h"

namespace etalon::kernels {
namespace {

constexpr double kUp = 1 + 0x1.00001p-24;  // one rounding of f32, and those of the reference
constexpr double kDown = 1 - 0x1.00001p-24;
constexpr double kLeastF32 = 0x1p-149;  // eta
constexpr double kInfinity = std::numeric_limits<double>::infinity();

struct Settings {
  double lr, beta1, beta2, epsilon, weight_decay, correction1, correction2;
};

Result<Settings> settingsOf(const Call& call) {
  Settings s{};
  struct Setting {
    const char* name;
    double* value;
    double fallback, least, most;
  };
  for (const Setting& setting :
       {Setting{"lr", &s.lr, 1e-3, 0, kInfinity}, Setting{"beta1", &s.beta1, 0.9, 0, 1},
        Setting{"beta2", &s.beta2, 0.999, 0, 1}, Setting{"epsilon", &s.epsilon, 1e-8, 0, kInfinity},
        Setting{"weight_decay", &s.weight_decay, 0, 0, kInfinity},
        Setting{"correction1", &s.correction1, 1, 0x1p-126, 1},
        Setting{"correction2", &s.correction2, 1, 0x1p-126, 1}}) {
    const Result<double> value = call.real(setting.name, setting.fallback);
    if (!value.ok()) return value.error();
    const bool inside = *value >= setting.least && *value <= setting.most;  // false for NaN
    if (!inside)
      return call.error(fmt::format("attribute {} is {}; it is {} to {}", setting.name, *value,
                                    setting.least, setting.most));
    *setting.value = *value;
  }
  return s;
}

/// The bound of p' in checkAdam().
BoundedValue boundParameter(const Settings& s, double p, const BoundedValue& m,
                            const BoundedValue& v) {
  const auto denominator = [&](double square, double rounding) {
    const double inner = std::max(square, 0.0) / s.correction2 * rounding * rounding;
    return (std::sqrt(inner) * rounding + s.epsilon) * rounding;
  };
  const double exact = denominator(v.value, 1);
  const double low = denominator(v.value - v.error - 2 * kLeastF32, kDown);
  const double high = denominator(v.value + v.error + 2 * kLeastF32, kUp);
  const double rate = s.lr / s.correction1;
  const double size = std::fabs(m.value);
  const double quotient = rate * size / exact;
  const double most = (rate * (size + m.error) * kUp * kUp + kLeastF32) / low * kUp;
  const double least =
      (rate * std::max(size - m.error, 0.0) * kDown * kDown - kLeastF32) / high * kDown;
  const double decay = s.lr * s.weight_decay;
  BoundedValue bounded;
  bounded.value = p * (1 - decay) - rate * m.value / exact;
  const double kept = std::fabs(p) * (std::fabs(1 - decay) * 3 + 3 * decay) * 0x1p-24;
  bounded.error = (kept + std::max(most - quotient, quotient - least)) * kUp +
                  std::fabs(bounded.value) * 0x1.00001p-24 + 8 * kLeastF32;
  if (!(low > 0) || v.may_overflow || m.may_overflow || v.value < 0) {
    bounded.error = kInfinity;
    // A number, that the element counts as unbounded; what is no number before gives none after.
    if (std::isfinite(p) && std::isfinite(m.value) && std::isfinite(v.value)) bounded.value = 0;
  }
  return bounded;
}

}  // namespace

/// adam(p, g, m, v) -> p', m', v', copy: one step of AdamW on f32 arrays of one shape.
///
///     m' = beta1 m + (1 - beta1) g, v' = beta2 v + (1 - beta2) g^2
///     p' = (1 - lr weight_decay) p - lr (m' / correction1) / (sqrt(v' / correction2) + epsilon)
///
/// with       lr=1e-3, beta1=0.9, beta2=0.999, epsilon=1e-8, weight_decay=0, correction1=1,
///            correction2=1 (1 - beta^t).
/// Outputs    p', m', v' f32, copy bf16 or f16 of p'.
///
/// Bounded, for f32 arithmetic to nearest with u = 2^-24, scalars such as 1 - beta rounded once an
/// operation, products fused or not:
///
/// 1. m' is a sum of terms with at most 3 roundings each (1 - beta1, product, sum): boundOfSum() with
///    n = 3. v' with n = 4: the square has one more.
/// 2. sqrt(v' / correction2) + epsilon lies between its values for v' at both ends of its bound, with two
///    roundings (1 / correction2, product) within the root, which is rounded, as is the sum.
/// 3. The quotient lies between the least numerator by the greatest denominator and the other way round,
///    with two roundings (lr / correction1, product) of the numerator, and one of its own.
/// 4. (1 - lr weight_decay) p has at most three roundings (the scalar's, the product), lr weight_decay
///    one more; the difference one.
///
/// Where v' is below 0, the denominator may be 0 or a moment may overflow the bound is infinite and the
/// element counted as unbounded.
Result<CheckReport> checkAdam(const Call& call) {
  using enum ElementType;
  ETALON_RETURN_IF_ERROR(call.expectInputs(
      4, 4,
      "adam(p, g, m, v) -> p', m', v', copy with lr=1e-3, beta1=0.9, beta2=0.999, epsilon=1e-8, "
      "weight_decay=0, correction1=1, correction2=1",
      4));
  ETALON_RETURN_IF_ERROR(call.expectAttributes(
      {"lr", "beta1", "beta2", "epsilon", "weight_decay", "correction1", "correction2"}));
  std::vector<double> inputs[4];
  for (size_t i = 0; i < 4; ++i) {
    const Result<const Array*> array = call.array(i, {f32});
    if (!array.ok()) return array.error();
    if ((*array)->shape != call.inputs()[0].array->shape)
      return call.error(fmt::format("{} and {}: they must have one shape", call.describeInput(0),
                                    call.describeInput(i)));
    inputs[i] = elementValues(**array);
    if (i < 3)
      ETALON_RETURN_IF_ERROR(call.expectOutputType({f32}, i));
    else
      ETALON_RETURN_IF_ERROR(call.expectOutputType({bf16, f16}, i));
    ETALON_RETURN_IF_ERROR(call.expectOutputShape((*array)->shape, i));
  }
  const Result<Settings> settings = settingsOf(call);
  if (!settings.ok()) return settings.error();
  const Settings& s = *settings;
  std::vector<BoundedValue> p;
  std::vector<BoundedValue> m;
  std::vector<BoundedValue> v;
  for (size_t i = 0; i < inputs[0].size(); ++i) {
    const double g = inputs[1][i];
    const double old = s.beta1 * inputs[2][i];
    const double added = (1 - s.beta1) * g;
    m.push_back(boundOfSum(old + added, std::fabs(old) + std::fabs(added), 3));
    const double old_square = s.beta2 * inputs[3][i];
    const double square = (1 - s.beta2) * g * g;
    v.push_back(boundOfSum(old_square + square, std::fabs(old_square) + square, 4));
    v.back().may_overflow = v.back().may_overflow || g * g >= 0x1p127;
    p.push_back(boundParameter(s, inputs[0][i], m.back(), v.back()));
  }
  return mergeReports({compareBounds(call.operation(), call.output(0), p),
                       compareBounds(call.operation(), call.output(1), m),
                       compareBounds(call.operation(), call.output(2), v),
                       compareBounds(call.operation(), call.output(3), p)});
}

}  // namespace etalon::kernels
