// SPDX-License-Identifier: Apache-2.0
#include "tools/run/session.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <map>

#include "isa/base/text.h"
#include "isa/counter.h"
#include "isa/machines/find_machine.h"
#include "kernels/reference/check.h"
#include "tools/io/array_file.h"
#include "tools/program/program.h"
#include "tools/run/commit_line.h"
#include "tools/run/dump.h"

namespace etalon::tools {
namespace {

constexpr size_t kRacesShown = 100;

Status checkCores(const RunRequest& request, const isa::Machine& machine, unsigned cores) {
  if (request.cores && (*request.cores < 1 || *request.cores > machine.cores))
    return Error{fmt::format(
        "--cores {}: machine '{}' has 1 to {}; --set cores=N derives one with more, up to 64",
        *request.cores, machine.displayName(), machine.cores)};
  for (const DumpTarget& dump : request.dumps)
    if (dump.core && *dump.core >= cores)
      return Error{fmt::format("--dump {}: the run has cores 0 to {}", dump.text, cores - 1)};
  return {};
}

Status checkReference(const RunRequest& request, const PreparedLaunch& launch) {
  if (!request.check) return {};
  if (!launch.spec || !launch.spec->check)
    return Error{fmt::format("--check: {} names no operator to check against", request.program)};
  const std::string& operation = launch.spec->check->operation;
  const std::vector<std::string> known = kernels::knownOperators();
  if (std::ranges::find(known, operation) == known.end())
    return Error{
        fmt::format("--check: there is no reference for operator '{}'; there is one for {}",
                    operation, joined(known))};
  return {};
}

/// Scalars and symbols by name, as inputs and attributes of a check may use them.
std::map<std::string, double> scalarsOf(const abi::Binding& binding) {
  std::map<std::string, double> scalars;
  for (const abi::BoundArgument& argument : binding.arguments) {
    if (argument.is_tensor) continue;
    scalars[argument.name] =
        argument.type == ElementType::f32
            ? double{std::bit_cast<float>(static_cast<uint32_t>(argument.slot))}
            : static_cast<double>(static_cast<int64_t>(argument.slot));
  }
  for (const auto& [name, value] : binding.symbols) scalars[name] = static_cast<double>(value);
  return scalars;
}

/// Judges the outputs; what an inout tensor held before the run is no longer known to the reference.
Result<ReportedCheck> checkOutputs(const PreparedLaunch& launch,
                                   const std::vector<Output>& outputs) {
  abi::CheckSpec spec = *launch.spec->check;
  spec.attributes = launch.binding.attributes;
  std::vector<kernels::NamedArray> arrays;
  for (size_t i = 0; i < launch.tensors.size(); ++i)
    if (launch.tensors[i].argument.direction == abi::Direction::In)
      arrays.push_back({launch.tensors[i].argument.name, &launch.inputs[i]});
  for (const Output& output : outputs) arrays.push_back({output.name, &output.array});
  const Result<kernels::CheckReport> report =
      kernels::checkOperator(spec, arrays, scalarsOf(launch.binding));
  if (!report.ok()) return Error{"--check: " + report.error().message};
  std::string detail =
      fmt::format("{} of {} elements right ({})", report->elements - report->mismatches,
                  report->elements, report->verdict);
  if (report->verdict == "bounded" && !report->worst_at.empty())
    detail += fmt::format(", worst error {:.3g} of its bound at {}", report->worst_ratio,
                          report->worst_at);
  if (report->unbounded != 0) detail += fmt::format(", {} without a bound", report->unbounded);
  if (!report->first_mismatch.empty()) detail += "; " + report->first_mismatch;
  return ReportedCheck{report->op, report->passed, detail, report->worst_ratio};
}

void collectFindings(sim::FunctionalDevice& device, SourceLines& lines, RunReport& report) {
  const sim::Findings& findings = device.findings();
  for (const isa::Fault& fault : findings.faults())
    report.faults.push_back({fault, lines.at(fault.pc), true});
  report.fault_count = findings.faultCount();
  // The one that ended the run is the last.
  if (report.result.status == sim::RunStatus::fault && report.fault_count == report.faults.size())
    report.faults.back().handled = false;
  for (const sim::UninitialisedRead& read : findings.uninitialised())
    report.uninitialised_reads.push_back({read, lines.at(read.pc)});
  for (const sim::StoppedCore& stopped : report.result.stopped)
    report.stops.push_back({stopped, lines.at(stopped.pc)});
  report.uninitialised_read_count = findings.uninitialisedCount();
  for (const sim::RaceReport& race : device.races().reports())
    if (report.races.size() < kRacesShown)
      report.races.push_back({race, lines.at(race.first.site.pc), lines.at(race.second.site.pc)});
  report.race_count = device.races().raceCount();
  for (const isa::CounterInfo& counter : isa::kCounters)
    if (counter.architectural)
      report.counters.emplace_back(counter.name, device.counterTotal(counter.counter));
}

Status writeOutputs(const RunReport& report) {
  for (const Output& output : report.outputs)
    if (!output.file.empty())
      if (const Status status = writeArray(output.file, output.array); !status.ok())
        return Error{fmt::format("--out {}: {}", output.name, status.error().message)};
  return {};
}

}  // namespace

Result<RunReport> runProgram(const RunRequest& request, const RunHooks& hooks) {
  const Result<isa::Machine> machine = isa::openMachine(request.machine, request.overrides);
  if (!machine.ok()) return machine.error();
  const auto cores = static_cast<unsigned>(request.cores.value_or(machine->cores));
  ETALON_RETURN_IF_ERROR(checkCores(request, *machine, cores));
  const Result<Program> program = openProgram(request.program);
  if (!program.ok()) return program.error();
  if (!program->warnings.empty() && hooks.warning) hooks.warning(program->warnings);

  Result<std::unique_ptr<sim::FunctionalDevice>> created = sim::FunctionalDevice::create(*machine);
  if (!created.ok()) return created.error();
  sim::FunctionalDevice& device = **created;
  ETALON_RETURN_IF_ERROR(device.load(program->image));
  const Result<PreparedLaunch> launch = prepareLaunch(device, program->image, request);
  if (!launch.ok()) return launch.error();
  ETALON_RETURN_IF_ERROR(checkReference(request, *launch));

  sim::LaunchOptions options;
  options.cores = cores;
  options.arguments = launch->argument_block;
  options.instruction_limit = request.limit;
  options.console = hooks.console;
  options.progress = hooks.progress;
  const sim::CommitSink commits = [&](const sim::Core& core, const sim::Commit& commit) {
    hooks.commit_line(commitLine(core, commit));
  };
  if (hooks.commit_line) options.commits = &commits;
  const Result<sim::RunResult> result = device.launch(options);
  if (!result.ok()) return result.error();

  RunReport report;
  report.program = request.program;
  report.device = "npu-functional";
  report.machine = *machine;
  report.cores = cores;
  report.result = *result;
  report.permits = request.permits;
  SourceLines lines(program->image);
  collectFindings(device, lines, report);
  Result<std::vector<Output>> outputs = readOutputs(device, *launch, request);
  if (!outputs.ok()) return outputs.error();
  report.outputs = *std::move(outputs);
  if (report.exited()) ETALON_RETURN_IF_ERROR(writeOutputs(report));
  if (request.check && report.exited()) {
    Result<ReportedCheck> check = checkOutputs(*launch, report.outputs);
    if (!check.ok()) return check.error();
    report.check = *std::move(check);
  } else if (request.check) {
    report.check =
        ReportedCheck{launch->spec->check->operation, false, "the run did not end by itself", 0};
  }
  report.dumps = dumpState(device, cores, request.dumps);
  return report;
}

}  // namespace etalon::tools
