// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "sim/memory/dram_command.h"
#include "sim/memory/dram_scheduler.h"

namespace etalon::sim {

/// An entry of a queue: bursts of one block of 64 bytes (or of one larger burst). Its bank is the queue's.
struct DramEntry {
  uint32_t row = 0;
  uint32_t block = 0;  // in the row
  uint32_t tag = 0;
  uint32_t bursts = 0;  // bit i: burst i of the block is still to go
};

/// State and queue of one bank. Each time is the first nCK at which the bank itself allows the command.
struct DramBank {
  static constexpr uint32_t kClosed = ~uint32_t{0};

  Nck act_at = 0, rd_at = 0, wr_at = 0, pre_at = 0;
  uint32_t open_row = kClosed;
  uint32_t passed = 0;  // entries served before the oldest
  uint32_t count = 0;
  uint32_t first_rd = 0, first_wr = 0;               // index of the oldest read and write hit
  std::array<uint32_t, DramScheduler::kBank> row{};  // by age
  std::array<uint32_t, DramScheduler::kBank> block{}, tag{}, bursts{};
  uint32_t writes = 0;  // bit i: the entry at i is a write

  bool full() const { return count == DramScheduler::kBank; }
  void push(const DramEntry& entry, bool write) {
    row[count] = entry.row;
    block[count] = entry.block;
    tag[count] = entry.tag;
    bursts[count] = entry.bursts;
    writes |= uint32_t{write} << count++;
  }
  void remove(uint32_t index) {
    --count;
    for (uint32_t i = index; i < count; ++i) {
      row[i] = row[i + 1];
      block[i] = block[i + 1];
      tag[i] = tag[i + 1];
      bursts[i] = bursts[i + 1];
    }
    const uint32_t below = (uint32_t{1} << index) - 1;
    writes = (writes & below) | (writes >> 1 & ~below);
  }
};

/// Entries of one direction before the banks' queues: for each bank a list by age, all in one pool of fixed size.
class DramFront {
 public:
  // One more than is promised: a request that does not begin on a block needs it.
  static constexpr uint32_t kSize = std::max(DramScheduler::kReads, DramScheduler::kWrites) + 1;

  DramFront() {
    for (uint32_t i = 0; i < kSize; ++i) next_[i] = static_cast<uint8_t>(i + 1);
  }
  uint32_t count() const { return count_; }
  /// Bit b: something waits for bank b.
  uint64_t banks() const { return banks_; }
  bool has(uint32_t bank) const { return (banks_ >> bank & 1) != 0; }

  void push(uint32_t bank, const DramEntry& entry) {
    const uint8_t slot = free_;
    free_ = next_[slot];
    entry_[slot] = entry;
    next_[slot] = kSize;
    if (has(bank)) {
      next_[tail_[bank]] = slot;
    } else {
      head_[bank] = slot;
      banks_ |= uint64_t{1} << bank;
    }
    tail_[bank] = slot;
    ++count_;
  }
  DramEntry pop(uint32_t bank) {
    const uint8_t slot = head_[bank];
    head_[bank] = next_[slot];
    if (slot == tail_[bank]) banks_ &= ~(uint64_t{1} << bank);
    next_[slot] = free_;
    free_ = slot;
    --count_;
    return entry_[slot];
  }
  /// The entry of such a place, or null.
  DramEntry* find(uint32_t bank, uint32_t row, uint32_t block) {
    if (!has(bank)) return nullptr;
    for (uint32_t slot = head_[bank]; slot != kSize; slot = next_[slot])
      if (entry_[slot].row == row && entry_[slot].block == block) return &entry_[slot];
    return nullptr;
  }

 private:
  uint64_t banks_ = 0;
  uint32_t count_ = 0;
  uint8_t free_ = 0;
  std::array<uint8_t, kSize> next_{};  // kSize: none
  std::array<uint8_t, 64> head_{}, tail_{};
  std::array<DramEntry, kSize> entry_{};
};

/// Says fast that no waiting write has a given place; if it cannot, the queues are searched.
class DramFilter {
 public:
  void add(uint32_t bank, uint32_t row, uint32_t block) { ++count_[slot(bank, row, block)]; }
  void remove(uint32_t bank, uint32_t row, uint32_t block) { --count_[slot(bank, row, block)]; }
  bool mayHave(uint32_t bank, uint32_t row, uint32_t block) const {
    return count_[slot(bank, row, block)] != 0;
  }

 private:
  static uint32_t slot(uint32_t bank, uint32_t row, uint32_t block) {
    return (block * 67 + bank * 13 + row * 2081) % 1024;
  }
  std::array<uint16_t, 1024> count_{};
};

}  // namespace etalon::sim
