// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace etalon::sim {

/// How every controller schedules, whatever the part. Depths decide more than timing does, so they are here once: 32 reads,
/// 32 writes and 8 a bank are what the reference cycles of docs/guide/accuracy.md were measured with.
struct DramScheduler {
  static constexpr uint32_t kReads = 32, kWrites = 32;  // bursts that wait before the banks' queues
  static constexpr uint32_t kBank = 8;                  // in the queue of each bank
  /// Writes go when their queue is full; above so many, when no read waits.
  static constexpr uint32_t kDrainAbove = 8;
  /// Drains one after the other while no read comes on; then reads do.
  static constexpr uint32_t kDrainsInARow = 4;
  /// Fewer writes go when nothing else has been there for so long, in nCK.
  static constexpr uint64_t kDrainIdle = 64;
  /// Entries of a bank that may go before its oldest, because their row is open; then the row is closed.
  static constexpr uint32_t kPassed = 16;
};

}  // namespace etalon::sim
