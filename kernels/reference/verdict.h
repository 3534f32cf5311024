// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "kernels/reference/check_report.h"
#include "kernels/reference/element_data.h"

namespace etalon::kernels {

/// An output array that a reference judges, under its name in the program.
struct JudgedOutput {
  std::string name;
  const Array* array = nullptr;
  bool saturate = false;  // conversions to it saturate
};

/// What a real number computed in f32, in whatever order the operator leaves open, may become.
struct BoundedValue {
  double value = 0;           // exact result, itself good to 2^-28 of `error` or better
  double error = 0;           // |computed - value| <= error before the output's rounding
  bool may_overflow = false;  // a partial result may pass the range of f32: then infinities and
                              // NaN are legal too
  bool may_be_nan = false;    // the same, where it can only end in NaN
  // Legal too, in exactly the output's rounding: what is left where an overflow became a factor 0.
  std::optional<float> collapsed = {};
};

/// Bitwise verdict; a NaN equals any NaN. `verdict` is "exact" or "replay": the comparison is the
/// same, the claim is not (conformance.md section 4).
CheckReport compareBits(const std::string& operation, const std::string& verdict,
                        const JudgedOutput& output, const std::vector<uint64_t>& expected);

/// Bound verdict: passes where |y - r| <= error + ulp_out(|r| + error) / 2.
///
/// The second term is the rounding to the output type, to nearest: the value it rounds has the
/// magnitude |r| + error at most. Conformance.md writes (1 + g) ulp_out(r) / 2, which a legal device
/// can exceed where the error crosses a power of two and which is wider elsewhere. NaN must meet NaN
/// and an infinity itself, unless the value says what else an overflow may leave. Where |r| + error
/// reaches the overflow threshold of the output, what its overflow gives is legal too (infinity of
/// the sign, NaN in E4M3); for a saturating output r is clamped to the finite range first, which no
/// distance grows by.
/// An element whose bound is infinite passes and is counted in `unbounded`.
CheckReport compareBounds(const std::string& operation, const JudgedOutput& output,
                          const std::vector<BoundedValue>& expected);

/// One verdict on several outputs: passed if all are, "bounded" if one is, the first of what is worst.
CheckReport mergeReports(const std::vector<CheckReport>& reports);

}  // namespace etalon::kernels
