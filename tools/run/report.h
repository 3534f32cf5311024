// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "isa/machines/machine.h"
#include "isa/state/fault.h"
#include "sim/arch/findings.h"
#include "sim/arch/race_report.h"
#include "sim/functional/functional_device.h"
#include "tools/program/source_lines.h"
#include "tools/run/launch.h"
#include "tools/run/request.h"

namespace etalon::tools {

struct ReportedFault {
  isa::Fault fault;
  SourcePlace place;
  bool handled = false;  // the program's trap handler took it; else it ended the run
};
struct ReportedRace {
  sim::RaceReport race;
  SourcePlace first, second;
};
struct ReportedRead {
  sim::UninitialisedRead read;
  SourcePlace place;
};
struct ReportedStop {
  sim::StoppedCore stopped;
  SourcePlace place;
};
struct ReportedDump {
  std::string target;
  unsigned core = 0;
  std::string text;
};
/// Verdict of the reference on the outputs.
struct ReportedCheck {
  std::string operation;
  bool passed = false;
  std::string detail;
  double worst_ratio = 0;  // of a bounded verdict, see kernels::CheckReport
};

/// Everything a run came to. Lists are bounded, counts are not.
struct RunReport {
  std::string program;
  std::string device;
  isa::Machine machine;
  unsigned cores = 0;
  sim::RunResult result;
  std::vector<ReportedStop> stops;                         // of result.stopped
  std::vector<std::pair<std::string, uint64_t>> counters;  // architectural ones, over all cores
  std::vector<Output> outputs;
  std::optional<ReportedCheck> check;
  std::vector<ReportedFault> faults;
  uint64_t fault_count = 0;
  std::vector<ReportedRace> races;
  uint64_t race_count = 0;
  std::vector<ReportedRead> uninitialised_reads;
  uint64_t uninitialised_read_count = 0;
  std::vector<ReportedDump> dumps;
  Permits permits;

  bool exited() const { return result.status == sim::RunStatus::exited; }
  /// Why the run is no success, one short phrase each; empty for success.
  std::vector<std::string> failures() const;
};

/// The summary for people, ending in a newline; only what is wrong if `quiet` (then empty for success).
std::string reportText(const RunReport& report, bool quiet);

/// The summary for machines, one JSON object and a newline; schema in isa/schema/run_result.schema.json. `console` is what
/// the program printed; bytes that are no UTF-8 become U+FFFD.
std::string reportJson(const RunReport& report, const std::string& console);

}  // namespace etalon::tools
