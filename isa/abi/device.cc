// SPDX-License-Identifier: Apache-2.0
#include "isa/abi/device.h"

#include <fmt/format.h>

#include <array>
#include <nlohmann/json.hpp>

#include "isa/abi/compute_request.h"
#include "isa/abi/device_connection.h"
#include "isa/abi/device_state.h"
#include "isa/base/text.h"

namespace etalon {
namespace {

using Function = int32_t (*)(etalon_device*, const etalon_compute_request*, etalon_text*);

Status compute(DeviceState& state, const char* name, Function function, const DeviceCompute& what) {
  if (function == nullptr) return state.absent(name);
  const abi::ComputeRequest request(what, state.options().timeout_ns);
  ETALON_RETURN_IF_ERROR(state.call(
      name, [&](etalon_text* error) { return function(state.handle(), request.get(), error); }));
  return state.checkGuards(name);
}

etalon_launch_request launchRequest(const DeviceState& state, const DeviceLaunch& launch) {
  etalon_launch_request request{};
  request.size = sizeof request;
  request.cores = launch.cores;
  request.argument_block = launch.argument_block;
  request.instruction_limit = launch.instruction_limit;
  request.timeout_ns = state.options().timeout_ns;
  if (launch.console) {
    request.console = [](void* context, const char* text, uint64_t bytes) {
      (*static_cast<const DeviceLaunch*>(context)).console({text, bytes});
    };
    request.context = const_cast<DeviceLaunch*>(&launch);
  }
  return request;
}

/// Room for a launch's result.
struct LaunchRoom {
  std::array<char, 1 << 16> text{};
  etalon_text detail{sizeof detail, text.data(), text.size(), 0};
  etalon_launch_result result{};

