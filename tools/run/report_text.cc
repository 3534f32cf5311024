// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "isa/codec/codec.h"
#include "sim/observe/ledger_text.h"
#include "tools/run/report.h"

namespace etalon::tools {
namespace {

std::string where(const SourcePlace& place, uint64_t pc) {
  const std::string text = place.text();
  return text.empty() ? fmt::format("pc {:#x}", pc) : fmt::format("{}, pc {:#x}", text, pc);
}

std::string faultText(const ReportedFault& reported, const sim::Cluster& cluster) {
  const isa::Fault& fault = reported.fault;
  std::string text =
      fmt::format("{} on {}: {}\n", reported.handled ? "trap, handled by the program," : "fault",
                  cluster.coreName(fault.core), isa::causeName(fault.cause));
  text += fmt::format("  at           {}\n", where(reported.place, fault.pc));
  text += fmt::format("  instruction  {}\n", isa::disassemble(fault.instruction));
  if (!fault.operand.empty()) text += fmt::format("  operand      {}\n", fault.operand);
  if (!fault.detail.empty()) text += fmt::format("  found        {}\n", fault.detail);
  if (const isa::RuleInfo* rule = isa::ruleInfo(fault.rule))
    text += fmt::format("  rule         [{}] {}\n", rule->name, isa::ruleText(fault.rule));
  text += fmt::format("  value        {:#x} (mtval)\n", fault.value);
  if (!fault.hint.empty()) text += fmt::format("  hint         {}\n", fault.hint);
  return text;
}

std::string sideText(const sim::RacingAccess& side, const SourcePlace& place,
                     const sim::Cluster& cluster) {
  return fmt::format("{} {}: {} at {}", cluster.coreName(side.site.core),
                     sim::accessKindName(side.kind), isa::disassemble(side.site.insn),
                     where(place, side.site.pc));
}

std::string stopText(const ReportedStop& reported, const sim::Cluster& cluster) {
  const sim::StoppedCore& stopped = reported.stopped;
  return fmt::format("{} {}\n  at           {}\n  instruction  {}\n",
                     cluster.coreName(stopped.core),
                     stopped.waiting.empty() ? "had not halted" : stopped.waiting,
                     where(reported.place, stopped.pc), isa::disassemble(stopped.instruction));
}

std::string poisonText(const ReportedPoison& reported, const sim::Cluster& cluster) {
  const sim::PoisonStop& stop = reported.stop;
  std::string text =
      fmt::format("{} needs a value that --timing-only left out: {}\n  at           {}\n",
                  cluster.coreName(stop.core), stop.use, where(reported.place, stop.pc));
  if (stop.instruction != 0)
    text += fmt::format("  instruction  {}\n", isa::disassemble(stop.instruction));
  if (!stop.operand.empty()) text += fmt::format("  operand      {}\n", stop.operand);
  return text + fmt::format(
                    "  found        address {:#x} holds the result of arithmetic that was skipped, "
                    "or a copy of it\n"
                    "  hint         what the program does next depends on it, and so its time: run "
                    "without "
                    "--timing-only\n",
                    stop.address);
}

std::string pairText(std::string_view what, const ReportedRace& pair, const sim::Cluster& cluster) {
  return fmt::format("{}\n  first        {}\n  second       {}\n  {}\n", what,
                     sideText(pair.race.first, pair.first, cluster),
                     sideText(pair.race.second, pair.second, cluster), pair.race.text);
}

std::string more(uint64_t count, size_t shown, std::string_view what) {
  return count > shown ? fmt::format("... and {} more {}\n", count - shown, what) : "";
}

std::string headline(const RunReport& report) {
  std::string text = fmt::format("{}: {}", report.program, runEndName(report.end));
  if (report.end == RunEnd::exited) text += fmt::format(" {}", report.exit_code);
  if (report.ran_operator) text += ", the operator by the device's own means";
  if (report.instructions) text += fmt::format(", {} instructions", *report.instructions);
  if (report.cores) {
    text += fmt::format(" on {}", *report.cores);
    if (report.machine) text += fmt::format(" of {}", report.machine->cores);
    text += " cores";
    if (report.cluster.devices > 1)
      text += fmt::format(" of each of {} devices", report.cluster.devices);
  }
  text += ", " + report.device;
  if (report.machine)
    text += fmt::format(
        ", machine {}{}", report.machine->displayName(),
        report.machine->derived() ? " (derived: results belong to no published machine)" : "");
  if (report.timing_only)
    text +=
        ", --timing-only (no values of floats and products; races and unwritten reads not looked "
        "for)";
  if (report.seed.value_or(0) != 0) text += fmt::format(", seed {}", *report.seed);
  if (report.contract_hash != 0)
    text += fmt::format(", contract {} ({:#x})", report.contract_name, report.contract_hash);
  return text + "\n";
}

std::string countersText(const RunReport& report) {
  std::string text;
  for (const auto& [name, value] : report.counters)
    if (value != 0) text += fmt::format("  {:<24} {}\n", name, value);
  return text;
}

std::string outputsText(const RunReport& report) {
  std::string text;
  for (const Output& output : report.outputs)
    text += fmt::format(
        "output {} {}{}\n", output.name, describe(output.array.type, output.array.shape),
        output.first_left_out ? " not computed, by --timing-only"
        : output.file.empty() ? " (not kept; see --out)"
        : report.finished()   ? " -> " + output.file
                              : " not written, because the run did not end by itself");
  return text;
}

}  // namespace

std::string findingsText(const RunReport& report) {
  std::string text;
  if (report.poison) text += poisonText(*report.poison, report.cluster);
  for (const ReportedFault& fault : report.faults) text += faultText(fault, report.cluster);
  text += more(report.fault_count, report.faults.size(), "faults");
  for (const ReportedRace& race : report.races) text += pairText("data race", race, report.cluster);
  text += more(report.race_count, report.races.size(), "data races");
  for (const ReportedRace& pair : report.order_dependent)
    text += pairText("order-dependent result", pair, report.cluster);
  text +=
      more(report.order_dependent_count, report.order_dependent.size(), "order-dependent results");
  for (const ReportedRead& read : report.uninitialised_reads)
    text += fmt::format(
        "uninitialised read on {}\n  at           {}\n  instruction  {}\n  found        "
        "address {:#x} was never "
        "written; the access wanted {} bytes\n",
        report.cluster.coreName(read.read.core), where(read.place, read.read.pc),
        isa::disassemble(read.read.instruction), read.read.address, read.read.size);
  text += more(report.uninitialised_read_count, report.uninitialised_reads.size(),
               "uninitialised reads");
  for (const Output& output : report.outputs)
    if (output.first_unwritten && report.finished())
      text +=
          fmt::format("output {}: element {} of {} (in C order) was never written\n", output.name,
                      *output.first_unwritten, describe(output.array.type, output.array.shape));
  return text;
}

std::string reportText(const RunReport& report, bool quiet) {
  const std::vector<std::string> failures = report.failures();
  std::string text = findingsText(report);
  for (const ReportedDump& dump : report.dumps)
    text += fmt::format("{} {}\n{}", report.cluster.coreName(dump.core), dump.target, dump.text);
  for (const ReportedStop& stop : report.stops) text += stopText(stop, report.cluster);
  if (!report.detail.empty()) text += report.detail + "\n";
  if (!quiet) {
    text += headline(report);
    text += countersText(report);
    if (report.timing) text += ledgerText(*report.timing);
    text += outputsText(report);
    if (report.check)
      text += fmt::format("check {}: {}, {}\n", report.check->operation,
                          report.check->passed ? "passed" : "FAILED", report.check->detail);
  }
  for (const std::string& why : failures) text += fmt::format("failed: {}\n", why);
  return text;
}

}  // namespace etalon::tools
