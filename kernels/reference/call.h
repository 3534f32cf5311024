// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "isa/abi/kernel_spec.h"
#include "isa/base/status.h"
#include "kernels/reference/check.h"
#include "kernels/reference/element_data.h"
#include "kernels/reference/verdict.h"

namespace etalon::kernels {

/// One input of an operator: an array, or a scalar argument (array is nullptr).
struct CallInput {
  std::string name;
  const Array* array = nullptr;
  double scalar = 0;
};

/// A check with its arguments found: what the operators in operators/ read.
///
/// Every error begins with the operation, names what is wrong and what would be right.
class Call {
 public:
  /// Errors: an input or output that is among neither arrays nor scalars; an array whose data is
  /// not of the size of its shape; no output.
  static Result<Call> create(const abi::CheckSpec& spec, std::span<const NamedArray> arguments,
                             const std::map<std::string, double>& scalars);

  const std::string& operation() const { return operation_; }
  const std::vector<CallInput>& inputs() const { return inputs_; }
  /// Indices of outputs are below the number that expectInputs() was told.
  const JudgedOutput& output(size_t index = 0) const { return outputs_[index]; }
  const Shape& outputShape(size_t index = 0) const { return outputs_[index].array->shape; }
  ElementType outputType(size_t index = 0) const { return outputs_[index].array->type; }

  /// Refuses another number of inputs or outputs; `usage` is the operator with its inputs and
  /// attributes: `softmax(x) -> y with rescales=0`.
  Status expectInputs(size_t least, size_t most, std::string_view usage, size_t outputs = 1) const;
  /// Input as an array of one of the types. The index is below the number of inputs.
  Result<const Array*> array(size_t index, std::initializer_list<ElementType> types) const;
  Status expectOutputType(std::initializer_list<ElementType> types, size_t output = 0) const;
  Status expectOutputShape(const Shape& shape, size_t output = 0) const;
  /// Refuses attributes of other names.
  Status expectAttributes(std::initializer_list<std::string_view> known) const;

  // Attributes, or what they are when left out. An f32 scalar argument may stand for a number.
  Result<double> real(std::string_view key, double fallback) const;
  Result<int64_t> integer(std::string_view key, int64_t low, int64_t high, int64_t fallback) const;
  /// `[1, 2]`, or `1` for all `count` of them.
  Result<std::vector<int64_t>> integers(std::string_view key, size_t count, int64_t low,
                                        int64_t high, int64_t fallback) const;
  Result<bool> flag(std::string_view key) const;
  /// One of the choices, the first if left out.
  Result<std::string> choice(std::string_view key,
                             std::initializer_list<std::string_view> of) const;
  std::optional<std::string> text(std::string_view key) const;

  Error error(std::string_view what) const;
  /// `A: bf16[64, 32]`.
  std::string describeInput(size_t index) const;

 private:
  std::string operation_;
  std::vector<CallInput> inputs_;
  std::vector<JudgedOutput> outputs_;
  std::vector<std::pair<std::string, std::string>> attributes_;
  std::map<std::string, double> scalars_;
};

}  // namespace etalon::kernels
