// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "sim/memory/local_memory.h"
#include "sim/units/dispatch_window.h"
#include "sim/units/dma_engine.h"
#include "sim/units/local_port.h"
#include "sim/units/matrix_unit.h"
#include "sim/units/tile_unit.h"
#include "sim/units/vector_unit.h"

namespace etalon::sim {

/// A unit that knows all times of an instruction when it takes it: MatrixUnit, VectorUnit.
template <class Rules>
class ScheduledUnit final : public TileUnit {
 public:
  template <class Timing>
  ScheduledUnit(const Timing& timing, LocalMemory& local) : rules_(timing, local) {}

  Cycles accepts() const override { return rules_.accepts(); }
  UnitAnswer take(const Token& token, unsigned /*place*/, Cycles now) override {
    rules_.retire(now);
    const UnitTimes times = rules_.take(token, now);
    return {{times.busy, times.weights, times.chain, times.ports},
            UnitStamps{times.start, times.first_result, times.read_done, times.done}};
  }
  Cycles nextTime() const override { return kNever; }
  void advance(Cycles /*now*/, UnitSink& /*sink*/) override {}

 private:
  Rules rules_;
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
