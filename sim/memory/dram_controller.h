// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "isa/machines/dram_preset.h"
#include "sim/memory/dram_command.h"
#include "sim/memory/dram_mapping.h"
#include "sim/memory/dram_queues.h"
#include "sim/memory/dram_timing.h"

namespace etalon::sim {

/// A read whose last data has left the channel.
struct DramDone {
  uint32_t tag = 0;
  Nck time = 0;
};

/// What a controller has done since it was made.
struct DramCounters {
  uint64_t reads = 0, writes = 0;  // bursts on the data bus
  uint64_t forwarded = 0;          // bursts of reads that a waiting write answered
  uint64_t merged = 0;             // bursts of writes that a waiting write made needless
  uint64_t activates = 0, precharges = 0, refreshes = 0;
  uint64_t drains = 0;
};

/// The controller of one DRAM channel: first-ready, first-come, open page.
///
/// It knows no clock: each command is decided at the first nCK at which it is legal, and nothing happens in between. So a
/// stream costs one decision a burst, and an idle channel nothing.
///
/// An entry waits in the queue of reads or of writes until its bank's queue has a place. Of a bank, the oldest entry decides
/// which row is opened; hits of the open row go first, up to DramScheduler::kPassed. Of all commands that are legal at the
/// earliest nCK at which one is, the banks take turns.
///
/// Writes wait until DramScheduler says; to whoever sent them they are done when taken, since a later read of the same bursts
/// is answered from the waiting write. A second write of a waiting block joins it.
class DramController {
 public:
  explicit DramController(const isa::DramPreset& preset);

  /// Bytes of a block: what one entry of a queue holds at most. 64, or a burst if that is more or if the mapping parts the
  /// bursts of 64 bytes.
  uint32_t blockBytes() const { return uint32_t{1} << block_shift_; }
  /// Entries that can be taken now. One more is, without promise: a request that does not begin on a block needs it.
  uint32_t room(bool write) const {
    const uint32_t size = write ? DramScheduler::kWrites : DramScheduler::kReads;
    return size - std::min(size, (write ? writes_ : reads_).count());
  }

  /// Takes an entry for which there is room, at a time not before any seen: the bursts of one block that hold `bytes` from
  /// `address` on. Returns true if it is done with that: a write, or a read that a waiting write answers. Else the tag comes
  /// back through done().
  bool submit(uint64_t address, uint32_t bytes, bool write, uint32_t tag, Nck now);

  /// Decides every command before `end`.
  void runUntil(Nck end);

  /// When the next command will be issued if nothing is submitted before; kNever if no burst waits.
  Nck nextCommand() const;
  /// If nothing is submitted before: no read that waits completes before this; kNever if none waits.
  Nck earliestDone() const {
    return reads_waiting_ == 0 ? kNeverNck : earliestLeave() + timing_.read_latency;
  }
  /// If nothing is submitted before: no entry has its last column command, and no full queue room, before this; kNever if
  /// none waits.
  Nck earliestLeave() const;

  /// End of the last data on the bus so far.
  Nck dataEnd() const { return data_end_; }
  /// Reads completed by commands decided so far, in order; the caller takes them out.
  std::vector<DramDone>& done() { return done_; }
  const DramCounters& counters() const { return counters_; }
  const DramTimes& timing() const { return timing_; }

  /// Every command from now on is appended, in the order of time.
  void logTo(std::vector<DramCommand>* log) { log_ = log; }

 private:
  struct Choice {
    Nck time = kNeverNck;
    uint32_t bank = 0;
    DramCommand::Kind kind = DramCommand::Kind::Activate;
  };

  void plan() const;
  Choice chooseColumn() const;
  Choice chooseRow() const;
  void commit(const Choice& choice);
  void activate(uint32_t bank, Nck time);
  void precharge(uint32_t bank, Nck time);
  void column(uint32_t bank, bool write, Nck time);
  void complete(uint32_t bank, uint32_t at, bool write, Nck time);
  void updateWants(uint32_t bank);

  void beginClosing();
  void refreshAll();
  void skipIdleRefreshes(Nck end);
  bool idle() const { return queued_ == 0 && draining_ == 0 && drain_at_ == kNeverNck; }
  void beginBankRefresh();
  void nextRefreshDeadline();
  void refreshBank(Nck time);

  void enqueue(uint32_t bank, const DramEntry& entry, bool write);
  void refill(uint32_t bank);
  void refillAll();
  void considerDrain(Nck now);
  void beginDrain();
  void endDrain();
  bool meetsWaitingWrite(uint32_t bank, const DramEntry& entry, bool write);
  void note(DramCommand::Kind kind, uint32_t bank, uint32_t row, Nck time) {
    if (log_ != nullptr) log_->push_back({time, row, static_cast<uint8_t>(bank), kind});
  }

  DramTimes timing_;
  DramMapping mapping_;
  uint32_t banks_, group_shift_;
  uint32_t burst_shift_, block_shift_;  // log2 of bytes
  bool split_, per_bank_;

  std::vector<DramBank> bank_;
  std::array<Nck, 16> group_act_{}, group_rd_{}, group_wr_{};
  Nck rank_act_ = 0, rank_rd_ = 0, rank_wr_ = 0;
  std::array<Nck, 4> last_acts_{};  // ring
  uint32_t last_act_ = 0;
  Nck row_slot_ = 0, column_slot_ = 0;  // first nCK at which a command may go
  uint32_t row_turn_ = 0, column_turn_ = 0;

  // Bit b: bank b waits for such a command.
  uint64_t want_act_ = 0, want_pre_ = 0, want_rd_ = 0, want_wr_ = 0;
  uint64_t held_ = 0;  // banks that take no command but those of their refresh

  DramFront reads_, writes_;
  DramFilter filter_;
  uint32_t queued_ = 0;           // entries in banks' queues
  uint32_t reads_waiting_ = 0;    // in both kinds of queues
  uint32_t draining_ = 0;         // writes that still go to the banks in this drain
  uint32_t drains_in_a_row_ = 0;  // in which no read left reads_
  uint32_t reads_owed_ = 0;       // reads that go before the next drain
  Nck drain_at_ = kNeverNck;

  Nck refresh_at_;  // next deadline
  bool closing_ =
      false;  // an all-bank refresh is due: hits of open rows go until close_at_, nothing else does
  Nck close_at_ = 0;
  // Of refresh bank by bank: a round of refi refreshes each bank once.
  Nck round_begin_ = 0,
      refresh_free_ = 0;       // refresh_free_: first nCK at which a REF may follow the one before
  uint64_t refresh_left_ = 0;  // banks of this round that are not done
  uint32_t refresh_bank_ = 0;
  bool refreshing_ = false;  // refresh_bank_ waits for its REF

  Nck now_ = 0, data_end_ = 0;
  mutable bool planned_ = false;  // row_ and column_ are what the state asks for
  mutable Choice row_, column_;
  std::vector<DramDone> done_;
  std::vector<DramCommand>* log_ = nullptr;
  DramCounters counters_;
};

}  // namespace etalon::sim
