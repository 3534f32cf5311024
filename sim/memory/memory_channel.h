// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "isa/base/units.h"

namespace etalon::sim {

/// A piece of global memory that is read or written in one channel: contiguous, inside one interleave block.
struct ChannelRequest {
  uint64_t tag = 0;  // of whoever asks; comes back with the completion
  uint64_t address =
      0;  // in the channel: what is left of the global address once the channel's number is taken out
  uint32_t bytes = 0;
  bool write = false;
};

struct ChannelCompletion {
  uint64_t tag = 0;
  Cycles time =
      0;  // data of a read has left the channel; a write is taken: all that comes later sees it
};

/// One channel of global memory, as the fabric sees it. It holds no data and no clock: time is what callers say, and never
/// goes back.
class MemoryChannel {
 public:
  virtual ~MemoryChannel() = default;
  /// True if a request of so many bytes finds room now.
  virtual bool accepts(bool write, uint32_t bytes) const = 0;
  /// Takes a request that it accepts. What happens at `now` does not depend on the order of the calls of one cycle beyond
  /// the age that they give the requests.
  virtual void submit(const ChannelRequest& request, Cycles now) = 0;
  /// No completion is due, and whoever was refused since the last advance finds no room, before this time; kNever if idle.
  /// It may be too early, never too late, and is after the last advance: ask again at it.
  virtual Cycles nextTime() const = 0;
  /// Goes on to `now` and appends what was completed up to and at `now`, in the order of time, then of age.
  virtual void advance(Cycles now, std::vector<ChannelCompletion>& completed) = 0;
};

}  // namespace etalon::sim
