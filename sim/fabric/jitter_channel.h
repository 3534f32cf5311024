// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <tuple>
#include <utility>
#include <vector>

#include "sim/fabric/jitter.h"
#include "sim/memory/memory_channel.h"

namespace etalon::sim {

/// A memory channel whose completions come up to `jitter.most` cycles late, each by a draw of its own: also in another order.
class JitterChannel final : public MemoryChannel {
 public:
  /// `number` of the channel among those that draw from the seed.
  JitterChannel(std::unique_ptr<MemoryChannel> channel, const Jitter& jitter, uint64_t number)
      : channel_(std::move(channel)), jitter_(jitter), number_(number) {}

  bool accepts(bool write, uint32_t bytes) const override {
    return channel_->accepts(write, bytes);
  }
  void submit(const ChannelRequest& request, Cycles now) override {
    channel_->submit(request, now);
  }
  Cycles nextTime() const override {
    return std::min(channel_->nextTime(), late_.empty() ? kNever : late_.front().time);
  }
  void advance(Cycles now, std::vector<ChannelCompletion>& completed) override {
    inner_.clear();
    channel_->advance(now, inner_);
    for (const ChannelCompletion& c : inner_) {
      late_.push_back({c.time + jitter_.draw(number_, count_), count_, c.tag});
      ++count_;
      std::ranges::push_heap(late_, std::greater<>());
    }
    while (!late_.empty() && late_.front().time <= now) {
      completed.push_back({late_.front().tag, late_.front().time});
      std::ranges::pop_heap(late_, std::greater<>());
      late_.pop_back();
    }
  }

 private:
  struct Late {
    Cycles time;
    uint64_t age, tag;
    bool operator>(const Late& other) const {
      return std::tie(time, age) > std::tie(other.time, other.age);
    }
  };

  std::unique_ptr<MemoryChannel> channel_;
  Jitter jitter_;
  uint64_t number_;
  uint64_t count_ = 0;
  std::vector<ChannelCompletion> inner_;
  std::vector<Late> late_;  // a heap, the earliest first
};

}  // namespace etalon::sim
