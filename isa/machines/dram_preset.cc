// SPDX-License-Identifier: Apache-2.0
#include "isa/machines/dram_preset.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <filesystem>
#include <optional>

#include "isa/base/file.h"
#include "isa/base/number.h"
#include "isa/base/text.h"
#include "isa/base/yaml.h"
#include "isa/machines/dram_check.h"
#include "isa/machines/dram_fields.h"
#include "isa/machines/find_machine.h"

namespace etalon::isa {
namespace {

/// The `value` of `key: {value: N, source: "..."}`; remembers the source.
Result<YamlValue> sourcedValue(const YamlValue& entry, DramPreset& preset) {
  if (!entry.asMap().ok())
    return entry.error("write the number as {value: ..., source: \"where it comes from\"}");
  if (Status status = entry.allowKeys({"value", "source"}); !status.ok()) return status.error();
  Result<YamlValue> value = entry.at("value");
  if (!value.ok()) return value;
  Result<YamlValue> source = entry.at("source");
  if (!source.ok()) return source;
  Result<std::string> text = source->asString();
  if (!text.ok()) return text.error();
  preset.sources[entry.path()] = *text;
  return value;
}

Status readNumber(const YamlValue& entry, uint64_t least, uint64_t most, bool power_of_two,
                  DramPreset& preset, uint64_t& target) {
  Result<YamlValue> value = sourcedValue(entry, preset);
  if (!value.ok()) return value.error();
  Result<uint64_t> number = value->asUnsigned(least, most);
  if (!number.ok()) return number.error();
  if (power_of_two && !std::has_single_bit(*number))
    return value->error(fmt::format("{} is no power of two", *number));
  target = *number;
  return {};
}

/// A time in nCK or in nanoseconds, whichever the file gives.
Status readTime(const YamlValue& timing, const DramTimeField& field, DramPreset& preset) {
  const std::string ns_key = fmt::format("{}_ns", field.key);
  const std::optional<YamlValue> cycles = timing.find(field.key);
  const std::optional<YamlValue> ns = timing.find(ns_key);
  if (cycles && ns)
    return ns->error(fmt::format("{} is given too, in nCK; write one of the two", field.key));
  uint64_t& target = preset.timing.*field.member;
  if (cycles) return readNumber(*cycles, 0, field.most, false, preset, target);
  if (!ns)
    return field.optional ? Status()
                          : Status(timing.error(fmt::format(
                                "the key '{}' (in nCK) or '{}' is missing", field.key, ns_key)));
  ETALON_RETURN_IF_ERROR(readNumber(*ns, 0, 1000000, false, preset, target));
  target = (target * 1000 + preset.timing.tck_ps - 1) / preset.timing.tck_ps;
  if (target > field.most)
    return ns->error(fmt::format("{} nCK is more than {}", target, field.most));
  return {};
}

Status readTiming(const YamlValue& timing, DramPreset& preset) {
  auto pairs = timing.asMap();
  if (!pairs.ok()) return pairs.error();
  std::string known = "tck_ps";
  for (const DramTimeField& field : kDramTimeFields) known += fmt::format(", {}", field.key);
  for (const auto& [key, value] : *pairs) {
    const std::string_view name =
        key.ends_with("_ns") ? std::string_view(key).substr(0, key.size() - 3) : key;
    const bool found = std::any_of(kDramTimeFields.begin(), kDramTimeFields.end(),
                                   [&](const DramTimeField& field) { return field.key == name; });
    if (!found && key != "tck_ps")
      return value.error(fmt::format("unknown key; known: {} (and the same with _ns)", known));
  }
  Result<YamlValue> clock = timing.at("tck_ps");
  if (!clock.ok()) return clock.error();
  ETALON_RETURN_IF_ERROR(readNumber(*clock, 50, 100000, false, preset, preset.timing.tck_ps));
  for (const DramTimeField& field : kDramTimeFields)
    ETALON_RETURN_IF_ERROR(readTime(timing, field, preset));
  return {};
}

/// One of the words of a closed list.
Result<size_t> readWord(const YamlValue& root, std::string_view key,
                        const std::vector<std::string>& words) {
  Result<YamlValue> value = root.at(key);
  if (!value.ok()) return value.error();
  Result<std::string> text = value->asString();
  if (!text.ok()) return text.error();
  const auto found = std::find(words.begin(), words.end(), *text);
  if (found == words.end())
    return value->error(fmt::format("{} is not one of {}", quote(*text), joined(words)));
  return static_cast<size_t>(found - words.begin());
}

Status readMapping(const YamlValue& mapping, DramPreset& preset) {
  ETALON_RETURN_IF_ERROR(mapping.allowKeys({"order", "hash"}));
  Result<YamlValue> hash = mapping.at("hash");
  if (!hash.ok()) return hash.error();
  Result<bool> hashed = hash->asBool();
  if (!hashed.ok()) return hashed.error();
  preset.hash = *hashed;
  Result<YamlValue> order = mapping.at("order");
  if (!order.ok()) return order.error();
  Result<std::vector<YamlValue>> items = order->asList();
  if (!items.ok()) return items.error();
  static const std::vector<std::string> kNames{"row", "bank", "group", "column"};
  for (const YamlValue& item : *items) {
    Result<std::string> text = item.asString();
    if (!text.ok()) return text.error();
    const size_t colon = text->find(':');
    const auto name = std::find(kNames.begin(), kNames.end(), text->substr(0, colon));
    MappingField field;
    bool right = name != kNames.end();
    if (right && colon != std::string::npos) {
      Result<uint64_t> bits = parseUnsigned(text->substr(colon + 1));
      right = bits.ok() && *bits >= 1 && *bits <= 16;
      if (right) field.bits = static_cast<uint32_t>(*bits);
    }
    if (!right)
      return item.error(fmt::format(
          "{} is no field: write row, bank, group or column, or a part of it such as column:1",
          quote(*text)));
    field.kind = static_cast<MappingField::Kind>(name - kNames.begin());
    preset.mapping.push_back(field);
  }
  if (std::optional<std::string> problem = resolveMapping(preset)) return order->error(*problem);
  return {};
}

Status readDram(const YamlValue& root, DramPreset& preset) {
  ETALON_RETURN_IF_ERROR(root.allowKeys(
      {"name", "title", "kind", "organisation", "timing", "mapping", "refresh", "commands"}));
  Result<YamlValue> organisation = root.at("organisation");
  if (!organisation.ok()) return organisation.error();
  ETALON_RETURN_IF_ERROR(organisation->allowKeys({"groups", "banks", "page_bytes", "burst_bytes"}));
  for (const DramNumberField& field : kDramNumberFields) {
    Result<YamlValue> entry = organisation->at(field.key);
    if (!entry.ok()) return entry.error();
    ETALON_RETURN_IF_ERROR(readNumber(*entry, field.least, field.most, field.power_of_two, preset,
                                      preset.*field.member));
  }
  if (std::optional<std::string> problem = organisationProblem(preset))
    return organisation->error(*problem);
  Result<YamlValue> timing = root.at("timing");
  if (!timing.ok()) return timing.error();
  ETALON_RETURN_IF_ERROR(readTiming(*timing, preset));
  Result<size_t> refresh = readWord(root, "refresh", {"all_bank", "per_bank"});
  if (!refresh.ok()) return refresh.error();
  preset.refresh = static_cast<DramPreset::Refresh>(*refresh);
  Result<size_t> commands = readWord(root, "commands", {"shared", "split"});
  if (!commands.ok()) return commands.error();
  preset.commands = static_cast<DramPreset::Commands>(*commands);
  if (std::optional<std::string> problem = timingProblem(preset)) return timing->error(*problem);
  Result<YamlValue> mapping = root.at("mapping");
  if (!mapping.ok()) return mapping.error();
  return readMapping(*mapping, preset);
}

Status readFixed(const YamlValue& root, DramPreset& preset) {
  ETALON_RETURN_IF_ERROR(root.allowKeys(
      {"name", "title", "kind", "latency_ns", "bytes_per_cycle", "megabytes_per_second"}));
  Result<YamlValue> latency = root.at("latency_ns");
  if (!latency.ok()) return latency.error();
  ETALON_RETURN_IF_ERROR(readNumber(*latency, 0, 1000000, false, preset, preset.latency_ns));
  const std::optional<YamlValue> bytes = root.find("bytes_per_cycle");
  const std::optional<YamlValue> rate = root.find("megabytes_per_second");
  if (bytes.has_value() == rate.has_value())
    return root.error("give one of 'bytes_per_cycle' and 'megabytes_per_second'");
  if (bytes) return readNumber(*bytes, 1, 65536, false, preset, preset.bytes_per_cycle);
  return readNumber(*rate, 1, 100000000, false, preset, preset.megabytes_per_second);
}

Status readNames(const YamlValue& root, const std::string& path, DramPreset& preset) {
  for (const auto& [key, target] :
       {std::pair{"name", &preset.name}, std::pair{"title", &preset.title}}) {
    Result<YamlValue> value = root.at(key);
    if (!value.ok()) return value.error();
    Result<std::string> text = value->asString();
    if (!text.ok()) return text.error();
    *target = *text;
  }
  const std::string stem = std::filesystem::path(path).stem().string();
  if (preset.name != stem)
    return root.at("name")->error(
        fmt::format("{} is not the name of the file; expected '{}'", quote(preset.name), stem));
  return {};
}

}  // namespace

uint32_t DramPreset::columnBits() const {
  return static_cast<uint32_t>(std::countr_zero(page_bytes / burst_bytes));
}

uint64_t DramPreset::peakMegabytesPerSecond() const {
  return burst_bytes * 1000000 / (std::max(timing.burst, timing.ccd_s) * timing.tck_ps);
}

std::vector<MachineValue> dramValues(const DramPreset& preset) {
  std::vector<MachineValue> values;
  const auto add = [&](const std::string& section, const std::string& name, uint64_t value,
                       const char* unit) {
    const std::string key = section.empty() ? name : fmt::format("{}.{}", section, name);
    auto source = preset.sources.find(key);
    std::string given;
    if (source == preset.sources.end()) {
      source = preset.sources.find(key + "_ns");
      given = " (given in ns)";
    }
    if (source == preset.sources.end()) return;  // not of this kind of preset
    MachineValue shown;
    shown.section = section;
    shown.key = key;
    shown.value = fmt::format("{}", value);
    shown.unit = unit;
    shown.source = source->second + given;
    shown.timing = true;
    values.push_back(std::move(shown));
  };
  for (const DramNumberField& field : kDramNumberFields)
    add("organisation", std::string(field.key), preset.*field.member, "");
  add("timing", "tck_ps", preset.timing.tck_ps, "ps");
  for (const DramTimeField& field : kDramTimeFields)
    add("timing", std::string(field.key), preset.timing.*field.member, "nCK");
  add("", "latency_ns", preset.latency_ns, "ns");
  add("", "bytes_per_cycle", preset.bytes_per_cycle, "B");
  add("", "megabytes_per_second", preset.megabytes_per_second, "MB/s");
  return values;
}

Result<DramPreset> loadDramPreset(const std::string& path) {
  Result<YamlDocument> document = YamlDocument::load(path);
  if (!document.ok()) return document.error();
  const YamlValue root = document->root();
  DramPreset preset;
  if (Status status = readNames(root, path, preset); !status.ok()) return status.error();
  Result<size_t> kind = readWord(root, "kind", {"dram", "fixed"});
  if (!kind.ok()) return kind.error();
  preset.kind = static_cast<DramPreset::Kind>(*kind);
  const bool dram = preset.kind == DramPreset::Kind::Dram;
  if (Status status = dram ? readDram(root, preset) : readFixed(root, preset); !status.ok())
    return status.error();
  return preset;
}

Result<DramPreset> openDramPreset(std::string_view name, const std::string& beside) {
  const Result<std::string> path = findPart("memory", name, beside);
  if (!path.ok()) return path.error();
  return loadDramPreset(*path);
}

Result<std::vector<DramPreset>> listDramPresets(const std::string& directory) {
  Result<std::vector<std::string>> files = listFiles(directory, ".yaml");
  if (!files.ok()) return files.error();
  std::vector<DramPreset> presets;
  for (const std::string& path : *files) {
    Result<DramPreset> preset = loadDramPreset(path);
    if (!preset.ok()) return preset.error();
    presets.push_back(*std::move(preset));
  }
  return presets;
}

}  // namespace etalon::isa
