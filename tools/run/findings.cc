// SPDX-License-Identifier: Apache-2.0
#include "tools/run/findings.h"

namespace etalon::tools {
namespace {

constexpr size_t kRacesShown = 100;

}  // namespace

void collectFindings(const sim::FunctionalDevice& device, SourceLines& lines, RunReport& report) {
  const sim::Findings& findings = device.findings();
  if (const auto& stop = findings.poisonStop()) report.poison = {*stop, lines.at(stop->pc)};
  for (const isa::Fault& fault : findings.faults())
    report.faults.push_back({fault, lines.at(fault.pc), true});
  report.fault_count = findings.faultCount();
  for (const sim::UninitialisedRead& read : findings.uninitialised())
    report.uninitialised_reads.push_back({read, lines.at(read.pc)});
  report.uninitialised_read_count = findings.uninitialisedCount();
  const auto describe = [&](const std::vector<sim::RaceReport>& found,
                            std::vector<ReportedRace>& shown) {
    for (const sim::RaceReport& race : found)
      if (shown.size() < kRacesShown)
        shown.push_back({race, lines.at(race.first.site.pc), lines.at(race.second.site.pc)});
  };
  describe(device.races().reports(), report.races);
  report.race_count = device.races().raceCount();
  describe(device.races().orderDependences(), report.order_dependent);
  report.order_dependent_count = device.races().orderDependenceCount();
}

}  // namespace etalon::tools
