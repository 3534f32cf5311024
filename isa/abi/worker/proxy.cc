// SPDX-License-Identifier: Apache-2.0
// The functions of the interface for a plug-in in a worker: each sends its request there.
#include <algorithm>
#include <cstring>

#include "isa/abi/device.h"
#include "isa/abi/device_connection.h"
#include "isa/abi/worker/compute_message.h"
#include "isa/abi/worker/worker.h"

namespace etalon::abi {
namespace {

Worker& workerOf(etalon_device* device) { return *reinterpret_cast<Worker*>(device); }

/// A request without arguments that want an answer.
int32_t tell(etalon_device* device, WorkerOp op, const WireWriter& request, etalon_text* error) {
  std::vector<std::byte> answer;
  return workerOf(device).ask(op, request, answer, error);
}

/// Copies what a plug-in wrote into room of the host's; the answer holds at most what fits.
bool takeText(WireReader& in, etalon_text* into) {
  const std::span<const std::byte> text = in.getBytes();
  if (text.size() > into->capacity) return false;
  std::ranges::copy(text, reinterpret_cast<std::byte*>(into->data));
  return true;
}

template <WorkerOp kOp>
int32_t askJson(etalon_device* device, etalon_text* json, etalon_text* error) {
  WireWriter request;
  request.put(json->capacity);
  std::vector<std::byte> answer;
  if (const int32_t status = workerOf(device).ask(kOp, request, answer, error); status != ETALON_OK)
    return status;
  WireReader in(answer);
  json->length = in.get<uint64_t>();
  if (!takeText(in, json) || !in.complete()) return workerOf(device).malformed(kOp, error);
  return ETALON_OK;
}

int32_t alloc(etalon_device* device, const etalon_alloc_request* request, uint64_t* address,
              etalon_text* error) {
  WireWriter out;
  out.put(request->bytes);
  out.put(request->alignment);
  std::vector<std::byte> answer;
  const int32_t status = workerOf(device).ask(WorkerOp::alloc, out, answer, error);
  if (status != ETALON_OK) return status;
  WireReader in(answer);
  *address = in.get<uint64_t>();
  return in.complete() ? ETALON_OK : workerOf(device).malformed(WorkerOp::alloc, error);
}

int32_t copy(etalon_device* device, const etalon_copy_request* request, etalon_text* error) {
  WireWriter out;
  out.put(request->address);
  if (request->direction == ETALON_TO_DEVICE) {
    out.putBytes(request->host, request->bytes);
    return tell(device, WorkerOp::copy_in, out, error);
  }
  out.put(request->bytes);
  std::vector<std::byte> answer;
  const int32_t status =
      workerOf(device).ask(WorkerOp::copy_out, out, answer, error, request->bytes);
  if (status != ETALON_OK) return status;
  WireReader in(answer);
  const std::span<const std::byte> bytes = in.getBytes();
  if (bytes.size() != request->bytes || !in.complete())
    return workerOf(device).malformed(WorkerOp::copy_out, error);
  std::memcpy(request->host, bytes.data(), bytes.size());
  return ETALON_OK;
}

template <WorkerOp kOp>
int32_t compute(etalon_device* device, const etalon_compute_request* request, etalon_text* error) {
  WireWriter out;
  out.put(request->timeout_ns);
  putCompute(out, *request);
  return tell(device, kOp, out, error);
}

template <WorkerOp kOp>
int32_t simple(etalon_device* device, etalon_text* error) {
  return tell(device, kOp, {}, error);
}

int32_t freeMemory(etalon_device* device, uint64_t address, etalon_text* error) {
  WireWriter out;
  out.put(address);
  return tell(device, WorkerOp::free, out, error);
}

int32_t loadImage(etalon_device* device, const etalon_image_request* request, etalon_text* error) {
  WireWriter out;
  out.putText(request->name);
  out.putBytes(request->elf, request->bytes);
  return tell(device, WorkerOp::load_image, out, error);
}

/// The result of a launch, which points into no memory of the worker's.
bool takeResult(WireReader& in, etalon_launch_result* into) {
  auto result = in.get<etalon_launch_result>();
  etalon_text* detail = into->detail;
  const std::span<const std::byte> text = in.getBytes();
  detail->length = std::min<uint64_t>(text.size(), detail->capacity);
  std::memcpy(detail->data, text.data(), detail->length);
  result.size = into->size;
  result.detail = detail;
  *into = result;
  return in.ok();
}

int32_t runImage(etalon_device* device, const etalon_launch_request* request,
                 etalon_launch_result* result, etalon_text* error) {
  WireWriter out;
  out.put(request->cores);
  out.put(request->flags);
  out.put(request->argument_block);
  out.put(request->instruction_limit);
  out.put(request->timeout_ns);
  out.putFlag(request->console != nullptr);
  Worker::Console console;
  if (request->console != nullptr)
    console = [request](std::string_view text) {
      request->console(request->context, text.data(), text.size());
    };
  std::vector<std::byte> answer;
  const int32_t status = workerOf(device).ask(WorkerOp::run_image, out, answer, error, 0, console);
  if (status != ETALON_OK) return status;
  WireReader in(answer);
  if (takeResult(in, result) && in.complete()) return ETALON_OK;
  return workerOf(device).malformed(WorkerOp::run_image, error);
}

int32_t step(etalon_device* device, etalon_step_request* request, etalon_launch_result* result,
             etalon_text* error) {
  WireWriter out;
  out.put(request->max_instructions);
  std::vector<std::byte> answer;
  const int32_t status = workerOf(device).ask(WorkerOp::step, out, answer, error,
                                              request->max_instructions * sizeof(etalon_event));
  if (status != ETALON_OK) return status;
  WireReader in(answer);
  takeResult(in, result);
  request->event_count = in.get<uint64_t>();
  const std::span<const std::byte> events = in.getBytes();
  if (!in.complete() || events.size() > request->max_instructions * sizeof(etalon_event))
    return workerOf(device).malformed(WorkerOp::step, error);
  std::memcpy(request->events, events.data(), events.size());
  return ETALON_OK;
}

int32_t peek(etalon_device* device, const etalon_peek_request* request, etalon_text* error) {
  WireWriter out;
  out.put(request->core);
  out.put(request->space);
  out.put(request->index);
  out.put(request->bytes);
  std::vector<std::byte> answer;
  const int32_t status = workerOf(device).ask(WorkerOp::peek, out, answer, error, request->bytes);
  if (status != ETALON_OK) return status;
  WireReader in(answer);
  const std::span<const std::byte> bytes = in.getBytes();
  if (bytes.size() != request->bytes || !in.complete())
    return workerOf(device).malformed(WorkerOp::peek, error);
  std::memcpy(request->data, bytes.data(), bytes.size());
  return ETALON_OK;
}

int32_t injectFault(etalon_device* device, const char* fault, etalon_text* error) {
  WireWriter out;
  out.putText(fault);
  return tell(device, WorkerOp::inject_fault, out, error);
}

/// The functions above, less those that the plug-in has not got; `present` in the order that the worker tells them.
etalon_device_api proxyTable(WireReader& present) {
  etalon_device_api api{};
  api.size = sizeof api;
  api.major = ETALON_DEVICE_ABI_MAJOR;
  api.minor = ETALON_DEVICE_ABI_MINOR;
  api.describe = askJson<WorkerOp::describe>;
  api.alloc = alloc;
  api.copy = copy;
  api.run_operator = compute<WorkerOp::run_operator>;
  api.close = simple<WorkerOp::close>;
  if (present.getFlag()) api.free = freeMemory;
  if (present.getFlag()) api.reset = simple<WorkerOp::reset>;
  if (present.getFlag()) {
    api.load_image = loadImage;
    api.run_image = runImage;
  }
  if (present.getFlag()) api.step = step;
  if (present.getFlag()) api.peek = peek;
  if (present.getFlag()) api.counters = askJson<WorkerOp::counters>;
  if (present.getFlag()) api.run_graph = compute<WorkerOp::run_graph>;
  if (present.getFlag()) api.run_collective = compute<WorkerOp::run_collective>;
  if (present.getFlag()) api.inject_fault = injectFault;
  return api;
}

}  // namespace

Result<DeviceConnection> openInWorker(const std::string& path, const DeviceOptions& options,
                                      DeviceFailure& why) {
  const auto fail = [&](etalon_status status, const char* call, std::string text) {
    why = {status, call, std::move(text)};
    return Error{why.message()};
  };
  Result<std::shared_ptr<Worker>> started =
      Worker::start(path, {options.timeout_ns, options.keep_going});
  if (!started.ok()) return fail(ETALON_FAILED, "load", started.error().message);
  WireWriter request;
  request.putText(options.configuration);
  std::vector<std::byte> answer;
  std::vector<char> room(4096);
  etalon_text error{sizeof error, room.data(), room.size(), 0};
  const int32_t status = (*started)->ask(WorkerOp::open, request, answer, &error);
  if (status != ETALON_OK) {
    why = failureOf("open", status,
                    cleanText(room.data(), std::min<uint64_t>(error.length, room.size())));
    return Error{why.message()};
  }
  WireReader in(answer);
  if (!in.getFlag()) return fail(ETALON_INVALID, "load", in.getText());
  DeviceConnection connection{proxyTable(in), reinterpret_cast<etalon_device*>(started->get()),
                              *started};
  if (!in.complete()) {
    (*started)->malformed(WorkerOp::open, &error);
    return fail(ETALON_BROKEN, "open", cleanText(room.data(), error.length));
  }
  return connection;
}

}  // namespace etalon::abi
