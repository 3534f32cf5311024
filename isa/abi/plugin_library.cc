// SPDX-License-Identifier: Apache-2.0
// Plug-ins as shared libraries of this process.
#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <filesystem>

#include "isa/abi/device.h"
#include "isa/abi/device_connection.h"
#include "isa/base/text.h"

namespace etalon::abi {
namespace {

/// Names of the mandatory functions that a table has not got.
std::vector<std::string> missingFunctions(const etalon_device_api& api) {
  std::vector<std::string> missing;
  const auto ask = [&](const char* name, bool present) {
    if (!present) missing.emplace_back(name);
  };
  ask("open", api.open != nullptr);
  ask("describe", api.describe != nullptr);
  ask("alloc", api.alloc != nullptr);
  ask("copy", api.copy != nullptr);
  ask("run_operator", api.run_operator != nullptr);
  ask("close", api.close != nullptr);
  return missing;
}

Status checkTable(const std::string& path, const etalon_device_api* api) {
  if (api == nullptr)
    return Error{fmt::format("{}: the plug-in does not serve version {} of the device interface",
                             path, ETALON_DEVICE_ABI_MAJOR)};
  if (!ETALON_HAS(api, minor))
    return Error{fmt::format("{}: the plug-in's table of functions has {} bytes", path, api->size)};
  if (api->major != ETALON_DEVICE_ABI_MAJOR)
    return Error{fmt::format(
        "{}: the plug-in was built for version {}.{} of the device interface, this is {}.{}", path,
        api->major, api->minor, ETALON_DEVICE_ABI_MAJOR, ETALON_DEVICE_ABI_MINOR)};
  if (const auto missing = missingFunctions(completeTable(*api)); !missing.empty())
    return Error{
        fmt::format("{}: the plug-in lacks mandatory functions: {}", path, joined(missing))};
  return {};
}

}  // namespace

etalon_device_api completeTable(const etalon_device_api& api) {
  etalon_device_api whole{};
  std::memcpy(&whole, &api, std::min<uint64_t>(api.size, sizeof whole));
  whole.size = sizeof whole;
  if (whole.load_image == nullptr || whole.run_image == nullptr) {
    whole.load_image = nullptr;
    whole.run_image = nullptr;
  }
  return whole;
}

Result<DeviceConnection> loadPlugin(const std::string& path) {
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored))
    return Error{fmt::format("{}: there is no such plug-in", path)};
  // A name without a slash would be searched in the system's folders.
  const std::string file = std::filesystem::absolute(path, ignored).string();
  // Never unloaded: threads and exit handlers of a plug-in outlive its devices.
  void* opened = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (opened == nullptr) return Error{fmt::format("{}: cannot be loaded: {}", path, dlerror())};
  void* symbol = dlsym(opened, ETALON_DEVICE_ENTRY);
  if (symbol == nullptr)
    return Error{fmt::format("{}: is no device plug-in: it exports no " ETALON_DEVICE_ENTRY, path)};
  const auto entry = reinterpret_cast<etalon_device_entry_function>(symbol);
  const etalon_device_api* api = entry(ETALON_DEVICE_ABI_MAJOR);
  ETALON_RETURN_IF_ERROR(checkTable(path, api));
  return DeviceConnection{completeTable(*api), nullptr, nullptr};
}

Result<DeviceConnection> openDevice(DeviceConnection connection, const DeviceOptions& options,
                                    DeviceFailure& why) {
  std::array<char, 4096> room{};
  etalon_text error{sizeof error, room.data(), room.size(), 0};
  const etalon_open_request request{sizeof request, options.configuration.c_str()};
  const int32_t status = connection.api.open(&request, &connection.device, &error);
  if (status == ETALON_OK && connection.device != nullptr) return connection;
  if (status == ETALON_OK)
    why = {ETALON_BROKEN, "open", "it succeeded without a device"};
  else
    why = failureOf("open", status,
                    cleanText(room.data(), std::min<uint64_t>(error.length, room.size())));
  return Error{why.message()};
}

DeviceFailure failureOf(const char* call, int32_t status, std::string text) {
  if (status < ETALON_OK || status > ETALON_BROKEN)
    return {ETALON_BROKEN, call, fmt::format("it returned {}, which is no status", status)};
  return {static_cast<etalon_status>(status), call, std::move(text)};
}

std::string cleanText(const char* data, uint64_t length) {
  constexpr uint64_t kMost = 4000;
  std::string text(data, std::min(length, kMost));
  for (char& c : text)
    if ((static_cast<unsigned char>(c) < 0x20 && c != '\n') || c == 0x7f) c = '?';
  while (text.ends_with('\n')) text.pop_back();
  return text;
}

}  // namespace etalon::abi
