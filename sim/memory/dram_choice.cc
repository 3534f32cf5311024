// SPDX-License-Identifier: Apache-2.0
// Which command of DramController goes next, and when.
#include <algorithm>
#include <bit>

#include "sim/memory/dram_controller.h"

namespace etalon::sim {
namespace {

using Kind = DramCommand::Kind;

/// Calls `visit(bank)` for each bank of the mask, from bank `first` on and around, until it says false.
template <class Visit>
void eachFrom(uint64_t mask, uint32_t first, Visit visit) {
  const uint64_t above = ~uint64_t{0} << first;
  for (uint64_t part : {mask & above, mask & ~above})
    for (; part != 0; part &= part - 1)
      if (!visit(static_cast<uint32_t>(std::countr_zero(part)))) return;
}

}  // namespace

DramController::Choice DramController::chooseColumn() const {
  Choice best;
  const Nck floor = std::max(now_, column_slot_);
  const auto search = [&](uint64_t mask, Nck rank, Nck DramBank::* own,
                          const std::array<Nck, 16>& groups, Kind kind) {
    const Nck least = std::max(floor, rank);
    if (mask == 0 || least > best.time) return;
    Choice mine;
    mine.kind = kind;
    eachFrom(mask, column_turn_, [&](uint32_t bank) {
      const Nck time = std::max({least, bank_[bank].*own, groups[bank >> group_shift_]});
      if (time < mine.time) mine.time = time, mine.bank = bank;
      return mine.time != least;
    });
    const auto distance = [&](const Choice& choice) {
      return (choice.bank - column_turn_) & (banks_ - 1);
    };
    if (mine.time < best.time || (mine.time == best.time && distance(mine) < distance(best)))
      best = mine;
  };
  search(want_rd_ & ~held_, rank_rd_, &DramBank::rd_at, group_rd_, Kind::Read);
  search(want_wr_ & ~held_, rank_wr_, &DramBank::wr_at, group_wr_, Kind::Write);
  return best;
}

DramController::Choice DramController::chooseRow() const {
  Choice best;
  const Nck floor = std::max(now_, row_slot_);
  if (refreshing_) {
    const DramBank& bank = bank_[refresh_bank_];
    best.bank = refresh_bank_;
    if (bank.open_row != DramBank::kClosed) {
      best.kind = Kind::Precharge;
      best.time = std::max(floor, bank.pre_at);
    } else {
      best.kind = Kind::RefreshBank;
      best.time = std::max({floor, bank.act_at, refresh_free_});
    }
  }
  Choice mine;
  mine.kind = Kind::Precharge;
  eachFrom(want_pre_ & ~held_, row_turn_, [&](uint32_t bank) {
    const Nck time = std::max(floor, bank_[bank].pre_at);
    if (time < mine.time) mine.time = time, mine.bank = bank;
    return mine.time != floor;
  });
  const Nck least = std::max(floor, rank_act_);
  if (least <= mine.time) {
    Choice act;
    act.kind = Kind::Activate;
    eachFrom(want_act_ & ~held_, row_turn_, [&](uint32_t bank) {
      const Nck time = std::max({least, bank_[bank].act_at, group_act_[bank >> group_shift_]});
      if (time < act.time) act.time = time, act.bank = bank;
      return act.time != least;
    });
    const auto distance = [&](const Choice& choice) {
      return (choice.bank - row_turn_) & (banks_ - 1);
    };
    if (act.time < mine.time || (act.time == mine.time && distance(act) < distance(mine)))
      mine = act;
  }
  return mine.time < best.time ? mine : best;
}

void DramController::plan() const {
  column_ = chooseColumn();
  row_ = closing_ ? Choice() : chooseRow();
  if (closing_ && column_.time != kNeverNck) {
    const bool write = column_.kind == Kind::Write;
    if (column_.time + (write ? timing_.wr_pre : timing_.rd_pre) > close_at_) column_ = {};
  }
  planned_ = true;
}

Nck DramController::nextCommand() const {
  if (!planned_) plan();
  if (closing_ && column_.time == kNeverNck) return queued_ > 0 ? now_ : drain_at_;
  const Nck next = std::min({row_.time, column_.time, drain_at_});
  return next == kNeverNck ? next : std::min(next, std::max(now_, refresh_at_));
}

Nck DramController::earliestLeave() const {
  if (!planned_) plan();
  if (closing_ && column_.time == kNeverNck) return nextCommand();
  Nck least = drain_at_;
  if (column_.time != kNeverNck) {
    const DramBank& bank = bank_[column_.bank];
    const uint32_t bursts =
        bank.bursts[column_.kind == Kind::Write ? bank.first_wr : bank.first_rd];
    least = std::min(
        least, std::has_single_bit(bursts) ? column_.time : column_.time + timing_.column_gap);
  }
  if (row_.time != kNeverNck)
    least = std::min(least, row_.time + std::min(timing_.act_rd, timing_.act_wr));
  return least;
}

}  // namespace etalon::sim
