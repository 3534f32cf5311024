// SPDX-License-Identifier: Apache-2.0
// Synchronisation as tile programs see it: fences, signals, waits, barriers, halt.
#include <fmt/format.h>

#include "isa/state/view_walk.h"
#include "sim/arch/core.h"
#include "sim/arch/merged_ranges.h"

namespace etalon::sim {

using isa::Cause;
using isa::Rule;

void Core::fenceAll() {
  deliverSignals(signals_.size());
  launch_->races().fence(static_cast<uint16_t>(agent_));
}

void Core::fenceTile(const isa::TileRegister& tile) {
  MergedRanges ranges;
  if (!tile.empty())
    isa::forEachRun(tile, [&](uint64_t offset, uint64_t bytes) { ranges.add(offset, bytes); });
  const auto core = static_cast<uint16_t>(agent_);
  launch_->races().fenceRange(core, MemoryRegion::local(core), ranges.merged());
}

void Core::fenceView(int i, const isa::ViewDescriptor& view) {
  const ViewMemory& memory = view_memory_[i];
  if (!memory.region) return;
  MergedRanges ranges;
  isa::forEachViewPiece(view, [&](uint64_t address, uint64_t bytes) {
    ranges.add(memory.offset + (address - memory.address), bytes);
  });
  launch_->races().fenceRange(static_cast<uint16_t>(agent_), MemoryRegion{memory.region->id},
                              ranges.merged());
}

bool Core::signal(uint64_t address, uint32_t amount) {
  if (!resolve(address, sizeof(uint32_t), isa::right::write)) {
    trapWith({.cause = Cause::global_access,
              .rule = Rule::window_access,
              .value = isa::tileTrapValue(raw_, 0, 0, 0, Rule::window_access),
              .operand = "rs1",
              .detail = refusal(address, sizeof(uint32_t), isa::right::write),
              .hint = kWindowHint});
    return false;
  }
  const auto word = signalWord(address);
  if (!word) {
    trapWith(
        {.cause = Cause::global_access,
         .rule = Rule::sync_signal,
         .value = isa::tileTrapValue(raw_, 0, 0, 0, Rule::sync_signal),
         .operand = "rs1",
         .detail = fmt::format("{:#x} is not the address of a semaphore", address),
         .hint = fmt::format("semaphore s of core c stands at {:#x} + c * {:#x} + 4 * s",
                             isa::kCoreWindowBase + memory_.localBytes(), isa::kCoreWindowStride)});
    return false;
  }
  signals_.push_back({*word, amount, launch_->races().issueSignal(static_cast<uint16_t>(agent_))});
  if (!launch_->defersSignals()) deliverSignals(1);
  return true;
}

void Core::deliverSignals(uint64_t count) {
  for (; count > 0; --count) {
    const PendingSignal& signal = signals_.front();
    const DeviceWord word = signal.word;
    launch_->races().deliverSignal(word.agent * kSemaphores + word.semaphore, signal.carried);
    memory_.semaphores(word.agent)[word.semaphore] += signal.amount;
    signals_.pop_front();
  }
}

std::optional<uint64_t> Core::wait(unsigned semaphore, uint32_t amount, bool subtract) {
  uint32_t& value = memory_.semaphores(agent_)[semaphore];
  if (value - amount >= uint32_t{1} << 31) {
    if (unitError()) return 1;
    block(fmt::format("waits for semaphore {} of {} to reach {}; it is {}", semaphore,
                      memory_.cluster().coreName(agent_), amount, value));
    return std::nullopt;
  }
  launch_->races().waitAcquire(static_cast<uint16_t>(agent_), agent_ * kSemaphores + semaphore);
  if (subtract) value -= amount;
  return 0;
}

bool Core::barrierFault(Rule rule, std::string detail, std::string hint) {
  trapWith({.cause = Cause::shape,
            .rule = rule,
            .value = isa::tileTrapValue(raw_, 0, 0, 0, rule),
            .operand = "rs1",
            .detail = std::move(detail),
            .hint = std::move(hint)});
  return false;
}

bool Core::barrier(uint64_t mask, uint64_t group) {
  if (mask == ~uint64_t{0} && group == ~uint64_t{0}) {
    mask = launch_->allCores();
    group = 0;
  }
  if (group != 0 || (mask & ~launch_->allCores()) != 0 || !(mask >> number_ & 1))
    return barrierFault(
        Rule::sync_barrier_self,
        fmt::format("mask {:#x} over cores from 64 * {:#x}: this is core {} of a launch of {}",
                    mask, group, number_, launch_->cores()),
        "-1 and -1 are all cores of the launch");
  const bool arrived = atBarrier();
  if (arrived && (etbar_ != pc_ || launch_->arrivedWith(agent_) != mask))
    return barrierFault(
        Rule::sync_barrier_open,
        fmt::format("mask {:#x}: the core waits at the barrier at {:#x}, of mask {:#x}", mask,
                    etbar_, launch_->arrivedWith(agent_)),
        "an interrupt's handler goes back there before it meets other cores; 0 in etbar gives the "
        "barrier up");
  deliverSignals(signals_.size());
  if (launch_->passBarrier(agent_, mask, arrived)) {
    etbar_ = 0;
    return true;
  }
  etbar_ = pc_;
  block(fmt::format("waits at a barrier of cores {:#x}{} for {}", mask,
                    memory_.cluster().deviceSuffix(device_), launch_->missingAtBarrier(agent_)));
  return false;
}

void Core::halt() {
  fenceAll();
  setState(CoreState::halted);
}

}  // namespace etalon::sim
