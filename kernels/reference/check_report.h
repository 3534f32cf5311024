// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace etalon::kernels {

/// What a reference says about the output of an operator.
struct CheckReport {
  std::string op;
  /// "exact": one legal answer. "replay": the answer of a stated sequence of f32 operations.
  /// "bounded": within a derived error bound, which is less than conformance.
  std::string verdict;
  bool passed = false;
  /// Bounded: the largest error divided by its bound, 1 at the limit; infinite for a value whose
  /// kind is wrong (NaN for a number). Else 0.
  double worst_ratio = 0;
  std::string worst_at;  // `C[3, 5]`, empty if no element has an error
  uint64_t elements = 0;
  uint64_t mismatches = 0;
  uint64_t unbounded = 0;  // bounded: elements the derivation says nothing about; they pass
  std::string first_mismatch;
};

}  // namespace etalon::kernels
