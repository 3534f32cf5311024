// SPDX-License-Identifier: Apache-2.0
#include "isa/machines/machine_rules.h"

#include <fmt/format.h>

#include <bit>
#include <utility>

#include "isa/base/number.h"
#include "isa/machines/address_map.h"
#include "isa/machines/find_machine.h"
#include "isa/machines/machine_fields.h"

namespace etalon::isa {
namespace {

using Problem = std::optional<MachineProblem>;

Problem globalMemory(const Machine& machine) {
  if (machine.global_bytes <= kGlobalRegionEnd - machine.global_base) return std::nullopt;
  return MachineProblem{
      "address_map.global_bytes",
      fmt::format("global memory of {} at {:#x} passes the end of its region, {:#x}",
                  formatBytes(machine.global_bytes), machine.global_base, kGlobalRegionEnd)};
}

// Sets are picked by bits of the address.
Problem caches(const ScalarTiming& scalar) {
  const uint64_t way_row = scalar.line_bytes * scalar.ways;
  for (const auto& [key, bytes] :
       {std::pair{"icache_bytes", scalar.icache_bytes}, {"dcache_bytes", scalar.dcache_bytes}})
    if (bytes % way_row != 0 || !std::has_single_bit(bytes / way_row))
      return MachineProblem{
          fmt::format("scalar.{}", key),
          fmt::format(
              "{} is no power of two times scalar.line_bytes * scalar.ways = {}; {} would be",
              formatBytes(bytes), formatBytes(way_row),
              formatBytes(way_row * std::bit_floor(std::max(bytes / way_row, uint64_t{1}))))};
  return std::nullopt;
}

Problem vectorLanes(const VectorTiming& vector) {
  if (vector.scan <= vector.lanes) return std::nullopt;
  return MachineProblem{"vector.scan",
                        fmt::format("{} elements a cycle are more than there are lanes, {}",
                                    vector.scan, vector.lanes)};
}

Problem localMemory(const Machine& machine, const Timing& timing) {
  const uint64_t width = timing.local.banks * timing.local.bank_bytes;
  const std::string all = fmt::format("local.banks * local.bank_bytes = {}", width);
  if (machine.local_bytes % width != 0)
    return MachineProblem{"local_bytes", fmt::format("{} is not a multiple of {}",
                                                     formatBytes(machine.local_bytes), all)};
  for (const auto& [key, bytes] :
       {std::pair{"matrix.port_bytes", timing.matrix.port_bytes},
        {"matrix.accumulator_port_bytes", timing.matrix.accumulator_port_bytes},
        {"vector.port_bytes", timing.vector.port_bytes},
        {"dma.port_bytes", timing.dma.port_bytes}})
    if (bytes > width)
      return MachineProblem{
          key, fmt::format("{} bytes a cycle are more than all banks give, {}", bytes, all)};
  return std::nullopt;
}

Problem channels(const Machine& machine, const Timing& timing) {
  const MemoryTiming& memory = timing.memory;
  if (memory.interleave_bytes % timing.dma.burst_bytes != 0)
    return MachineProblem{"memory.interleave_bytes",
                          fmt::format("{} is not a multiple of dma.burst_bytes = {}: a burst would "
                                      "lie in two channels",
                                      memory.interleave_bytes, timing.dma.burst_bytes)};
  const uint64_t round = memory.channels * memory.interleave_bytes;
  if (machine.global_bytes % round != 0)
    return MachineProblem{
        "address_map.global_bytes",
        fmt::format("{} is not a multiple of memory.channels * memory.interleave_bytes = {}: "
                    "channels would differ in size",
                    formatBytes(machine.global_bytes), formatBytes(round))};
  return std::nullopt;
}

Problem network(const NetworkTiming& network) {
  if (network.topology != NetworkTiming::kCrossbar || network.latency >= 2) return std::nullopt;
  return MachineProblem{"network.latency",
                        "1 cycle is too short for a crossbar: into it and out of it takes 2"};
}

Problem parts(const Machine& machine) {
  for (const MachineField& field : machineFields()) {
    if (field.kind != FieldKind::Part) continue;
    const auto name = std::get<std::string>(field.get(machine));
    if (field.optional && name.empty()) continue;
    if (Result<std::string> file = findPart(field.part, name, machine.folder); !file.ok())
      return MachineProblem{field.dottedKey(), file.error().message};
  }
  return std::nullopt;
}

/// Links are there for Et-net, and what Et-net asks of another device goes over them.
Problem joined(const Machine& machine, const LinkTiming& links) {
  const bool net = machine.hasProfile(kNetProfile);
  if (net == (links.count != 0)) return std::nullopt;
  return MachineProblem{
      "profiles",
      net ? fmt::format("{} without links: links.count is 0", kNetProfile)
          : fmt::format("{} is missing: a machine with links.count {} has it; leave it out where "
                        "links.count and the other numbers of links are 0",
                        kNetProfile, links.count)};
}

Problem links(const LinkTiming& links) {
  struct Value {
    const char* key;
    uint64_t number;
    bool needed;
  };
  for (const Value& value : {Value{"megabytes_per_second", links.megabytes_per_second, true},
                             {"latency_ns", links.latency_ns, true},
                             {"switch_ns", links.switch_ns, false},
                             {"packet_bytes", links.packet_bytes, true},
                             {"header_bytes", links.header_bytes, false},
                             {"outstanding", links.outstanding, true}}) {
    const std::string key = fmt::format("links.{}", value.key);
    if (links.count == 0 && value.number != 0)
      return MachineProblem{
          key, fmt::format("{} of no links: with links.count 0 it is 0", value.number)};
    if (links.count != 0 && value.needed && value.number == 0)
      return MachineProblem{key,
                            fmt::format("0 of {} links: only links.count 0 has that", links.count)};
  }
  const auto uneven = [&](const char* what, uint64_t neighbours) -> Problem {
    if (links.count % neighbours == 0) return std::nullopt;
    return MachineProblem{
        "links.count", fmt::format("{} links do not share out among the {} neighbours of a {}; a "
                                   "multiple of {} would, or links.topology switch",
                                   links.count, neighbours, what, neighbours)};
  };
  if (links.topology == LinkTiming::kRing) return uneven("ring", 2);
  if (links.topology == LinkTiming::kTorus) return uneven("torus", 4);
  return std::nullopt;
}

}  // namespace

std::optional<MachineProblem> machineProblem(const Machine& machine) {
  if (Problem problem = globalMemory(machine)) return problem;
  if (!machine.timing) return std::nullopt;
  const Timing& timing = *machine.timing;
  if (Problem problem = caches(timing.scalar)) return problem;
  if (Problem problem = vectorLanes(timing.vector)) return problem;
  if (Problem problem = localMemory(machine, timing)) return problem;
  if (Problem problem = channels(machine, timing)) return problem;
  if (Problem problem = network(timing.network)) return problem;
  if (Problem problem = links(timing.links)) return problem;
  if (Problem problem = joined(machine, timing.links)) return problem;
  return parts(machine);
}

}  // namespace etalon::isa
