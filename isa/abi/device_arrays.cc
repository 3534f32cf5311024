// SPDX-License-Identifier: Apache-2.0
// Operators on host arrays: what `etalon run` and a conformance case do with a device.
#include <fmt/format.h>

#include <algorithm>

#include "isa/abi/device.h"
#include "isa/abi/device_state.h"
#include "isa/base/text.h"

namespace etalon {
namespace {

/// One call: its operands, and the memory they stand in.
class ArrayCall {
 public:
  ArrayCall(Device& device, DeviceState& state) : device_(device), state_(state) {}

  Status place(const DeviceArrays& arrays) {
    compute_.what = arrays.what;
    compute_.attributes = arrays.attributes;
    for (const DeviceArrays::Input& input : arrays.inputs) {
      if (input.array == nullptr) {
        compute_.inputs.push_back({input.name, ElementType::f32, {}, 0, input.scalar});
        continue;
      }
      DeviceOperand operand{input.name, input.array->type, input.array->shape, 0, std::nullopt};
      ETALON_RETURN_IF_ERROR(place(operand, input.array->data));
      compute_.inputs.push_back(std::move(operand));
    }
    for (const DeviceArrays::Output& output : arrays.outputs) {
      Result<abi::Array> array = abi::makeArray(output.type, output.shape);
      if (!array.ok()) return Error{fmt::format("{}: {}", output.name, array.error().message)};
      std::ranges::fill(array->data, std::byte{0xFF});
      DeviceOperand operand{output.name, output.type, output.shape, 0, std::nullopt};
      ETALON_RETURN_IF_ERROR(place(operand, array->data));
      compute_.outputs.push_back(std::move(operand));
      outputs_.push_back(*std::move(array));
    }
    return {};
  }

  Status run() { return device_.runOperator(compute_); }

  Status checkInputs(const DeviceArrays& arrays) {
    for (size_t i = 0; i < arrays.inputs.size(); ++i) {
      if (arrays.inputs[i].array == nullptr) continue;
      const std::vector<std::byte>& before = arrays.inputs[i].array->data;
      std::vector<std::byte> after(before.size());
      ETALON_RETURN_IF_ERROR(device_.read(compute_.inputs[i].address, after));
      const auto differs = std::ranges::mismatch(before, after).in1;
      if (differs != before.end())
        return state_.fail(
            "run_operator", ETALON_BROKEN,
            fmt::format("it changed its input {} at byte {} of {}", quote(arrays.inputs[i].name),
                        differs - before.begin(), before.size()));
    }
    return {};
  }

  Result<std::vector<abi::Array>> readOutputs() {
    for (size_t i = 0; i < outputs_.size(); ++i)
      ETALON_RETURN_IF_ERROR(device_.read(compute_.outputs[i].address, outputs_[i].data));
    return std::move(outputs_);
  }

 private:
  Status place(DeviceOperand& operand, const std::vector<std::byte>& data) {
    if (operand.shape.size() > device_.description().rank)
      return state_.fail("run_operator", ETALON_NOT_SUPPORTED,
                         fmt::format("{} has {} axes; the device takes {}", quote(operand.name),
                                     operand.shape.size(), device_.description().rank));
    Result<DeviceBuffer> buffer = device_.alloc(data.size(), operand.name);
    if (!buffer.ok()) return buffer.error();
    operand.address = buffer->address();
    buffers_.push_back(*std::move(buffer));
    return device_.write(operand.address, data);
  }

  Device& device_;
  DeviceState& state_;
  DeviceCompute compute_;
  std::vector<DeviceBuffer> buffers_;
  std::vector<abi::Array> outputs_;
};

}  // namespace

Result<std::vector<abi::Array>> Device::runOnArrays(const DeviceArrays& arrays) {
  // Asked before memory is: a device without operators may have no memory either.
  if (!description().hasOperator(arrays.what))
    return runOperator({arrays.what, {}, {}, {}}).error();
  ArrayCall call(*this, *state_);
  ETALON_RETURN_IF_ERROR(call.place(arrays));
  ETALON_RETURN_IF_ERROR(call.run());
  ETALON_RETURN_IF_ERROR(call.checkInputs(arrays));
  return call.readOutputs();
}

}  // namespace etalon
