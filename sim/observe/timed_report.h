// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "isa/base/units.h"
#include "isa/machines/machine.h"
#include "sim/observe/events.h"

namespace etalon::sim {

/// Activities in five groups, for overviews.
enum class ActivityClass : uint8_t { work, inside, wait, order, idle };
inline constexpr int kActivityClasses = 5;
ActivityClass activityClass(Activity activity);
std::string_view activityClassName(ActivityClass c);

/// What a cycle of the critical path passes in; see critical_path.h.
enum class PathPart : uint8_t {
  scalar,      // instructions of the scalar core, and their latencies
  cache_miss,  // lines that the scalar core waits for
  dispatch,    // from an event to who had waited for it: resolving, queues, windows
  matrix,      // instructions in their unit, to the event that somebody waited for
  vector,
  load,
  store,
  semaphore,  // the scalar core waits for another core
  barrier,
  interrupt,  // it waits for an interrupt
};
inline constexpr int kPathParts = 10;
std::string_view pathPartName(PathPart part);

using ActivityCycles = std::array<Cycles, kActivities>;
Cycles sum(const ActivityCycles& cycles);
/// `cycles[activity]` by name.
inline Cycles cyclesOf(const ActivityCycles& cycles, Activity activity) {
  return cycles[static_cast<size_t>(activity)];
}

/// The ledger of one unit of one core: sums up to the cycles of the run.
struct UnitCycles {
  uint16_t core = 0;
  Track track = Track::scalar;
  ActivityCycles cycles{};
};

/// Bytes over one path, or over all of a level.
struct PathBytes {
  PathInfo path;
  unsigned paths = 1;  // added up here
  Bytes moved = 0, useful = 0;
  uint64_t transfers = 0;
};

/// What a piece of code cost: cycles that spans ascribe to it, over all cores, and the work of its tile instructions.
struct CodeCost {
  std::array<ActivityCycles, kTracks> cycles{};
  uint64_t tiles = 0;  // tile instructions done
  uint64_t macs = 0, elements = 0, bytes = 0;
  Cycles critical = 0;  // of the critical path

  Cycles total() const;
  /// Of the total, those in which no unit worked: without Activity::busy.
  Cycles lost() const;
  CodeCost& operator+=(const CodeCost& other);
};

/// Cost of an instruction address; pc 0: cycles that are about no instruction.
struct PcCost {
  uint64_t pc = 0;
  CodeCost cost;
};

/// Where an instruction stands in the source.
struct CodePlace {
  std::string file;      // empty: unknown
  int line = 0;          // 0: unknown
  std::string function;  // empty: unknown
};
using Locate = std::function<CodePlace(uint64_t pc)>;

/// Cost of a source line or, with line 0, of a function.
struct PlaceCost {
  CodePlace place;
  CodeCost cost;
};

/// The least number of cycles that a resource alone allows for the work of the run.
struct Bound {
  std::string name;    // `matrix`, `vector`, `memory`
  std::string unit;    // of the work: `MAC`, `element`, `byte`
  uint64_t work = 0;   // of the whole run
  uint64_t peak = 0;   // thousandths of the unit in a cycle, of all cores that ran; > 0
  std::string source;  // where the peak comes from

  Cycles cycles() const;
};

/// How often something was done that costs energy, and what one of it costs. Counts are exact, energies of a table.
struct EnergyRow {
  std::string action;  // `matrix.mac`
  uint64_t count = 0;
  std::string source;  // of the figures; empty: there are none, the count stands alone
  uint64_t low_fj = 0, nominal_fj = 0, high_fj = 0;  // femtojoules of one
};
struct EnergyTotal {
  uint64_t low_fj = 0, nominal_fj = 0, high_fj = 0;
  size_t counted = 0;  // rows that have figures
};
EnergyTotal energyTotal(const std::vector<EnergyRow>& rows);

/// How the units spent their time, in equal pieces of the run.
struct Timeline {
  struct Piece {
    std::array<Cycles, kActivityClasses> cycles{};
  };
  struct Lane {
    uint16_t core = 0;
    Track track = Track::scalar;
    std::vector<Piece> pieces;  // of piece_cycles each; the last may be shorter
  };
  Cycles piece_cycles = 1;
  std::vector<Lane> lanes;
};

/// The same run on a machine with one resource that costs next to nothing.
struct WhatIf {
  std::string resource;  // `matrix`
  Cycles cycles = 0;     // of that run
};

/// What a timed run tells: plain data that text, JSON and HTML are printed from.
struct TimedReport {
  Cycles cycles = 0;
  uint64_t clock_mhz = 0;
  unsigned cores = 0;             // of all devices
  unsigned devices = 1;           // as many cores each, one device after the other
  std::vector<UnitCycles> units;  // core by core, tracks in their order
  std::vector<PathBytes> paths;   // as RunShape has them
  uint64_t tiles = 0, macs = 0, elements = 0, bytes = 0;  // of all tile instructions
  std::vector<PcCost> code;                               // by pc
  std::vector<PlaceCost> lines;                           // dearest first
  std::vector<PlaceCost> functions;                       // dearest first
  Timeline timeline;
  /// Sums up to the cycles of the run; none: it was not looked for, or the run is too long.
  std::optional<std::array<Cycles, kPathParts>> critical;
  std::vector<Bound> bounds;
  std::vector<EnergyRow> energy;
  std::vector<WhatIf> what_if;  // empty: not asked for

  // Where the run came from.
  std::string program, device, machine, machine_title, command;
  std::vector<isa::MachineValue> machine_values;

  /// `core 3`; of several devices `core 3 of device 2`, as programs number both.
  std::string coreName(unsigned core) const { return sim::coreName(core, cores, devices); }
  /// Cycles of a unit over all cores.
  ActivityCycles unitCycles(Track track) const;
  /// Paths added up by level, in order of first appearance. The peak is that of all of them together.
  std::vector<PathBytes> levels() const;
  /// The bound that allows the fewest: the largest; nullptr without one.
  const Bound* tightest() const;
  const Bound* boundNamed(std::string_view name) const;
  /// Time at the machine's clock, in picoseconds.
  uint64_t picoseconds() const;
};

/// Fills `lines` and `functions` from `code`. Cycles about no instruction, or about one whose place nobody knows, are
/// in one row each with an empty file and function: rows always add up to all cycles of all units.
void locateCode(TimedReport& report, const Locate& locate);

/// `part` of `whole` in units of 1/scale, rounded to the nearest; 0 of nothing.
uint64_t partOf(uint64_t part, uint64_t whole, uint64_t scale);
/// `71.3 %`.
std::string percent(uint64_t part, uint64_t whole);
/// `1 234 567`.
std::string grouped(uint64_t value);
/// Three digits and a decimal unit: `1.23 GB`, `12.3 us`, `4.56 mJ`.
std::string bytesText(uint64_t bytes);
std::string timeText(uint64_t picoseconds);
std::string energyText(uint64_t femtojoules);
/// A number of thousandths: `614.4`, `16384`.
std::string thousandths(uint64_t value);

}  // namespace etalon::sim
