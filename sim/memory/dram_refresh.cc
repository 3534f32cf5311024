// SPDX-License-Identifier: Apache-2.0
// Refresh, the part of DramController that the data does not ask for.
#include <bit>

#include "sim/memory/dram_controller.h"

namespace etalon::sim {

using Kind = DramCommand::Kind;

/// Nothing waits, so refreshes happen at their deadlines and change nothing: goes to the last one before `end`.
void DramController::skipIdleRefreshes(Nck end) {
  if (log_ != nullptr || end - refresh_at_ < 2 * timing_.refi) return;
  for (const DramBank& bank : bank_)
    if (bank.open_row != DramBank::kClosed) return;
  const Nck rounds = (end - refresh_at_) / timing_.refi - 1;
  refresh_at_ += rounds * timing_.refi;
  round_begin_ += rounds * timing_.refi;
  counters_.refreshes += rounds * (per_bank_ ? banks_ : 1);
}

/// From the deadline on no row is opened. Until the last bank may be closed, the others serve hits that do not delay it.
void DramController::beginClosing() {
  closing_ = true;
  planned_ = false;
  now_ = std::max(now_, refresh_at_);
  close_at_ = std::max(refresh_at_, row_slot_);
  for (const DramBank& bank : bank_)
    if (bank.open_row != DramBank::kClosed) close_at_ = std::max(close_at_, bank.pre_at);
}

/// All banks close together, and the refresh follows.
void DramController::refreshAll() {
  Nck close = std::max(refresh_at_, row_slot_), refresh = close;
  bool open = false;
  for (const DramBank& bank : bank_) {
    if (bank.open_row == DramBank::kClosed) {
      refresh = std::max(refresh, bank.act_at);
    } else {
      open = true;
      close = std::max(close, bank.pre_at);
    }
  }
  if (open) {
    note(Kind::PrechargeAll, 0, 0, close);
    ++counters_.precharges;
    refresh = std::max(refresh, close + timing_.rp_all);
    for (const DramBank& bank : bank_)
      if (bank.open_row != DramBank::kClosed) refresh = std::max(refresh, bank.act_at);
  }
  note(Kind::RefreshAll, 0, 0, refresh);
  ++counters_.refreshes;
  for (uint32_t i = 0; i < banks_; ++i) {
    bank_[i].open_row = DramBank::kClosed;
    bank_[i].act_at = refresh + timing_.rfc;
    updateWants(i);
  }
  row_slot_ = refresh + 1;
  column_slot_ = std::max(column_slot_, row_slot_);
  refresh_at_ += timing_.refi;
  closing_ = false;
}

/// The bank with the shortest queue among those that this round still owes; a closed one, then the lowest, among equals.
void DramController::beginBankRefresh() {
  uint32_t least = ~uint32_t{0};
  for (uint64_t left = refresh_left_; left != 0; left &= left - 1) {
    const auto bank = static_cast<uint32_t>(std::countr_zero(left));
    const uint32_t cost =
        2 * bank_[bank].count + uint32_t{bank_[bank].open_row != DramBank::kClosed};
    if (cost < least) least = cost, refresh_bank_ = bank;
  }
  refreshing_ = true;
  held_ = uint64_t{1} << refresh_bank_;
  planned_ = false;
  now_ = std::max(now_, refresh_at_);
  nextRefreshDeadline();
}

void DramController::nextRefreshDeadline() {
  refresh_left_ &= ~(uint64_t{1} << refresh_bank_);
  if (refresh_left_ == 0) {
    refresh_left_ = ~uint64_t{0} >> (64 - banks_);
    round_begin_ += timing_.refi;
  }
  const auto done = banks_ - static_cast<uint32_t>(std::popcount(refresh_left_));
  refresh_at_ = round_begin_ + (done + 1) * timing_.refi / banks_;
}

void DramController::refreshBank(Nck time) {
  DramBank& bank = bank_[refresh_bank_];
  note(Kind::RefreshBank, refresh_bank_, 0, time);
  ++counters_.refreshes;
  bank.act_at = time + timing_.rfc_bank;
  refresh_free_ = time + timing_.rrefd;
  rank_act_ = std::max(rank_act_, time + timing_.rrefd);
  held_ = 0;
  refreshing_ = false;
  planned_ = false;
}

}  // namespace etalon::sim
