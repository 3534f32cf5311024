// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "isa/machines/machine.h"
#include "isa/state/fault.h"
#include "sim/arch/findings.h"
#include "sim/arch/race_report.h"
#include "sim/functional/functional_device.h"
#include "sim/observe/timed_report.h"
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
struct ReportedPoison {
  sim::PoisonStop stop;
  SourcePlace place;
};
struct ReportedDump {
  std::string target;
  unsigned core = 0;  // agent
  std::string text;
};
/// Verdict of the reference on the outputs.
struct ReportedCheck {
  std::string operation;
  bool passed = false;
  std::string detail;
  double worst_ratio = 0;  // of a bounded verdict, see kernels::CheckReport
};

/// Why a run ended. From `completed` on they are of devices behind isa/abi/etalon_device.h.
enum class RunEnd : uint8_t {
  exited,
  fault,
  deadlock,
  instruction_limit,
  interrupted,
  poisoned,       // a run by --timing-only needed a value that it had left out
  completed,      // the operator was computed
  timeout,        // the device did not finish in time
  not_supported,  // it cannot do this
  refused,        // it says that it was asked wrongly, or has not enough memory
  failed,         // it tried and could not
  lost,           // it is gone: a crash, a process that ended
  broken,         // it broke the interface: wrote outside of buffers, answered nonsense
};
/// As reports write it, e.g. "instruction_limit", "device_lost".
std::string_view runEndName(RunEnd end);

/// Everything a run came to. Lists are bounded, counts are not.
struct RunReport {
  std::string program;
  std::string device;
  std::string device_description;       // JSON, of a plug-in that could be opened
  std::optional<isa::Machine> machine;  // none: the device is no machine of ours
  std::string contract_name;            // empty: what a plug-in declares stands in its description
  uint64_t contract_hash = 0;           // 0: the canonical arithmetic
  bool ran_operator = false;            // not the image: the operator that its launch note names
  std::optional<unsigned> cores;        // of a run of an image, of each device
  sim::Cluster cluster;                 // that cores of findings are counted through
  std::optional<uint64_t> seed;         // of the interleaving of cores; none: a plug-in
  RunEnd end = RunEnd::exited;
  uint64_t exit_code = 0;                // of the program, when it exited
  std::optional<uint64_t> instructions;  // over all cores, where the device counts them
  std::string detail;                    // of a plug-in, lines: what it says went wrong
  std::vector<ReportedStop> stops;
  std::vector<std::pair<std::string, uint64_t>> counters;  // architectural ones, over all cores
  std::optional<sim::TimedReport> timing;                  // of a device that keeps time
  std::vector<Output> outputs;
  std::optional<ReportedCheck> check;
  std::vector<ReportedFault> faults;
  uint64_t fault_count = 0;
  std::vector<ReportedRace> races;
  uint64_t race_count = 0;
  std::vector<ReportedRace> order_dependent;
  uint64_t order_dependent_count = 0;
  std::vector<ReportedRead> uninitialised_reads;
  uint64_t uninitialised_read_count = 0;
  std::vector<ReportedDump> dumps;
  Permits permits;
  bool timing_only = false;
  std::optional<ReportedPoison> poison;

  /// The outputs are what the program or operator made them.
  bool finished() const { return end == RunEnd::exited || end == RunEnd::completed; }
  /// Why the run is no success, one short phrase each; empty for success.
  std::vector<std::string> failures() const;
};

/// What was found wrong with the program, a paragraph each; empty if nothing was.
std::string findingsText(const RunReport& report);

/// The summary for people, ending in a newline; only what is wrong if `quiet` (then empty for success).
std::string reportText(const RunReport& report, bool quiet);

/// The summary for machines, one JSON object and a newline; schema in isa/schema/run_result.schema.json. `console` is what
/// the program printed; bytes that are no UTF-8 become U+FFFD.
std::string reportJson(const RunReport& report, const std::string& console);

}  // namespace etalon::tools
