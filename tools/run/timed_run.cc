// SPDX-License-Identifier: Apache-2.0
#include "tools/run/timed_run.h"

#include <fmt/format.h>

#include <array>
#include <optional>

#include "isa/machines/energy.h"
#include "isa/machines/find_machine.h"
#include "sim/memory/stream_bound.h"
#include "sim/observe/critical_path.h"
#include "sim/observe/energy.h"
#include "sim/observe/ledger.h"
#include "sim/observe/trace.h"
#include "sim/system/chip_memory.h"
#include "sim/system/run_shape.h"
#include "sim/systemc/run_timed.h"

namespace etalon::tools {
namespace {

Status checkRequest(const RunRequest& request, const RunHooks& hooks) {
  const auto functional_only = [](std::string_view option) {
    return Error{fmt::format("{}: of --device npu-functional alone", option)};
  };
  if (hooks.debugger) return functional_only("--gdb");
  if (!request.snapshot.empty()) return functional_only("--snapshot");
  if (!request.restore.empty()) return functional_only("--restore");
  if (request.seed != 0)
    return Error{
        fmt::format("--seed {}: time decides how cores are interleaved on --device npu; "
                    "npu-functional takes seeds",
                    request.seed)};
  return {};
}

sim::CodePlace placeOf(SourceLines& lines, uint64_t pc) {
  const SourcePlace place = lines.at(pc);
  return {place.file, place.line, place.symbol.substr(0, place.symbol.find('+'))};
}

Bytes bytesOf(const sim::TimedReport& report, std::string_view kind) {
  Bytes bytes = 0;
  for (const sim::PathBytes& level : report.levels())
    if (level.path.level.starts_with(kind)) bytes += level.moved;
  return bytes;
}

void addBounds(sim::TimedReport& report, const isa::Machine& machine, const isa::DramPreset& memory,
               const sim::UnitWork& work) {
  const isa::MatrixTiming& matrix = machine.timing->matrix;
  const std::array<uint64_t, 4> rates{matrix.rate_32, matrix.rate_16, matrix.rate_8, matrix.rate_4};
  // Of several types each at its own rate: what all of them together take at least.
  uint64_t macs = 0, rows = 0;  // rows of the array in cycles, in thousandths
  for (size_t i = 0; i < rates.size(); ++i) {
    macs += work.macs[i];
    rows += sim::partOf(work.macs[i], rates[i], 1'000'000);
  }
  const auto add = [&](const char* name, const char* unit, uint64_t amount, uint64_t peak,
                       const char* source) {
    if (amount != 0 && peak != 0) report.bounds.push_back({name, unit, amount, peak, source});
  };
  add("matrix", "MAC", macs,
      sim::partOf(macs, rows, 1'000'000) * matrix.rows * matrix.cols * report.cores,
      "array of every core at the rate of the element type");
  add("vector", "element", work.elements,
      sim::partOf(work.elements, work.vector_busy, 1000) * report.cores,
      "lanes of every core at the passes of each instruction");
  Bytes reads = 0, writes = 0;
  for (const sim::PathBytes& level : report.levels()) {
    if (level.path.level == "memory read") reads = level.moved;
    if (level.path.level == "memory write") writes = level.moved;
    if (level.path.level == "links")
      add("links", "byte", level.moved, level.path.peak, "all links of every device");
  }
  const uint64_t devices = report.devices;
  add("memory", "byte", reads + writes,
      sim::streamBound(*machine.timing, memory, reads / devices, writes / devices) * devices,
      "a pure stream of these reads and writes through the same memory model, refresh and "
      "turnarounds inside");
}

Status addEnergy(sim::TimedReport& report, const isa::Machine& machine,
                 const sim::TimedResult& result) {
  sim::EnergyCounts counts{};
  const auto count = [&](isa::EnergyAction action) -> uint64_t& {
    return counts[static_cast<size_t>(action)];
  };
  constexpr std::array kMacs = {isa::EnergyAction::mac_32, isa::EnergyAction::mac_16,
                                isa::EnergyAction::mac_8, isa::EnergyAction::mac_4};
  for (size_t i = 0; i < kMacs.size(); ++i) count(kMacs[i]) = result.work.macs[i];
  count(isa::EnergyAction::vector_op) = result.work.vector_ops;
  count(isa::EnergyAction::local_byte) = result.work.local_bytes;
  count(isa::EnergyAction::dram_byte) = bytesOf(report, "memory");
  count(isa::EnergyAction::network_byte) = bytesOf(report, "network");
  count(isa::EnergyAction::scalar_instruction) = result.run.instructions;
  std::optional<isa::EnergyTable> table;
  if (!machine.timing->energy_table.empty()) {
    const Result<std::string> path =
        isa::findPart("energy", machine.timing->energy_table, machine.folder);
    if (!path.ok()) return path.error();
    Result<isa::EnergyTable> loaded = isa::loadEnergyTable(*path);
    if (!loaded.ok()) return loaded.error();
    table = *std::move(loaded);
  }
  report.energy = sim::energyRows(counts, table ? &*table : nullptr);
  return {};
}

}  // namespace

Result<TimedOutcome> runTimedLaunch(sim::FunctionalDevice& device, const RunRequest& request,
                                    const RunHooks& hooks, const sim::LaunchOptions& options,
                                    SourceLines& lines) {
  ETALON_RETURN_IF_ERROR(checkRequest(request, hooks));
  const isa::Machine& machine = device.machine();
  if (!machine.timing)
    return Error{
        fmt::format("machine '{}' says nothing about time, so --device npu cannot run it; "
                    "`etalon machines list` shows which do",
                    machine.displayName())};
  sim::LaunchOptions timed = options;
  timed.timed = true;
  ETALON_RETURN_IF_ERROR(device.start(timed));
  const Result<isa::DramPreset> memory = sim::chipMemory(machine);
  if (!memory.ok()) return memory.error();
  const sim::RunShape shape =
      sim::runShape(machine, *memory, options.cores, device.cluster().devices);
  sim::Ledger ledger(shape);
  sim::ObserverList observers;
  observers.add(ledger);
  sim::CriticalPath critical(shape);
  observers.add(critical);
  std::unique_ptr<sim::TraceWriter> trace;
  if (!request.trace.empty()) {
    Result<std::unique_ptr<sim::TraceWriter>> opened =
        sim::openTrace(request.trace, request.trace_format, shape);
    if (!opened.ok()) return Error{"--trace: " + opened.error().message};
    trace = *std::move(opened);
    observers.add(*trace);
  }
  sim::TimedOptions run_options{.jitter = request.jitter, .observer = &observers};
  if (hooks.progress)
    run_options.progress = [&](Cycles, uint64_t executed) { return hooks.progress(executed); };
  Result<sim::TimedResult> result = sim::runTimed(device, *memory, run_options);
  if (trace) {
    if (Status status = trace->close(); !status.ok())
      return Error{"--trace: " + status.error().message};
  }
  if (!result.ok()) return result.error();
  TimedOutcome outcome{result->run, ledger.report()};
  critical.addTo(outcome.report);
  ETALON_RETURN_IF_ERROR(addEnergy(outcome.report, machine, *result));
  addBounds(outcome.report, machine, *memory, result->work);
  sim::locateCode(outcome.report, [&](uint64_t pc) { return placeOf(lines, pc); });
  outcome.report.program = request.program;
  outcome.report.device = "npu";
  outcome.report.command = request.command;
  outcome.report.machine = machine.displayName();
  outcome.report.machine_title = machine.title;
  outcome.report.machine_values = isa::machineValues(machine);
  return outcome;
}

}  // namespace etalon::tools
