// SPDX-License-Identifier: Apache-2.0
#include "sim/functional/interpreter.h"

#include <algorithm>

#include "isa/scalar_semantics.inc"

namespace etalon::sim {
namespace {

using isa::InstructionId;
namespace semantics = isa::semantics;

[[gnu::always_inline]] inline void execute(Core& core, const isa::Instruction& in) {
  switch (in.id) {
#include "isa/scalar_dispatch.inc"
    case InstructionId::illegal: core.illegalInstruction(in.raw); break;
    default: executeTile(core, in); break;
  }
}

/// The decoded instruction at core.pc_, its page fetched; nullptr if fetching trapped.
const isa::Instruction* fetch(Core& core, DecodeCache& cache) {
  if (const isa::Instruction* in = cache.instruction(core.fetchAddress())) return in;
  core.fetchFault();
  return nullptr;
}

bool samePage(uint64_t a, uint64_t b) { return (a ^ b) < DecodeCache::kPageBytes; }

template <bool kObserved>
uint64_t run(Core& core, DecodeCache& cache, uint64_t budget, const CommitSink* commits,
             std::span<const uint64_t> breakpoints) {
  core.events_ = 0;
  const isa::Instruction* in = nullptr;  // at pc, or nullptr before it is fetched
  uint64_t pc = core.pc_;
  for (uint64_t done = 0; done < budget; ++done) {
    if constexpr (kObserved) {
      if (std::ranges::find(breakpoints, pc) != breakpoints.end()) {
        core.events_ = event::breakpoint;
        return done;
      }
    }
    if (!in) [[unlikely]] {
      in = fetch(core, cache);
      if (!in) {
        if (core.events_ & event::stopped) return done + 1;
        core.events_ = 0;
        pc = core.pc_ = core.next_pc_;
        continue;
      }
    }
    const uint64_t sequential = pc + 4;
    core.next_pc_ = sequential;
    core.raw_ = in->raw;
    execute(core, *in);
    if (core.events_) [[unlikely]] {
      if (core.events_ & event::blocked) return done;
      if (!(core.events_ & event::trapped)) ++core.retired_;
      if (kObserved && commits && !(core.events_ & event::trapped))
        (*commits)(core, {core.agent(), pc, *in});
      if (core.events_ & event::refetch) cache.clear();
      in = nullptr;
      pc = core.pc_ = core.next_pc_;
      constexpr uint32_t kLeaves =
          event::stopped | event::tohost | event::watched | event::interrupt;
      if (core.events_ & kLeaves) return done + 1;
      core.events_ = 0;
      continue;
    }
    ++core.retired_;
    if (kObserved && commits) (*commits)(core, {core.agent(), pc, *in});
    // Two ways on, although both go to next_pc_: predicted, the usual one does not wait for the store to it.
    if (core.next_pc_ == sequential) [[likely]] {
      in = samePage(pc, sequential) ? in + 1 : nullptr;
      pc = sequential;
    } else {
      const uint64_t target = core.next_pc_;
      in = samePage(pc, target) ? in + (static_cast<int64_t>(target - pc) >> 2) : nullptr;
      pc = target;
    }
    core.pc_ = pc;
  }
  return budget;
}

}  // namespace

uint64_t runCore(Core& core, DecodeCache& cache, uint64_t budget, const CommitSink* commits,
                 std::span<const uint64_t> breakpoints) {
  // Both loops inlined here are measurably faster than in functions of their own (interpreter_bench).
  if (!commits && breakpoints.empty() && !core.windowed())
    return run<false>(core, cache, budget, commits, breakpoints);
  // Of a core with windows each instruction is fetched by itself: what comes next may stand anywhere.
  const uint64_t most = core.windowed() ? 1 : budget;
  uint64_t done = 0, executed = 0;
  do {
    executed = run<true>(core, cache, std::min(most, budget - done), commits, breakpoints);
    done += executed;
  } while (done < budget && executed != 0 && core.events_ == 0);
  return done;
}

}  // namespace etalon::sim
