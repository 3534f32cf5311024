// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "isa/base/status.h"

namespace etalon {

/// What a device says about itself, as isa/schema/device.schema.json names it.
struct DeviceDescription {
  std::string name, title, vendor, version, kind;
  std::vector<std::string> profiles;   // of the ISA; empty: it runs no images
  std::vector<std::string> operators;  // that run_operator has
  std::string numerics;                // "canonical", "undeclared" or "declared"
  uint64_t memory_bytes = 0;
  uint64_t alignment = 64;  // bytes, of operands
  uint64_t rank = 32;       // most axes of an operand
  uint64_t cores = 1;       // of a device that runs images
  std::string json;         // all of it, as written: a declared contract stands there

  bool hasOperator(std::string_view operation) const;
};

/// Reads a description. What the schema refuses is refused here; nothing in this library reads the inside of a contract.
/// Errors name the key, the value and what would be right.
Result<DeviceDescription> parseDeviceDescription(std::string_view json);

}  // namespace etalon
