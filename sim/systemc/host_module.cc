// SPDX-License-Identifier: Apache-2.0
#include "sim/systemc/host_module.h"

#include <array>
#include <cstring>

#include "isa/base/bits.h"
#include "isa/base/check.h"
#include "isa/machines/address_map.h"

namespace etalon::sim {
namespace {

tlm::tlm_response_status statusOf(HostAnswer answer) {
  switch (answer) {
    case HostAnswer::ok: return tlm::TLM_OK_RESPONSE;
    case HostAnswer::no_register: return tlm::TLM_ADDRESS_ERROR_RESPONSE;
    case HostAnswer::wrong_width: return tlm::TLM_BURST_ERROR_RESPONSE;
    case HostAnswer::wrong_access: return tlm::TLM_COMMAND_ERROR_RESPONSE;
    case HostAnswer::wrong_value: return tlm::TLM_GENERIC_ERROR_RESPONSE;
  }
  return tlm::TLM_GENERIC_ERROR_RESPONSE;
}

/// Global memory and cores' windows, which the host names like every core.
bool isMemory(uint64_t address) { return address >= isa::kGlobalRegionBase; }

}  // namespace

HostModule::HostModule(const sc_core::sc_module_name& name, ChipModule& chip,
                       FunctionalDevice& device, Options options)
    : sc_module(name),
      socket("socket"),
      interrupt("interrupt"),
      chip_(chip),
      device_(device),
      timing_(device.machine().timing->host),
      options_(std::move(options)),
      core_registers_(device),
      registers_(hostDevice(device), core_registers_) {
  ETALON_CHECK(device.cluster().devices == 1, "a host in front of one device");
  socket.register_b_transport(this, &HostModule::access);
  socket.register_transport_dbg(this, &HostModule::debugAccess);
  chip.onRest([this] { chipRests(); });
  keepTime();
  SC_HAS_PROCESS(HostModule);
  SC_METHOD(step);
  dont_initialize();
  sensitive << step_;
  SC_METHOD(drive);
  sensitive << changed_;
}

HostModule::~HostModule() { device_.memory().interrupts().stopClock(); }

sc_core::sc_time HostModule::duration(Cycles cycles) const {
  return chip_.clock().at(cycles) - chip_.clock().at(0);
}

void HostModule::access(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
  wait(delay + duration(timing_.access));
  delay = sc_core::SC_ZERO_TIME;
  if (payload.get_byte_enable_ptr() != nullptr)
    return payload.set_response_status(tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE);
  if (payload.get_streaming_width() < payload.get_data_length())
    return payload.set_response_status(tlm::TLM_BURST_ERROR_RESPONSE);
  payload.set_response_status(isMemory(payload.get_address()) ? accessMemory(payload)
                                                              : accessPage(payload));
}

unsigned HostModule::debugAccess(tlm::tlm_generic_payload& payload) {
  if (!isMemory(payload.get_address())) return 0;
  return accessMemory(payload) == tlm::TLM_OK_RESPONSE ? payload.get_data_length() : 0;
}

tlm::tlm_response_status HostModule::accessMemory(tlm::tlm_generic_payload& payload) {
  const auto bytes =
      std::as_writable_bytes(std::span(payload.get_data_ptr(), size_t{payload.get_data_length()}));
  Status status;
  if (payload.is_read()) status = device_.read(payload.get_address(), bytes);
  if (payload.is_write()) status = device_.write(payload.get_address(), bytes);
  return status.ok() ? tlm::TLM_OK_RESPONSE : tlm::TLM_ADDRESS_ERROR_RESPONSE;
}

tlm::tlm_response_status HostModule::accessPage(tlm::tlm_generic_payload& payload) {
  uint64_t value = 0;
  const unsigned bytes = payload.get_data_length();
  if (chip_.launched()) chip_.chip().passTime(chip_.clock().now());
  if (bytes > sizeof value) return tlm::TLM_BURST_ERROR_RESPONSE;
  HostAnswer answer = HostAnswer::ok;
  if (payload.is_read()) {
    answer = registers_.read(payload.get_address(), bytes, value);
    if (answer == HostAnswer::ok) std::memcpy(payload.get_data_ptr(), &value, bytes);
  } else if (payload.is_write()) {
    std::memcpy(&value, payload.get_data_ptr(), bytes);
    answer = registers_.write(payload.get_address(), bytes, value);
    serve();
    if (chip_.launched()) chip_.chip().interruptsChanged(chip_.clock().now() + 1);
  }
  return statusOf(answer);
}

void HostModule::later(const HostRequest& request, Cycles cycles) {
  under_way_ = request;
  step_.notify(duration(cycles));
}

void HostModule::serve() {
  using Kind = HostRequest::Kind;
  for (HostRequest request = registers_.next(); request.kind != Kind::none;
       request = registers_.next()) {
    switch (request.kind) {
      case Kind::none: break;
      case Kind::reset:
        under_way_.reset();
        step_.cancel();
        chip_.cancel();
        device_.reset();
        break;
      case Kind::abort:
        if (const auto result = device_.abort()) {
          chip_.cancel();
          finish(*result);
        }
        break;
      case Kind::fetch: later(request, timing_.fetch); break;
      case Kind::record: later(request, timing_.record + ended_in_); break;
      case Kind::begin: begin(request.launch); break;
    }
  }
  ended_in_ = 0;
  keepTime();
  changed_.notify(sc_core::SC_ZERO_TIME);
}

void HostModule::keepTime() {
  if (!chip_.launched())
    device_.memory().interrupts().setClock([this] { return chip_.clock().now(); });
}

void HostModule::step() {
  const HostRequest request = *under_way_;
  under_way_.reset();
  Status status;
  if (request.kind == HostRequest::Kind::fetch) {
    std::array<std::byte, sizeof(isa::LaunchDescriptor)> bytes;
    status = device_.read(request.address, bytes);
    registers_.fetched(loadBytes<isa::LaunchDescriptor>(bytes.data()));
  } else {
    status = device_.write(request.address, std::as_bytes(std::span(&request.record, 1)));
    registers_.recorded();
  }
  ETALON_CHECK(status.ok(), "rings are in global memory");
  serve();
}

void HostModule::begin(const isa::LaunchDescriptor& launch) {
  LaunchOptions options = optionsOf(launch);
  options.timed = true;
  options.observe = options_.observe;
  options.console = options_.console;
  const Status status = device_.start(options);
  ETALON_CHECK(status.ok(), "a launch without defect starts, if this computer has the memory");
  chip_.begin();
}

void HostModule::finish(const RunResult& result) { registers_.ended(recordOf(device_, result)); }

void HostModule::chipRests() {
  TimedSystem& system = chip_.chip();
  if (!system.end()) {
    if (!chip_.memoriesIdle() || device_.waitsForHost()) return;
    system.deadlock(chip_.now());
  }
  const TimedSystem::End end = *system.end();
  const Cycles now = chip_.clock().now();
  ended_in_ = end.time - std::min(end.time, now);
  chip_.cancel();
  finish(device_.end(end.status, end.exit_code));
  serve();
}

}  // namespace etalon::sim
