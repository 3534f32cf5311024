// SPDX-License-Identifier: Apache-2.0
#include "tools/sweep/study.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>

#include "isa/base/number.h"
#include "isa/base/text.h"
#include "isa/machines/find_machine.h"
#include "tools/sweep/study_parts.h"

namespace etalon::tools {
namespace {

constexpr std::array<std::string_view, 2> kDevices{"npu", "npu-functional"};

Status readHead(const YamlValue& root, const std::string& device, Study& study) {
  Result<std::string> name = nameAt(root, true);
  if (!name.ok()) return name.error();
  study.name = *std::move(name);
  Result<std::string> title = textOr(root, "title", study.name);
  if (!title.ok()) return title.error();
  study.title = *std::move(title);
  Result<std::string> named = textOr(root, "device", "npu");
  if (!named.ok()) return named.error();
  study.device = device.empty() ? *named : device;
  if (std::ranges::find(kDevices, study.device) == kDevices.end()) {
    const std::string what = fmt::format("{} runs no study; known: {}", quote(study.device),
                                         joined({kDevices.begin(), kDevices.end()}));
    return device.empty() ? root.at("device")->error(what) : Error{"--device: " + what};
  }
  if (const std::optional<YamlValue> limit = root.find("limit")) {
    const Result<uint64_t> value = limit->asUnsigned(1, ~uint64_t{0});
    if (!value.ok()) return value.error();
    study.limit = *value;
  }
  if (const std::optional<YamlValue> timing_only = root.find("timing_only")) {
    const Result<bool> value = timing_only->asBool();
    if (!value.ok()) return value.error();
    study.timing_only = *value;
  }
  Result<std::string> combine = textOr(root, "combine", "product");
  if (!combine.ok()) return combine.error();
  if (*combine != "product" && *combine != "one_at_a_time")
    return root.at("combine")->error(
        fmt::format("{} is not known; `product` runs every combination of the axes, "
                    "`one_at_a_time` leaves all axes but one at their base",
                    quote(*combine)));
  study.one_at_a_time = *combine == "one_at_a_time";
  return {};
}

/// `machine` and `set`: the machine of every point before its axes.
Status readMachine(const YamlValue& root, const std::vector<isa::Profile>& profiles, Study& study) {
  Result<YamlValue> entry = root.at("machine");
  if (!entry.ok()) return entry.error();
  const Result<std::string> name = entry->asString();
  if (!name.ok()) return name.error();
  study.machine = *name;
  const bool is_path = name->find('/') != std::string::npos || name->ends_with(".yaml");
  const Result<std::string> path = isa::findMachine(is_path ? inFolder(study, *name) : *name);
  if (!path.ok()) return entry->error(path.error().message);
  Result<isa::Machine> machine = isa::loadMachine(*path, profiles);
  if (!machine.ok()) return entry->error(machine.error().message);
  study.base = *std::move(machine);
  const std::optional<YamlValue> set = root.find("set");
  if (!set) return {};
  const auto pairs = set->asMap();
  if (!pairs.ok()) return pairs.error();
  for (const auto& [key, value] : *pairs) {
    const Result<std::string> text = readText(value);
    if (!text.ok()) return text.error();
    study.overrides.push_back(key + "=" + *text);
    if (const Status set_one = isa::applyOverride(study.base, study.overrides.back(), profiles);
        !set_one.ok())
      return value.error(set_one.error().message);
  }
  if (const Status status = isa::checkMachine(study.base); !status.ok())
    return set->error(status.error().message);
  return {};
}

uint64_t countRuns(const Study& study) {
  uint64_t points = 1;
  for (const Axis& axis : study.axes) {
    points = study.one_at_a_time ? points + axis.steps.size() - 1 : points * axis.steps.size();
    if (points > kMostRuns) break;
  }
  return points * study.workloads.size();
}

}  // namespace

Result<std::string> readText(const YamlValue& value) {
  if (Result<uint64_t> number = value.asUnsigned(0, ~uint64_t{0}); number.ok())
    return fmt::format("{}", *number);
  if (Result<int64_t> number = value.asSigned(INT64_MIN, -1); number.ok())
    return fmt::format("{}", *number);
  if (Result<uint64_t> ratio = value.asThousandths(0, ~uint64_t{0}); ratio.ok())
    return formatThousandths(*ratio);
  if (value.asList().ok() || value.asMap().ok()) return value.error("expected a single value");
  return value.asString();
}

Result<std::string> textOr(const YamlValue& map, std::string_view key, std::string otherwise) {
  const std::optional<YamlValue> value = map.find(key);
  return value ? value->asString() : Result<std::string>(std::move(otherwise));
}

Result<std::string> textAt(const YamlValue& map, std::string_view key) {
  const Result<YamlValue> value = map.at(key);
  if (!value.ok()) return value.error();
  return value->asString();
}

Result<std::vector<YamlValue>> itemsAt(const YamlValue& map, std::string_view key,
                                       std::string_view wanted) {
  const Result<YamlValue> value = map.at(key);
  if (!value.ok()) return value.error();
  Result<std::vector<YamlValue>> items = value->asList();
  if (!items.ok()) return items.error();
  if (items->empty()) return value->error(fmt::format("is empty; expected {}", wanted));
  return items;
}

Result<std::string> nameAt(const YamlValue& map, bool hyphens) {
  Result<std::string> name = textAt(map, "name");
  if (!name.ok()) return name.error();
  constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
  const std::string allowed = std::string(kLetters) + "0123456789_" + (hyphens ? "-" : "");
  if (kLetters.find((*name)[0]) == std::string_view::npos ||
      name->find_first_not_of(allowed) != std::string::npos || name->size() > 60)
    return map.at("name")->error(
        fmt::format("{} is no name: a letter, then letters, digits{}, at most 60 in all",
                    quote(*name), hyphens ? ", _ and -" : " and _"));
  return name;
}

std::string inFolder(const Study& study, const std::string& path) {
  return (std::filesystem::path(study.folder) / path).lexically_normal().string();
}

const Axis* findAxis(const Study& study, std::string_view key) {
  for (const Axis& axis : study.axes)
    if (std::ranges::find(axis.keys, key) != axis.keys.end()) return &axis;
  return nullptr;
}

std::optional<double> machineNumber(const isa::Machine& machine, std::string_view key) {
  for (const isa::MachineValue& value : isa::machineValues(machine)) {
    if (value.key != key) continue;
    return numberOf(value.value);
  }
  return std::nullopt;
}

std::optional<double> numberOf(const std::string& text) {
  if (const Result<uint64_t> whole = parseBytes(text); whole.ok())
    return static_cast<double>(*whole);
  if (const Result<uint64_t> ratio = parseThousandths(text); ratio.ok())
    return static_cast<double>(*ratio) / 1000;
  return std::nullopt;
}

Result<Study> loadStudy(const std::string& path, const std::string& device) {
  const Result<YamlDocument> document = YamlDocument::load(path);
  if (!document.ok()) return document.error();
  const YamlValue root = document->root();
  ETALON_RETURN_IF_ERROR(root.allowKeys({"name", "title", "machine", "set", "device", "limit",
                                         "timing_only", "combine", "axes", "constraints",
                                         "workloads", "metrics", "ledgers", "plots"}));
  const Result<std::vector<isa::Profile>> profiles = isa::shippedProfiles();
  if (!profiles.ok()) return profiles.error();
  Study study;
  study.file = path;
  study.folder = std::filesystem::path(path).parent_path().string();
  ETALON_RETURN_IF_ERROR(readHead(root, device, study));
  ETALON_RETURN_IF_ERROR(readMachine(root, *profiles, study));
  ETALON_RETURN_IF_ERROR(readAxes(root, *profiles, study));
  ETALON_RETURN_IF_ERROR(readConstraints(root, study));
  ETALON_RETURN_IF_ERROR(readWorkloads(root, study));
  if (countRuns(study) > kMostRuns)
    return root.at("axes")->error(fmt::format(
        "more than {} runs; shorten an axis, zip axes that belong together, set `combine: "
        "one_at_a_time`, or split the study",
        kMostRuns));
  ETALON_RETURN_IF_ERROR(readMetrics(root, study));
  ETALON_RETURN_IF_ERROR(readLedgers(root, study));
  ETALON_RETURN_IF_ERROR(readPlots(root, study));
  return study;
}

}  // namespace etalon::tools
