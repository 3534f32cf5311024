// SPDX-License-Identifier: Apache-2.0
#include "sim/arch/race_report.h"

#include <fmt/format.h>

namespace etalon::sim {
namespace {

std::string sideText(const RacingAccess& access, const Cluster& cluster) {
  return fmt::format("{} by {} at pc {:#x} (instruction {:#010x})", accessKindName(access.kind),
                     cluster.coreName(access.site.core), access.site.pc, access.site.insn);
}

std::string placeText(const RaceReport& report, const Cluster& cluster) {
  if (report.region.isGlobalOfAny(cluster))
    return fmt::format("byte {:#x} of global memory{}", report.offset,
                       cluster.deviceSuffix(report.region.device(cluster)));
  return fmt::format("byte {:#x} of the local memory of {}", report.offset,
                     cluster.coreName(report.region.index - 1));
}

std::string pairText(const RaceReport& report, const Cluster& cluster) {
  return fmt::format("{}: {}, then {}, unordered", placeText(report, cluster),
                     sideText(report.first, cluster), sideText(report.second, cluster));
}

std::string wayOut(const RaceReport& report, const Cluster& cluster) {
  if (report.first.site.core == report.second.site.core) {
    return "place et.fence (or et.fence.t/.v for these bytes) between them";
  }
  const bool one_device =
      cluster.device(report.first.site.core) == cluster.device(report.second.site.core);
  return fmt::format(
      "order them by et.sig and et.wait,{} or by {} that the other core acquires",
      one_device ? " by et.barrier," : "",
      isTile(report.first.kind) ? "et.fence before a scalar release" : "a scalar release");
}

}  // namespace

const char* accessKindName(AccessKind kind) {
  constexpr const char* kNames[kAccessKinds] = {
      "scalar load",      "scalar load-reserved", "scalar load-reserved",
      "scalar store",     "scalar atomic",        "scalar atomic",
      "tile read",        "tile write",           "tile atomic",
      "tile floating add"};
  return kNames[static_cast<uint8_t>(kind)];
}

std::string raceText(const RaceReport& report, const Cluster& cluster) {
  return fmt::format("data race on {}; {}", pairText(report, cluster), wayOut(report, cluster));
}

std::string orderText(const RaceReport& report, const Cluster& cluster) {
  return fmt::format(
      "order-dependent result on {}; the bits of a sum of floats depend on which comes first: {}, "
      "or "
      "sum integers",
      pairText(report, cluster), wayOut(report, cluster));
}

}  // namespace etalon::sim
