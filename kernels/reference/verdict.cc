// SPDX-License-Identifier: Apache-2.0
#include "kernels/reference/verdict.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "isa/base/check.h"
#include "kernels/reference/value.h"

namespace etalon::kernels {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

bool isNaN(ElementType type, uint64_t bits) {
  return !isInteger(type) && std::isnan(decode(type, bits));
}

CheckReport startReport(const std::string& operation, const std::string& verdict,
                        const JudgedOutput& output) {
  CheckReport report;
  report.op = operation;
  report.verdict = verdict;
  report.elements = abi::elementCount(output.array->shape);
  return report;
}

/// Error divided by bound of one computed value; infinite where its kind is wrong.
class Judge {
 public:
  explicit Judge(const JudgedOutput& output)
      : type_(output.array->type),
        saturate_(output.saturate || type_ == ElementType::f4e2m1),
        largest_(largestFinite(type_)),
        threshold_(largest_ + ulpAt(type_, largest_) / 2) {}

  double bound(const BoundedValue& expected) const {
    const double reached = std::fabs(expected.value) + expected.error;
    return expected.error + ulpAt(type_, std::min(reached, largest_)) / 2;
  }

  double ratio(const BoundedValue& expected, double actual) const {
    if (expected.may_overflow && !std::isfinite(actual)) return 0;
    if (expected.may_be_nan && std::isnan(actual)) return 0;
    if (expected.collapsed && isRounded(*expected.collapsed, actual)) return 0;
    if (std::isnan(expected.value)) return std::isnan(actual) ? 0 : kInfinity;
    if (std::isinf(expected.value)) return infinityMeets(expected.value, actual) ? 0 : kInfinity;
    if (!std::isfinite(actual)) return overflows(expected, actual) ? 0 : kInfinity;
    const double target =
        saturate_ ? std::clamp(expected.value, -largest_, largest_) : expected.value;
    const double error = std::fabs(actual - target);
    if (error == 0) return 0;
    return error / bound(expected);
  }

 private:
  bool isRounded(float value, double actual) const {
    const double rounded = decode(type_, encode(type_, {double{value}, 0}, saturate_));
    return actual == rounded || (std::isnan(actual) && std::isnan(rounded));
  }

  bool infinityMeets(double infinity, double actual) const {
    if (saturate_) return actual == std::copysign(largest_, infinity);
    return type_ == ElementType::f8e4m3 ? std::isnan(actual) : actual == infinity;
  }

  bool overflows(const BoundedValue& expected, double actual) const {
    if (saturate_ || std::fabs(expected.value) + expected.error < threshold_) return false;
    if (std::isnan(actual)) return type_ == ElementType::f8e4m3;
    return actual > 0 ? expected.value + expected.error >= threshold_
                      : expected.value - expected.error <= -threshold_;
  }

  ElementType type_;
  bool saturate_;
  double largest_;
  double threshold_;
};

}  // namespace

CheckReport compareBits(const std::string& operation, const std::string& verdict,
                        const JudgedOutput& output, const std::vector<uint64_t>& expected) {
  CheckReport report = startReport(operation, verdict, output);
  const ElementType type = output.array->type;
  const std::vector<uint64_t> actual = elementBits(*output.array);
  ETALON_CHECK(expected.size() == actual.size(), "one expectation for each element");
  for (uint64_t i = 0; i < actual.size(); ++i) {
    if (actual[i] == expected[i] || (isNaN(type, actual[i]) && isNaN(type, expected[i]))) continue;
    if (report.mismatches++ == 0)
      report.first_mismatch =
          fmt::format("{} is {}, should be {}", placeText(output.name, output.array->shape, i),
                      elementText(type, actual[i]), elementText(type, expected[i]));
  }
  report.passed = report.mismatches == 0;
  return report;
}

CheckReport compareBounds(const std::string& operation, const JudgedOutput& output,
                          const std::vector<BoundedValue>& expected) {
  CheckReport report = startReport(operation, "bounded", output);
  const Judge judge(output);
  const std::vector<double> actual = elementValues(*output.array);
  ETALON_CHECK(expected.size() == actual.size(), "one expectation for each element");
  for (uint64_t i = 0; i < actual.size(); ++i) {
    if (std::isfinite(expected[i].value) && !(expected[i].error < kInfinity)) {
      ++report.unbounded;
      continue;
    }
    const double ratio = judge.ratio(expected[i], actual[i]);
    if (ratio > report.worst_ratio) {
      report.worst_ratio = ratio;
      report.worst_at = placeText(output.name, output.array->shape, i);
    }
    if (ratio <= 1) continue;
    if (report.mismatches++ == 0)
      report.first_mismatch = fmt::format(
          "{} is {:.9g}, should be {:.9g} within {:.3g}{} (error {:.3g}, {:.3g} of the bound)",
          placeText(output.name, output.array->shape, i), actual[i], expected[i].value,
          judge.bound(expected[i]),
          expected[i].collapsed ? fmt::format(", or {:.9g}", *expected[i].collapsed) : "",
          std::fabs(actual[i] - expected[i].value), ratio);
  }
  report.passed = report.mismatches == 0;
  return report;
}

CheckReport mergeReports(const std::vector<CheckReport>& reports) {
  ETALON_CHECK(!reports.empty(), "an output");
  CheckReport all = reports.front();
  for (const CheckReport& report : std::span(reports).subspan(1)) {
    if (report.verdict == "bounded") all.verdict = report.verdict;
    all.passed = all.passed && report.passed;
    if (report.worst_ratio > all.worst_ratio) {
      all.worst_ratio = report.worst_ratio;
      all.worst_at = report.worst_at;
    }
    all.elements += report.elements;
    all.mismatches += report.mismatches;
    all.unbounded += report.unbounded;
    if (all.first_mismatch.empty()) all.first_mismatch = report.first_mismatch;
  }
  return all;
}

}  // namespace etalon::kernels
