// SPDX-License-Identifier: Apache-2.0
// The child's side: what it does, the plug-in may do to it. The parent believes nothing that comes from here.
#include "isa/abi/worker/server.h"

#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <deque>

#include "isa/abi/compute_request.h"
#include "isa/abi/device.h"
#include "isa/abi/device_connection.h"
#include "isa/abi/worker/compute_message.h"
#include "isa/abi/worker/guarded_memory.h"
#include "isa/abi/worker/wire.h"

namespace etalon::abi {
namespace {

constexpr uint64_t kErrorBytes = 4096;
constexpr uint64_t kDetailBytes = 1 << 16;

/// Sends or receives all of it, or ends the process: the parent is gone or has given up.
template <class F>
void transfer(F f, void* data, uint64_t size) {
  for (auto* at = static_cast<std::byte*>(data); size > 0;) {
    const ssize_t n = f(at, size);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) _exit(0);
    at += n;
    size -= static_cast<uint64_t>(n);
  }
}

class Server {
 public:
  Server(int socket, const std::string& path) : socket_(socket), path_(path) {}

  void run() {
    for (;;) {
      FrameHeader header;
      receive(&header, sizeof header);
      std::vector<std::byte> message(header.bytes);
      receive(message.data(), message.size());
      WireReader request(message);
      serve(static_cast<WorkerOp>(header.kind), request);
    }
  }

 private:
  void serve(WorkerOp op, WireReader& in) {
    GuardedMemory error_room(kErrorBytes);
    etalon_text error{sizeof error, error_room.text(), kErrorBytes, 0};
    memories_.clear();
    WireWriter out;
    int32_t status = dispatch(op, in, out, &error);
    std::string text(error_room.text(), std::min(error.length, kErrorBytes));
    if (!error_room.intact()) {
      status = ETALON_BROKEN;
      text = "it wrote outside of the room for its error text";
    }
    for (const GuardedMemory& memory : memories_)
      if (!memory.intact()) {
        status = ETALON_BROKEN;
        text = "it wrote outside of the host memory that it was given";
      }
    WireWriter answer;
    answer.put(status);
    answer.putText(text);
    if (status == ETALON_OK) answer.putBytes(out.bytes().data(), out.bytes().size());
    send(WorkerFrame::answer, answer.bytes());
  }

  int32_t dispatch(WorkerOp op, WireReader& in, WireWriter& out, etalon_text* error) {
    if (op == WorkerOp::open) return open(in, out, error);
    const etalon_device_api& api = connection_.api;
    switch (op) {
      case WorkerOp::describe: return json(api.describe, in, out, error);
      case WorkerOp::alloc: return alloc(in, out, error);
      case WorkerOp::copy_in: return copyIn(in, error);
      case WorkerOp::copy_out: return copyOut(in, out, error);
      case WorkerOp::run_operator: return compute(api.run_operator, in, error);
      case WorkerOp::close: return api.close(device(), error);
      case WorkerOp::free: return api.free(device(), in.get<uint64_t>(), error);
      case WorkerOp::reset: return api.reset(device(), error);
      case WorkerOp::load_image: return loadImage(in, error);
      case WorkerOp::run_image: return runImage(in, out, error);
      case WorkerOp::step: return step(in, out, error);
      case WorkerOp::peek: return peek(in, out, error);
      case WorkerOp::counters: return json(api.counters, in, out, error);
      case WorkerOp::run_graph: return compute(api.run_graph, in, error);
      case WorkerOp::run_collective: return compute(api.run_collective, in, error);
      case WorkerOp::inject_fault: return api.inject_fault(device(), in.getText().c_str(), error);
      case WorkerOp::open: break;
    }
    return etalon_set_text(error, ETALON_BROKEN, "the request is none");
  }

  /// Answers which functions there are, so that the parent's table has the same ones.
  int32_t open(WireReader& in, WireWriter& out, etalon_text* error) {
    DeviceOptions options;
    options.configuration = in.getText();
    Result<DeviceConnection> loaded = loadPlugin(path_);
    // The parent tells a file that is no plug-in from a plug-in that refuses by the word in front.
    out.putFlag(loaded.ok());
    if (!loaded.ok()) {
      out.putText(loaded.error().message);
      return ETALON_OK;
    }
    DeviceFailure why;
    Result<DeviceConnection> opened = openDevice(*std::move(loaded), options, why);
    if (!opened.ok()) return etalon_set_text(error, why.status, why.text.c_str());
    connection_ = *std::move(opened);
    // The parent's table is to have the same functions.
    const etalon_device_api& api = connection_.api;
    for (const bool present :
         {api.free != nullptr, api.reset != nullptr, api.load_image != nullptr, api.step != nullptr,
          api.peek != nullptr, api.counters != nullptr, api.run_graph != nullptr,
          api.run_collective != nullptr, api.inject_fault != nullptr})
      out.putFlag(present);
    return ETALON_OK;
  }

  int32_t json(int32_t (*function)(etalon_device*, etalon_text*, etalon_text*), WireReader& in,
               WireWriter& out, etalon_text* error) {
    const auto capacity = in.get<uint64_t>();
    GuardedMemory& room = memories_.emplace_back(capacity);
    etalon_text text{sizeof text, room.text(), capacity, 0};
    const int32_t status = function(device(), &text, error);
    out.put(text.length);
    out.putBytes(room.text(), std::min(text.length, capacity));
    return status;
  }

