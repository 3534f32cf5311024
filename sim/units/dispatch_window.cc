// SPDX-License-Identifier: Apache-2.0
#include "sim/units/dispatch_window.h"

#include <algorithm>
#include <bit>
#include <tuple>

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
  entry.taken = false;
  entry.waits_done = entry.waits_read = 0;
  entry.issued = now;
  entry.ready = now + timing_.resolve + delay;
  entry.waited_for = 0;
  entry.read_done = entry.done = kNever;
  const bool signal = entry.token.unit == isa::Unit::sync;
  for (uint64_t left = used_; left != 0; left &= left - 1) {
    const auto other = static_cast<unsigned>(std::countr_zero(left));
    const Entry& older = entries_[other];
    if (older.queue == entry.queue && !signal) continue;
    // A signal is performed after everything older, of its own queue too.
    const Hazard hazard = signal ? Hazard::after_write : hazardBetween(older.token, entry.token);
    if (hazard == Hazard::none) continue;
    const bool read = hazard == Hazard::write_after_read;
    const Cycles over = read ? older.read_done : older.done;
    if (over != kNever)
      hold(entry, over, older);
    else
      (read ? entry.waits_read : entry.waits_done) |= uint64_t{1} << other;
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

// Of several that end at one time, the first in the order of units and of the program counts.
void DispatchWindow::hold(Entry& waiting, Cycles until, const Entry& by) {
  const bool first =
      std::tie(by.queue, by.token.sequence) < std::tie(waiting.waited_queue, waiting.waited_for);
  if (until < waiting.ready || (until == waiting.ready && (waiting.waited_for == 0 || !first)))
    return;
  waiting.ready = until;
  waiting.waited_for = by.token.sequence;
  waiting.waited_queue = by.queue;
}

void DispatchWindow::readDone(unsigned place, Cycles time) {
  const uint64_t bit = uint64_t{1} << place;
  entries_[place].read_done = time;
  for (uint64_t left = used_; left != 0; left &= left - 1) {
    Entry& waiting = entries_[static_cast<unsigned>(std::countr_zero(left))];
    if (!(waiting.waits_read & bit)) continue;
    waiting.waits_read &= ~bit;
    hold(waiting, time, entries_[place]);
  }
}

void DispatchWindow::done(unsigned place, Cycles time) {
  const uint64_t bit = uint64_t{1} << place;
  Entry& entry = entries_[place];
  ETALON_CHECK(entry.taken && (used_ & bit), "what is done was taken and is not gone");
  entry.done = time;
  entry.read_done = std::min(entry.read_done, time);
  for (uint64_t left = used_; left != 0; left &= left - 1) {
    Entry& waiting = entries_[static_cast<unsigned>(std::countr_zero(left))];
    if (!((waiting.waits_done | waiting.waits_read) & bit)) continue;
    waiting.waits_done &= ~bit;
    waiting.waits_read &= ~bit;
    hold(waiting, time, entry);
  }
}

void DispatchWindow::leave(unsigned place) {
  used_ &= ~(uint64_t{1} << place);
  choosePlace();
}

Cycles DispatchWindow::nextKnown(Cycles now, bool reads) const {
  Cycles next = kNever;
  forEach([&](const Entry& entry) {
    if (entry.done > now) next = std::min(next, entry.done);
    if (reads && entry.read_done > now) next = std::min(next, entry.read_done);
  });
  return next;
}

}  // namespace etalon::sim
