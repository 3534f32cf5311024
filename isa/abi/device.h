// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "isa/abi/array.h"
#include "isa/abi/device_description.h"
#include "isa/abi/etalon_device.h"
#include "isa/base/status.h"
#include "isa/element_type.h"

namespace etalon {

struct DeviceOptions {
  std::string configuration = "{}";  // a JSON object, handed to the plug-in
  /// Longest that a call may take, 0: no limit. A plug-in in a worker process is ended when it takes a second more.
  uint64_t timeout_ns = 0;
  /// Patterned bytes before and after each buffer, checked after each run; a multiple of 4096 or 0.
  uint64_t guard_bytes = 4096;
  /// Asked several times a second while a worker is at work; false ends it. May be empty.
  std::function<bool()> keep_going;
};

/// Why a call did not do what it was asked.
struct DeviceFailure {
  etalon_status status = ETALON_FAILED;
  std::string call;  // the function of the interface, `run_operator`
  std::string text;  // the device's words or ours; no control characters but line ends
  std::string message() const;
};

/// An operand: a tensor in device memory, or a number.
struct DeviceOperand {
  std::string name;
  ElementType type = ElementType::f32;
  std::vector<uint64_t> shape;   // of a tensor, outermost first
  uint64_t address = 0;          // of a tensor that is not empty
  std::optional<double> scalar;  // the operand is this number
};

struct DeviceCompute {
  std::string what;  // name of the operator or collective, or the graph
  std::vector<std::pair<std::string, std::string>> attributes;  // as launch notes write them
  std::vector<DeviceOperand> inputs, outputs;                   // in the operator's order
};

/// The same with host arrays instead of device memory; see Device::runOnArrays().
struct DeviceArrays {
  struct Input {
    std::string name;
    const abi::Array* array = nullptr;  // or, if nullptr,
    double scalar = 0;
  };
  struct Output {
    std::string name;
    ElementType type = ElementType::f32;
    std::vector<uint64_t> shape;
  };
  std::string what;
  std::vector<std::pair<std::string, std::string>> attributes;
  std::vector<Input> inputs;
  std::vector<Output> outputs;
};

struct DeviceLaunch {
  unsigned cores = 0;                             // 0: all
  uint64_t argument_block = 0;                    // a0 at entry
  uint64_t instruction_limit = 0;                 // over all cores, 0: none
  std::function<void(std::string_view)> console;  // what the program prints; may be empty
};

/// How a launch ended, the fields of etalon_launch_result.
struct DeviceLaunchResult {
  struct Fault {
    unsigned core = 0;
    uint64_t pc = 0, cause = 0, value = 0;
    uint32_t instruction = 0;
  };
  etalon_end end = ETALON_END_EXITED;
  uint64_t exit_code = 0;
  uint64_t instructions = 0;   // 0 from a device that does not count
  std::optional<Fault> fault;  // ETALON_END_FAULT
  uint64_t race_count = 0;
  uint64_t order_dependent_count = 0;
  uint64_t uninitialised_read_count = 0;
  std::string detail;  // for people, lines; no other control characters
};

/// The optional functions of a device.
enum class DeviceFeature : uint8_t {
  free,
  reset,
  load_image,
  step,
  peek,
  counters,
  run_graph,
  run_collective,
  inject_fault
};
inline constexpr int kDeviceFeatures = 9;
std::string_view deviceFeatureName(DeviceFeature feature);

class DeviceState;

/// Device memory; gives itself back at the end where the device can. May outlive its Device, and is then of no use.
class DeviceBuffer {
 public:
  DeviceBuffer() = default;
  DeviceBuffer(std::shared_ptr<DeviceState> state, uint64_t address, uint64_t bytes)
      : state_(std::move(state)), address_(address), bytes_(bytes) {}
  DeviceBuffer(DeviceBuffer&& other) noexcept { swap(other); }
  DeviceBuffer& operator=(DeviceBuffer&& other) noexcept {
    swap(other);
    return *this;
  }
  ~DeviceBuffer();

