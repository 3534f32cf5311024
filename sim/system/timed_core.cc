// SPDX-License-Identifier: Apache-2.0
#include "sim/system/timed_core.h"

#include <algorithm>

namespace etalon::sim {
namespace {

constexpr std::array<Track, kQueues> kTrackOf{Track::matrix, Track::vector, Track::load,
                                              Track::store};

}  // namespace

TimedCore::TimedCore(const isa::Timing& timing, FunctionalDevice& device, Core& core,
                     unsigned observed, Units units, CoreUplink& uplink, RunObserver* observer,
                     Jitter jitter)
    : timing_(timing),
      device_(device),
      core_(core),
      observed_(static_cast<uint16_t>(observed)),
      uplink_(uplink),
      observer_(observer),
      jitter_(jitter),
      window_(timing.dispatch),
      units_(units),
      icache_(timing.scalar.icache_bytes, timing.scalar.line_bytes, timing.scalar.ways),
      dcache_(timing.scalar.dcache_bytes, timing.scalar.line_bytes, timing.scalar.ways),
      scalar_spans_(observed_, Track::scalar, observer),
      activities_{[&] {
        const auto one = [&](int queue) {
          return UnitActivity{SpanRecorder(observed_, kTrackOf[queue], observer)};
        };
        return std::array<UnitActivity, kQueues>{one(0), one(1), one(2), one(3)};
      }()} {
  core_.setIssueSink(&builder_);
  core_.setCycles(0);
}

TimedCore::~TimedCore() { core_.setIssueSink(nullptr); }

Cycles TimedCore::nextTime() const {
  Cycles next = kNever;
  for (int q = 0; q < kQueues; ++q) {
    next = std::min(next, units_[q]->nextTime());
    const DispatchWindow::Entry* head = window_.head(static_cast<Queue>(q));
    if (!head || !head->known()) continue;
    if (head->token.unit != isa::Unit::sync)
      next = std::min(next, std::max(head->ready, units_[q]->accepts()));
    else if (writes_pending_ == 0)
      next = std::min(next, head->ready);
  }
  if (!signals_.empty()) next = std::min(next, signals_.front().done);
  const bool runs = core_.state() == CoreState::running && !exit_code_;
  if (runs && !stall_) return std::min(next, scalar_time_);
  next = std::min(next, timerTime());
  // A place in a queue comes with an instruction that is taken; all else that holds the scalar core may end with one that is
  // done.
  if (runs && stall_ == Activity::queue_full) return next;
  return std::min(next, window_.nextKnown(now_, stall_ == Activity::local));
}

Cycles TimedCore::timerTime() const {
  if (core_.state() != CoreState::running || exit_code_ || !stall_) return kNever;
  const std::optional<uint64_t> time = core_.wakeTime();
  if (!time) return kNever;
  const Cycles at = device_.memory().interrupts(core_.device()).ticksAt(*time);
  return at > now_ && at - now_ <= kFarthestTimer ? at : kNever;
}

void TimedCore::advance(Cycles now) {
  now_ = now;
  chargeUnits(now);
  retire(now);
  advanceUnits(now);
  dispatch(now);
  runScalar(now);
  chooseActivities(now);
}

bool TimedCore::finished() const {
  return core_.state() != CoreState::running && window_.empty() && writes_pending_ == 0;
}

void TimedCore::close(Cycles total) {
  retire(total - 1);
  const bool halted = core_.state() == CoreState::halted;
  scalar_spans_.extend(halted ? Activity::halted : stall_.value_or(Activity::latency), total);
  scalar_spans_.close(total);
  for (UnitActivity& unit : activities_) {
    unit.charge(total);
    unit.spans.close(total);
  }
}

}  // namespace etalon::sim
