// SPDX-License-Identifier: Apache-2.0
// The functional model behind isa/abi/etalon_device.h: the functions of its table.
#include <chrono>
#include <string>

#include "isa/codec/instruction_info.h"
#include "sim/functional/plugin/plugin_device.h"

namespace etalon::sim {
namespace {

using Clock = std::chrono::steady_clock;

int32_t say(etalon_text* error, const Status& status, etalon_status bad = ETALON_INVALID) {
  return status.ok() ? ETALON_OK : etalon_set_text(error, bad, status.error().message.c_str());
}

int32_t openDevice(const etalon_open_request* request, etalon_device** device, etalon_text* error) {
  Result<PluginSetup> setup = setupOf(request->configuration);
  if (!setup.ok()) return say(error, setup.error());
  Result<std::unique_ptr<FunctionalDevice>> model =
      FunctionalDevice::create(setup->machine, setup->contract);
  if (!model.ok()) return say(error, model.error(), ETALON_NO_MEMORY);
  auto opened = std::make_unique<etalon_device>();
  opened->setup = *std::move(setup);
  opened->model = *std::move(model);
  opened->commits = [self = opened.get()](const Core& core, const Commit& commit) {
    const isa::Instruction& in = commit.instruction;
    const bool writes = in.rd != 0 && isa::writesX(in.id);
    self->events.push_back(
        {commit.core, in.raw, commit.pc, writes ? in.rd : 0U, 0, writes ? core.x(in.rd) : 0});
  };
  *device = opened.release();
  return ETALON_OK;
}

int32_t describe(etalon_device* device, etalon_text* json, etalon_text* /*error*/) {
  return etalon_set_text(json, ETALON_OK, describePlugin(device->setup).c_str());
}

int32_t alloc(etalon_device* device, const etalon_alloc_request* request, uint64_t* address,
              etalon_text* error) {
  // Buffers are aligned to 4 KiB, the most that a request may ask for.
  const Result<uint64_t> made = device->model->allocate(request->bytes);
  if (!made.ok()) return say(error, made.error(), ETALON_NO_MEMORY);
  *address = *made;
  return ETALON_OK;
}

int32_t copy(etalon_device* device, const etalon_copy_request* request, etalon_text* error) {
  auto* host = static_cast<std::byte*>(request->host);
  if (request->direction == ETALON_TO_DEVICE)
    return say(error, device->model->write(request->address, {host, request->bytes}));
  return say(error, device->model->read(request->address, {host, request->bytes}));
}

int32_t runOperator(etalon_device* /*device*/, const etalon_compute_request* request,
                    etalon_text* error) {
  const std::string text = std::string("operator ") + request->what +
                           ": the functional model runs images; a kernel is one (kernels/c)";
  return etalon_set_text(error, ETALON_NOT_SUPPORTED, text.c_str());
}

int32_t closeDevice(etalon_device* device, etalon_text* /*error*/) {
  delete device;
  return ETALON_OK;
}

int32_t freeMemory(etalon_device* device, uint64_t address, etalon_text* error) {
  return say(error, device->model->release(address));
}

int32_t reset(etalon_device* device, etalon_text* error) {
  Result<std::unique_ptr<FunctionalDevice>> model =
      FunctionalDevice::create(device->setup.machine, device->setup.contract);
  if (!model.ok()) return say(error, model.error(), ETALON_FAILED);
  device->model = *std::move(model);
  device->has_image = false;
  return ETALON_OK;
}

int32_t loadImage(etalon_device* device, const etalon_image_request* request, etalon_text* error) {
  const auto* file = static_cast<const std::byte*>(request->elf);
  const Result<ElfImage> image = ElfImage::parse({file, file + request->bytes}, request->name);
  if (!image.ok()) return say(error, image.error());
  if (const Status loaded = device->model->load(*image); !loaded.ok()) return say(error, loaded);
  device->has_image = true;
  return ETALON_OK;
}

/// What a launch is asked to be; its console and time-out are of this request, so they end with it.
LaunchOptions optionsOf(const etalon_device& device, const etalon_launch_request& request) {
  LaunchOptions options;
  options.cores = request.cores != 0 ? request.cores : device.model->cores();
  options.arguments = request.argument_block;
  options.instruction_limit = request.instruction_limit;
  if (request.console != nullptr)
    options.console = [console = request.console, context = request.context](
                          std::string_view text) { console(context, text.data(), text.size()); };
  if (request.timeout_ns != 0) {
    const auto deadline = Clock::now() + std::chrono::nanoseconds(request.timeout_ns);
    options.progress = [deadline, calls = 0](uint64_t) mutable {
      constexpr int kCallsBetweenClocks = 64;
      return ++calls % kCallsBetweenClocks != 0 || Clock::now() < deadline;
    };
  }
  return options;
}

int32_t runImage(etalon_device* device, const etalon_launch_request* request,
                 etalon_launch_result* result, etalon_text* error) {
  if (!device->has_image) return etalon_set_text(error, ETALON_INVALID, "no image is loaded");
  if ((request->flags & ~static_cast<uint32_t>(ETALON_LAUNCH_STEPPED)) != 0)
    return etalon_set_text(error, ETALON_INVALID, "the flags have bits that are not known");
  LaunchOptions options = optionsOf(*device, *request);
  if ((request->flags & ETALON_LAUNCH_STEPPED) != 0) {
    options.commits = &device->commits;
    options.progress = nullptr;  // each step is short
    result->end = ETALON_END_RUNNING;
    return say(error, device->model->start(options));
  }
  const Result<RunResult> run = device->model->launch(options);
  if (!run.ok()) return say(error, run.error());
  fillResult(*device->model, *run, *result);
  return ETALON_OK;
}

int32_t step(etalon_device* device, etalon_step_request* request, etalon_launch_result* result,
             etalon_text* error) {
  if (!device->model->started())
    return etalon_set_text(error, ETALON_INVALID, "there is no stepped launch, or it is over");
  if (request->max_instructions == 0)
    return etalon_set_text(error, ETALON_INVALID, "max_instructions is 0; it is 1 or more");
  device->events.clear();
  const std::optional<RunResult> run = device->model->advance(request->max_instructions);
  request->event_count = device->events.size();
  for (size_t i = 0; i < device->events.size(); ++i)
    std::memcpy(reinterpret_cast<char*>(request->events) + i * request->event_bytes,
                &device->events[i], std::min<uint64_t>(sizeof(etalon_event), request->event_bytes));
  result->end = ETALON_END_RUNNING;
  if (run) fillResult(*device->model, *run, *result);
  return ETALON_OK;
}

int32_t peek(etalon_device* device, const etalon_peek_request* request, etalon_text* error) {
  return say(error, peekCore(*device->model, *request));
}

int32_t counters(etalon_device* device, etalon_text* json, etalon_text* /*error*/) {
  return etalon_set_text(json, ETALON_OK, countersJson(*device->model).c_str());
}

constexpr etalon_device_api kApi = {
    .size = sizeof(etalon_device_api),
    .major = ETALON_DEVICE_ABI_MAJOR,
    .minor = ETALON_DEVICE_ABI_MINOR,
    .open = openDevice,
    .describe = describe,
    .alloc = alloc,
    .copy = copy,
    .run_operator = runOperator,
    .close = closeDevice,
    .free = freeMemory,
    .reset = reset,
    .load_image = loadImage,
    .run_image = runImage,
    .step = step,
    .peek = peek,
    .counters = counters,
    .run_graph = nullptr,
    .run_collective = nullptr,
    .inject_fault = nullptr,
};

}  // namespace
}  // namespace etalon::sim

const etalon_device_api* etalon_device_entry(uint32_t major) {
  return major == ETALON_DEVICE_ABI_MAJOR ? &etalon::sim::kApi : nullptr;
}
