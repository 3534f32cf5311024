// SPDX-License-Identifier: Apache-2.0
#include "isa/abi/compute_request.h"

#include "isa/abi/array.h"
#include "isa/base/check.h"

namespace etalon::abi {
namespace {

etalon_operand operandOf(const DeviceOperand& operand) {
  etalon_operand c{};
  c.size = sizeof c;
  c.name = operand.name.c_str();
  c.type = elementInfo(operand.type).name.data();  // of a literal, so it ends in NUL
  if (operand.scalar) {
    c.is_scalar = 1;
    c.value = *operand.scalar;
    return c;
  }
  c.rank = static_cast<uint32_t>(operand.shape.size());
  c.shape = operand.shape.data();
  c.address = operand.address;
  c.bytes = operandBytes(operand);
  return c;
}

}  // namespace

uint64_t operandBytes(const DeviceOperand& operand) {
  if (operand.scalar) return 0;
  const Result<uint64_t> bytes = arrayBytes(operand.type, operand.shape);
  ETALON_CHECK(bytes.ok(), "an operand of a device has a shape that memory can hold");
  return *bytes;
}

ComputeRequest::ComputeRequest(DeviceCompute compute, uint64_t timeout_ns)
    : compute_(std::move(compute)) {
  for (const auto& [name, value] : compute_.attributes)
    attributes_.push_back({sizeof(etalon_attribute), name.c_str(), value.c_str()});
  for (const auto* list : {&compute_.inputs, &compute_.outputs})
    for (const DeviceOperand& operand : *list) operands_.push_back(operandOf(operand));
  for (const etalon_attribute& attribute : attributes_) attribute_list_.push_back(&attribute);
  for (size_t i = 0; i < operands_.size(); ++i)
    (i < compute_.inputs.size() ? input_list_ : output_list_).push_back(&operands_[i]);
  request_ = {sizeof request_,        compute_.what.c_str(), attribute_list_.data(),
              attribute_list_.size(), input_list_.data(),    input_list_.size(),
              output_list_.data(),    output_list_.size(),   timeout_ns};
}

}  // namespace etalon::abi
