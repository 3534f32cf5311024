// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sim/arch/host_registers.h"
#include "sim/functional/functional_device.h"

namespace etalon::sim {

// What stands between the register page and a FunctionalDevice, whoever advances that one: launches as descriptors say
// them, their ends as records say them, and the registers of cores. The device has no other beside it.

/// A launch of a descriptor that has no defect; what it does not say is as in LaunchOptions.
LaunchOptions optionsOf(const isa::LaunchDescriptor& launch);

/// The record of a launch that is over on this device, with values and without a limit.
isa::CompletionRecord recordOf(const FunctionalDevice& device, const RunResult& result);

/// The registers of the device's cores.
class DeviceCoreRegisters : public CoreRegisters {
 public:
  explicit DeviceCoreRegisters(FunctionalDevice& device) : device_(device) {}

  uint64_t readRegister(const HostRegisterPlace& place) const override;
  bool writeRegister(const HostRegisterPlace& place, uint64_t value) override;

 private:
  FunctionalDevice& device_;
};

}  // namespace etalon::sim
