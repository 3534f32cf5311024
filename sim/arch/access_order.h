// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "sim/arch/access_state.h"

namespace etalon::sim {

/// An access about to be put on bytes, with all that decides its order.
struct Access {
  AccessRecord record;      ///< `after` empty
  const VectorClock* view;  ///< what happens before it
  bool own_local = false;   ///< the bytes lie in the accessing core's own local memory
};

/// The state of a byte after `access`, whose state was `state`.
///
/// Each record that conflicts with the access, one of both being a tile's, and that does not happen
/// before it, is added to `found`: a race, or, if both are atomic, a result that depends on the order.
/// Records that the access stands for from now on are dropped: what is found against a dropped record
/// later, is found against the access, too, as the same kind of finding.
/// Order of one byte counted beside the clocks:
///  * within a core, a scalar access before a younger scalar write (RVWMO, same address);
///  * in own local memory, scalar and tile accesses that conflict (interlocked);
///  * a scalar write before the other core's load or atomic that reads it.
AccessState accessAfter(const AccessState& state, const Access& access,
                        std::vector<AccessRecord>& found);

/// The state of a byte after et.fence.t/.v number `fence` of `core` covered it: all that happened
/// before an access of this byte by the core happens before the fence.
AccessState rangeFenced(const AccessState& state, uint16_t core, Time fence);

}  // namespace etalon::sim
