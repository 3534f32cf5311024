// SPDX-License-Identifier: Apache-2.0
// synthetic_trace FOLDER SEED CORES INSTRUCTIONS: a made-up run as trace.perfetto, trace.json, trace.kanata, and in
// ledger.json what the ledger says of it. For trace_test.py.
#include <fmt/format.h>

#include <cstdlib>
#include <string>

#include "isa/base/file.h"
#include "sim/observe/ledger.h"
#include "sim/observe/synthetic_run.h"
#include "sim/observe/trace.h"

namespace etalon::sim {
namespace {

/// Writes down what the Ledger found, in a JSON plain enough to be made by hand.
std::string ledgerJson(const TimedReport& report) {
  std::string units, paths;
  for (const UnitCycles& unit : report.units)
    for (size_t a = 0; a < unit.cycles.size(); ++a)
      if (unit.cycles[a] != 0)
        units += fmt::format(R"({}["core {}", "{}", "{}", {}])", units.empty() ? "" : ", ",
                             unit.core, trackName(unit.track),
                             activityName(static_cast<Activity>(a)), unit.cycles[a]);
  for (const PathBytes& path : report.paths)
    paths += fmt::format(R"({}["{} {}", {}])", paths.empty() ? "" : ", ", path.path.level,
                         path.path.name, path.moved);
  return fmt::format(
      R"({{"cycles": {}, "tiles": {}, "macs": {}, "elements": {}, "bytes": {}, "units": [{}], "paths": [{}]}})",
      report.cycles, report.tiles, report.macs, report.elements, report.bytes, units, paths);
}

Status write(const std::string& folder, uint64_t seed, unsigned cores, unsigned instructions) {
  const RunShape shape = syntheticShape(cores);
  Ledger ledger(shape);
  ObserverList all;
  all.add(ledger);
  std::vector<std::unique_ptr<TraceWriter>> writers;
  for (const auto& [name, format] : {std::pair{"trace.perfetto", TraceFormat::perfetto},
                                     std::pair{"trace.json", TraceFormat::json},
                                     std::pair{"trace.kanata", TraceFormat::konata}}) {
    Result<std::unique_ptr<TraceWriter>> writer = openTrace(folder + "/" + name, format, shape);
    if (!writer.ok()) return writer.error();
    all.add(**writer);
    writers.push_back(*std::move(writer));
  }
  syntheticRun(shape, seed, instructions, all);
  for (const std::unique_ptr<TraceWriter>& writer : writers)
    ETALON_RETURN_IF_ERROR(writer->close());
  return writeFile(folder + "/ledger.json", ledgerJson(ledger.report()));
}

}  // namespace
}  // namespace etalon::sim

int main(int argc, char** argv) {
  if (argc != 5) {
    fmt::print(stderr, "usage: synthetic_trace FOLDER SEED CORES INSTRUCTIONS\n");
    return 2;
  }
  const auto number = [&](int i) { return std::strtoull(argv[i], nullptr, 10); };
  const etalon::Status status = etalon::sim::write(
      argv[1], number(2), static_cast<unsigned>(number(3)), static_cast<unsigned>(number(4)));
  if (!status.ok()) fmt::print(stderr, "synthetic_trace: {}\n", status.error().message);
  return status.ok() ? 0 : 1;
}