  LaunchRoom() {
    result.size = sizeof result;
    result.detail = &detail;
  }
};

Result<DeviceLaunchResult> launchResult(DeviceState& state, const char* name,
                                        const LaunchRoom& room, bool may_run_on) {
  const etalon_launch_result& from = room.result;
  if (from.end > ETALON_END_RUNNING || (from.end == ETALON_END_RUNNING && !may_run_on))
    return state.fail(name, ETALON_BROKEN,
                      fmt::format("the launch ended by {}, which is no reason", from.end));
  DeviceLaunchResult result;
  result.end = static_cast<etalon_end>(from.end);
  result.exit_code = from.exit_code;
  result.instructions = from.instructions;
  if (from.end == ETALON_END_FAULT)
    result.fault = {from.fault_core, from.fault_pc, from.fault_cause, from.fault_value,
                    static_cast<uint32_t>(from.fault_instruction)};
  result.race_count = from.race_count;
  result.order_dependent_count = from.order_dependent_count;
  result.uninitialised_read_count = from.uninitialised_read_count;
  result.detail =
      abi::cleanText(room.text.data(), std::min<uint64_t>(room.detail.length, room.text.size()));
  return result;
}

constexpr std::array<std::string_view, kDeviceFeatures> kFeatureNames = {
    "free",     "reset",     "load_image",     "step",        "peek",
    "counters", "run_graph", "run_collective", "inject_fault"};

}  // namespace

std::string_view deviceFeatureName(DeviceFeature feature) {
  return kFeatureNames[static_cast<size_t>(feature)];
}

DeviceBuffer::~DeviceBuffer() {
  if (state_ != nullptr && address_ != 0) state_->free(address_);
}

Result<Device> Device::create(std::shared_ptr<DeviceState> state, DeviceFailure* why) {
  const Status described = state->describe();
  if (described.ok()) return Device(std::move(state));
  if (why != nullptr) *why = *state->failure();
  return described.error();
}

Result<Device> Device::open(const etalon_device_api& api, const DeviceOptions& options,
                            DeviceFailure* why) {
  DeviceFailure failure;
  Result<abi::DeviceConnection> opened =
      abi::openDevice({abi::completeTable(api), nullptr, nullptr}, options, failure);
  if (!opened.ok() && why != nullptr) *why = failure;
  if (!opened.ok()) return opened.error();
  return create(std::make_shared<DeviceState>(*std::move(opened), options), why);
}

Result<Device> Device::openPlugin(const std::string& path, const DeviceOptions& options,
                                  DeviceFailure* why) {
  DeviceFailure failure;
  Result<abi::DeviceConnection> opened = abi::loadPlugin(path);
  if (!opened.ok()) failure = {ETALON_INVALID, "load", opened.error().message};
  if (opened.ok()) opened = abi::openDevice(*std::move(opened), options, failure);
  if (!opened.ok() && why != nullptr) *why = failure;
  if (!opened.ok()) return opened.error();
  return create(std::make_shared<DeviceState>(*std::move(opened), options), why);
}

Result<Device> Device::openWorker(const std::string& path, const DeviceOptions& options,
                                  DeviceFailure* why) {
  DeviceFailure failure;
  Result<abi::DeviceConnection> opened = abi::openInWorker(path, options, failure);
  if (!opened.ok() && why != nullptr) *why = failure;
  if (!opened.ok()) return opened.error();
  return create(std::make_shared<DeviceState>(*std::move(opened), options), why);
}

const DeviceDescription& Device::description() const { return state_->description(); }
const std::optional<DeviceFailure>& Device::failure() const { return state_->failure(); }

bool Device::has(DeviceFeature feature) const {
  const etalon_device_api& api = state_->api();
  switch (feature) {
    case DeviceFeature::free: return api.free != nullptr;
    case DeviceFeature::reset: return api.reset != nullptr;
    case DeviceFeature::load_image: return api.load_image != nullptr;
    case DeviceFeature::step: return api.step != nullptr;
    case DeviceFeature::peek: return api.peek != nullptr;
    case DeviceFeature::counters: return api.counters != nullptr;
    case DeviceFeature::run_graph: return api.run_graph != nullptr;
    case DeviceFeature::run_collective: return api.run_collective != nullptr;
    case DeviceFeature::inject_fault: return api.inject_fault != nullptr;
  }
  return false;
}

Result<DeviceBuffer> Device::alloc(uint64_t bytes, std::string label) {
  if (bytes == 0) return DeviceBuffer();
  const Result<uint64_t> address = state_->alloc(bytes, std::move(label));
  if (!address.ok()) return address.error();
  return DeviceBuffer(state_, *address, bytes);
}

Status Device::write(uint64_t address, std::span<const std::byte> bytes) {
  // The interface has one pointer for both directions; this one is only read.
  return state_->copy(address, const_cast<std::byte*>(bytes.data()), bytes.size(),
                      ETALON_TO_DEVICE);
}

Status Device::read(uint64_t address, std::span<std::byte> bytes) {
  return state_->copy(address, bytes.data(), bytes.size(), ETALON_FROM_DEVICE);
}

Status Device::reset() {
  if (!has(DeviceFeature::reset)) return state_->absent("reset");
  state_->forgetBuffers();
  return state_->call(
      "reset", [&](etalon_text* error) { return state_->api().reset(state_->handle(), error); });
}

Status Device::runOperator(const DeviceCompute& what) {
  if (!description().hasOperator(what.what))
    return state_->fail(
        "run_operator", ETALON_NOT_SUPPORTED,
        fmt::format("the device has no operator {}; it has: {}", quote(what.what),
                    description().operators.empty() ? "none" : joined(description().operators)));
  return compute(*state_, "run_operator", state_->api().run_operator, what);
}

Status Device::runGraph(const DeviceCompute& what) {
  return compute(*state_, "run_graph", state_->api().run_graph, what);
}

Status Device::runCollective(const DeviceCompute& what) {
  return compute(*state_, "run_collective", state_->api().run_collective, what);
}

Status Device::loadImage(std::span<const std::byte> elf, const std::string& name) {
  if (!has(DeviceFeature::load_image)) return state_->absent("load_image");
  const etalon_image_request request{sizeof request, elf.data(), elf.size(), name.c_str()};
  return state_->call("load_image", [&](etalon_text* error) {
    return state_->api().load_image(state_->handle(), &request, error);
  });
}

Result<DeviceLaunchResult> Device::launch(const DeviceLaunch& launch) {
  if (!has(DeviceFeature::load_image)) return state_->absent("run_image");
  const etalon_launch_request request = launchRequest(*state_, launch);
  LaunchRoom room;
  ETALON_RETURN_IF_ERROR(state_->call("run_image", [&](etalon_text* error) {
    return state_->api().run_image(state_->handle(), &request, &room.result, error);
  }));
  Result<DeviceLaunchResult> result = launchResult(*state_, "run_image", room, false);
  if (result.ok()) ETALON_RETURN_IF_ERROR(state_->checkGuards("run_image"));
  return result;
}

Status Device::beginSteps(const DeviceLaunch& launch) {
  if (!has(DeviceFeature::load_image) || !has(DeviceFeature::step)) return state_->absent("step");
  etalon_launch_request request = launchRequest(*state_, launch);
  request.flags = ETALON_LAUNCH_STEPPED;
  request.console = nullptr;  // would be called in step(), when `launch` may be gone
  LaunchRoom room;
  ETALON_RETURN_IF_ERROR(state_->call("run_image", [&](etalon_text* error) {
    return state_->api().run_image(state_->handle(), &request, &room.result, error);
  }));
  if (room.result.end != ETALON_END_RUNNING)
    return state_->fail("run_image", ETALON_BROKEN, "a stepped launch ended before its first step");
  return {};
}

Result<DeviceLaunchResult> Device::step(uint64_t most, std::vector<etalon_event>& events) {
  if (!has(DeviceFeature::step)) return state_->absent("step");
  events.resize(most);
  etalon_step_request request{sizeof request, most, events.data(), sizeof(etalon_event), 0};
  LaunchRoom room;
  ETALON_RETURN_IF_ERROR(state_->call("step", [&](etalon_text* error) {
    return state_->api().step(state_->handle(), &request, &room.result, error);
  }));
  if (request.event_count > most)
    return state_->fail(
        "step", ETALON_BROKEN,
        fmt::format("it reports {} events in {} instructions", request.event_count, most));
  events.resize(request.event_count);
  Result<DeviceLaunchResult> result = launchResult(*state_, "step", room, true);
  if (result.ok() && result->end != ETALON_END_RUNNING)
    ETALON_RETURN_IF_ERROR(state_->checkGuards("step"));
  return result;
}

Status Device::peek(unsigned core, etalon_space space, uint64_t index, std::span<std::byte> into) {
  if (!has(DeviceFeature::peek)) return state_->absent("peek");
  const etalon_peek_request request{sizeof request, core,        static_cast<uint32_t>(space),
                                    index,          into.data(), into.size()};
  return state_->call("peek", [&](etalon_text* error) {
    return state_->api().peek(state_->handle(), &request, error);
  });
}

Result<std::vector<std::pair<std::string, uint64_t>>> Device::counters() {
  if (!has(DeviceFeature::counters)) return state_->absent("counters");
  const Result<std::string> text = state_->text("counters", state_->api().counters);
  if (!text.ok()) return text.error();
  const auto json = nlohmann::ordered_json::parse(*text, nullptr, false);
  if (!json.is_object()) return state_->fail("counters", ETALON_BROKEN, "they are no JSON object");
  std::vector<std::pair<std::string, uint64_t>> counters;
  for (const auto& [name, value] : json.items()) {
    if (!value.is_number_unsigned())
      return state_->fail("counters", ETALON_BROKEN,
                          fmt::format("{} is {}; a counter is a whole number of 0 or more",
                                      quote(name), quote(value.dump())));
    counters.emplace_back(name, value.get<uint64_t>());
  }
  return counters;
}

Status Device::injectFault(const std::string& fault) {
  if (!has(DeviceFeature::inject_fault)) return state_->absent("inject_fault");
  return state_->call("inject_fault", [&](etalon_text* error) {
    return state_->api().inject_fault(state_->handle(), fault.c_str(), error);
  });
}

Status Device::close() { return state_->close(); }

}  // namespace etalon
