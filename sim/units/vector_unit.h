// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <vector>

#include "isa/machines/timing.h"
#include "sim/memory/local_memory.h"
#include "sim/units/token.h"
#include "sim/units/unit_times.h"
#include "sim/units/vector_passes.h"

namespace etalon::sim {

/// The vector unit of a core: when it does what with the instructions of its queue (docs/spec/microarchitecture.md,
/// section 5). Cost of take() does not depend on the size of tiles.
class VectorUnit {
 public:
  /// `local` outlives the unit, which books its ports there.
  VectorUnit(const isa::VectorTiming& timing, LocalMemory& local)
      : timing_(timing), local_(local) {}

  /// The earliest cycle in which it takes the next instruction: all of the one before has entered.
  Cycles accepts() const { return accepts_; }

  /// Takes the oldest instruction of its queue, whose hazards with other units are over; now >= accepts(), and not before
  /// an earlier call.
  UnitTimes take(const Token& token, Cycles now);

  /// Forgets instructions that are done; nothing is taken before `now`.
  void retire(Cycles now);

 private:
  static constexpr size_t kMostResults = 2;
  /// What a younger instruction may have to wait for.
  struct InFlight {
    std::array<TileUse, kMostResults> results;
    size_t count = 0;
    uint64_t rows = 0;
    RowPace pace;
    bool follows = false;  // its rows are written one after the other, at `pace` from `writes` on
    Cycles writes = 0;
    Cycles done = 0;
  };
  Cycles startOf(const Token& token, const VectorPasses& passes, Cycles now) const;
  Cycles afterResult(const InFlight& old, const TileUse& result, const TileUse& source,
                     const VectorPasses& passes) const;
  void book(const Token& token, UnitTimes& times, const VectorPasses& passes);

  isa::VectorTiming timing_;
  LocalMemory& local_;
  std::vector<InFlight> in_flight_;  // oldest first
  Cycles accepts_ = 0;
};

}  // namespace etalon::sim
