// SPDX-License-Identifier: Apache-2.0
#include "sim/observe/rate.h"

#include <algorithm>

namespace etalon::sim {
namespace {

__extension__ typedef unsigned __int128 Wide;

}  // namespace

void Rate::add(const Transfer& transfer) {
  const Cycles length = transfer.end - transfer.begin;
  Bytes before = 0;
  for (Cycles at = transfer.begin; at < transfer.end;) {
    const Cycles next = std::min(transfer.end, (at / kPiece + 1) * kPiece);
    // Whole bytes, and all of them: each piece gets what is due up to its end less what is due up to its begin.
    const auto due = static_cast<Bytes>(Wide{transfer.moved} * (next - transfer.begin) / length);
    makeRoom(at / kPiece * kPiece);
    const size_t piece = at < first_ ? 0 : (at - first_) / kPiece;
    if (pieces_.size() <= piece) pieces_.resize(piece + 1);
    pieces_[piece] += due - before;
    before = due;
    at = next;
  }
}

void Rate::makeRoom(Cycles piece) {
  if (piece < first_ + kOpen * kPiece) return;
  const Cycles first = piece - (kOpen - 1) * kPiece;
  while (!pieces_.empty() && first_ < first) tell(pieces_.front());
  if (first_ >= first) return;
  if (told_ != 0) emit_(first_, 0);  // nothing for a long time
  told_ = 0;
  first_ = first;
}

void Rate::tell(Bytes bytes) {
  if (bytes != told_) emit_(first_, static_cast<double>(bytes) / static_cast<double>(kPiece));
  told_ = bytes;
  pieces_.pop_front();
  first_ += kPiece;
}

void Rate::finish() {
  while (!pieces_.empty()) tell(pieces_.front());
  if (told_ != 0) emit_(first_, 0);
}

}  // namespace etalon::sim
