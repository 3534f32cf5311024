// SPDX-License-Identifier: Apache-2.0
#include "sim/functional/interpreter.h"

#include "isa/scalar_semantics.inc"

namespace etalon::sim {
namespace {

using isa::InstructionId;
namespace semantics = isa::semantics;

void execute(Core& core, const isa::Instruction& in) {
  switch (in.id) {
#include "isa/scalar_dispatch.inc"
    case InstructionId::illegal:
      core.trap(isa::Cause::illegal, in.raw, isa::Rule::scalar_illegal);
      break;
    default: executeTile(core, in); break;
  }
}

template <bool kLog>
uint64_t run(Core& core, DecodeCache& cache, uint64_t budget, const CommitSink* commits) {
  uint64_t page_address = ~uint64_t{0};
  const DecodeCache::Page* page = nullptr;
  core.events_ = 0;
  for (uint64_t done = 0; done < budget; ++done) {
    const uint64_t pc = core.pc_;
    if ((pc & ~(DecodeCache::kPageBytes - 1)) != page_address) [[unlikely]] {
      page_address = pc & ~(DecodeCache::kPageBytes - 1);
      page = cache.page(page_address);
      if (!page) {
        page_address = ~uint64_t{0};
        core.raw_ = 0;
        core.next_pc_ = pc;
        core.trap(isa::Cause::fetch_access, pc, isa::Rule::mem_fetch_bounds);
        if (core.events_ & event::stopped) return done + 1;
        core.events_ = 0;
        core.pc_ = core.next_pc_;
        continue;
      }
    }
    const isa::Instruction& in = (*page)[(pc % DecodeCache::kPageBytes) / 4];
    core.next_pc_ = pc + 4;
    core.raw_ = in.raw;
    execute(core, in);
    if (core.events_) [[unlikely]] {
      if (core.events_ & event::blocked) return done;
      if (!(core.events_ & event::trapped)) ++core.retired_;
      if (kLog && !(core.events_ & event::trapped)) (*commits)(core, {core.number(), pc, in});
      if (core.events_ & event::refetch) {
        cache.clear();
        page_address = ~uint64_t{0};
      }
      core.pc_ = core.next_pc_;
      if (core.events_ & (event::stopped | event::tohost)) return done + 1;
      core.events_ = 0;
      continue;
    }
    ++core.retired_;
    if (kLog) (*commits)(core, {core.number(), pc, in});
    core.pc_ = core.next_pc_;
  }
  return budget;
}

}  // namespace

uint64_t runCore(Core& core, DecodeCache& cache, uint64_t budget, const CommitSink* commits) {
  return commits ? run<true>(core, cache, budget, commits)
                 : run<false>(core, cache, budget, commits);
}

}  // namespace etalon::sim
