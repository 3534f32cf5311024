// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "isa/state/tile_operands.h"

namespace etalon::sim {

class Core;

/// Told of the tile instructions of a core as they are issued.
class IssueSink {
 public:
  virtual ~IssueSink() = default;
  /// All checks have passed and nothing has been read or written yet. Not called for an instruction that writes no element.
  virtual void issued(const Core& core, const isa::TileOperands& operands) = 0;
};

}  // namespace etalon::sim
