// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

namespace etalon::sim {

/// Whose turn it is in a launch, for how many instructions, and when signals arrive.
///
/// A launch goes in rounds; in each round every core has one turn. Seed 0: in order of core numbers, 256 instructions a
/// turn, signals arrive at once. Other seeds: in an order and with lengths of 0 to 256 that the seed draws (each order of
/// magnitude as likely as the others), and signals arrive late. Everything is a function of seed and round, so the two
/// are all the state there is.
class Schedule {
 public:
  /// Instructions of a turn of seed 0, and the most of any other. Part of what makes a run reproducible, so it is fixed.
  static constexpr uint64_t kTurn = 256;

  /// `cores` of the launch, on all devices.
  Schedule(uint64_t seed, unsigned cores);

  /// True if et.sig is performed at a later turn of its core rather than at once.
  bool defersSignals() const { return seed_ != 0; }
  uint64_t seed() const { return seed_; }
  uint64_t round() const { return round_; }
  /// Begins the next round. `everyone`: no core is passed over, and all signals arrive; else some may wait.
  void startRound(bool everyone);
  unsigned core(unsigned turn) const { return order_[turn]; }
  /// Instructions of a turn; 0: the core is passed over.
  uint64_t length(unsigned turn) const;
  /// How many of the `pending` signals of its core arrive as a turn begins, oldest first.
  uint64_t arriving(unsigned turn, uint64_t pending) const;

  /// Snapshots (device_snapshot.cc). Reads into a schedule of the same seed and cores.
  template <class Archive, class Self>
  static void transfer(Archive& archive, Self& self);

 private:
  /// The order of this round.
  void drawOrder();
  /// 64 random bits for a purpose in this round.
  uint64_t draw(uint64_t purpose, unsigned core) const;

  uint64_t seed_;
  uint64_t round_ = 0;
  bool everyone_ = true;
  std::vector<uint16_t> order_;  // cores of the launch, counted through
};

}  // namespace etalon::sim
