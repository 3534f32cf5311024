// SPDX-License-Identifier: Apache-2.0
// Multiply-accumulate of elements that no f32 holds: those that e8m0 scales carry past its range.
// Internal to isa/numerics.
#pragma once

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>

namespace etalon::numerics {

/// RNE_f32(a * b + c), one rounding of the exact value, subnormals kept.
///
/// a, b     the product is exact in a double: elements of up to 24 bits, magnitudes below 2^500.
/// Method   the sum is rounded to odd (the last bit set if anything was lost) in double; from there
///          one rounding to f32 is the rounding of the exact sum, as a double has more than two bits
///          more (Boldo and Melquiond, 2008).
inline float fmaToF32(double a, double b, float c) {
  const double product = a * b;
  const double sum = product + c;
  if (!std::isfinite(sum)) return static_cast<float>(sum);
  const double part = sum - product;
  const double error = (product - (sum - part)) + (c - part);
  const auto bits = std::bit_cast<uint64_t>(sum);
  if (error == 0 || (bits & 1) != 0) return static_cast<float>(sum);
  const bool away = (error > 0) == (sum > 0);
  return static_cast<float>(std::bit_cast<double>(away ? bits + 1 : bits - 1));
}

/// A block of such elements, in strides of elements.
struct ExactBlock {
  const double* a;
  size_t a_row, a_term;
  const double* b;
  size_t b_k, b_column;
  const uint8_t* positions;  ///< k of term t of row r: positions[r * kMmaBlockUnits + t]; or null
  std::byte* const* acc;     ///< f32; first column of the block in each of m rows
  size_t m, n, terms;
  bool accumulate;
};
void multiplyExactly(const ExactBlock& block);

}  // namespace etalon::numerics
