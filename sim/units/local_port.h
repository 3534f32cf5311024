// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>

#include "isa/base/units.h"
#include "sim/fabric/fabric_request.h"
#include "sim/memory/local_memory.h"

namespace etalon::sim {

/// A port of local memory that serves one access after the other.
class LocalPort {
 public:
  virtual ~LocalPort() = default;
  /// An access of `bytes` >= 1 from a byte offset on, not before `from`. Returns the cycle after its last byte has moved.
  virtual Cycles access(uint64_t offset, Bytes bytes, Cycles from) = 0;
};

/// A port of `port_bytes` a cycle, in pieces of a burst if it is wider than one, each of any access. Each piece takes the words of the banks that
/// it touches, which others may have taken: then the port waits.
class BankedPort final : public LocalPort {
 public:
  /// `memory` outlives it.
  BankedPort(LocalMemory& memory, Bytes port_bytes, Bytes burst_bytes)
      : memory_(&memory),
        piece_bytes_(std::min(port_bytes, burst_bytes)),
        pieces_a_cycle_(port_bytes / piece_bytes_) {}

  Cycles access(uint64_t offset, Bytes bytes, Cycles from) override {
    next_ = std::max(next_, from * pieces_a_cycle_);
    const Cycles begin = next_ / pieces_a_cycle_;
    next_ += piecesTouched(offset, bytes, piece_bytes_);
    const Cycles end = (next_ + pieces_a_cycle_ - 1) / pieces_a_cycle_;
    const Bytes word = memory_->wordBytes();
    const Cycles booked =
        memory_->book(begin, end - begin, piecesTouched(offset, bytes, word) * word);
    if (booked > end) next_ = booked * pieces_a_cycle_;
    return booked;
  }

 private:
  LocalMemory* memory_;
  Bytes piece_bytes_;
  Bytes pieces_a_cycle_;
  uint64_t next_ = 0;  // place of the next piece, pieces_a_cycle_ of them in each cycle
};

}  // namespace etalon::sim
