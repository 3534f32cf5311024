// SPDX-License-Identifier: Apache-2.0
// Workloads, metrics and ledgers of a study: what is run, and what is read off a run.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "isa/base/text.h"
#include "isa/machines/address_map.h"
#include "tools/io/generate.h"
#include "tools/run/request.h"
#include "tools/sweep/study_parts.h"

namespace etalon::tools {
namespace {

constexpr std::string_view kMachinePrefix = "machine.";

bool isFile(const Study& study, const std::string& path) {
  std::error_code ignored;
  return std::filesystem::is_regular_file(inFolder(study, path), ignored);
}

Result<std::vector<NamedText>> readPairs(const YamlValue& entry, std::string_view key) {
  std::vector<NamedText> read;
  const std::optional<YamlValue> map = entry.find(key);
  if (!map) return read;
  const auto pairs = map->asMap();
  if (!pairs.ok()) return pairs.error();
  for (const auto& [name, value] : *pairs) {
    Result<std::string> text = readText(value);
    if (!text.ok()) return text.error();
    read.push_back({name, *std::move(text), value});
  }
  return read;
}

/// A generator, or a file that is there.
Status checkInput(const Study& study, const NamedText& input) {
  const Result<InputSource> parsed = parseInput(input.name + "=" + input.text);
  if (!parsed.ok()) return input.place.error(parsed.error().message);
  if (isGenerator(parsed->source)) return {};
  const std::string file = inputFile(input.text);
  if (!isFile(study, file))
    return input.place.error(fmt::format(
        "there is no file {}; paths are relative to the study, generators are zeros, ones, iota, "
        "const:V, random:SEED",
        quote(inFolder(study, file))));
  return {};
}

Result<Workload> readWorkload(const YamlValue& entry, const Study& study) {
  ETALON_RETURN_IF_ERROR(
      entry.allowKeys({"name", "program", "inputs", "args", "cores", "devices"}));
  Result<std::string> name = nameAt(entry, true);
  if (!name.ok()) return name.error();
  if (std::ranges::find(study.workloads, *name, &Workload::name) != study.workloads.end())
    return entry.at("name")->error(fmt::format("a second workload {}; names differ", quote(*name)));
  const Result<YamlValue> program = entry.at("program");
  if (!program.ok()) return program.error();
  const Result<std::string> path = program->asString();
  if (!path.ok()) return path.error();
  if (!isFile(study, *path))
    return program->error(fmt::format("there is no file {}; paths are relative to the study",
                                      quote(inFolder(study, *path))));
  Workload workload{*std::move(name), *path, *program, {}, {}, std::nullopt, 1};
  Result<std::vector<NamedText>> inputs = readPairs(entry, "inputs");
  if (!inputs.ok()) return inputs.error();
  workload.inputs = *std::move(inputs);
  for (const NamedText& input : workload.inputs) ETALON_RETURN_IF_ERROR(checkInput(study, input));
  Result<std::vector<NamedText>> arguments = readPairs(entry, "args");
  if (!arguments.ok()) return arguments.error();
  workload.arguments = *std::move(arguments);
  if (const std::optional<YamlValue> cores = entry.find("cores")) {
    const Result<uint64_t> value = cores->asUnsigned(1, 64);
    if (!value.ok()) return value.error();
    workload.cores = *value;
  }
  if (const std::optional<YamlValue> devices = entry.find("devices")) {
    const Result<uint64_t> value = devices->asUnsigned(1, isa::kMaxDevices);
    if (!value.ok()) return value.error();
    workload.devices = *value;
  }
  return workload;
}

/// `machine.KEY` must be a number of the machine; the rest is known only from a result.
Status checkNames(const Expression& value, const Study& study, const YamlValue& place) {
  for (const std::string& name : value.names()) {
    if (!name.starts_with(kMachinePrefix)) continue;
    if (!machineNumber(study.base, std::string_view(name).substr(kMachinePrefix.size())))
      return place.error(
          fmt::format("a machine has no number {}; `etalon machines show {}` lists its keys",
                      quote(std::string_view(name).substr(kMachinePrefix.size())), study.machine));
  }
  return {};
}

Result<Better> readBetter(const YamlValue& entry) {
  const Result<std::string> text = textOr(entry, "better", "");
  if (!text.ok()) return text.error();
  for (const Better better : {Better::less, Better::more})
    if (*text == betterName(better)) return better;
  if (!text->empty())
    return entry.at("better")->error(fmt::format("{} is not known; less or more", quote(*text)));
  return Better::unknown;
}

Result<Metric> readMetric(const YamlValue& entry, const Study& study) {
  ETALON_RETURN_IF_ERROR(entry.allowKeys({"name", "value", "unit", "better"}));
  Result<std::string> name = nameAt(entry, false);
  if (!name.ok()) return name.error();
  if (std::ranges::find(study.metrics, *name, &Metric::name) != study.metrics.end())
    return entry.at("name")->error(fmt::format("a second metric {}; names differ", quote(*name)));
  const Result<YamlValue> place = entry.at("value");
  if (!place.ok()) return place.error();
  const Result<std::string> text = place->asString();
  if (!text.ok()) return text.error();
  Result<Expression> value = Expression::parse(*text);
  if (!value.ok()) return place->error(value.error().message);
  if (value->isCondition())
    return place->error(fmt::format("{} compares; a metric is a number", quote(*text)));
  ETALON_RETURN_IF_ERROR(checkNames(*value, study, *place));
  Result<std::string> unit = textOr(entry, "unit", "");
  if (!unit.ok()) return unit.error();
  const Result<Better> better = readBetter(entry);
  if (!better.ok()) return better.error();
  return Metric{*std::move(name), *std::move(value), *std::move(unit), *better, *place};
}

Result<Ledger> readLedger(const YamlValue& entry, const Study& study) {
  ETALON_RETURN_IF_ERROR(entry.allowKeys({"name", "path", "unit", "parts"}));
  Result<std::string> name = nameAt(entry, true);
  if (!name.ok()) return name.error();
  if (std::ranges::find(study.ledgers, *name, &Ledger::name) != study.ledgers.end())
    return entry.at("name")->error(fmt::format("a second ledger {}; names differ", quote(*name)));
  const Result<YamlValue> place = entry.at("path");
  if (!place.ok()) return place.error();
  Result<std::string> path = place->asString();
  if (!path.ok()) return path.error();
  Result<std::string> unit = textOr(entry, "unit", "");
  if (!unit.ok()) return unit.error();
  Ledger ledger{*std::move(name), *std::move(path), *std::move(unit), {}, *place};
  if (!entry.find("parts")) return ledger;
  const Result<std::vector<YamlValue>> parts = itemsAt(entry, "parts", "keys of the object");
  if (!parts.ok()) return parts.error();
  for (const YamlValue& part : *parts) {
    Result<std::string> key = part.asString();
    if (!key.ok()) return key.error();
    if (std::ranges::find(ledger.parts, *key) != ledger.parts.end())
      return part.error(fmt::format("{} stands twice", quote(*key)));
    ledger.parts.push_back(*std::move(key));
  }
  return ledger;
}

}  // namespace

std::string_view betterName(Better better) {
  switch (better) {
    case Better::less: return "less";
    case Better::more: return "more";
    case Better::unknown: break;
  }
  return "";
}

std::string inputFile(const std::string& text) {
  const size_t colon = text.find(".safetensors:");
  return colon == std::string::npos ? text
                                    : text.substr(0, colon + std::string(".safetensors").size());
}

Status readWorkloads(const YamlValue& root, Study& study) {
  const Result<std::vector<YamlValue>> items =
      itemsAt(root, "workloads", "at least one {name: ..., program: ...}");
  if (!items.ok()) return items.error();
  for (const YamlValue& item : *items) {
    Result<Workload> workload = readWorkload(item, study);
    if (!workload.ok()) return workload.error();
    study.workloads.push_back(*std::move(workload));
  }
  return {};
}

Status readMetrics(const YamlValue& root, Study& study) {
  const Result<std::vector<YamlValue>> items =
      itemsAt(root, "metrics", "at least one {name: ..., value: ...}");
  if (!items.ok()) return items.error();
  for (const YamlValue& item : *items) {
    Result<Metric> metric = readMetric(item, study);
    if (!metric.ok()) return metric.error();
    study.metrics.push_back(*std::move(metric));
  }
  return {};
}

Status readLedgers(const YamlValue& root, Study& study) {
  const std::optional<YamlValue> entry = root.find("ledgers");
  if (!entry) return {};
  const Result<std::vector<YamlValue>> items = entry->asList();
  if (!items.ok()) return items.error();
  for (const YamlValue& item : *items) {
    Result<Ledger> ledger = readLedger(item, study);
    if (!ledger.ok()) return ledger.error();
    study.ledgers.push_back(*std::move(ledger));
  }
  return {};
}

}  // namespace etalon::tools
