// SPDX-License-Identifier: Apache-2.0
#include "tools/run/session.h"

#include <fmt/format.h>

#include "isa/base/file.h"
#include "isa/contracts/contract_loader.h"
#include "isa/counter.h"
#include "isa/machines/find_machine.h"
#include "tools/program/program.h"
#include "tools/run/commit_line.h"
#include "tools/run/conclude.h"
#include "tools/run/dump.h"
#include "tools/run/findings.h"
#include "tools/run/model_run.h"
#include "tools/run/plugin_session.h"
#include "tools/run/timed_run.h"
#include "tools/run/what_if.h"
#include "tools/timing/report_html.h"

namespace etalon::tools {
namespace {

Status checkDevices(const RunRequest& request, const RunHooks& hooks) {
  const auto refused = [&](std::string_view option, std::string_view why) {
    return Error{fmt::format("--devices {}: not with {}: {}", request.devices, option, why)};
  };
  if (request.devices < 1 || request.devices > isa::kMaxDevices)
    return Error{
        fmt::format("--devices {}: a cluster has 1 to {}", request.devices, isa::kMaxDevices)};
  if (request.devices == 1) return {};
  if (request.timed)
    return refused("--device npu", "time is kept of one device; npu-functional runs several");
  if (hooks.debugger) return refused("--gdb", "the debugger knows one device");
  if (request.check) return refused("--check", "references know one device; compare the outputs");
  return {};
}

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

RunEnd endOf(sim::RunStatus status) {
  switch (status) {
    case sim::RunStatus::exited: return RunEnd::exited;
    case sim::RunStatus::fault: return RunEnd::fault;
    case sim::RunStatus::deadlock: return RunEnd::deadlock;
    case sim::RunStatus::instruction_limit: return RunEnd::instruction_limit;
    case sim::RunStatus::poisoned: return RunEnd::poisoned;
    case sim::RunStatus::interrupted: break;
  }
  return RunEnd::interrupted;
}

/// What the launch came to, beside its outputs.
void collectResult(const sim::FunctionalDevice& device, const sim::RunResult& result,
                   SourceLines& lines, RunReport& report) {
  report.end = endOf(result.status);
  report.exit_code = result.exit_code;
  report.instructions = result.instructions;
  collectFindings(device, lines, report);
  // The one that ended the run is the last.
  if (report.end == RunEnd::fault && report.fault_count == report.faults.size())
    report.faults.back().handled = false;
  for (const sim::StoppedCore& stopped : result.stopped)
    report.stops.push_back({stopped, lines.at(stopped.pc)});
  for (const isa::CounterInfo& counter : isa::kCounters)
    if (counter.architectural)
      report.counters.emplace_back(counter.name, device.counterTotal(counter.counter));
}

Status writePage(const RunRequest& request, const sim::TimedReport& report) {
  const Status status = writeFile(request.report_page, reportHtml(report));
  return status.ok() ? status : Error{"--report: " + status.error().message};
}

Result<RunReport> runOnModel(const RunRequest& request, const RunHooks& hooks) {
  const Result<isa::Machine> machine = isa::openMachine(request.machine, request.overrides);
  if (!machine.ok()) return machine.error();
  numerics::Contract contract;
  if (!request.contract.empty()) {
    Result<numerics::Contract> opened = isa::openContract(request.contract);
    if (!opened.ok()) return Error{"--contract: " + opened.error().message};
    contract = *std::move(opened);
  }
  const auto cores = static_cast<unsigned>(request.cores.value_or(machine->cores));
  ETALON_RETURN_IF_ERROR(checkDevices(request, hooks));
  ETALON_RETURN_IF_ERROR(checkCores(request, *machine, cores));
  const Result<Program> program = openProgram(request.program);
  if (!program.ok()) return program.error();
  if (!program->warnings.empty() && hooks.warning) hooks.warning(program->warnings);

  std::vector<sim::WhatIf> what_if;
  if (request.what_if && machine->timing) {
    Result<std::vector<sim::WhatIf>> answers = whatIf(request, *machine);
    if (!answers.ok()) return answers.error();
    what_if = *std::move(answers);
  }
  Result<std::unique_ptr<sim::FunctionalDevice>> created = sim::FunctionalDevice::create(
      *machine, contract, request.timing_only ? sim::Values::left_out : sim::Values::computed,
      static_cast<unsigned>(request.devices));
  if (!created.ok()) return created.error();
  std::unique_ptr<sim::FunctionalDevice> device = *std::move(created);
  ETALON_RETURN_IF_ERROR(device->load(program->image));
  const Result<PreparedLaunch> launch = prepareLaunch(*device, program->image, request);
  if (!launch.ok()) return launch.error();
  ETALON_RETURN_IF_ERROR(checkReference(request, *launch));

  sim::LaunchOptions options;
  options.cores = cores;
  options.arguments = launch->argument_block;
  options.instruction_limit = request.limit;
  options.seed = request.seed;
  options.observe = !request.timing_only;
  options.console = hooks.console;
  options.progress = hooks.progress;
  const sim::CommitSink commits = [&](const sim::Core& core, const sim::Commit& commit) {
    hooks.commit_line(commitLine(device->cluster(), core, commit));
  };
  if (hooks.commit_line) options.commits = &commits;
  SourceLines lines(program->image);
  RunReport report;
  sim::RunResult result;
  if (request.timed) {
    Result<TimedOutcome> outcome = runTimedLaunch(*device, request, hooks, options, lines);
    if (!outcome.ok()) return outcome.error();
    result = std::move(outcome->run);
    report.timing = std::move(outcome->report);
    report.timing->what_if = std::move(what_if);
  } else {
    Result<sim::RunResult> outcome = runLaunch(
        device, request, hooks, options, snapshotLabel(program->image, *launch, options), lines);
    if (!outcome.ok()) return outcome.error();
    result = *std::move(outcome);
  }

  report.program = request.program;
  report.device = request.timed ? "npu" : "npu-functional";
  report.machine = *machine;
  report.contract_name = contract.name;
  report.contract_hash = contract.hash;
  report.cores = cores;
  report.cluster = device->cluster();
  report.seed = request.seed;
  report.permits = request.permits;
  report.timing_only = request.timing_only;
  collectResult(*device, result, lines, report);
  Result<std::vector<Output>> outputs = readOutputs(*device, *launch, request);
  if (!outputs.ok()) return outputs.error();
  report.outputs = *std::move(outputs);
  ETALON_RETURN_IF_ERROR(concludeRun(request, *launch, report));
  if (!request.report_page.empty() && report.timing)
    ETALON_RETURN_IF_ERROR(writePage(request, *report.timing));
  report.dumps = dumpState(*device, cores, request.dumps);
  return report;
}

}  // namespace

Result<RunReport> runProgram(const RunRequest& request, const RunHooks& hooks) {
  return request.plugin.empty() ? runOnModel(request, hooks) : runOnPlugin(request, hooks);
}

}  // namespace etalon::tools
