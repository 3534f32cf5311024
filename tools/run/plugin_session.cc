// SPDX-License-Identifier: Apache-2.0
#include "tools/run/plugin_session.h"

#include <fmt/format.h>

#include <algorithm>

#include "isa/abi/device.h"
#include "isa/base/file.h"
#include "isa/base/text.h"
#include "tools/program/program.h"
#include "tools/run/conclude.h"

namespace etalon::tools {
namespace {

/// What is to run: an image, or a launch note alone.
struct PluginProgram {
  std::optional<Program> program;
  std::optional<abi::KernelSpec> spec;
};

Result<PluginProgram> openPluginProgram(const RunRequest& request, const RunHooks& hooks) {
  PluginProgram opened;
  if (request.program.ends_with(".spec")) {
    const Result<std::string> text = readFile(request.program);
    if (!text.ok()) return text.error();
    Result<abi::KernelSpec> spec = abi::parseKernelSpec(*text);
    if (!spec.ok()) return Error{fmt::format("{}: {}", request.program, spec.error().message)};
    opened.spec = *std::move(spec);
    return opened;
  }
  Result<Program> program = openProgram(request.program);
  if (!program.ok()) return program.error();
  if (!program->warnings.empty() && hooks.warning) hooks.warning(program->warnings);
  Result<std::optional<abi::KernelSpec>> spec = readNote(program->image, request);
  if (!spec.ok()) return spec.error();
  opened.program = *std::move(program);
  opened.spec = *std::move(spec);
  return opened;
}

Status checkOptions(const RunRequest& request, const RunHooks& hooks) {
  const char* option = request.machine != "base" || !request.overrides.empty() ? "--machine, --set"
                       : !request.contract.empty()                             ? "--contract"
                       : request.seed != 0                                     ? "--seed"
                       : !request.dumps.empty()                                ? "--dump"
                       : hooks.commit_line                                     ? "--commit-log"
                       : !request.snapshot.empty() || !request.restore.empty()
                           ? "--snapshot, --restore"
                       : hooks.debugger ? "--gdb"
                                        : nullptr;
  if (option == nullptr) return {};
  return Error{fmt::format(
      "{}: not with a plug-in, which has a machine and a state of its own; --device-config passes "
      "on what it takes",
      option)};
}

RunEnd endOf(etalon_status status) {
  switch (status) {
    case ETALON_NOT_SUPPORTED: return RunEnd::not_supported;
    case ETALON_INVALID:
    case ETALON_NO_MEMORY: return RunEnd::refused;
    case ETALON_TIMEOUT: return RunEnd::timeout;
    case ETALON_LOST: return RunEnd::lost;
    case ETALON_BROKEN: return RunEnd::broken;
    case ETALON_OK:
    case ETALON_FAILED: break;
  }
  return RunEnd::failed;
}

RunEnd endOf(etalon_end end) {
  switch (end) {
    case ETALON_END_EXITED: return RunEnd::exited;
    case ETALON_END_FAULT: return RunEnd::fault;
    case ETALON_END_DEADLOCK: return RunEnd::deadlock;
    case ETALON_END_INSTRUCTION_LIMIT: return RunEnd::instruction_limit;
    case ETALON_END_TIMEOUT:
    case ETALON_END_RUNNING: break;  // Device gives no launch that runs on
  }
  return RunEnd::timeout;
}

/// One run on a plug-in. The functions return what the user did wrong; what the device does wrong goes into the report.
class PluginRun {
 public:
  PluginRun(const RunRequest& request, const RunHooks& hooks) : request_(request), hooks_(hooks) {}

  Result<RunReport> run() {
    ETALON_RETURN_IF_ERROR(checkOptions(request_, hooks_));
    Result<PluginProgram> opened = openPluginProgram(request_, hooks_);
    if (!opened.ok()) return opened.error();
    program_ = *std::move(opened);
    Result<PreparedLaunch> launch = bindLaunch(program_.spec, request_);
    if (!launch.ok()) return launch.error();
    launch_ = *std::move(launch);
    ETALON_RETURN_IF_ERROR(checkReference(request_, launch_));
    report_.program = request_.program;
    report_.device = "plugin:" + request_.plugin;
    report_.permits = request_.permits;
    ETALON_RETURN_IF_ERROR(onDevice());
    ETALON_RETURN_IF_ERROR(concludeRun(request_, launch_, report_));
    return std::move(report_);
  }

 private:
  Status onDevice() {
    DeviceOptions options;
    options.configuration = request_.device_config;
    options.timeout_ns = request_.timeout_ns;
    options.keep_going = hooks_.keep_going;
    DeviceFailure why;
    Result<Device> device = Device::openWorker(request_.plugin, options, &why);
    if (!device.ok() && why.call == "load" && why.status == ETALON_INVALID) return Error{why.text};
    if (!device.ok()) {
      fail(why);
      return {};
    }
    report_.device_description = device->description().json;
    report_.device = fmt::format("{} ({})", device->description().name, report_.device);
    const bool images = program_.program && device->has(DeviceFeature::load_image);
    const Status ran = images ? runImage(*device) : runOperator(*device);
    if (!ran.ok() && !device->failure()) return ran;
    buffers_.clear();
    // Also what went wrong without an answer of its own: memory that did not come back, the end of the device.
    if (ran.ok() && report_.finished()) (void)device->close();
    if (device->failure()) fail(*device->failure());
    return {};
  }

  void fail(const DeviceFailure& failure) {
    report_.end =
        hooks_.keep_going && !hooks_.keep_going() ? RunEnd::interrupted : endOf(failure.status);
    report_.detail = failure.message();
  }
  Status cannot(std::string why) {
    report_.end = RunEnd::not_supported;
    report_.detail = std::move(why);
    return {};
  }

