// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <deque>
#include <memory>
#include <optional>
#include <tuple>

#include "isa/machines/timing.h"
#include "sim/functional/functional_device.h"
#include "sim/observe/events.h"
#include "sim/system/jitter.h"
#include "sim/system/span_recorder.h"
#include "sim/system/token_builder.h"
#include "sim/units/cache_model.h"
#include "sim/units/dispatch_window.h"
#include "sim/units/scalar_class.h"
#include "sim/units/tile_unit.h"

namespace etalon::sim {

/// A scalar access that leaves the core.
struct ScalarAccess {
  uint64_t address = 0;  // as the program wrote it, less the own device's id
  uint32_t bytes = 0;
  bool write = false;
};

/// What a core asks of the rest of the chip. Answers come at least a cycle later.
class CoreUplink {
 public:
  virtual ~CoreUplink() = default;
  /// The reply is TimedCore::scalarReply(): of a read its data is there, of a write it is performed.
  virtual void access(unsigned core, const ScalarAccess& access, Cycles now) = 0;
  /// The oldest signal of `core` that was not sent goes to the agent `target`: when it arrives there, or nothing if the reply
  /// will be TimedCore::signalPerformed().
  virtual std::optional<Cycles> signal(unsigned core, unsigned target, Cycles now) = 0;
  /// The core passed a barrier at `now`: all that wait there go on at the cycle returned.
  virtual Cycles barrierPassed(unsigned core, Cycles now) = 0;
  /// When the store to a device register that the core has just executed takes place; `now` if it has.
  virtual Cycles registerWritten(unsigned core, Cycles now) const = 0;
};

/// What units had to do, for bounds and energy.
struct UnitWork {
  std::array<uint64_t, 4> macs{};  // by the width of the wider operand: 32, 16, 8, 4 bits
  uint64_t elements = 0;           // of vector instructions
  Cycles vector_busy = 0;          // in which elements entered the vector unit
  uint64_t vector_ops = 0;         // an element through a step of a chain each, one at least
  Bytes local_bytes = 0;           // that units read and wrote in local memory, in whole words

  UnitWork& operator+=(const UnitWork& other) {
    for (size_t i = 0; i < macs.size(); ++i) macs[i] += other.macs[i];
    elements += other.elements;
    vector_busy += other.vector_busy;
    vector_ops += other.vector_ops;
    local_bytes += other.local_bytes;
    return *this;
  }
};

/// One core in time: scalar core, dispatch and the units behind it. Values are those of a functional core, which executes
/// each instruction when it is issued here, so that programs whose values do not depend on time have the same ones.
///
/// docs/spec/microarchitecture.md, sections 1 to 3. Whoever owns it calls advance() at nextTime(), after the messages of
/// that cycle. Messages to other cores and memories take at least a cycle, so cores of one cycle may be advanced in any
/// order.
class TimedCore final : private UnitSink {
 public:
  using Units = std::array<TileUnit*, kQueues>;

  /// `device` has started a timed launch, in which `core` takes part; `observed` is its number in records and for delays. All
  /// outlive the core, `observer` may be nullptr. `units` in the order of their queues.
  TimedCore(const isa::Timing& timing, FunctionalDevice& device, Core& core, unsigned observed,
            Units units, CoreUplink& uplink, RunObserver* observer, Jitter jitter);
  ~TimedCore() override;
  TimedCore(const TimedCore&) = delete;
  TimedCore& operator=(const TimedCore&) = delete;

  /// When advance() has something to do, unless a message comes first; kNever if not.
  Cycles nextTime() const;
  void advance(Cycles now);

  // Messages, before advance(now).
  /// The oldest of the core's scalar accesses of this kind was answered.
  void scalarReply(bool write);
  /// The signal that went to another device was performed.
  void signalPerformed(Cycles now);
  /// A semaphore of the core changed, a barrier that it waits at completed, its msip changed: what waits for that is tried
  /// again.
  void wake(Activity what) { woken_ |= waits_for_ == what; }

  /// The core has halted or faulted, and nothing is on its way any more.
  bool finished() const;
  bool faulted() const { return core_.state() == CoreState::faulted; }
  bool poisoned() const { return core_.state() == CoreState::poisoned; }
  /// The program ended itself on this core: its exit code.
  const std::optional<uint64_t>& exitCode() const { return exit_code_; }
  /// The launch is over: the spans reach to `total`.
  void close(Cycles total);

  const UnitWork& work() const { return work_; }
  const DispatchWindow& window() const { return window_; }
  TileUnit& unit(Queue queue) { return *units_[static_cast<size_t>(queue)]; }

 private:
  /// What became of an attempt to issue the next scalar instruction.
  enum class Attempt : uint8_t {
    issued,
    later,  // at scalar_time_, which is after now
    held,   // until something happens; stall_ says what it waits for
  };
  /// Scalar instructions that touch nothing but the core's own state run ahead of time by so many cycles, so that a loop
  /// of them does not need an event each. A program that polls cached memory sees it change no later than that.
  static constexpr Cycles kRunAhead = 1024;
  /// A timer that is set further ahead than that does not end a wait: SystemC's axis of time ends some time after.
  static constexpr Cycles kFarthestTimer = Cycles{1} << 42;

  void readDone(unsigned place, Cycles now) override;
  void done(unsigned place, Cycles now, const UnitStamps& stamps) override;

