// SPDX-License-Identifier: Apache-2.0
#include "sim/system/core_units.h"

namespace etalon::sim {

CoreUnits::CoreUnits(unsigned core, const isa::Timing& timing, const FabricMap& map)
    : local(timing.local),
      matrix(timing.matrix, local),
      vector(timing.vector, local),
      dma_in(local, timing.dma.port_bytes, timing.dma.burst_bytes),
      dma_out(local, timing.dma.port_bytes, timing.dma.burst_bytes),
      load(DmaEngine::Kind::load, static_cast<uint16_t>(core), timing.dma, map, {&dma_in, &dma_out},
           outbox, timing.links.outstanding),
      store(DmaEngine::Kind::store, static_cast<uint16_t>(core), timing.dma, map,
            {&dma_in, &dma_out}, outbox, timing.links.outstanding) {}

TileUnit* CoreUnits::of(Queue queue) {
  switch (queue) {
    case Queue::matrix: return &matrix;
    case Queue::vector: return &vector;
    case Queue::load: return &load;
    case Queue::store: break;
  }
  return &store;
}

}  // namespace etalon::sim
