// SPDX-License-Identifier: Apache-2.0
#include "isa/abi/worker/compute_message.h"

namespace etalon::abi {
namespace {

void putOperands(WireWriter& out, const etalon_operand* const* operands, uint64_t count) {
  out.put(count);
  for (uint64_t i = 0; i < count; ++i) {
    const etalon_operand& operand = *operands[i];
    out.putText(operand.name);
    out.putText(operand.type);
    out.put(operand.is_scalar);
    out.put(operand.value);
    out.put(operand.address);
    out.put(operand.rank);
    for (uint32_t axis = 0; axis < operand.rank; ++axis) out.put(operand.shape[axis]);
  }
}

std::vector<DeviceOperand> getOperands(WireReader& in) {
  std::vector<DeviceOperand> operands;
  for (auto count = in.get<uint64_t>(); in.ok() && count > 0; --count) {
    DeviceOperand& operand = operands.emplace_back();
    operand.name = in.getText();
    operand.type = elementTypeNamed(in.getText()).value_or(ElementType::f32);
    const bool is_scalar = in.get<uint32_t>() != 0;
    const auto value = in.get<double>();
    if (is_scalar) operand.scalar = value;
    operand.address = in.get<uint64_t>();
    for (auto rank = in.get<uint32_t>(); in.ok() && rank > 0; --rank)
      operand.shape.push_back(in.get<uint64_t>());
  }
  return operands;
}

}  // namespace

void putCompute(WireWriter& out, const etalon_compute_request& request) {
  out.putText(request.what);
  out.put(request.attribute_count);
  for (uint64_t i = 0; i < request.attribute_count; ++i) {
    out.putText(request.attributes[i]->name);
    out.putText(request.attributes[i]->value);
  }
  putOperands(out, request.inputs, request.input_count);
  putOperands(out, request.outputs, request.output_count);
}

DeviceCompute getCompute(WireReader& in) {
  DeviceCompute compute;
  compute.what = in.getText();
  for (auto count = in.get<uint64_t>(); in.ok() && count > 0; --count) {
    std::string name = in.getText();
    compute.attributes.emplace_back(std::move(name), in.getText());
  }
  compute.inputs = getOperands(in);
  compute.outputs = getOperands(in);
  return compute;
}

}  // namespace etalon::abi
