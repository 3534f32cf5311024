// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "isa/machines/timing.h"
#include "sim/memory/local_memory.h"
#include "sim/units/matrix_passes.h"
#include "sim/units/token.h"
#include "sim/units/unit_times.h"

namespace etalon::sim {

/// The matrix unit of a core: when it does what with the instructions of its queue (docs/spec/microarchitecture.md,
/// section 4). Cost of take() does not depend on the size of tiles.
class MatrixUnit {
 public:
  /// `local` outlives the unit, which books its ports there.
  MatrixUnit(const isa::MatrixTiming& timing, LocalMemory& local)
      : timing_(timing), local_(local) {}

  /// The earliest cycle in which it takes the next instruction: the last pass of the one before has begun, so the second
  /// weight registers are free.
  Cycles accepts() const { return accepts_; }

  /// Takes the oldest instruction of its queue, whose hazards with other units are over; now >= accepts(), and not before
  /// an earlier call.
  UnitTimes take(const Token& token, Cycles now);

  /// Forgets instructions that are done; nothing is taken before `now`.
  void retire(Cycles now);

 private:
  /// What a younger instruction may have to wait for.
  struct InFlight {
    TileUse td;
    Cycles stream = 0, lag = 0;
    Cycles first = 0, last = 0;  // last passes onto the first and onto the last block begin
    Cycles done = 0;
  };
  /// Before when what does not begin.
  struct Waits {
    Cycles weights = 0, rows = 0;  // loading; the first pass
    Cycles first_block = 0,
           last_block = 0;  // the first pass onto it: partial sums are on their way
  };
  Waits waitsOf(const Token& token, const MatrixPasses& passes, Cycles now) const;
  Bytes weightBytes(const Token& token, const MatrixPasses& passes) const;
  Bytes streamBytes(const Token& token, const MatrixPasses& passes) const;

  isa::MatrixTiming timing_;
  LocalMemory& local_;
  std::vector<InFlight> in_flight_;  // oldest first
  Cycles accepts_ = 0;
  Cycles streamed_ = 0;  // the last pass taken has ended
};

}  // namespace etalon::sim
