// SPDX-License-Identifier: Apache-2.0
#include "sim/functional/schedule.h"

#include <algorithm>

namespace etalon::sim {
namespace {

constexpr uint64_t kMagnitudes = 9;  // 2^0 to 2^8 = kTurn

constexpr uint64_t kOrder = 1, kLength = 2, kArrival = 3;  // purposes of draws

/// The finaliser of SplitMix64: every bit of the result depends on every bit of x.
uint64_t mixed(uint64_t x) {
  x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9u;
  x = (x ^ x >> 27) * 0x94D049BB133111EBu;
  return x ^ x >> 31;
}

}  // namespace

Schedule::Schedule(uint64_t seed, unsigned cores) : seed_(seed), order_(cores) {
  for (unsigned core = 0; core < cores; ++core) order_[core] = static_cast<uint16_t>(core);
  startRound(false);
}

uint64_t Schedule::draw(uint64_t purpose, unsigned core) const {
  return mixed(mixed(mixed(seed_) + round_) + (purpose << 32 | core));
}

void Schedule::startRound(bool everyone) {
  ++round_;
  everyone_ = everyone || seed_ == 0;
  drawOrder();
}

void Schedule::drawOrder() {
  if (seed_ == 0) return;
  std::ranges::sort(order_, {}, [&](uint16_t core) { return std::pair(draw(kOrder, core), core); });
}

uint64_t Schedule::length(unsigned turn) const {
  if (seed_ == 0) return kTurn;
  const uint64_t bits = draw(kLength, order_[turn]);
  if (!everyone_ && bits % 4 == 0) return 0;
  return uint64_t{1} << (bits >> 8) % kMagnitudes;
}

uint64_t Schedule::arriving(unsigned turn, uint64_t pending) const {
  if (everyone_) return pending;
  return draw(kArrival, order_[turn]) % (pending + 1);
}

}  // namespace etalon::sim
