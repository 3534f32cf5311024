// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>

#include "isa/base/status.h"
#include "isa/machines/machine.h"
#include "sim/arch/host_registers.h"
#include "sim/functional/functional_device.h"
#include "sim/functional/host_launch.h"

namespace etalon::sim {

/// The functional model of one device behind its register page: what a driver does to a chip it does to this.
///
/// Register accesses take no time: a launch begins as the doorbell is rung, and executes in advance(). Same accesses between
/// the same calls of advance(), same bytes.
class FunctionalHost {
 public:
  /// Of every launch; the rest comes from its descriptor.
  struct Options {
    bool observe = true;    // as in LaunchOptions
    uint64_t seed = 0;      // as in LaunchOptions
    Htif::Console console;  // what programs print; may be empty
  };
  static Result<std::unique_ptr<FunctionalHost>> create(const isa::Machine& machine,
                                                        Options options);

  /// An access to the page: offset, width, and `value` in its low bits. Refused ones change nothing.
  HostAnswer read(uint64_t offset, unsigned bytes, uint64_t& value) const {
    return registers_.read(offset, bytes, value);
  }
  HostAnswer write(uint64_t offset, unsigned bytes, uint64_t value);
  /// The level of the completion interrupt.
  bool interrupt() const { return registers_.interrupt(); }

  /// Executes at most `most` instructions (1 or more) of the launch at work; if it ends there, its record is written and the
  /// next one begins. True as long as a launch is at work; it may wait for an interrupt that only the host can raise.
  bool advance(uint64_t most);

  /// Memory, and what the launch at work, or else the last one, has come to. Launches are the page's to start and to end.
  FunctionalDevice& device() { return *device_; }

 private:
  FunctionalHost(std::unique_ptr<FunctionalDevice> device, Options options);
  /// Does what the page asks for.
  void serve();
  void begin(const isa::LaunchDescriptor& launch);

  std::unique_ptr<FunctionalDevice> device_;
  Options options_;
  DeviceCoreRegisters core_registers_;
  HostRegisters registers_;
};

}  // namespace etalon::sim