  int32_t alloc(WireReader& in, WireWriter& out, etalon_text* error) {
    const auto bytes = in.get<uint64_t>();
    const etalon_alloc_request request{sizeof request, bytes, in.get<uint64_t>()};
    uint64_t address = 0;
    const int32_t status = connection_.api.alloc(device(), &request, &address, error);
    out.put(address);
    return status;
  }

  int32_t copyIn(WireReader& in, etalon_text* error) {
    const auto address = in.get<uint64_t>();
    GuardedMemory& host = memories_.emplace_back(in.getBytes());
    const etalon_copy_request request{sizeof request, ETALON_TO_DEVICE,     0,
                                      address,        host.inside().data(), host.inside().size()};
    return connection_.api.copy(device(), &request, error);
  }

  int32_t copyOut(WireReader& in, WireWriter& out, etalon_text* error) {
    const auto address = in.get<uint64_t>();
    GuardedMemory& host = memories_.emplace_back(in.get<uint64_t>());
    const etalon_copy_request request{sizeof request, ETALON_FROM_DEVICE,   0,
                                      address,        host.inside().data(), host.inside().size()};
    const int32_t status = connection_.api.copy(device(), &request, error);
    out.putBytes(host.inside().data(), host.inside().size());
    return status;
  }

  int32_t compute(int32_t (*function)(etalon_device*, const etalon_compute_request*, etalon_text*),
                  WireReader& in, etalon_text* error) {
    const auto timeout_ns = in.get<uint64_t>();
    const ComputeRequest request(getCompute(in), timeout_ns);
    return function(device(), request.get(), error);
  }

  int32_t loadImage(WireReader& in, etalon_text* error) {
    const std::string name = in.getText();
    GuardedMemory& elf = memories_.emplace_back(in.getBytes());
    const etalon_image_request request{sizeof request, elf.inside().data(), elf.inside().size(),
                                       name.c_str()};
    return connection_.api.load_image(device(), &request, error);
  }

  int32_t runImage(WireReader& in, WireWriter& out, etalon_text* error) {
    etalon_launch_request request{};
    request.size = sizeof request;
    request.cores = in.get<uint32_t>();
    request.flags = in.get<uint32_t>();
    request.argument_block = in.get<uint64_t>();
    request.instruction_limit = in.get<uint64_t>();
    request.timeout_ns = in.get<uint64_t>();
    request.context = this;
    if (in.getFlag())
      request.console = [](void* server, const char* text, uint64_t bytes) {
        WireWriter message;
        message.putBytes(text, bytes);
        static_cast<Server*>(server)->send(WorkerFrame::console, message.bytes());
      };
    return launch(out, [&](etalon_launch_result* result) {
      return connection_.api.run_image(device(), &request, result, error);
    });
  }

  int32_t step(WireReader& in, WireWriter& out, etalon_text* error) {
    const auto most = in.get<uint64_t>();
    GuardedMemory& events = memories_.emplace_back(most * sizeof(etalon_event));
    etalon_step_request request{sizeof request, most,
                                reinterpret_cast<etalon_event*>(events.inside().data()),
                                sizeof(etalon_event), 0};
    const int32_t status = launch(out, [&](etalon_launch_result* result) {
      return connection_.api.step(device(), &request, result, error);
    });
    out.put(request.event_count);
    out.putBytes(events.inside().data(),
                 std::min(request.event_count, most) * sizeof(etalon_event));
    return status;
  }

  template <class F>
  int32_t launch(WireWriter& out, F f) {
    GuardedMemory& room = memories_.emplace_back(kDetailBytes);
    etalon_text detail{sizeof detail, room.text(), kDetailBytes, 0};
    etalon_launch_result result{};
    result.size = sizeof result;
    result.detail = &detail;
    const int32_t status = f(&result);
    result.detail = nullptr;
    out.put(result);
    out.putBytes(room.text(), std::min(detail.length, kDetailBytes));
    return status;
  }

  int32_t peek(WireReader& in, WireWriter& out, etalon_text* error) {
    const auto core = in.get<uint32_t>();
    const auto space = in.get<uint32_t>();
    const auto index = in.get<uint64_t>();
    GuardedMemory& data = memories_.emplace_back(in.get<uint64_t>());
    const etalon_peek_request request{sizeof request,      core, space, index, data.inside().data(),
                                      data.inside().size()};
    const int32_t status = connection_.api.peek(device(), &request, error);
    out.putBytes(data.inside().data(), data.inside().size());
    return status;
  }

  etalon_device* device() const { return connection_.device; }

  void receive(void* data, uint64_t size) {
    transfer([&](void* at, uint64_t n) { return ::recv(socket_, at, n, 0); }, data, size);
  }
  void send(WorkerFrame kind, std::span<const std::byte> message) {
    FrameHeader header{FrameHeader::kMagic, static_cast<uint32_t>(kind), message.size()};
    const auto f = [&](void* at, uint64_t n) { return ::send(socket_, at, n, MSG_NOSIGNAL); };
    transfer(f, &header, sizeof header);
    transfer(f, const_cast<std::byte*>(message.data()), message.size());
  }

  int socket_;
  std::string path_;
  DeviceConnection connection_;
  std::deque<GuardedMemory> memories_;  // of the request that is served
};

}  // namespace

void serveWorker(int socket, const std::string& path) {
  Server(socket, path).run();
  _exit(0);
}

}  // namespace etalon::abi
