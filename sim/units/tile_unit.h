// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "isa/base/units.h"
#include "sim/observe/events.h"
#include "sim/units/token.h"

namespace etalon::sim {

/// When a unit did what with an instruction, for the records of a run.
struct UnitStamps {
  Cycles start = 0, first_result = 0, read_done = 0, done = 0;
};

/// Cycles in which a unit works for an instruction and for no older one: those in which rows or elements enter, and those
/// in which none do, by cause.
struct UnitCharge {
  Cycles busy = 0, weights = 0, chain = 0, ports = 0;
};

/// What a unit says of an instruction as it takes it.
struct UnitAnswer {
  UnitCharge charge;  // 0 of a unit that does not know it ahead
  std::optional<UnitStamps>
      stamps;  // if all times are known, and then the sink hears nothing of it
};

/// What a unit tells the core it belongs to. `place` is the instruction's, in the dispatch window.
class UnitSink {
 public:
  virtual ~UnitSink() = default;
  /// The last source byte has been read; from `now` on an instruction that overwrites it may start.
  virtual void readDone(unsigned place, Cycles now) = 0;
  /// The last result byte is written; from `now` on every instruction may read it. readDone() came before or is implied.
  virtual void done(unsigned place, Cycles now, const UnitStamps& stamps) = 0;
};

/// A unit as its core sees it: takes instructions of one queue in order, whose hazards with other queues are over, and says
/// what became of them. Hazards among the instructions it has taken are its own business. A unit of one's own, such as a
/// Verilated block, takes the place of one of ours by this interface.
class TileUnit {
 public:
  virtual ~TileUnit() = default;
  /// Earliest cycle at which the next instruction can be taken, as far as is known; kNever: not before something else happens.
  virtual Cycles accepts() const = 0;
  /// Takes an instruction at `now`, which is not before accepts().
  /// The charge begins at `now`, or where the charge of the instruction before it ends, if that is later.
  virtual UnitAnswer take(const Token& token, unsigned place, Cycles now) = 0;
  /// Of a unit that does not know its charges ahead: what it does until the next call of anything here,
  /// other than the owner's business `operand` and `halted`.
  virtual std::optional<Activity> activity() const { return std::nullopt; }
  /// When advance() has something to do, after the last call of anything here; kNever: nothing will happen by itself.
  virtual Cycles nextTime() const = 0;
  /// Goes on to `now`, which is not after nextTime(), and tells the sink what happened then.
  virtual void advance(Cycles now, UnitSink& sink) = 0;
};

}  // namespace etalon::sim
