// SPDX-License-Identifier: Apache-2.0
// The units' side of a core in time: what they take, what they tell, and what their cycles were spent on.
#include <algorithm>
#include <functional>

#include "isa/base/check.h"
#include "sim/system/timed_core.h"

namespace etalon::sim {

void TimedCore::retire(Cycles now) {
  while (!leaving_.empty() && leaving_.front().done <= now) {
    std::ranges::pop_heap(leaving_, std::greater<>());
    const unsigned place = leaving_.back().place;
    leaving_.pop_back();
    leave(place, stamps_[place]);
  }
}

void TimedCore::advanceUnits(Cycles now) {
  while (!signals_.empty() && signals_.front().done <= now) {
    const Flight flight = signals_.front();
    signals_.pop_front();
    done(flight.place, now, {.start = taken_[flight.place], .done = flight.done});
  }
  for (TileUnit* unit : units_)
    if (unit->nextTime() <= now) unit->advance(now, *this);
}

void TimedCore::dispatch(Cycles now) {
  for (int q = 0; q < kQueues; ++q) {
    const auto queue = static_cast<Queue>(q);
    for (DispatchWindow::Entry* head = window_.head(queue); head && head->clear(now);
         head = window_.head(queue)) {
      if (head->token.unit == isa::Unit::sync) {
        if (writes_pending_ != 0) break;
        performSignal(*head, now);
        continue;
      }
      if (units_[q]->accepts() > now) break;
      window_.take(queue);
      taken_[head->place] = now;
      const UnitAnswer answer = units_[q]->take(head->token, head->place, now);
      const UnitCharge& charge = answer.charge;
      count(head->token, charge);
      if (answer.stamps) {
        const UnitStamps& stamps = stamps_[head->place] = *answer.stamps;
        window_.readDone(head->place, std::min(stamps.read_done, stamps.done));
        window_.done(head->place, stamps.done);
        leaving_.push_back({stamps.done, head->token.sequence, head->place});
        std::ranges::push_heap(leaving_, std::greater<>());
      }
      if (units_[q]->activity()) working_[q].push_back(head->place);
      SpanRecorder& spans = activities_[q].spans;
      const uint64_t pc = head->token.pc;
      spans.extend(Activity::weights, spans.end() + charge.weights, pc);
      spans.extend(Activity::chain, spans.end() + charge.chain, pc);
      spans.extend(Activity::ports, spans.end() + charge.ports, pc);
      spans.extend(Activity::busy, spans.end() + charge.busy, pc);
    }
  }
}

void TimedCore::count(const Token& token, const UnitCharge& charge) {
  if (token.unit == isa::Unit::matrix) {
    const unsigned bits = std::max(token.matrix.a_bits, token.matrix.b_bits);
    work_.macs[bits > 16 ? 0 : bits > 8 ? 1 : bits > 4 ? 2 : 3] += token.macs;
  }
  work_.elements += token.elements;
  if (token.unit != isa::Unit::vector) return;
  work_.vector_busy += charge.busy;
  const VectorWork& vector = token.vector;
  const unsigned steps = vector.simple_steps + vector.exp_steps + vector.function_steps;
  work_.vector_ops += token.elements * std::max(steps, 1U);
}

void TimedCore::performSignal(DispatchWindow::Entry& entry, Cycles now) {
  window_.take(Queue::store);
  taken_[entry.place] = now;
  const std::optional<Cycles> arrival =
      uplink_.signal(core_.number(), static_cast<unsigned>(entry.token.target), now);
  if (!arrival) {
    remote_signal_ = entry.place;
    return;
  }
  ETALON_CHECK(*arrival > now, "a message takes a cycle");
  // The core hears of it the cycle after: what it does then, a fence, counts on the signal having been performed.
  signals_.push_back({entry.place, *arrival + 1});
}

// One at a time: a signal waits for the one before it.
void TimedCore::signalPerformed(Cycles now) {
  ETALON_CHECK(remote_signal_.has_value(), "a signal that nobody sent");
  signals_.push_back({*remote_signal_, now});
  remote_signal_.reset();
}

void TimedCore::readDone(unsigned place, Cycles now) { window_.readDone(place, now); }

void TimedCore::done(unsigned place, Cycles now, const UnitStamps& stamps) {
  window_.done(place, now);
  leave(place, stamps);
}

void TimedCore::leave(unsigned place, const UnitStamps& stamps) {
  const DispatchWindow::Entry& entry = window_.entry(place);
  std::erase(working_[static_cast<size_t>(entry.queue)], place);
  if (observer_) {
    const Token& token = entry.token;
    TileRecord record;
    record.core = observed_;
    record.track =
        static_cast<Track>(static_cast<int>(Track::matrix) + static_cast<int>(entry.queue));
    record.sequence = token.sequence;
    record.pc = token.pc;
    record.instruction = token.instruction;
    record.issue = entry.issued;
    record.ready = entry.ready;
    record.taken = taken_[place];
    record.start = stamps.start;
    record.first_result = stamps.first_result;
    record.read_done = stamps.read_done;
    record.done = stamps.done;
    record.waited_for = entry.waited_for;
    record.macs = token.macs;
    record.elements = token.elements;
    record.bytes = token.bytes;
    observer_->tile(record);
  }
  window_.leave(place);
}

void TimedCore::UnitActivity::charge(Cycles until) {
  if (activity == Activity::operand && operand_until < until) {
    spans.extend(Activity::operand, operand_until, pc);
    activity = Activity::structural;
  }
  spans.extend(activity, until, pc);
}

void TimedCore::chargeUnits(Cycles now) {
  scalar_spans_.release(now);
  for (UnitActivity& unit : activities_) {
    unit.charge(now);
    unit.spans.release(now);
  }
}

void TimedCore::chooseActivities(Cycles now) {
  for (int q = 0; q < kQueues; ++q) {
    UnitActivity& unit = activities_[q];
    const DispatchWindow::Entry* head = window_.head(static_cast<Queue>(q));
    unit.pc = head ? head->token.pc : 0;
    const std::optional<Activity> activity = units_[q]->activity();
    if (activity && *activity != Activity::empty) {
      unit.activity = *activity;
      unit.pc = working_[q].empty() ? 0 : window_.entry(working_[q].front()).token.pc;
    } else if (!head) {
      unit.activity = core_.state() == CoreState::halted ? Activity::halted : Activity::empty;
    } else if (!head->clear(now)) {
      unit.activity = Activity::operand;
      unit.operand_until = head->known() ? head->ready : kNever;
    } else {
      unit.activity = Activity::structural;
    }
  }
}

}  // namespace etalon::sim
