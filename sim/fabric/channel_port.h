// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "isa/base/units.h"
#include "sim/fabric/fabric_request.h"
#include "sim/memory/memory_channel.h"

namespace etalon::sim {

/// What comes out of a ChannelPort in one advance.
struct ChannelPortOutput {
  std::vector<FabricRequest> credits;  // their room at the endpoint is free: Network::credit
  std::vector<FabricRequest> answers;  // Network::answer
  void clear() {
    credits.clear();
    answers.clear();
  }
};

/// Where the network ends at a memory channel or at a core's window: requests wait here, reads and writes apart, each in
/// order, until the channel accepts them. Updates are read from the channel, take a cycle an element in a unit that does one
/// after the other, and are written back ahead of what waits.
class ChannelPort {
 public:
  /// `channel` outlives it.
  explicit ChannelPort(MemoryChannel& channel) : channel_(&channel) {}

  /// A request that the network delivers, now or later; of each kind in the order of time.
  void deliver(const Delivery& delivery);
  Cycles nextTime() const { return next_; }
  /// The channel will have something at `time` that its nextTime() did not know of, as a memory of somebody else's does.
  void wake(Cycles time) { next_ = std::min(next_, time); }
  /// Goes on to `now` and appends what happens at it.
  void advance(Cycles now, ChannelPortOutput& out);

  uint64_t readsWaiting() const { return reads_.size(); }
  uint64_t writesWaiting() const { return writes_.size(); }

 private:
  /// In order, without allocation once it has grown.
  template <class T>
  class Ring {
   public:
    bool empty() const { return first_ == items_.size(); }
    uint64_t size() const { return items_.size() - first_; }
    T& front() { return items_[first_]; }
    const T& front() const { return items_[first_]; }
    void push(const T& item) {
      if (first_ > 64 && first_ * 2 > items_.size()) {
        items_.erase(items_.begin(), items_.begin() + static_cast<std::ptrdiff_t>(first_));
        first_ = 0;
      }
      items_.push_back(item);
    }
    void pop() {
      if (++first_ == items_.size()) {
        items_.clear();
        first_ = 0;
      }
    }

   private:
    std::vector<T> items_;
    size_t first_ = 0;
  };

  struct Update {
    Cycles time = 0;  // its last element is computed
    uint32_t slot = 0;
  };

  void complete(const ChannelCompletion& completion, ChannelPortOutput& out);
  void serve(Ring<Delivery>& waiting, Cycles now, ChannelPortOutput& out);
  uint32_t newSlot(const FabricRequest& request);

  MemoryChannel* channel_;
  Ring<Delivery> reads_, writes_;
  Ring<Update> updates_;    // read, being computed or waiting to be written
  Cycles update_free_ = 0;  // the update unit is busy until then
  std::vector<FabricRequest>
      slots_;  // in the channel or in the update unit; tags of the channel are their numbers
  std::vector<uint32_t> free_slots_;
  std::vector<ChannelCompletion> completed_;
  Cycles next_ = kNever;
};

}  // namespace etalon::sim
