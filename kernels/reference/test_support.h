// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "kernels/reference/check.h"
#include "kernels/reference/element_data.h"
#include "kernels/reference/probe_plan.h"
#include "kernels/reference/value.h"

namespace etalon::kernels {

/// Array of values, each of which the type holds exactly.
inline Array arrayOfValues(ElementType type, const Shape& shape,
                           const std::vector<double>& values) {
  std::vector<uint64_t> bits;
  for (const double value : values) {
    if (type == ElementType::i64)
      bits.push_back(static_cast<uint64_t>(static_cast<int64_t>(value)));
    else
      bits.push_back(isFloat(type) ? encode(type, {value, 0}) : encodeInteger(type, value));
    if (type != ElementType::i64 && value == value) {
      EXPECT_EQ(decode(type, bits.back()), value);
    }
  }
  return arrayOf(type, shape, bits);
}

/// Random finite f32 values of magnitude below 2^scale, rounded to the type.
inline Array randomArray(ElementType type, const Shape& shape, uint64_t seed, int scale = 0) {
  ProbeRandom random(seed);
  std::vector<uint64_t> bits(abi::elementCount(shape));
  for (uint64_t& element : bits) {
    const auto integer = static_cast<double>(random.between(-(1 << 23), 1 << 23));
    element = isFloat(type) ? encode(type, {std::ldexp(integer, scale - 23), 0}) : random.next();
  }
  return arrayOf(type, shape, bits);
}

using Named = std::vector<std::pair<std::string, const Array*>>;
using Attributes = std::vector<std::pair<std::string, std::string>>;

/// checkOperator() with the inputs in order and the output last.
inline Result<CheckReport> runCheck(const std::string& operation, const Named& arrays,
                                    const Attributes& attributes = {},
                                    const std::map<std::string, double>& scalars = {}) {
  abi::CheckSpec spec;
  spec.operation = operation;
  spec.attributes = attributes;
  std::vector<NamedArray> arguments;
  for (const auto& [name, array] : arrays) {
    arguments.push_back({name, array});
    spec.inputs.push_back(name);
  }
  spec.outputs = {spec.inputs.back()};
  spec.inputs.pop_back();
  for (const auto& [name, value] : scalars) spec.inputs.push_back(name);
  return checkOperator(spec, arguments, scalars);
}

/// The report, which must exist.
inline CheckReport reportOf(const Result<CheckReport>& result) {
  EXPECT_TRUE(result.ok()) << result.error().message;
  return result.ok() ? *result : CheckReport{};
}

inline std::string messageOf(const Result<CheckReport>& result) {
  EXPECT_FALSE(result.ok());
  return result.ok() ? "" : result.error().message;
}

/// The array with one bit of one element turned over.
inline Array withFlippedBit(const Array& array, uint64_t index, int bit) {
  std::vector<uint64_t> bits = elementBits(array);
  bits[index] ^= uint64_t{1} << bit;
  return arrayOf(array.type, array.shape, bits);
}

inline double valueAt(const Array& array, uint64_t index) { return elementValues(array)[index]; }

}  // namespace etalon::kernels
