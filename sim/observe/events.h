// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "isa/base/units.h"
#include "isa/codec/instruction.h"

namespace etalon::sim {

/// Units whose cycles are accounted for, one track of a trace each. A core has each once.
enum class Track : uint8_t { scalar, matrix, vector, load, store };
inline constexpr int kTracks = 5;

/// What a unit does in a cycle: the closed list of docs/spec/microarchitecture.md. Every cycle of every track of every core
/// of the launch has exactly one.
enum class Activity : uint8_t {
  busy,  // works: a scalar instruction completes, rows or elements stream, bursts are on their way
  weights,      // matrix: nothing enters, weights are loaded
  chain,        // waits for partial sums, or for rows, of an older instruction in the same unit
  ports,        // waits for ports or banks of local memory
  operand,      // the oldest instruction of the queue waits for another unit's reads or writes
  structural,   // it waits for its own unit
  memory,       // it waits for bursts: all outstanding ones are in use
  empty,        // the queue is empty
  queue_full,   // scalar: the queue of its tile instruction is full
  window_full,  // scalar: the window is full
  latency,      // scalar: a result is not there yet
  cache_miss,   // scalar
  local,        // scalar: interlocked with tile instructions on own local memory
  fence,        // scalar: waits for older accesses
  semaphore,    // scalar: et.wait
  barrier,      // scalar: et.barrier
  interrupt,    // scalar: wfi
  halted,       // scalar: the core has halted; other units: nothing will come any more
};
inline constexpr int kActivities = 18;

/// As reports and traces write them: `matrix`, `queue_full`.
std::string_view trackName(Track track);
std::string_view activityName(Activity activity);

/// `core 3`; of several devices `core 3 of device 2`, as programs number both. `cores` are those of all devices.
std::string coreName(unsigned core, unsigned cores, unsigned devices);

/// A span of cycles in which a unit did one thing. Those of a track come in order, the first begins at 0, each begins where
/// the one before ends, none is empty, the last ends with the run.
struct TrackSpan {
  uint16_t core = 0;
  Track track = Track::scalar;
  Activity activity = Activity::empty;
  Cycles begin = 0, end = 0;
  uint64_t pc = 0;  // of the instruction that it is about; 0: none
};

/// A tile instruction when it is done. Those of a core come in any order; issue <= ready, taken <= start <= done.
struct TileRecord {
  uint16_t core = 0;
  Track track = Track::matrix;
  uint64_t sequence = 0;  // program order among the core's tile instructions, from 1
  uint64_t pc = 0;
  isa::Instruction instruction;
  Cycles issue = 0;  // it entered window and queue
  Cycles ready = 0;  // hazards with other units were over
  Cycles taken = 0;  // it left the queue
  Cycles start = 0;  // it began to stream
  Cycles first_result = 0;
  Cycles read_done = 0;
  Cycles done = 0;
  uint64_t waited_for = 0;  // sequence of the instruction whose event ended its wait; 0: none
  uint64_t macs = 0, elements = 0, bytes = 0;
};

/// One way that bytes take, in one direction: a memory channel's reads, a core's network ports' writes, a link.
struct PathInfo {
  std::string level;  // what reports add up: `memory read`, `network write`
  std::string name;   // which one of its level: `channel 3`, `core 0`
  uint64_t peak =
      0;  // thousandths of a byte in a cycle of the core's clock; 0: it has none of its own
};

/// Bytes on their way, spread evenly over the cycles from `begin` to `end`. Those of a path come roughly in order of time.
struct Transfer {
  uint16_t path = 0;  // index in RunShape::paths
  Cycles begin = 0, end = 0;
  Bytes moved = 0;   // by the path: whole bursts, flits
  Bytes useful = 0;  // of these, what somebody had asked for
};

/// What is known of a run before it begins.
struct RunShape {
  unsigned cores = 1;  // of all devices
  uint64_t clock_mhz = 1000;
  std::vector<PathInfo> paths;
  unsigned devices = 1;  // as many cores each, numbered one device after the other
};

/// Where records of a run go. Calls come in an order that depends on the run alone.
class RunObserver {
 public:
  virtual ~RunObserver() = default;
  virtual void span(const TrackSpan& span) = 0;
  virtual void tile(const TileRecord& record) = 0;
  virtual void transfer(const Transfer& transfer) = 0;
  /// The run is over after `total` cycles; the last call.
  virtual void finish(Cycles total) = 0;
};

/// Passes everything on to each of several, in order.
class ObserverList final : public RunObserver {
 public:
  /// `observer` must outlive this.
  void add(RunObserver& observer) { observers_.push_back(&observer); }
  void span(const TrackSpan& span) override {
    for (RunObserver* o : observers_) o->span(span);
  }
  void tile(const TileRecord& record) override {
    for (RunObserver* o : observers_) o->tile(record);
  }
  void transfer(const Transfer& transfer) override {
    for (RunObserver* o : observers_) o->transfer(transfer);
  }
  void finish(Cycles total) override {
    for (RunObserver* o : observers_) o->finish(total);
  }

 private:
  std::vector<RunObserver*> observers_;
};

}  // namespace etalon::sim
