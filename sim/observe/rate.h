// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <functional>

#include "sim/observe/events.h"

namespace etalon::sim {

/// Bytes a cycle of one path, as means over pieces of kPiece cycles. A piece is told once kOpen younger ones have begun;
/// what comes later still is counted into the oldest piece not yet told, so that sums always hold.
class Rate {
 public:
  static constexpr Cycles kPiece = 256;  // a power of two: means of whole bytes are exact
  static constexpr size_t kOpen = 1024;
  using Emit = std::function<void(Cycles time, double bytes_a_cycle)>;

  explicit Rate(Emit emit) : emit_(std::move(emit)) {}
  void add(const Transfer& transfer);
  /// Tells the rest, and 0 from there on.
  void finish();

 private:
  void makeRoom(Cycles piece);
  void tell(Bytes bytes);

  Emit emit_;
  std::deque<Bytes> pieces_;
  Cycles first_ = 0;  // where pieces_ begin
  Bytes told_ = 0;    // of the piece before
};

}  // namespace etalon::sim
