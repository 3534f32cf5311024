// SPDX-License-Identifier: Apache-2.0
#include "sim/functional/functional_host.h"

#include <array>

#include "isa/base/check.h"

namespace etalon::sim {

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
      core_registers_(*device_),
      registers_({.id = static_cast<uint16_t>(Cluster::id(0)),
                  .cores = device_->cores(),
                  .global_base = device_->machine().global_base,
                  .global_bytes = device_->machine().global_bytes},
                 core_registers_) {}

HostAnswer FunctionalHost::write(uint64_t offset, unsigned bytes, uint64_t value) {
  const HostAnswer answer = registers_.write(offset, bytes, value);
  serve();
  return answer;
}

bool FunctionalHost::advance(uint64_t most) {
  if (!device_->started()) return false;
  if (const auto result = device_->advance(most)) {
    registers_.ended(recordOf(*device_, *result));
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
        if (const auto result = device_->abort()) registers_.ended(recordOf(*device_, *result));
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
  LaunchOptions options = optionsOf(launch);
  options.observe = options_.observe;
  options.seed = options_.seed;
  options.console = options_.console;
  const Status status = device_->start(options);
  ETALON_CHECK(status.ok(), "a launch without defect starts, if this computer has the memory");
}

}  // namespace etalon::sim
