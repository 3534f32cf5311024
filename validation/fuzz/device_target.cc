// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <optional>

#include "isa/abi/device.h"
#include "validation/fuzz/layout.h"
#include "validation/fuzz/state_parts.h"
#include "validation/fuzz/target.h"

namespace etalon::fuzz {
namespace {

constexpr std::string_view kModel = "npu-functional";
constexpr uint64_t kTimeoutNs = 60'000'000'000;
/// Fewer than most programs execute, so that launches are interrupted.
constexpr uint64_t kStep = 700;

class DeviceState final : public StateReader {
 public:
  explicit DeviceState(Device& device) : device_(device) {}
  Status global(uint64_t address, std::span<std::byte> into) override {
    return device_.read(address, into);
  }
  Status peek(unsigned core, etalon_space space, uint64_t index,
              std::span<std::byte> into) override {
    return device_.peek(core, space, index, into);
  }

 private:
  Device& device_;
};

class DeviceTarget final : public Target {
 public:
  explicit DeviceTarget(const DeviceTargetOptions& options) : options_(options) {}

  std::string name() const override { return options_.worker ? "worker" : "plug-in"; }

  Result<Outcome> run(const RunRequest& request) override {
    auto& device = devices_[request.program->reduced ? 1 : 0];
    if (!device) {
      Result<Device> opened = open(request.program->reduced);
      if (!opened.ok()) return opened.error();
      device.emplace(*std::move(opened));
    }
    Result<Outcome> outcome = runOn(*device, request);
    // What it is worth after an error is not known.
    if (!outcome.ok()) device.reset();
    return outcome;
  }

 private:
  Result<Device> open(bool reduced) const {
    DeviceOptions options;
    options.configuration = deviceConfiguration(reduced);
    options.timeout_ns = kTimeoutNs;
    return options_.worker ? Device::openWorker(options_.plugin, options)
                           : Device::openPlugin(options_.plugin, options);
  }

  Result<Outcome> runOn(Device& device, const RunRequest& request) {
    if (device.has(DeviceFeature::reset)) ETALON_RETURN_IF_ERROR(device.reset());
    ETALON_RETURN_IF_ERROR(device.loadImage(request.image, request.program->name()));
    DeviceLaunch launch;
    launch.cores = static_cast<unsigned>(request.program->cores.size());
    launch.instruction_limit = kInstructionLimit;
    Outcome outcome;
    Result<DeviceLaunchResult> result = options_.stepped && device.has(DeviceFeature::step)
                                            ? step(device, launch, outcome)
                                            : device.launch(launch);
    if (!result.ok()) return result.error();
    addResult(*result, device.description().name == kModel, outcome);
    if (device.has(DeviceFeature::counters)) ETALON_RETURN_IF_ERROR(addCounters(device, outcome));
    DeviceState state(device);
    const bool registers = runs_++ % options_.registers_each == 0;
    const StateScope scope{launch.cores, device.has(DeviceFeature::peek),
                           registers && device.has(DeviceFeature::peek)};
    ETALON_RETURN_IF_ERROR(addState(state, scope, outcome));
    return outcome;
  }

  static Status addCounters(Device& device, Outcome& outcome) {
    const auto counters = device.counters();
    if (!counters.ok()) return counters.error();
    Digest digest;
    for (const auto& [name, value] : *counters) addCounter(digest, name, value);
    outcome.parts["counters"] = digest.value();
    return {};
  }

  static Result<DeviceLaunchResult> step(Device& device, const DeviceLaunch& launch,
                                         Outcome& outcome) {
    ETALON_RETURN_IF_ERROR(device.beginSteps(launch));
    CommitDigest commits;
    std::vector<etalon_event> events;
    for (;;) {
      Result<DeviceLaunchResult> result = device.step(kStep, events);
      if (!result.ok()) return result;
      for (const etalon_event& event : events)
        commits.add(event.core, event.pc, event.instruction, event.x_register, event.x_value);
      if (result->end == ETALON_END_RUNNING) continue;
      outcome.parts["commits"] = commits.value();
      return result;
    }
  }

  /// `finds`: the device looks for what the model looks for.
  static void addResult(const DeviceLaunchResult& result, bool finds, Outcome& outcome) {
    outcome.end = result.end;
    outcome.text = result.detail;
    if (result.instructions != 0) outcome.parts["instructions"] = result.instructions;
    outcome.parts["exit code"] = result.exit_code;
    if (result.fault)
      outcome.parts["fault"] =
          faultDigest(result.fault->core, result.fault->pc, result.fault->cause,
                      result.fault->value, result.fault->instruction);
    if (!finds) return;
    outcome.parts["races"] = result.race_count;
    outcome.parts["order-dependent results"] = result.order_dependent_count;
    outcome.parts["unwritten reads"] = result.uninitialised_read_count;
    Digest detail;
    detail.add(result.detail);
    outcome.parts["detail of the device"] = detail.value();
  }

  DeviceTargetOptions options_;
  std::array<std::optional<Device>, 2> devices_;  // of both machines
  uint64_t runs_ = 0;
};

}  // namespace

std::unique_ptr<Target> deviceTarget(const DeviceTargetOptions& options) {
  return std::make_unique<DeviceTarget>(options);
}

}  // namespace etalon::fuzz