  Status runImage(Device& device) {
    const uint64_t cores = device.description().cores;
    if (request_.devices != 1)
      return Error{fmt::format("--devices {}: of --device npu-functional alone", request_.devices)};
    if (request_.cores && (*request_.cores < 1 || *request_.cores > cores))
      return Error{fmt::format("--cores {}: the device has 1 to {}", *request_.cores, cores)};
    report_.cores = static_cast<unsigned>(request_.cores.value_or(cores));
    const sim::ElfImage& image = program_.program->image;
    ETALON_RETURN_IF_ERROR(device.loadImage(image.file(), image.name()));
    ETALON_RETURN_IF_ERROR(
        placeLaunch(launch_, {[&](uint64_t bytes, const std::string& name) -> Result<uint64_t> {
                                Result<DeviceBuffer> buffer = device.alloc(bytes, name);
                                if (!buffer.ok()) return buffer.error();
                                return buffers_.emplace_back(*std::move(buffer)).address();
                              },
                              [&](uint64_t address, std::span<const std::byte> bytes) {
                                return device.write(address, bytes);
                              }}));
    DeviceLaunch launch;
    launch.cores = *report_.cores;
    launch.argument_block = launch_.argument_block;
    launch.instruction_limit = request_.limit;
    launch.console = hooks_.console;
    const Result<DeviceLaunchResult> result = device.launch(launch);
    if (!result.ok()) return result.error();
    take(*result);
    ETALON_RETURN_IF_ERROR(takeCounters(device));
    for (const PlacedTensor& tensor : launch_.tensors) {
      if (tensor.argument.direction == abi::Direction::In) continue;
      Result<Output> output = makeOutput(tensor, request_);
      if (!output.ok()) return output.error();
      ETALON_RETURN_IF_ERROR(device.read(tensor.address, output->array.data));
      report_.outputs.push_back(*std::move(output));
    }
    return {};
  }

  void take(const DeviceLaunchResult& result) {
    report_.end = endOf(result.end);
    report_.exit_code = result.exit_code;
    if (result.instructions != 0) report_.instructions = result.instructions;
    report_.race_count = result.race_count;
    report_.order_dependent_count = result.order_dependent_count;
    report_.uninitialised_read_count = result.uninitialised_read_count;
    report_.detail = result.detail;
    if (!result.fault) return;
    SourceLines lines(program_.program->image);
    isa::Fault fault;
    fault.cause = static_cast<isa::Cause>(result.fault->cause);
    fault.core = static_cast<uint16_t>(result.fault->core);
    fault.pc = result.fault->pc;
    fault.instruction = result.fault->instruction;
    fault.value = result.fault->value;
    report_.faults.push_back({fault, lines.at(fault.pc), false});
    report_.fault_count = 1;
  }

  Status takeCounters(Device& device) {
    if (!device.has(DeviceFeature::counters)) return {};
    auto counters = device.counters();
    if (!counters.ok()) return counters.error();
    report_.counters = *std::move(counters);
    return {};
  }

  Status runOperator(Device& device) {
    report_.ran_operator = true;
    if (!launch_.spec || !launch_.spec->check)
      return cannot("the device runs no images, and the launch note names no operator");
    const abi::CheckSpec& check = *launch_.spec->check;
    DeviceArrays arrays{check.operation, launch_.binding.attributes, {}, {}};
    const std::map<std::string, double> scalars = scalarsOf(launch_.binding);
    std::vector<Output> outputs;
    for (const std::string& name : check.inputs) {
      const size_t tensor = tensorNamed(name);
      if (tensor < launch_.tensors.size())
        arrays.inputs.push_back({name, &launch_.inputs[tensor], 0});
      else
        arrays.inputs.push_back({name, nullptr, scalars.at(name)});
    }
    for (const PlacedTensor& tensor : launch_.tensors) {
      if (tensor.argument.direction == abi::Direction::In) continue;
      const std::string& name = tensor.argument.name;
      if (std::ranges::find(check.outputs, name) == check.outputs.end())
        return cannot(fmt::format("the operator {} computes {}, and nothing computes the output {}",
                                  check.operation, joined(check.outputs), name));
    }
    for (const std::string& name : check.outputs) {
      const PlacedTensor& tensor = launch_.tensors[tensorNamed(name)];
      arrays.outputs.push_back({name, tensor.argument.type, tensor.argument.shape});
      Result<Output> output = makeOutput(tensor, request_);
      if (!output.ok()) return output.error();
      outputs.push_back(*std::move(output));
    }
    Result<std::vector<abi::Array>> computed = device.runOnArrays(arrays);
    if (!computed.ok()) return computed.error();
    for (size_t i = 0; i < outputs.size(); ++i) outputs[i].array = std::move((*computed)[i]);
    report_.outputs = std::move(outputs);
    report_.end = RunEnd::completed;
    return takeCounters(device);
  }

  /// Number of tensors if there is none of this name.
  size_t tensorNamed(const std::string& name) const {
    const auto named = [&](const PlacedTensor& tensor) { return tensor.argument.name == name; };
    return static_cast<size_t>(std::ranges::find_if(launch_.tensors, named) -
                               launch_.tensors.begin());
  }

  const RunRequest& request_;
  const RunHooks& hooks_;
  PluginProgram program_;
  PreparedLaunch launch_;
  RunReport report_;
  std::vector<DeviceBuffer> buffers_;
};

}  // namespace

Result<RunReport> runOnPlugin(const RunRequest& request, const RunHooks& hooks) {
  return PluginRun(request, hooks).run();
}

}  // namespace etalon::tools
