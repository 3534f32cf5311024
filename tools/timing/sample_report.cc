// SPDX-License-Identifier: Apache-2.0
#include "tools/timing/sample_report.h"

#include <fmt/format.h>

#include "sim/observe/critical_path.h"
#include "sim/observe/ledger.h"
#include "sim/observe/synthetic_run.h"

namespace etalon::tools {
namespace {

sim::CodePlace place(uint64_t pc) {
  const auto number = static_cast<int>(pc / 4 % 64);
  if (number % 7 == 3) return {};
  return {"kernels/c/gemm_bf16.c", 40 + number / 2, number < 8 ? "load<A, B>" : "gemm_bf16"};
}

}  // namespace

sim::TimedReport sampleReport(uint64_t seed, unsigned cores, unsigned instructions_a_core) {
  const sim::RunShape shape = sim::syntheticShape(cores);
  sim::Ledger ledger(shape);
  sim::CriticalPath path(shape);
  sim::ObserverList both;
  both.add(ledger);
  both.add(path);
  sim::syntheticRun(shape, seed, instructions_a_core, both);
  sim::TimedReport report = ledger.report();
  path.addTo(report);
  locateCode(report, place);
  uint64_t memory = 0;
  for (const sim::PathBytes& level : report.levels())
    if (level.path.level.starts_with("memory")) memory += level.moved;
  report.bounds = {
      {"matrix", "MAC", report.macs, 256'000 * uint64_t{cores}, "matrix.rows x matrix.cols"},
      {"vector", "element", report.elements, 16'000 * uint64_t{cores}, "vector.lanes"},
      {"memory", "byte", memory, 256'000 * uint64_t{cores}, "a stream of 2:1 reads"}};
  report.energy = {{"matrix.mac", report.macs, "a table of the test's own", 400, 700, 1100},
                   {"dma.burst", report.bytes / 64, "", 0, 0, 0}};
  report.program = "gemm_bf16<M, N>.elf";
  report.device = "npu";
  report.machine = "sample";
  report.machine_title = "a machine that no file pins, \"made up\" & small";
  report.command = "etalon run gemm_bf16.elf --in A=random:1 --in B=random:2 --dim M=300 && true";
  for (int i = 0; i < 40; ++i)
    report.machine_values.push_back({fmt::format("matrix.number_{}", i), std::to_string(128 + i),
                                     "docs/spec/microarchitecture.md, section 4"});
  return report;
}

}  // namespace etalon::tools
