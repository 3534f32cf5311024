// SPDX-License-Identifier: Apache-2.0
#include "sim/memory/dram_controller.h"

#include <algorithm>
#include <bit>

#include "isa/base/check.h"

namespace etalon::sim {
namespace {

using Kind = DramCommand::Kind;

constexpr uint64_t bit(uint32_t bank) { return uint64_t{1} << bank; }

/// The lowest bits of the address, if they are of the column, keep a block together.
uint32_t blockShift(const isa::DramPreset& preset) {
  ETALON_CHECK(preset.kind == isa::DramPreset::Kind::Dram, "a preset without banks");
  ETALON_CHECK(!preset.mapping.empty(), "a preset without mapping");
  constexpr uint32_t kBlock = 6;
  const auto burst = static_cast<uint32_t>(std::countr_zero(preset.burst_bytes));
  const isa::MappingField& lowest = preset.mapping.back();
  const uint32_t together = lowest.kind == isa::MappingField::Kind::Column ? lowest.bits : 0;
  return std::max(burst, std::min(kBlock, burst + together));
}

}  // namespace

DramController::DramController(const isa::DramPreset& preset)
    : timing_(preset.timing),
      mapping_(preset),
      banks_(static_cast<uint32_t>(preset.allBanks())),
      group_shift_(static_cast<uint32_t>(std::countr_zero(preset.banks))),
      burst_shift_(static_cast<uint32_t>(std::countr_zero(preset.burst_bytes))),
      block_shift_(blockShift(preset)),
      split_(preset.commands == isa::DramPreset::Commands::Split),
      per_bank_(preset.refresh == isa::DramPreset::Refresh::PerBank),
      bank_(banks_),
      refresh_at_(per_bank_ ? timing_.refi / banks_ : timing_.refi) {
  if (per_bank_) refresh_left_ = ~uint64_t{0} >> (64 - banks_);
}

bool DramController::submit(uint64_t address, uint32_t bytes, bool write, uint32_t tag, Nck now) {
  ETALON_CHECK(now >= now_, "a memory controller's time goes back");
  ETALON_CHECK((write ? writes_ : reads_).count() < DramFront::kSize, "an entry without room");
  const uint64_t first = address >> burst_shift_, last = (address + bytes - 1) >> burst_shift_;
  const uint32_t in_block = (1U << (block_shift_ - burst_shift_)) - 1;
  ETALON_CHECK(bytes > 0, "an entry of nothing");
  ETALON_CHECK((first | in_block) == (last | in_block), "an entry over the end of its block");
  runUntil(now);
  const DramAddress at = mapping_.decode(address);
  const DramEntry entry{at.row, at.column >> (block_shift_ - burst_shift_), tag,
                        ((2U << (last - first)) - 1) << (first & in_block)};
  if (filter_.mayHave(at.bank, at.row, entry.block) && meetsWaitingWrite(at.bank, entry, write))
    return true;
  if (write) {
    filter_.add(at.bank, at.row, entry.block);
  } else {
    ++reads_waiting_;
  }
  if (write == (draining_ > 0) && !bank_[at.bank].full()) {
    enqueue(at.bank, entry, write);
    updateWants(at.bank);
    if (write && --draining_ == 0) endDrain();
  } else {
    (write ? writes_ : reads_).push(at.bank, entry);
  }
  considerDrain(now);
  return write;
}

/// A write joins a waiting write of its block; a read is answered by one if that has all its bursts.
bool DramController::meetsWaitingWrite(uint32_t bank_index, const DramEntry& entry, bool write) {
  DramBank& bank = bank_[bank_index];
  uint32_t* waiting = nullptr;
  for (uint32_t i = 0; i < bank.count; ++i)
    if ((bank.writes >> i & 1) != 0 && bank.row[i] == entry.row && bank.block[i] == entry.block)
      waiting = &bank.bursts[i];
  if (waiting == nullptr)
    if (DramEntry* found = writes_.find(bank_index, entry.row, entry.block))
      waiting = &found->bursts;
  if (waiting == nullptr) return false;
  const auto common = static_cast<uint64_t>(std::popcount(entry.bursts & *waiting));
  if (!write) {
    if ((entry.bursts & ~*waiting) != 0) return false;
    counters_.forwarded += common;
    return true;
  }
  counters_.merged += common;
  *waiting |= entry.bursts;
  return true;
}

void DramController::enqueue(uint32_t bank, const DramEntry& entry, bool write) {
  bank_[bank].push(entry, write);
  ++queued_;
}

/// What the bank's queue asks for now.
void DramController::updateWants(uint32_t index) {
  DramBank& bank = bank_[index];
  const uint64_t keep = ~bit(index);
  want_act_ &= keep;
  want_pre_ &= keep;
  want_rd_ &= keep;
  want_wr_ &= keep;
  planned_ = false;
  if (bank.count == 0) return;
  if (bank.open_row == DramBank::kClosed) {
    want_act_ |= bit(index);
    return;
  }
  uint32_t hits = 0;
  for (uint32_t i = 0; i < DramScheduler::kBank; ++i)
    hits |= uint32_t{bank.row[i] == bank.open_row} << i;
  hits &= (uint32_t{1} << bank.count) - 1;
  if ((hits & 1) == 0 && bank.passed >= DramScheduler::kPassed)
    hits = 0;  // the oldest has waited enough
  const uint32_t reads = hits & ~bank.writes, writes = hits & bank.writes;
  if (reads != 0) {
    want_rd_ |= bit(index);
    bank.first_rd = static_cast<uint32_t>(std::countr_zero(reads));
  }
  if (writes != 0) {
    want_wr_ |= bit(index);
    bank.first_wr = static_cast<uint32_t>(std::countr_zero(writes));
  }
  if (hits == 0) want_pre_ |= bit(index);
}

/// Fills the bank's queue from the front queue whose turn it is.
void DramController::refill(uint32_t bank) {
  DramBank& queue = bank_[bank];
  while (!queue.full()) {
    const bool write = draining_ > 0;
    DramFront& front = write ? writes_ : reads_;
    if (!front.has(bank)) return;
    enqueue(bank, front.pop(bank), write);
    if (!write) {
      drains_in_a_row_ = 0;
      if (reads_owed_ > 0) --reads_owed_;
    }
    if (write && --draining_ == 0) {
      endDrain();
      return;
    }
  }
}

void DramController::refillAll() {
  const bool write = draining_ > 0;
  uint64_t banks = (write ? writes_ : reads_).banks();
  for (; banks != 0 && write == (draining_ > 0); banks &= banks - 1) {
    const auto bank = static_cast<uint32_t>(std::countr_zero(banks));
    if (bank_[bank].full()) continue;
    refill(bank);
    updateWants(bank);
  }
}

void DramController::considerDrain(Nck now) {
  drain_at_ = kNeverNck;
  if (draining_ > 0 || writes_.count() == 0 || reads_owed_ > 0) return;
  if (writes_.count() >= DramScheduler::kWrites ||
      (writes_.count() > DramScheduler::kDrainAbove && queued_ == 0)) {
    beginDrain();
  } else if (queued_ == 0) {
    drain_at_ = now + DramScheduler::kDrainIdle;
  }
}

/// After so many drains in which no read came on, those that wait go before the next.
void DramController::endDrain() {
  if (++drains_in_a_row_ >= DramScheduler::kDrainsInARow) reads_owed_ = reads_.count();
  refillAll();
}

void DramController::beginDrain() {
  ++counters_.drains;
  draining_ = writes_.count();
  drain_at_ = kNeverNck;
  refillAll();
}

void DramController::runUntil(Nck end) {
  while (true) {
    if (!planned_) plan();
    const Nck next = std::min({row_.time, column_.time, drain_at_});
    if (refresh_at_ < end && refresh_at_ <= next && !refreshing_ && !closing_) {
      if (idle()) skipIdleRefreshes(end);
      per_bank_ ? beginBankRefresh() : beginClosing();
      continue;
    }
    if (closing_ && column_.time == kNeverNck) {
      refreshAll();
      continue;
    }
    if (next >= end) break;
    if (drain_at_ == next) {
      now_ = next;
      beginDrain();
      continue;
    }
    // On one bus the banks take turns over both kinds; on two, the column command of a nCK is decided first.
    const auto distance = [&](const Choice& choice) {
      return (choice.bank - column_turn_) & (banks_ - 1);
    };
    const bool row_first = row_.time < column_.time || (!split_ && row_.time == column_.time &&
                                                        distance(row_) < distance(column_));
    commit(row_first ? row_ : column_);
  }
  now_ = std::max(now_, end);
}

void DramController::commit(const Choice& choice) {
  const Nck time = choice.time;
  const uint32_t bank = choice.bank;
  const bool is_column = choice.kind == Kind::Read || choice.kind == Kind::Write;
  now_ = time;
  if (!split_) {
    row_slot_ = column_slot_ = time + 1;
    row_turn_ = column_turn_ = (bank + 1) & (banks_ - 1);
  } else if (is_column) {
    column_slot_ = time + 1;
    column_turn_ = (bank + 1) & (banks_ - 1);
  } else {
    row_slot_ = time + 1;
    row_turn_ = (bank + 1) & (banks_ - 1);
  }
  switch (choice.kind) {
    case Kind::Activate: activate(bank, time); break;
    case Kind::Precharge: precharge(bank, time); break;
    case Kind::RefreshBank: refreshBank(time); break;
    default: column(bank, choice.kind == Kind::Write, time); break;
  }
}

void DramController::activate(uint32_t index, Nck time) {
  DramBank& bank = bank_[index];
  bank.open_row = bank.row[0];
  bank.passed = 0;
  bank.act_at = time + timing_.rc;
  bank.rd_at = time + timing_.act_rd;
  bank.wr_at = time + timing_.act_wr;
  bank.pre_at = time + timing_.ras;
  group_act_[index >> group_shift_] = time + timing_.rrd_l;
  last_acts_[last_act_] = time + timing_.faw;
  last_act_ = (last_act_ + 1) % 4;
  rank_act_ = std::max(time + timing_.rrd_s, last_acts_[last_act_]);
  refresh_free_ = std::max(refresh_free_, time + timing_.rrd_s);
  ++counters_.activates;
  note(Kind::Activate, index, bank.open_row, time);
  updateWants(index);
}

void DramController::precharge(uint32_t index, Nck time) {
  DramBank& bank = bank_[index];
  bank.open_row = DramBank::kClosed;
  bank.act_at = std::max(bank.act_at, time + timing_.rp);
  ++counters_.precharges;
  note(Kind::Precharge, index, 0, time);
  updateWants(index);
}

void DramController::column(uint32_t index, bool write, Nck time) {
  DramBank& bank = bank_[index];
  const uint32_t group = index >> group_shift_;
  const uint32_t at = write ? bank.first_wr : bank.first_rd;
  note(write ? Kind::Write : Kind::Read, index, bank.open_row, time);
  if (write) {
    bank.pre_at = std::max(bank.pre_at, time + timing_.wr_pre);
    group_wr_[group] = time + timing_.wr_wr_l;
    rank_wr_ = std::max(rank_wr_, time + timing_.rd_rd_s);
    group_rd_[group] = std::max(group_rd_[group], time + timing_.wr_rd_l);
    rank_rd_ = std::max(rank_rd_, time + timing_.wr_rd_s);
    data_end_ = time + timing_.write_latency;
    ++counters_.writes;
  } else {
    bank.pre_at = std::max(bank.pre_at, time + timing_.rd_pre);
    group_rd_[group] = std::max(group_rd_[group], time + timing_.rd_rd_l);
    rank_rd_ = std::max(rank_rd_, time + timing_.rd_rd_s);
    rank_wr_ = std::max(rank_wr_, time + timing_.rd_wr);
    data_end_ = time + timing_.read_latency;
    ++counters_.reads;
  }
  planned_ = false;
  bank.bursts[at] &= bank.bursts[at] - 1;
  if (bank.bursts[at] == 0) complete(index, at, write, time);
}

/// The entry's last burst has its command.
void DramController::complete(uint32_t index, uint32_t at, bool write, Nck time) {
  DramBank& bank = bank_[index];
  if (write) {
    filter_.remove(index, bank.row[at], bank.block[at]);
  } else {
    done_.push_back({bank.tag[at], time + timing_.read_latency});
    --reads_waiting_;
  }
  bank.passed = at == 0 ? 0 : bank.passed + 1;
  bank.remove(at);
  --queued_;
  refill(index);
  updateWants(index);
  considerDrain(time);
}

}  // namespace etalon::sim