  uint64_t address() const { return address_; }  // 0 if it is empty
  uint64_t bytes() const { return bytes_; }

 private:
  void swap(DeviceBuffer& other) noexcept {
    std::swap(state_, other.state_);
    std::swap(address_, other.address_);
    std::swap(bytes_, other.bytes_);
  }

  std::shared_ptr<DeviceState> state_;
  uint64_t address_ = 0;
  uint64_t bytes_ = 0;
};

/// A device behind isa/abi/etalon_device.h, with its answers checked. Move only; closes itself at the end.
///
///   Result<Device> device = Device::openWorker("libmine.so", {.timeout_ns = 60'000'000'000});
///   Result<DeviceBuffer> x = device->alloc(4096, "x");
///   Status written = device->write(x->address(), bytes);
///
/// Every error reads `device 'NAME': FUNCTION: STATUS: TEXT`; failure() has its parts. After ETALON_LOST, and after a
/// worker was ended, each call returns what it was lost by. examples/device_tour shows all of it.
class Device {
 public:
  /// A device of a table in this process. The table must outlive it. `why`, if given, is set when there is no device.
  static Result<Device> open(const etalon_device_api& api, const DeviceOptions& options = {},
                             DeviceFailure* why = nullptr);
  /// Loads a plug-in into this process: fast, and what it does wrong it does to this process.
  /// Errors: no such file, no shared library, not a plug-in of this major version, a mandatory function that is missing.
  static Result<Device> openPlugin(const std::string& path, const DeviceOptions& options = {},
                                   DeviceFailure* why = nullptr);
  /// Runs a plug-in in a child process, so that whatever it does is an error here.
  static Result<Device> openWorker(const std::string& path, const DeviceOptions& options = {},
                                   DeviceFailure* why = nullptr);

  const DeviceDescription& description() const;
  bool has(DeviceFeature feature) const;

  /// Memory aligned as the description asks. `label` names it in reports. 0 bytes: an empty buffer at address 0.
  Result<DeviceBuffer> alloc(uint64_t bytes, std::string label);
  Status write(uint64_t address, std::span<const std::byte> bytes);
  Status read(uint64_t address, std::span<std::byte> bytes);
  /// All memory, images and counters gone; buffers of before are of no use.
  Status reset();

  /// The operator's types and shapes are the caller's to get right. Checks the guard zones afterwards.
  Status runOperator(const DeviceCompute& compute);
  /// The same with memory of its own: allocates, copies, computes, and gives the outputs in order. Outputs are filled with
  /// 0xFF before, which is NaN in the float types, and inputs that changed are an error.
  Result<std::vector<abi::Array>> runOnArrays(const DeviceArrays& arrays);
  Status runGraph(const DeviceCompute& compute);
  Status runCollective(const DeviceCompute& compute);

  Status loadImage(std::span<const std::byte> elf, const std::string& name);
  /// Runs the image that was loaded last to its end, on the memory as it is. Checks the guard zones afterwards.
  Result<DeviceLaunchResult> launch(const DeviceLaunch& launch);
  /// Begins a launch that step() executes.
  Status beginSteps(const DeviceLaunch& launch);
  /// Executes at most `most` instructions; events.size() of them retired. The result's end is ETALON_END_RUNNING until the
  /// launch is over.
  Result<DeviceLaunchResult> step(uint64_t most, std::vector<etalon_event>& events);
  Status peek(unsigned core, etalon_space space, uint64_t index, std::span<std::byte> into);

  /// Counters of the last run, by name.
  Result<std::vector<std::pair<std::string, uint64_t>>> counters();
  Status injectFault(const std::string& fault);
  /// Ends the device, and says what it does wrong on the way.
  Status close();

  /// What the last call that failed failed by.
  const std::optional<DeviceFailure>& failure() const;

 private:
  explicit Device(std::shared_ptr<DeviceState> state) : state_(std::move(state)) {}
  static Result<Device> create(std::shared_ptr<DeviceState> state, DeviceFailure* why);

  std::shared_ptr<DeviceState> state_;
};

}  // namespace etalon
