// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "sim/arch/core.h"
#include "sim/functional/decode_cache.h"

namespace etalon::sim {

/// One retired instruction, for commit logs.
struct Commit {
  unsigned core;  // agent
  uint64_t pc;
  isa::Instruction instruction;
};
using CommitSink = std::function<void(const Core&, const Commit&)>;

/// Executes instructions of `core` until `budget` are done, or something other than the next instruction is due:
/// the core stopped, blocked, stored to tohost, accessed watched bytes, made an interrupt due, or is about to execute an instruction at one of the
/// addresses `breakpoints` (core.events_ says which). Returns instructions executed.
uint64_t runCore(Core& core, DecodeCache& cache, uint64_t budget, const CommitSink* commits,
                 std::span<const uint64_t> breakpoints = {});

/// Executes one tile instruction; in tile_dispatch.cc, where their semantics are compiled.
void executeTile(Core& core, const isa::Instruction& in);

}  // namespace etalon::sim
