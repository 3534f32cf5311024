// SPDX-License-Identifier: Apache-2.0
#include "sim/units/dispatch_window.h"

#include <bit>

#include "isa/base/check.h"

namespace etalon::sim {

Queue queueOf(isa::Unit unit) {
  switch (unit) {
    case isa::Unit::matrix: return Queue::matrix;
    case isa::Unit::vector: return Queue::vector;
    case isa::Unit::load: return Queue::load;
    default: return Queue::store;
  }
}

DispatchWindow::DispatchWindow(const isa::DispatchTiming& timing)
    : timing_(timing),
      all_(timing.window >= kMostPlaces ? ~uint64_t{0} : (uint64_t{1} << timing.window) - 1),
      entries_(timing.window) {
  ETALON_CHECK(timing.window >= 1 && timing.window <= kMostPlaces,
               "a machine's window was checked when it was loaded");
}

void DispatchWindow::choosePlace() {
  if (!full()) next_ = static_cast<unsigned>(std::countr_zero(all_ & ~used_));
}

DispatchWindow::Entry& DispatchWindow::add(Cycles now, Cycles delay) {
  const unsigned place = next_;
  Entry& entry = entries_[place];
  entry.queue = queueOf(entry.token.unit);
  Ring& ring = queues_[index(entry.queue)];
  ETALON_CHECK(!full() && ring.size < timing_.queue, "the caller looked for room");
  entry.place = static_cast<uint8_t>(place);
  entry.taken = entry.read_done = false;
  entry.waits_done = entry.waits_read = 0;
  entry.issued = now;
  entry.resolved = entry.ready = now + timing_.resolve + delay;
  entry.waited_for = 0;
  if (entry.token.unit == isa::Unit::sync) {
    entry.waits_done = used_;  // a signal is performed after everything older, of its own queue too
  } else {
    for (uint64_t left = used_; left != 0; left &= left - 1) {
      const auto other = static_cast<unsigned>(std::countr_zero(left));
      const Entry& older = entries_[other];
      if (older.queue == entry.queue) continue;
      const Hazard hazard = hazardBetween(older.token, entry.token);
      if (hazard == Hazard::after_write) entry.waits_done |= uint64_t{1} << other;
      if (hazard == Hazard::write_after_read && !older.read_done)
        entry.waits_read |= uint64_t{1} << other;
    }
  }
  ring.places[(ring.first + ring.size++) % kMostPlaces] = static_cast<uint8_t>(place);
  used_ |= uint64_t{1} << place;
  choosePlace();
  return entry;
}

DispatchWindow::Entry* DispatchWindow::head(Queue queue) {
  const Ring& ring = queues_[index(queue)];
  return ring.size == 0 ? nullptr : &entries_[ring.places[ring.first]];
}

void DispatchWindow::take(Queue queue) {
  Ring& ring = queues_[index(queue)];
  ETALON_CHECK(ring.size != 0, "a unit takes what head() showed");
  entries_[ring.places[ring.first]].taken = true;
  ring.first = (ring.first + 1) % kMostPlaces;
  --ring.size;
}

void DispatchWindow::readDone(unsigned place, Cycles now) {
  const uint64_t bit = uint64_t{1} << place;
  entries_[place].read_done = true;
  for (uint64_t left = used_; left != 0; left &= left - 1) {
    Entry& waiting = entries_[static_cast<unsigned>(std::countr_zero(left))];
    if (!(waiting.waits_read & bit)) continue;
    waiting.waits_read &= ~bit;
    if (now > waiting.ready) {
      waiting.ready = now;
      waiting.waited_for = entries_[place].token.sequence;
    }
  }
}

void DispatchWindow::done(unsigned place, Cycles now) {
  const uint64_t bit = uint64_t{1} << place;
  ETALON_CHECK(entries_[place].taken && (used_ & bit), "what is done was taken and is not gone");
  used_ &= ~bit;
  for (uint64_t left = used_; left != 0; left &= left - 1) {
    Entry& waiting = entries_[static_cast<unsigned>(std::countr_zero(left))];
    if (!((waiting.waits_done | waiting.waits_read) & bit)) continue;
    waiting.waits_done &= ~bit;
    waiting.waits_read &= ~bit;
    if (now > waiting.ready) {
      waiting.ready = now;
      waiting.waited_for = entries_[place].token.sequence;
    }
  }
  choosePlace();
}

}  // namespace etalon::sim
