// SPDX-License-Identifier: Apache-2.0
#include "sim/functional/functional_host.h"

#include <algorithm>
#include <array>

#include "isa/base/check.h"
#include "isa/csr.h"

namespace etalon::sim {
namespace {

using isa::LaunchEnd;

std::optional<uint64_t> wordAt(uint64_t address) {
  if (address == 0) return std::nullopt;
  return address;
}

}  // namespace

Result<std::unique_ptr<FunctionalHost>> FunctionalHost::create(const isa::Machine& machine,
                                                               Options options) {
  auto device = FunctionalDevice::create(machine);
  if (!device.ok()) return device.error();
  return std::unique_ptr<FunctionalHost>(
      new FunctionalHost(std::move(*device), std::move(options)));
}

FunctionalHost::FunctionalHost(std::unique_ptr<FunctionalDevice> device, Options options)
    : device_(std::move(device)),
      options_(std::move(options)),
      registers_({.id = 0,
                  .cores = device_->cores(),
                  .global_base = device_->machine().global_base,
                  .global_bytes = device_->machine().global_bytes},
                 *this) {}

uint64_t FunctionalHost::readRegister(const HostRegisterPlace& place) const { return 0; }
bool FunctionalHost::writeRegister(const HostRegisterPlace& place, uint64_t value) { return false; }

HostAnswer FunctionalHost::write(uint64_t offset, unsigned bytes, uint64_t value) {
  const HostAnswer answer = registers_.write(offset, bytes, value);
  serve();
  return answer;
}

bool FunctionalHost::advance(uint64_t most) {
  if (!device_->started()) return false;
  if (const auto result = device_->advance(most)) {
    registers_.ended(recordOf(*result));
    serve();
  }
  return device_->started();
}

void FunctionalHost::serve() {
  using Kind = HostRequest::Kind;
  for (;;) {
    const HostRequest request = registers_.next();
    switch (request.kind) {
      case Kind::none: return;
      case Kind::reset: device_->reset(); break;
      case Kind::abort:
        if (const auto result = device_->abort()) registers_.ended(recordOf(*result));
        break;
      case Kind::fetch: {
        std::array<std::byte, sizeof(isa::LaunchDescriptor)> bytes;
        const Status status = device_->read(request.address, bytes);
        ETALON_CHECK(status.ok(), "rings are in global memory");
        registers_.fetched(loadBytes<isa::LaunchDescriptor>(bytes.data()));
        break;
      }
      case Kind::begin: begin(request.launch); break;
      case Kind::record: {
        const Status status =
            device_->write(request.address, std::as_bytes(std::span(&request.record, 1)));
        ETALON_CHECK(status.ok(), "rings are in global memory");
        registers_.recorded();
        break;
      }
    }
  }
}

void FunctionalHost::begin(const isa::LaunchDescriptor& launch) {
  LaunchOptions options;
  options.program = {launch.entry, wordAt(launch.tohost), wordAt(launch.fromhost)};
  options.first_core = launch.first_core;
  options.cores = launch.cores;
  options.arguments = launch.arguments;
  options.observe = options_.observe;
  options.seed = options_.seed;
  options.console = options_.console;
  const Status status = device_->start(options);
  ETALON_CHECK(status.ok(),
               "a launch whose descriptor was checked starts, if this machine has memory");
}

isa::CompletionRecord FunctionalHost::recordOf(const RunResult& result) const {
  const auto record = [](LaunchEnd end, uint64_t value = 0) {
    isa::CompletionRecord made;
    made.end = static_cast<uint32_t>(end);
    made.value = value;
    return made;
  };
  if (result.status == RunStatus::exited) return record(LaunchEnd::exited, result.exit_code);
  if (result.status == RunStatus::interrupted) return record(LaunchEnd::aborted);
  if (result.status == RunStatus::deadlock) {
    isa::CompletionRecord stuck = record(LaunchEnd::deadlock);
    stuck.core = result.stopped.front().core;
    stuck.mepc = result.stopped.front().pc;
    return stuck;
  }
  ETALON_CHECK(result.status == RunStatus::fault, "a launch with values and without limit");
  unsigned number = 0;
  while (device_->core(number).state() != CoreState::faulted) ++number;
  const Core& core = device_->core(number);
  isa::CompletionRecord fault = record(LaunchEnd::fault, core.readCsr(isa::csr::kMcause));
  fault.core = number;
  fault.mepc = core.readCsr(isa::csr::kMepc);
  fault.mtval = core.readCsr(isa::csr::kMtval);
  return fault;
}

}  // namespace etalon::sim