  // timed_units.cc
  /// What was known to be done by now leaves the window.
  void retire(Cycles now);
  void leave(unsigned place, const UnitStamps& stamps);
  void advanceUnits(Cycles now);
  void dispatch(Cycles now);
  void count(const Token& token, const UnitCharge& charge);
  void performSignal(DispatchWindow::Entry& entry, Cycles now);
  void chargeUnits(Cycles now);
  void chooseActivities(Cycles now);

  // timed_scalar.cc
  void runScalar(Cycles now);
  /// True if an interrupt ends what the core waits for.
  bool interrupted() const;
  void takeInterrupt(uint64_t pc);
  /// When its timer ends that; kNever if it does not.
  Cycles timerTime() const;
  Attempt attempt(Cycles now);
  Attempt issueScalar(const isa::Instruction& in, const ScalarInfo& info, Cycles now);
  Attempt issueTile(const isa::Instruction& in, const ScalarInfo& info);
  /// The view of an et.fence.v by the addresses that it means.
  isa::ViewDescriptor translated(const isa::ViewDescriptor& view) const;
  Attempt issueFence(const isa::Instruction& in);
  Attempt issueWait(const isa::Instruction& in, Activity what);
  Attempt issueBarrier(const isa::Instruction& in);
  Attempt issueSleep(const isa::Instruction& in);
  Attempt hold(Activity activity);

  // timed_access.cc
  Attempt issueAccess(const isa::Instruction& in, const ScalarInfo& info, Cycles now);
  Attempt issueLocal(const isa::Instruction& in, const ScalarInfo& info, const ByteSpan& bytes);
  Attempt issueStore(const isa::Instruction& in, const ScalarInfo& info, uint64_t address);
  Attempt issueRegister(const isa::Instruction& in, const ScalarInfo& info);
  Attempt issueUncached(const isa::Instruction& in, const ScalarInfo& info, uint64_t address);
  /// True if the cache has every line of the bytes.
  static bool hits(CacheModel& cache, uint64_t address, uint64_t bytes);
  /// Asks for the lines that the cache lacks; false until they are there.
  bool filled(CacheModel& cache, uint64_t address, uint64_t bytes);
  void request(const ScalarAccess& access);
  /// Executes the next instruction at scalar_time_: it is busy for `cycles`, its result is there after `latency`.
  StepOutcome execute(const isa::Instruction& in, const ScalarInfo& info, Cycles cycles = 1,
                      Cycles latency = 1);
  /// Nothing issues until then, for this reason.
  void stallUntil(Activity activity, Cycles until, uint64_t pc);
  Cycles operandsReady(const isa::Instruction& in, const ScalarInfo& info) const;
  std::optional<ByteSpan> ownLocal(uint64_t address, uint64_t bytes) const;

  isa::Timing timing_;
  FunctionalDevice& device_;
  Core& core_;
  uint16_t observed_;
  CoreUplink& uplink_;
  RunObserver* observer_;
  Jitter jitter_;
  DispatchWindow window_;
  Units units_;
  TokenBuilder builder_;

  // Scalar core.
  Cycles now_ = 0;                  // of the last advance()
  Cycles scalar_time_ = 0;          // when the next instruction can issue, as far as is known
  std::array<Cycles, 32> ready_{};  // when each register's value can be used
  Cycles divider_free_ = 0, fp_divider_free_ = 0;
  CacheModel icache_, dcache_;
  uint64_t fetched_line_ = ~uint64_t{0};
  unsigned reads_pending_ = 0, writes_pending_ = 0;
  bool reads_served_ = false;  // what the next instruction asked for has come
  std::optional<Activity> stall_;
  std::optional<Activity>
      waits_for_;  // semaphore, barrier, interrupt: the next instruction was tried; wake() helps, or an interrupt
  bool woken_ = false;
  uint64_t sequence_ = 0;
  std::optional<uint64_t> exit_code_;
  SpanRecorder scalar_spans_;

  // Units.
  struct UnitActivity {
    SpanRecorder spans;
    Activity activity = Activity::empty;  // since the last advance()
    uint64_t pc = 0;
    Cycles operand_until = kNever;  // of `operand`: `structural` from there on

    void charge(Cycles until);
  };
  std::array<UnitActivity, kQueues> activities_;
  // Of units that say what they do as they go: places of what they took, oldest first.
  std::array<std::vector<unsigned>, kQueues> working_;
  UnitWork work_;
  std::array<Cycles, DispatchWindow::kMostPlaces> taken_{};
  // Of units that know all times as they take an instruction: those that have not left the window, the first to be done at
  // the front of a heap.
  struct Leaving {
    Cycles done;
    uint64_t sequence;
    uint8_t place;

    bool operator>(const Leaving& other) const {
      return std::tie(done, sequence) > std::tie(other.done, other.sequence);
    }
  };
  std::vector<Leaving> leaving_;
  std::array<UnitStamps, DispatchWindow::kMostPlaces> stamps_{};
  // Signals on their way, oldest first in a ring: a core's signals arrive in program order.
  struct Flight {
    uint8_t place;
    Cycles done;
  };
  std::deque<Flight> signals_;
  std::optional<uint8_t> remote_signal_;  // place of the one that went to another device
};

}  // namespace etalon::sim
