// SPDX-License-Identifier: Apache-2.0
#include "sim/functional/host_launch.h"

#include "isa/base/bits.h"
#include "isa/base/check.h"
#include "isa/csr.h"

namespace etalon::sim {

static_assert(isa::Windows::kCount == isa::kHostWindows);
static_assert(isa::right::read == 1 << isa::kHostWindowRightsRead.low &&
              isa::right::write == 1 << isa::kHostWindowRightsWrite.low &&
              isa::right::execute == 1 << isa::kHostWindowRightsExecute.low);

namespace {

using isa::LaunchEnd;

std::optional<uint64_t> wordAt(uint64_t address) {
  if (address == 0) return std::nullopt;
  return address;
}

isa::CompletionRecord ended(LaunchEnd end, uint64_t value = 0) {
  isa::CompletionRecord record;
  record.end = static_cast<uint32_t>(end);
  record.value = value;
  return record;
}

isa::CompletionRecord faulted(const Core& core) {
  isa::CompletionRecord record = ended(LaunchEnd::fault, core.readCsr(isa::csr::kMcause));
  record.core = core.number();
  record.mepc = core.readCsr(isa::csr::kMepc);
  record.mtval = core.readCsr(isa::csr::kMtval);
  return record;
}

}  // namespace

HostRegisters::Device hostDevice(const FunctionalDevice& device) {
  return {.id = static_cast<uint16_t>(Cluster::id(0)),
          .cores = device.cores(),
          .global_base = device.machine().global_base,
          .global_bytes = device.machine().global_bytes};
}

LaunchOptions optionsOf(const isa::LaunchDescriptor& launch) {
  LaunchOptions options;
  options.program = {launch.entry, wordAt(launch.tohost), wordAt(launch.fromhost)};
  options.first_core = launch.first_core;
  options.cores = launch.cores;
  options.arguments = launch.arguments;
  options.attended = true;
  return options;
}

isa::CompletionRecord recordOf(const FunctionalDevice& device, const RunResult& result) {
  if (result.status == RunStatus::exited) return ended(LaunchEnd::exited, result.exit_code);
  if (result.status == RunStatus::interrupted) return ended(LaunchEnd::aborted);
  if (result.status == RunStatus::deadlock) {
    isa::CompletionRecord record = ended(LaunchEnd::deadlock);
    record.core = result.stopped.front().core;
    record.mepc = result.stopped.front().pc;
    return record;
  }
  ETALON_CHECK(result.status == RunStatus::fault, "a launch with values and without limit");
  unsigned number = 0;
  while (device.core(number).state() != CoreState::faulted) ++number;
  return faulted(device.core(number));
}

uint64_t DeviceCoreRegisters::readRegister(const HostRegisterPlace& place) const {
  using isa::HostRegister;
  const isa::Window& window = device_.memory().windows(place.core).at(place.window);
  switch (place.reg) {
    case HostRegister::window_base: return window.base;
    case HostRegister::window_size: return window.size;
    case HostRegister::window_offset: return window.offset;
    case HostRegister::window_rights:
      return window.rights | uint64_t{window.device} << isa::kHostWindowRightsDevice.low;
    default: break;
  }
  const isa::HostRegisterInfo& info = isa::hostRegisterInfo(place.reg);
  const uint64_t address = info.offset + uint64_t{info.core_stride} * place.core;
  return device_.memory().interrupts().load(kNoCore, address, info.bytes).value_or(0);
}

bool DeviceCoreRegisters::writeRegister(const HostRegisterPlace& place, uint64_t value) {
  using isa::HostRegister;
  isa::Window window = device_.memory().windows(place.core).at(place.window);
  switch (place.reg) {
    case HostRegister::window_base: window.base = value; break;
    case HostRegister::window_size: window.size = value; break;
    case HostRegister::window_offset: window.offset = value; break;
    case HostRegister::window_rights:
      window.rights = static_cast<uint8_t>(value & isa::right::all);
      window.device = static_cast<uint8_t>(
          bits(value, isa::kHostWindowRightsDevice.high, isa::kHostWindowRightsDevice.low));
      break;
    default: {
      const isa::HostRegisterInfo& info = isa::hostRegisterInfo(place.reg);
      const uint64_t address = info.offset + uint64_t{info.core_stride} * place.core;
      return device_.memory().interrupts().store(kNoCore, address, info.bytes, value);
    }
  }
  device_.setWindow(place.core, place.window, window);
  return true;
}

}  // namespace etalon::sim
