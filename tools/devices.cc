// SPDX-License-Identifier: Apache-2.0
// etalon devices: where programs can run, and what a device says about itself.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "isa/abi/device.h"
#include "isa/base/number.h"
#include "isa/base/text.h"
#include "tools/command.h"

namespace etalon::tools {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kPluginPrefix = "plugin:";

struct DevicesOptions {
  std::string device, config = "{}";
  bool json = false;
};

std::string describeText(const DeviceDescription& d, const std::vector<std::string>& features) {
  const auto listed = [](const std::vector<std::string>& names) {
    return names.empty() ? "none" : joined(names);
  };
  std::string text = fmt::format("{}: {}\n", d.name, d.title);
  text += fmt::format("  vendor     {}\n  version    {}\n  kind       {}\n", d.vendor, d.version,
                      d.kind);
  text += fmt::format("  profiles   {}\n", listed(d.profiles));
  text += fmt::format("  operators  {}\n", listed(d.operators));
  text += fmt::format("  features   {}\n", listed(features));
  text += fmt::format("  numerics   {}\n", d.numerics);
  text += fmt::format("  memory     {}\n", formatBytes(d.memory_bytes));
  if (!d.profiles.empty()) text += fmt::format("  cores      {}\n", d.cores);
  return text;
}

int describe(const DevicesOptions& options) {
  if (!options.device.starts_with(kPluginPrefix))
    return complain("devices", Error{fmt::format("{}: only plug-ins describe themselves, "
                                                 "plugin:PATH; `etalon machines` has the others",
                                                 quote(options.device))});
  constexpr uint64_t kTimeout = 60'000'000'000;
  DeviceFailure why;
  Result<Device> device =
      Device::openWorker(options.device.substr(kPluginPrefix.size()),
                         {.configuration = options.config, .timeout_ns = kTimeout}, &why);
  if (!device.ok()) {
    complain("devices", device.error());
    return why.call == "load" && why.status == ETALON_INVALID ? kBadInput : kFailed;
  }
  std::vector<std::string> features;
  for (int i = 0; i < kDeviceFeatures; ++i)
    if (device->has(static_cast<DeviceFeature>(i)))
      features.emplace_back(deviceFeatureName(static_cast<DeviceFeature>(i)));
  const DeviceDescription& description = device->description();
  if (options.json)
    printOut(Json{{"description", Json::parse(description.json)}, {"features", features}}.dump(2) +
             "\n");
  else
    printOut(describeText(description, features));
  const Status closed = device->close();
  if (closed.ok()) return kSuccess;
  complain("devices", closed.error());
  return kFailed;
}

int list() {
  printOut(
      "npu-functional  the functional model: values, faults and counts of a machine (etalon "
      "machines)\n"
      "plugin:PATH     a shared library that is a device (etalon devices plugin:PATH describes "
      "it)\n");
  return kSuccess;
}

}  // namespace

void addDevices(CLI::App& app, int& exit_status) {
  auto options = std::make_shared<DevicesOptions>();
  CLI::App* sub =
      app.add_subcommand("devices", "Where programs can run; what a plug-in says it is");
  sub->add_option("DEVICE", options->device, "plugin:PATH: open it and ask it")
      ->type_name("plugin:FILE");
  sub->add_option("--device-config", options->config, "JSON object for the plug-in")
      ->type_name("JSON");
  sub->add_flag("--json", options->json,
                "One JSON object: description (isa/schema/device.schema.json) and features");
  sub->footer(
      "Examples:\n"
      "  etalon devices\n"
      "  etalon devices plugin:./mychip.so --json");
  sub->callback([options, &exit_status] {
    exit_status = options->device.empty() ? list() : describe(*options);
  });
}

}  // namespace etalon::tools
