// SPDX-License-Identifier: Apache-2.0
#include "isa/machines/energy.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <utility>
#include <vector>

#include "isa/base/number.h"
#include "isa/base/text.h"
#include "isa/base/yaml.h"

namespace etalon::isa {
namespace {

constexpr std::array<std::string_view, kEnergyActions> kNames{
    "mac_32",    "mac_16",       "mac_8",
    "mac_4",     "vector_op",    "local_byte",
    "dram_byte", "network_byte", "scalar_instruction"};
constexpr uint64_t kMostFemtojoules = 1'000'000'000;  // a microjoule: more than any action here

/// Reads `key: {value: N, source: "..."}`, N in picojoules.
Result<uint64_t> readFigure(const YamlValue& action, std::string_view key, EnergyTable& table) {
  const Result<YamlValue> entry = action.at(key);
  if (!entry.ok()) return entry.error();
  if (!entry->asMap().ok())
    return entry->error("write the figure as {value: ..., source: \"where it comes from\"}");
  if (Status status = entry->allowKeys({"value", "source"}); !status.ok()) return status.error();
  const Result<YamlValue> value = entry->at("value");
  if (!value.ok()) return value.error();
  const Result<uint64_t> figure = value->asThousandths(0, kMostFemtojoules);
  if (!figure.ok()) return figure.error();
  const Result<YamlValue> source = entry->at("source");
  if (!source.ok()) return source.error();
  Result<std::string> text = source->asString();
  if (!text.ok()) return text.error();
  table.sources[entry->path()] = *std::move(text);
  return *figure;
}

Result<EnergyRange> readRange(const YamlValue& action, EnergyTable& table) {
  if (Status status = action.allowKeys({"low", "nominal", "high"}); !status.ok())
    return status.error();
  EnergyRange range;
  for (const auto& [key, figure] :
       {std::pair{"low", &range.low}, {"nominal", &range.nominal}, {"high", &range.high}}) {
    const Result<uint64_t> read = readFigure(action, key, table);
    if (!read.ok()) return read.error();
    *figure = *read;
  }
  if (range.low > range.nominal || range.nominal > range.high)
    return action.error("the figures do not ascend: low <= nominal <= high");
  return range;
}

Status readNames(const YamlValue& root, const std::string& path, EnergyTable& table) {
  for (const auto& [key, target] : {std::pair{"name", &table.name}, {"title", &table.title}}) {
    const Result<YamlValue> value = root.at(key);
    if (!value.ok()) return value.error();
    Result<std::string> text = value->asString();
    if (!text.ok()) return text.error();
    *target = *std::move(text);
  }
  const std::string stem = std::filesystem::path(path).stem().string();
  if (table.name != stem)
    return root.at("name")->error(
        fmt::format("{} is not the name of the file; expected '{}'", quote(table.name), stem));
  return {};
}

}  // namespace

std::string_view energyActionName(EnergyAction action) {
  return kNames[static_cast<size_t>(action)];
}

std::vector<MachineValue> energyValues(const EnergyTable& table) {
  std::vector<MachineValue> values;
  for (size_t i = 0; i < kEnergyActions; ++i) {
    if (!table.actions[i]) continue;
    for (const auto& [key, figure] : {std::pair{"low", table.actions[i]->low},
                                      {"nominal", table.actions[i]->nominal},
                                      {"high", table.actions[i]->high}}) {
      const std::string dotted = fmt::format("{}.{}", kNames[i], key);
      MachineValue value{dotted, formatThousandths(figure), table.sources.at(dotted)};
      value.section = kNames[i], value.unit = "pJ";
      values.push_back(std::move(value));
    }
  }
  return values;
}

Result<EnergyTable> loadEnergyTable(const std::string& path) {
  const Result<YamlDocument> document = YamlDocument::load(path);
  if (!document.ok()) return document.error();
  const YamlValue root = document->root();
  std::vector<std::string_view> known{"name", "title"};
  known.insert(known.end(), kNames.begin(), kNames.end());
  ETALON_RETURN_IF_ERROR(root.allowKeys(known));
  EnergyTable table;
  ETALON_RETURN_IF_ERROR(readNames(root, path, table));
  for (size_t i = 0; i < kEnergyActions; ++i) {
    const std::optional<YamlValue> action = root.find(kNames[i]);
    if (!action) continue;
    const Result<EnergyRange> range = readRange(*action, table);
    if (!range.ok()) return range.error();
    table.actions[i] = *range;
  }
  if (table.sources.empty())
    return root.error(
        fmt::format("has no action; expected one or more of {}", fmt::join(kNames, ", ")));
  return table;
}

}  // namespace etalon::isa
