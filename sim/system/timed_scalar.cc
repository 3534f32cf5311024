// SPDX-License-Identifier: Apache-2.0
// The scalar core in time: one instruction after the other, and what each waits for before it issues.
#include <algorithm>

#include "sim/system/timed_core.h"

namespace etalon::sim {

void TimedCore::runScalar(Cycles now) {
  if (waits_for_) {
    if (!woken_ && !interrupted()) return;
    waits_for_.reset();
    woken_ = false;
  }
  while (core_.state() == CoreState::running && !exit_code_)
    if (attempt(now) != Attempt::issued) return;
}

bool TimedCore::interrupted() const {
  return waits_for_ == Activity::interrupt ? core_.interruptPending() : core_.interruptDue();
}

void TimedCore::takeInterrupt(uint64_t pc) {
  core_.takeInterrupt();
  stallUntil(Activity::latency, scalar_time_ + timing_.scalar.csr, pc);
  fetched_line_ = ~uint64_t{0};
}

TimedCore::Attempt TimedCore::hold(Activity activity) {
  stall_ = activity;
  return Attempt::held;
}

void TimedCore::stallUntil(Activity activity, Cycles until, uint64_t pc) {
  scalar_spans_.extend(activity, until, pc);
  scalar_time_ = std::max(scalar_time_, until);
}

TimedCore::Attempt TimedCore::attempt(Cycles now) {
  const uint64_t pc = core_.pc();
  if (stall_) {
    stallUntil(*stall_, now, pc);
    stall_.reset();
  }
  if (device_.instructionsLeft() == 0) return hold(Activity::latency);
  if (scalar_time_ > now + (core_.interruptible() ? 0 : kRunAhead)) return Attempt::later;
  if (core_.interruptDue() && reads_pending_ == 0 && !reads_served_) {
    takeInterrupt(pc);
    return Attempt::issued;
  }
  const isa::Instruction* next = device_.next(core_);
  if (!next) {
    if (scalar_time_ > now) return Attempt::later;
    execute({}, scalarInfo(isa::InstructionId::illegal));
    return Attempt::issued;
  }
  const uint64_t at = *core_.fetchAddress();
  if (icache_.line(at) != fetched_line_) {
    if (!hits(icache_, at, sizeof(uint32_t))) {
      if (scalar_time_ > now) return Attempt::later;
      if (!filled(icache_, at, sizeof(uint32_t))) return hold(Activity::cache_miss);
    }
    fetched_line_ = icache_.line(at);
  }
  // A copy: fence.i drops the decoded page.
  const isa::Instruction in = *next;
  const ScalarInfo& info = scalarInfo(in.id);
  stallUntil(Activity::latency, operandsReady(in, info), pc);
  return issueScalar(in, info, now);
}

Cycles TimedCore::operandsReady(const isa::Instruction& in, const ScalarInfo& info) const {
  Cycles ready = 0;
  if (info.reads_rd) ready = std::max(ready, ready_[in.rd]);
  if (info.reads_rs1) ready = std::max(ready, ready_[in.rs1]);
  if (info.reads_rs2) ready = std::max(ready, ready_[in.rs2]);
  if (info.reads_rs3) ready = std::max(ready, ready_[in.rs3]);
  switch (info.scalar_class) {
    case ScalarClass::divide:
    case ScalarClass::divide_word: return std::max(ready, divider_free_);
    case ScalarClass::fp_divide: return std::max(ready, fp_divider_free_);
    default: return ready;
  }
}

StepOutcome TimedCore::execute(const isa::Instruction& in, const ScalarInfo& info, Cycles cycles,
                               Cycles latency) {
  const uint64_t pc = core_.pc();
  const StepOutcome outcome = device_.step(core_);
  if (!outcome.executed) return outcome;
  if (info.writes_rd && in.rd != 0) ready_[in.rd] = scalar_time_ + latency;
  stallUntil(Activity::busy, scalar_time_ + cycles, 0);
  if (outcome.trapped)
    stallUntil(Activity::latency, scalar_time_ + timing_.scalar.csr, pc);
  else if (core_.pc() != pc + 4)
    stallUntil(Activity::latency, scalar_time_ + timing_.scalar.branch_taken, pc);
  exit_code_ = outcome.exit_code;
  return outcome;
}

TimedCore::Attempt TimedCore::issueScalar(const isa::Instruction& in, const ScalarInfo& info,
                                          Cycles now) {
  const isa::ScalarTiming& scalar = timing_.scalar;
  // What only the core itself can see runs ahead of time.
  switch (info.scalar_class) {
    case ScalarClass::simple:
    case ScalarClass::branch: execute(in, info); return Attempt::issued;
    case ScalarClass::multiply: execute(in, info, 1, scalar.multiply); return Attempt::issued;
    case ScalarClass::fp: execute(in, info, 1, scalar.fp); return Attempt::issued;
    case ScalarClass::divide:
    case ScalarClass::divide_word: {
      const Cycles cycles =
          info.scalar_class == ScalarClass::divide ? scalar.divide : scalar.divide_word;
      divider_free_ = scalar_time_ + cycles;
      execute(in, info, 1, cycles);
      return Attempt::issued;
    }
    case ScalarClass::fp_divide:
      fp_divider_free_ = scalar_time_ + scalar.fp_divide;
      execute(in, info, 1, scalar.fp_divide);
      return Attempt::issued;
    case ScalarClass::load:
    case ScalarClass::store:
    case ScalarClass::atomic:
    case ScalarClass::descriptor_load:
    case ScalarClass::descriptor_store: return issueAccess(in, info, now);
    default: break;
  }
  if (scalar_time_ > now) return Attempt::later;
  switch (info.scalar_class) {
    case ScalarClass::tile:
    case ScalarClass::signal: return issueTile(in, info);
    case ScalarClass::tile_fence: return issueFence(in);
    case ScalarClass::wait: return issueWait(in, Activity::semaphore);
    case ScalarClass::barrier: return issueBarrier(in);
    case ScalarClass::sleep: return issueSleep(in);
    case ScalarClass::halt:
      if (!window_.empty() || writes_pending_ != 0) return hold(Activity::fence);
      execute(in, info);
      return Attempt::issued;
    case ScalarClass::fence:
      if (writes_pending_ != 0) return hold(Activity::fence);
      dcache_.clear();
      execute(in, info);
      return Attempt::issued;
    case ScalarClass::csr:
      core_.setCycles(scalar_time_);
      execute(in, info, scalar.csr, scalar.csr);
      return Attempt::issued;
    default:  // flush
      if (in.id == isa::InstructionId::fence_i) icache_.clear();
      fetched_line_ = ~uint64_t{0};
      execute(in, info, scalar.csr, scalar.csr);
      return Attempt::issued;
  }
}

TimedCore::Attempt TimedCore::issueTile(const isa::Instruction& in, const ScalarInfo& info) {
  if (window_.full()) return hold(Activity::window_full);
  if (window_.full(queueOf(info.unit))) return hold(Activity::queue_full);
  Token& token = window_.next();
  token.sequence = sequence_ + 1;
  token.pc = core_.pc();
  token.instruction = in;
  token.unit = info.unit;
  const Cycles issued = scalar_time_;
  bool enters = false;
  if (info.scalar_class == ScalarClass::signal) {
    const auto word = core_.signalWord(core_.x(in.rs1));
    token.tile_count = 0;
    token.view.reset();
    token.macs = token.elements = token.bytes = 0;
    token.target = word ? word->agent : 0;
    enters = !execute(in, info).trapped;
  } else {
    const auto bytes = [&] {
      return core_.counter(isa::Counter::load_bytes) + core_.counter(isa::Counter::store_bytes);
    };
    const uint64_t macs_before = core_.counter(isa::Counter::macs);
    const uint64_t elements_before = core_.counter(isa::Counter::vector_elements);
    const uint64_t bytes_before = bytes();
    builder_.expect(&token);
    execute(in, info);
    token.macs = core_.counter(isa::Counter::macs) - macs_before;
    token.elements = core_.counter(isa::Counter::vector_elements) - elements_before;
    token.bytes = bytes() - bytes_before;
    enters = builder_.issuedToken();
    builder_.expect(nullptr);
  }
  if (enters) {
    ++sequence_;
    window_.add(issued, jitter_.delay(Jitter::Of::unit, observed_, sequence_));
  }
  return Attempt::issued;
}

isa::ViewDescriptor TimedCore::translated(const isa::ViewDescriptor& view) const {
  // One that is not there traps.
  return core_.limits().translate(view, isa::kNoNamedAxis, isa::right::read).value_or(view);
}

TimedCore::Attempt TimedCore::issueFence(const isa::Instruction& in) {
  const ScalarInfo& info = scalarInfo(in.id);
  if (in.id == isa::InstructionId::et_fence) {
    if (!window_.empty() || writes_pending_ != 0) return hold(Activity::fence);
    dcache_.clear();
    execute(in, info);
    return Attempt::issued;
  }
  const bool of_tile = in.id == isa::InstructionId::et_fence_t;
  const TileUse tile = of_tile ? tileUse(core_.tile(in.rs1)) : TileUse{};
  const ViewUse view =
      of_tile ? ViewUse{} : viewUse(translated(core_.view(in.rs1)), core_.limits());
  bool held = false;
  window_.forEach([&](const DispatchWindow::Entry& entry) {
    held |= of_tile ? mayTouch(entry.token, tile) : mayTouch(entry.token, view);
  });
  if (held) return hold(Activity::fence);
  dcache_.clear();
  execute(in, info);
  return Attempt::issued;
}

TimedCore::Attempt TimedCore::issueWait(const isa::Instruction& in, Activity what) {
  if (!execute(in, scalarInfo(in.id)).executed) {
    waits_for_ = what;
    return hold(what);
  }
  dcache_.clear();
  return Attempt::issued;
}

TimedCore::Attempt TimedCore::issueBarrier(const isa::Instruction& in) {
  if (!window_.empty() || writes_pending_ != 0) return hold(Activity::fence);
  const uint64_t pc = core_.pc();
  const bool was_here = core_.atBarrier();
  const Cycles now = scalar_time_;
  const Attempt attempt = issueWait(in, Activity::barrier);
  // The last one to arrive completes it for all.
  if (attempt == Attempt::issued && !was_here && core_.state() == CoreState::running)
    stallUntil(Activity::barrier, uplink_.barrierPassed(core_.number(), now) + 1, pc);
  return attempt;
}

TimedCore::Attempt TimedCore::issueSleep(const isa::Instruction& in) {
  if (execute(in, scalarInfo(in.id), timing_.scalar.csr).executed) return Attempt::issued;
  waits_for_ = Activity::interrupt;
  return hold(Activity::interrupt);
}

}  // namespace etalon::sim
