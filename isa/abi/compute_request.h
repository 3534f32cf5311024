// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "isa/abi/device.h"

namespace etalon::abi {

/// A DeviceCompute in the C structs of the interface. Owns all they point to.
class ComputeRequest {
 public:
  ComputeRequest(DeviceCompute compute, uint64_t timeout_ns);
  ComputeRequest(const ComputeRequest&) = delete;
  ComputeRequest& operator=(const ComputeRequest&) = delete;

  const etalon_compute_request* get() const { return &request_; }

 private:
  DeviceCompute compute_;
  std::vector<etalon_attribute> attributes_;
  std::vector<etalon_operand> operands_;
  std::vector<const etalon_attribute*> attribute_list_;
  std::vector<const etalon_operand*> input_list_, output_list_;
  etalon_compute_request request_{};
};

/// Bytes of an operand's data; 0 for a scalar. Its shape is one that arrayBytes() takes.
uint64_t operandBytes(const DeviceOperand& operand);

}  // namespace etalon::abi
