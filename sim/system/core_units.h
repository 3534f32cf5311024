// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <functional>
#include <memory>
#include <vector>

#include "sim/memory/local_memory.h"
#include "sim/units/dispatch_window.h"
#include "sim/units/dma_engine.h"
#include "sim/units/local_port.h"
#include "sim/units/matrix_unit.h"
#include "sim/units/tile_unit.h"
#include "sim/units/vector_unit.h"

namespace etalon::sim {

/// Events of instructions that are known ahead, in order of time, then of the instruction's age.
class UnitEvents {
 public:
  struct Event {
    Cycles time = 0;
    uint64_t sequence = 0;
    uint8_t place = 0;
    bool last = false;  // done, else read done
    UnitStamps stamps;

    bool operator>(const Event& other) const {
      return time != other.time ? time > other.time : sequence > other.sequence;
    }
  };

  void add(const Event& event);
  Cycles nextTime() const { return events_.empty() ? kNever : events_.front().time; }
  /// Tells the sink what is due up to `now`.
  void tell(Cycles now, UnitSink& sink);

 private:
  std::vector<Event> events_;  // a heap, the earliest first
};

/// A unit that knows all times of an instruction when it takes it: MatrixUnit, VectorUnit.
template <class Rules>
class ScheduledUnit final : public TileUnit {
 public:
  template <class Timing>
  ScheduledUnit(const Timing& timing, LocalMemory& local) : rules_(timing, local) {}

  Cycles accepts() const override { return rules_.accepts(); }
  UnitCharge take(const Token& token, unsigned place, Cycles now) override {
    rules_.retire(now);
    const UnitTimes times = rules_.take(token, now);
    const UnitStamps stamps{times.start, times.first_result, times.read_done, times.done};
    const auto at = static_cast<uint8_t>(place);
    if (times.read_done < times.done)
      events_.add({times.read_done, token.sequence, at, false, stamps});
    events_.add({times.done, token.sequence, at, true, stamps});
    return {times.busy, times.weights, times.chain, times.ports};
  }
  Cycles nextTime() const override { return events_.nextTime(); }
  void advance(Cycles now, UnitSink& sink) override { events_.tell(now, sink); }

 private:
  Rules rules_;
  UnitEvents events_;
};

/// The four units of a core and the local memory that they share.
struct CoreUnits {
  CoreUnits(unsigned core, const isa::Timing& timing, const FabricMap& map);

  TileUnit* of(Queue queue);

  LocalMemory local;
  ScheduledUnit<MatrixUnit> matrix;
  ScheduledUnit<VectorUnit> vector;
  BankedPort dma_in, dma_out;
  std::vector<FabricRequest> outbox;  // of both engines
  DmaEngine load, store;
};

}  // namespace etalon::sim
