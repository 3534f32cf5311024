// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "isa/abi/etalon_device.h"
#include "isa/base/status.h"

namespace etalon {
struct DeviceFailure;
struct DeviceOptions;
}  // namespace etalon

namespace etalon::abi {

/// A device that was opened, and the functions to use it by. `keep` is what they live in: a worker, or nothing.
struct DeviceConnection {
  etalon_device_api api{};  // from completeTable()
  etalon_device* device = nullptr;
  std::shared_ptr<void> keep;
};

/// A plug-in's table in the form of this version: functions past its end are NULL, and so is half of load_image, run_image.
etalon_device_api completeTable(const etalon_device_api& api);

/// Loads a shared library, for good, and finds its table of functions; the connection has no device yet.
/// Errors: as Device::openPlugin().
Result<DeviceConnection> loadPlugin(const std::string& path);

/// Opens a device of a table. Every way in which that fails is in `why`.
Result<DeviceConnection> openDevice(DeviceConnection connection, const DeviceOptions& options,
                                    DeviceFailure& why);

/// Loads a plug-in and opens its device in a child process that lives as long as `keep`.
Result<DeviceConnection> openInWorker(const std::string& path, const DeviceOptions& options,
                                      DeviceFailure& why);

/// What a call that did not return ETALON_OK failed by. A number that is no status is ETALON_BROKEN; it is looked at before it
/// becomes an etalon_status, which cannot hold every number.
DeviceFailure failureOf(const char* call, int32_t status, std::string text);

/// A text of a device made fit for reports: control characters but line ends become '?', and it is cut at 4,000 bytes.
std::string cleanText(const char* data, uint64_t length);

}  // namespace etalon::abi
