// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "isa/abi/device.h"
#include "isa/abi/device_connection.h"

namespace etalon {

/// What Device and its buffers share: the connection, what is allocated, what went wrong. Not for users of Device.
class DeviceState {
 public:
  DeviceState(abi::DeviceConnection connection, DeviceOptions options)
      : connection_(std::move(connection)), options_(std::move(options)) {}
  ~DeviceState();
  DeviceState(const DeviceState&) = delete;
  DeviceState& operator=(const DeviceState&) = delete;

  const etalon_device_api& api() const { return connection_.api; }
  etalon_device* handle() const { return connection_.device; }
  const DeviceOptions& options() const { return options_; }
  const DeviceDescription& description() const { return description_; }
  const std::optional<DeviceFailure>& failure() const { return failure_; }

  /// Makes one call: f is given the room for the error text and returns the status.
  Status call(const char* name, const std::function<int32_t(etalon_text*)>& f);
  /// The error of a call, kept as failure().
  Error fail(const char* name, etalon_status status, std::string text);
  /// Error of an optional function that the device does not have.
  Error absent(const char* name) {
    return fail(name, ETALON_NOT_SUPPORTED, "the device has no such function");
  }
  /// A JSON text, by as many calls as its length asks for.
  Result<std::string> text(const char* name,
                           int32_t (*function)(etalon_device*, etalon_text*, etalon_text*));

  Status describe();
  Result<uint64_t> alloc(uint64_t bytes, std::string label);
  void free(uint64_t address);
  Status copy(uint64_t address, void* host, uint64_t bytes, etalon_direction direction);
  /// Compares the guard zones of every buffer with their pattern.
  Status checkGuards(const char* after);
  void forgetBuffers() { buffers_.clear(); }
  Status close();

 private:
  /// An allocation as the device sees it; the buffer lies between its guards.
  struct Allocation {
    uint64_t begin = 0, bytes = 0;
    std::string label;
    bool guarded = true;  // false once its buffer is gone and the device cannot take memory back
  };
  bool lost() const { return failure_ && failure_->status == ETALON_LOST; }
  Status answer(const char* name, const std::function<int32_t(etalon_text*)>& f);
  Status writeGuards(const Allocation& allocation);
  Status checkAnswer(uint64_t address, uint64_t bytes);

  abi::DeviceConnection connection_;
  DeviceOptions options_;
  DeviceDescription description_;
  std::map<uint64_t, Allocation> buffers_;  // by address of the buffer
  std::optional<DeviceFailure> failure_;
  bool closed_ = false;
};

}  // namespace etalon
