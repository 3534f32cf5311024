// SPDX-License-Identifier: Apache-2.0
#include "sim/functional/functional_device.h"

#include <fmt/format.h>

#include <algorithm>

namespace etalon::sim {
namespace {

/// Instructions a core executes before the next one's turn. Part of what makes a run reproducible, so it is fixed.
constexpr uint64_t kTurn = 256;
constexpr uint64_t kPage = 4096;

constexpr int kA0 = 10, kA1 = 11, kA2 = 12, kA3 = 13, kA4 = 14;

}  // namespace

std::string_view runStatusName(RunStatus status) {
  switch (status) {
    case RunStatus::exited: return "exited";
    case RunStatus::fault: return "fault";
    case RunStatus::deadlock: return "deadlock";
    case RunStatus::instruction_limit: return "instruction_limit";
    case RunStatus::interrupted: return "interrupted";
  }
  return "unknown";
}

Result<std::unique_ptr<FunctionalDevice>> FunctionalDevice::create(const isa::Machine& machine) {
  std::unique_ptr<FunctionalDevice> device(new FunctionalDevice(machine));
  auto memory = Memory::create(machine);
  if (!memory.ok()) return memory.error();
  device->memory_ = std::move(*memory);
  device->cache_ = std::make_unique<DecodeCache>(*device->memory_);
  device->resetCores();
  device->heap_ = machine.global_base;
  return device;
}

void FunctionalDevice::resetCores() {
  findings_ = {};
  cache_->clear();
  cores_.clear();
  for (unsigned i = 0; i < machine_.cores; ++i) {
    cores_.push_back(std::make_unique<Core>(i, machine_, *memory_, findings_));
    memory_->dropReservation(i);
    memory_->semaphores(i).fill(0);
  }
}

Status FunctionalDevice::load(const ElfImage& image) {
  for (const Segment& segment : image.segments()) {
    const auto place = memory_->find(0, segment.address, segment.size);
    if (!place || place->region != &memory_->global())
      return Error{fmt::format("{}: segment at {:#x} of {} bytes does not fit: machine '{}' has {}",
                               image.name(), segment.address, segment.size, machine_.displayName(),
                               memory_->describeMap())};
    std::ranges::copy(segment.bytes, place->data());
    // The rest is zero already: segments are loaded into a fresh device.
    place->region->init.setRange(place->offset, segment.size);
    heap_ = std::max(heap_, (segment.address + segment.size + kPage - 1) / kPage * kPage);
  }
  if (image.entry() % 4 != 0)
    return Error{
        fmt::format("{}: entry point {:#x} is not a multiple of 4", image.name(), image.entry())};
  entry_ = image.entry();
  tohost_ = image.symbol("tohost");
  fromhost_ = image.symbol("fromhost");
  if (tohost_ && !memory_->find(0, *tohost_, 8))
    return Error{fmt::format("{}: symbol tohost is at {:#x}, which is not memory: {}", image.name(),
                             *tohost_, memory_->describeMap())};
  return {};
}

Result<uint64_t> FunctionalDevice::allocate(uint64_t bytes) {
  const uint64_t end = machine_.global_base + machine_.global_bytes;
  const uint64_t rounded = (bytes + 2 * kPage - 1) / kPage * kPage;  // at least one byte of gap
  if (bytes > machine_.global_bytes || rounded > end - heap_)
    return Error{fmt::format(
        "cannot allocate {} bytes: {} of {} bytes of global memory are left on machine '{}'", bytes,
        end - heap_, machine_.global_bytes, machine_.displayName())};
  const uint64_t address = heap_;
  heap_ += rounded;
  return address;
}

Status FunctionalDevice::write(uint64_t address, std::span<const std::byte> bytes) {
  const auto place = memory_->find(0, address, bytes.size());
  if (!place)
    return Error{fmt::format("cannot write {} bytes at {:#x}: not memory", bytes.size(), address)};
  std::ranges::copy(bytes, place->data());
  place->region->init.setRange(place->offset, bytes.size());
  return {};
}

Status FunctionalDevice::read(uint64_t address, std::span<std::byte> bytes) {
  const auto place = memory_->find(0, address, bytes.size());
  if (!place)
    return Error{fmt::format("cannot read {} bytes at {:#x}: not memory", bytes.size(), address)};
  std::ranges::copy(std::span(place->data(), bytes.size()), bytes.begin());
  return {};
}

Result<RunResult> FunctionalDevice::launch(const LaunchOptions& options) {
  if (options.cores < 1 || options.cores > cores_.size())
    return Error{fmt::format("cannot launch on {} cores: machine '{}' has {}", options.cores,
                             machine_.displayName(), cores_.size())};
  auto launch = LaunchState::create(options.cores, *memory_);
  if (!launch.ok()) return launch.error();
  launch_ = std::move(*launch);
  resetCores();
  const auto console = options.console ? options.console : [](std::string_view) {};
  Htif htif(*memory_, tohost_.value_or(0), fromhost_, console);
  for (unsigned i = 0; i < options.cores; ++i) {
    Core& core = *cores_[i];
    core.setX(kA0, options.arguments);
    core.setX(kA1, options.cores);
    core.setX(kA2, 1);
    core.setX(kA3, 0);
    core.setX(kA4, 0);
    core.watchTohost(tohost_.value_or(~uint64_t{0}));
    core.start(entry_, *launch_);
  }
  const uint64_t limit = options.instruction_limit ? options.instruction_limit : ~uint64_t{0};
  uint64_t left = limit;
  while (true) {
    if (options.progress && !options.progress(limit - left))
      return finish(RunStatus::interrupted, options);
    bool progress = false, waiting = false;
    for (unsigned i = 0; i < options.cores; ++i) {
      Core& core = *cores_[i];
      if (core.state() == CoreState::halted) continue;
      const uint64_t done = runCore(core, *cache_, std::min(left, kTurn), options.commits);
      progress |= done != 0;
      left -= done;
      if (core.state() == CoreState::faulted) return finish(RunStatus::fault, options);
      if (core.events_ & event::tohost) {
        if (const auto code = htif.serve(i)) {
          RunResult result = finish(RunStatus::exited, options);
          result.exit_code = *code;
          return result;
        }
      }
      if (left == 0 && !allHalted(options)) return finish(RunStatus::instruction_limit, options);
      waiting |= core.state() != CoreState::halted;
    }
    if (!waiting) return finish(RunStatus::exited, options);
    if (!progress) return finish(RunStatus::deadlock, options);
  }
}

RunResult FunctionalDevice::finish(RunStatus status, const LaunchOptions& options) {
  RunResult result;
  result.status = status;
  for (unsigned i = 0; i < options.cores; ++i) result.instructions += cores_[i]->retired();
  if (status == RunStatus::exited || status == RunStatus::fault) return result;
  for (unsigned i = 0; i < options.cores; ++i)
    if (cores_[i]->state() != CoreState::halted)
      result.stopped.push_back(stoppedCore(*cores_[i], status));
  return result;
}

bool FunctionalDevice::allHalted(const LaunchOptions& options) const {
  return std::all_of(cores_.begin(), cores_.begin() + options.cores,
                     [](const auto& core) { return core->state() == CoreState::halted; });
}

StoppedCore FunctionalDevice::stoppedCore(const Core& core, RunStatus status) const {
  StoppedCore stopped{core.number(), core.pc(), 0, ""};
  const auto place = memory_->find(core.number(), core.pc(), sizeof stopped.instruction);
  if (place && place->region == &memory_->global())
    stopped.instruction = loadBytes<uint32_t>(place->data());
  if (status == RunStatus::deadlock) stopped.waiting = core.waitingFor();
  return stopped;
}

uint64_t FunctionalDevice::counterTotal(isa::Counter counter) const {
  uint64_t total = 0;
  for (const auto& core : cores_)
    total +=
        counter == isa::Counter::retired_scalar ? core->retiredScalar() : core->counter(counter);
  return total;
}

}  // namespace etalon::sim
