// SPDX-License-Identifier: Apache-2.0
#include "sim/memory/fixed_channel.h"

#include <algorithm>
#include <numeric>

#include "isa/base/check.h"

namespace etalon::sim {

FixedChannel::FixedChannel(const isa::DramPreset& preset, uint64_t clock_mhz) {
  ETALON_CHECK(preset.kind == isa::DramPreset::Kind::Fixed, "not a memory of fixed latency");
  ETALON_CHECK(clock_mhz > 0, "a clock without period");
  latency_ = (preset.latency_ns * clock_mhz + 999) / 1000;
  rate_ = preset.bytes_per_cycle;
  if (rate_ == 0) {  // megabytes a second over millions of cycles a second: bytes a cycle
    const uint64_t unit = std::gcd(preset.megabytes_per_second, clock_mhz);
    rate_ = preset.megabytes_per_second / unit;
    per_byte_ = clock_mhz / unit;
  }
}

void FixedChannel::goTo(Cycles now) {
  ETALON_CHECK(now >= now_, "a memory channel's time goes back");
  now_ = now;
  while (first_start_ < starts_.size() && starts_[first_start_] <= now) ++first_start_;
  if (first_start_ == starts_.size() || first_start_ >= 2 * kWaiting) {
    starts_.erase(starts_.begin(), starts_.begin() + static_cast<ptrdiff_t>(first_start_));
    first_start_ = 0;
  }
}

bool FixedChannel::accepts(bool, uint32_t) const {
  const bool yes = starts_.size() - first_start_ < kWaiting;
  refused_ |= !yes;
  return yes;
}

void FixedChannel::submit(const ChannelRequest& request, Cycles now) {
  ETALON_CHECK(request.bytes > 0, "a request of nothing");
  goTo(now);
  const uint64_t start = std::max(now * rate_, port_free_);
  port_free_ = start + request.bytes * per_byte_;
  const Cycles first = (start + rate_ - 1) / rate_;
  if (first > now) starts_.push_back(first);
  const Cycles last = (port_free_ + rate_ - 1) / rate_;
  completions_.add(request.tag, age_++, std::max(last + latency_, now + 1));
}

Cycles FixedChannel::nextTime() const {
  const Cycles done = completions_.nextTime();
  return refused_ && first_start_ < starts_.size() ? std::min(done, starts_[first_start_]) : done;
}

void FixedChannel::advance(Cycles now, std::vector<ChannelCompletion>& completed) {
  goTo(now);
  refused_ = false;
  completions_.take(now, completed);
}

}  // namespace etalon::sim
