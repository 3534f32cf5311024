// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "isa/codec/codec.h"
#include "tools/run/report.h"
#include "tools/timing/timing_json.h"

namespace etalon::tools {
namespace {

using Json = nlohmann::ordered_json;

/// Addresses and words are text: readers of JSON may hold numbers as doubles.
std::string hex(uint64_t value) { return fmt::format("{:#x}", value); }

/// The core by its number; where there are several devices, its device as well.
Json coreJson(unsigned agent, const sim::Cluster& cluster) {
  Json json{{"core", cluster.core(agent)}};
  if (cluster.devices > 1) json["device"] = sim::Cluster::id(cluster.device(agent));
  return json;
}

Json siteJson(const sim::Cluster& cluster, unsigned agent, uint64_t pc, uint32_t instruction,
              const SourcePlace& place) {
  Json json = coreJson(agent, cluster);
  json["pc"] = hex(pc);
  json["instruction"] = hex(instruction);
  json["disassembly"] = isa::disassemble(instruction);
  if (place.line != 0) {
    json["file"] = place.file;
    json["line"] = place.line;
  }
  if (!place.symbol.empty()) json["symbol"] = place.symbol;
  return json;
}

Json faultJson(const ReportedFault& reported, const sim::Cluster& cluster) {
  const isa::Fault& fault = reported.fault;
  Json json = siteJson(cluster, fault.core, fault.pc, fault.instruction, reported.place);
  json["handled"] = reported.handled;
  json["cause"] = isa::causeName(fault.cause);
  json["cause_code"] = static_cast<int>(fault.cause);
  json["value"] = hex(fault.value);
  if (const isa::RuleInfo* rule = isa::ruleInfo(fault.rule)) {
    json["rule"] = rule->name;
    json["rule_text"] = isa::ruleText(fault.rule);
  }
  if (!fault.operand.empty()) json["operand"] = fault.operand;
  if (!fault.detail.empty()) json["detail"] = fault.detail;
  if (!fault.hint.empty()) json["hint"] = fault.hint;
  return json;
}

Json raceSideJson(const sim::RacingAccess& side, const SourcePlace& place,
                  const sim::Cluster& cluster) {
  Json json = siteJson(cluster, side.site.core, side.site.pc, side.site.insn, place);
  json["access"] = sim::accessKindName(side.kind);
  return json;
}

std::string memoryName(sim::MemoryRegion region, const sim::Cluster& cluster) {
  if (region.isGlobalOfAny(cluster)) return "global" + cluster.deviceSuffix(region.device(cluster));
  return "local of " + cluster.coreName(region.index - 1);
}

Json raceJson(const ReportedRace& reported, const sim::Cluster& cluster) {
  const sim::RaceReport& race = reported.race;
  return {{"first", raceSideJson(race.first, reported.first, cluster)},
          {"second", raceSideJson(race.second, reported.second, cluster)},
          {"memory", memoryName(race.region, cluster)},
          {"offset", hex(race.offset)},
          {"text", race.text}};
}

Json readJson(const ReportedRead& reported, const sim::Cluster& cluster) {
  const sim::UninitialisedRead& read = reported.read;
  Json json = siteJson(cluster, read.core, read.pc, read.instruction, reported.place);
  json["address"] = hex(read.address);
  json["size"] = read.size;
  return json;
}

Json stopJson(const ReportedStop& reported, const sim::Cluster& cluster) {
  const sim::StoppedCore& stopped = reported.stopped;
  Json json = siteJson(cluster, stopped.core, stopped.pc, stopped.instruction, reported.place);
  if (!stopped.waiting.empty()) json["waiting"] = stopped.waiting;
  return json;
}

Json poisonJson(const ReportedPoison& reported, const sim::Cluster& cluster) {
  const sim::PoisonStop& stop = reported.stop;
  Json json = siteJson(cluster, stop.core, stop.pc, stop.instruction, reported.place);
  json["use"] = stop.use;
  if (!stop.operand.empty()) json["operand"] = stop.operand;
  json["address"] = hex(stop.address);
  return json;
}

Json outputJson(const Output& output, bool finished) {
  const bool written = finished && !output.first_left_out;
  Json json{{"name", output.name},
            {"type", elementInfo(output.array.type).name},
            {"shape", output.array.shape},
            {"file", !output.file.empty() && written ? Json(output.file) : Json(nullptr)}};
  if (output.first_unwritten) json["first_unwritten"] = *output.first_unwritten;
  if (output.first_left_out) json["first_left_out"] = *output.first_left_out;
  return json;
}

Json machineJson(const std::optional<isa::Machine>& machine) {
  if (!machine) return nullptr;
  return {{"name", machine->displayName()},
          {"derived", machine->derived()},
          {"overrides", machine->overrides.empty() ? Json::object() : Json(machine->overrides)}};
}

Json contractJson(const RunReport& report) {
  return {{"name", report.contract_name}, {"hash", hex(report.contract_hash)}};
}

template <class T>
Json orNull(const std::optional<T>& value) {
  return value ? Json(*value) : Json(nullptr);
}

template <class T, class F>
Json listOf(const std::vector<T>& values, F toJson) {
  Json list = Json::array();
  for (const T& value : values) list.push_back(toJson(value));
  return list;
}

}  // namespace

std::string reportJson(const RunReport& report, const std::string& console) {
  const std::vector<std::string> failures = report.failures();
  const auto found = [&](const auto& values, auto toJson) {
    return listOf(values, [&](const auto& value) { return toJson(value, report.cluster); });
  };
  Json counters = Json::object();
  for (const auto& [name, value] : report.counters) counters[name] = value;
  Json check = nullptr;
  if (report.check)
    check = {{"operation", report.check->operation},
             {"passed", report.check->passed},
             {"detail", report.check->detail}};
  Json json{
      {"success", failures.empty()},
      {"failures", failures},
      {"status", runEndName(report.end)},
      {"exit_code", report.end == RunEnd::exited ? Json(report.exit_code) : Json(nullptr)},
      {"device", report.device},
      {"ran", report.ran_operator ? "operator" : "image"},
      {"machine", machineJson(report.machine)},
      {"contract", report.contract_name.empty() ? Json(nullptr) : contractJson(report)},
      {"program", report.program},
      {"cores", orNull(report.cores)},
      {"seed", orNull(report.seed)},
      {"instructions", orNull(report.instructions)},
      {"counters", counters},
      {"outputs",
       listOf(report.outputs, [&](const Output& o) { return outputJson(o, report.finished()); })},
      {"check", check},
      {"faults", found(report.faults, faultJson)},
      {"fault_count", report.fault_count},
      {"races", found(report.races, raceJson)},
      {"race_count", report.race_count},
      {"order_dependent", found(report.order_dependent, raceJson)},
      {"order_dependent_count", report.order_dependent_count},
      {"uninitialised_reads", found(report.uninitialised_reads, readJson)},
      {"uninitialised_read_count", report.uninitialised_read_count},
      {"console", console},
      {"stopped", found(report.stops, stopJson)},
  };
  if (report.cluster.devices > 1) json["devices"] = report.cluster.devices;
  if (!report.device_description.empty())
    json["device_description"] = Json::parse(report.device_description);
  if (report.timing) json["timing"] = Json::parse(timingJson(*report.timing));
  if (report.timing_only) json["timing_only"] = true;
  if (report.poison) json["poison"] = poisonJson(*report.poison, report.cluster);
  if (!report.detail.empty()) json["detail"] = report.detail;
  if (!report.dumps.empty())
    json["dumps"] = listOf(report.dumps, [&](const ReportedDump& d) {
      Json dump{{"target", d.target}};
      dump.update(coreJson(d.core, report.cluster));
      dump["text"] = d.text;
      return dump;
    });
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace etalon::tools
