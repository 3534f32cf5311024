// SPDX-License-Identifier: Apache-2.0
#include "sim/functional/functional_device.h"

#include <fmt/format.h>

#include <algorithm>

namespace etalon::sim {
namespace {

constexpr int kA0 = 10, kA1 = 11, kA2 = 12, kA3 = 13, kA4 = 14;

}  // namespace

std::string_view runStatusName(RunStatus status) {
  switch (status) {
    case RunStatus::exited: return "exited";
    case RunStatus::fault: return "fault";
    case RunStatus::deadlock: return "deadlock";
    case RunStatus::instruction_limit: return "instruction_limit";
    case RunStatus::interrupted: return "interrupted";
    case RunStatus::poisoned: return "poisoned";
  }
  return "unknown";
}

Result<std::unique_ptr<FunctionalDevice>> FunctionalDevice::create(const isa::Machine& machine,
                                                                   numerics::Contract contract,
                                                                   Values values,
                                                                   unsigned devices) {
  std::unique_ptr<FunctionalDevice> device(new FunctionalDevice(machine, std::move(contract)));
  auto memory = Memory::create(machine, values, devices);
  if (!memory.ok()) return memory.error();
  device->memory_ = std::move(*memory);
  for (unsigned i = 0; i < devices; ++i)
    device->caches_.push_back(std::make_unique<DecodeCache>(*device->memory_, i));
  device->resetCores();
  device->images_end_ = machine.global_base;
  return device;
}

void FunctionalDevice::resetCores() {
  findings_ = {};
  codeChanged();
  cores_.clear();
  for (unsigned i = 0; i < cluster().agents(); ++i) {
    // Where nothing differs the cores have no contract, and take no other path.
    const numerics::Contract* contract = contract_.isCanonical() ? nullptr : &contract_;
    cores_.push_back(std::make_unique<Core>(i, machine_, *memory_, findings_, contract));
    memory_->dropReservation(i);
    memory_->semaphores(i).fill(0);
  }
  for (unsigned i = 0; i < cluster().devices; ++i) memory_->interrupts(i).reset();
}

void FunctionalDevice::codeChanged() {
  for (const auto& cache : caches_) cache->clear();
}

Status FunctionalDevice::checkSegment(const ElfImage& image, const Segment& segment) const {
  const auto place = memory_->find(0, segment.address, segment.size);
  if (!place || place->region != &memory_->global() || segment.address >> isa::kDeviceShift != 0)
    return Error{fmt::format("{}: segment at {:#x} of {} bytes does not fit: machine '{}' has {}",
                             image.name(), segment.address, segment.size, machine_.displayName(),
                             memory_->describeMap())};
  for (const auto& [begin, end] : buffers_)
    if (begin < segment.address + segment.size && segment.address < end)
      return Error{
          fmt::format("{}: segment at {:#x} of {} bytes would overwrite the buffer at {:#x}",
                      image.name(), segment.address, segment.size, begin)};
  return {};
}

void FunctionalDevice::copySegment(const Segment& segment, unsigned device) {
  Region& global = memory_->global(device);
  const uint64_t offset = segment.address - machine_.global_base;
  std::byte* to = global.data() + offset;
  std::ranges::copy(segment.bytes, to);
  // Fresh memory is zero already, and only costs something when it is touched.
  if (!pristine_)
    std::fill_n(to + segment.bytes.size(), segment.size - segment.bytes.size(), std::byte{0});
  global.noteWritten(offset, segment.size);
}

Status FunctionalDevice::load(const ElfImage& image) {
  for (const Segment& segment : image.segments())
    ETALON_RETURN_IF_ERROR(checkSegment(image, segment));
  if (image.entry() % 4 != 0)
    return Error{
        fmt::format("{}: entry point {:#x} is not a multiple of 4", image.name(), image.entry())};
  const std::optional<uint64_t> tohost = image.symbol("tohost");
  if (tohost && (!memory_->find(0, *tohost, 8) || *tohost >> isa::kDeviceShift != 0))
    return Error{fmt::format("{}: symbol tohost is at {:#x}, which is not memory: {}", image.name(),
                             *tohost, memory_->describeMap())};
  for (const Segment& segment : image.segments()) {
    for (unsigned device = 0; device < cluster().devices; ++device) copySegment(segment, device);
    images_end_ =
        std::max(images_end_, (segment.address + segment.size + kPage - 1) / kPage * kPage);
  }
  pristine_ = false;
  running_.reset();
  entry_ = image.entry();
  tohost_ = tohost;
  fromhost_ = image.symbol("fromhost");
  return {};
}

Result<uint64_t> FunctionalDevice::allocate(uint64_t bytes) {
  const uint64_t most = machine_.global_bytes;
  const uint64_t rounded =
      bytes > most ? bytes : (bytes + 2 * kPage - 1) / kPage * kPage;  // at least one byte of gap
  uint64_t end = machine_.global_base + machine_.global_bytes;
  uint64_t largest = 0;
  const auto fits = [&](uint64_t begin) {
    begin = std::max(begin, images_end_);  // an image may have come above a buffer
    if (begin >= end) return false;
    largest = std::max(largest, end - begin);
    return rounded <= end - begin;
  };
  bool found = false;
  for (auto buffer = buffers_.rbegin(); !found && buffer != buffers_.rend(); ++buffer) {
    found = fits(buffer->second);
    if (!found) end = buffer->first;
  }
  if (!found && !fits(images_end_))
    return Error{fmt::format(
        "cannot allocate {} bytes: {} of {} bytes of global memory are left in one piece on "
        "machine '{}'",
        bytes, largest, machine_.global_bytes, machine_.displayName())};
  buffers_[end - rounded] = end;
  return end - rounded;
}

Status FunctionalDevice::release(uint64_t address) {
  const auto buffer = buffers_.find(address);
  if (buffer == buffers_.end()) return Error{fmt::format("no buffer begins at {:#x}", address)};
  for (unsigned device = 0; device < cluster().devices; ++device)
    memory_->global(device).init.clearRange(address - machine_.global_base,
                                            buffer->second - address);
  buffers_.erase(buffer);
  return {};
}

Status FunctionalDevice::write(uint64_t address, std::span<const std::byte> bytes) {
  const auto place = memory_->find(0, address, bytes.size());
  if (!place)
    return Error{fmt::format("cannot write {} bytes at {:#x}: not memory", bytes.size(), address)};
  std::ranges::copy(bytes, place->data());
  place->region->noteWritten(place->offset, bytes.size());
  pristine_ = false;
  return {};
}

Status FunctionalDevice::read(uint64_t address, std::span<std::byte> bytes) {
  const auto place = memory_->find(0, address, bytes.size());
  if (!place)
    return Error{fmt::format("cannot read {} bytes at {:#x}: not memory", bytes.size(), address)};
  std::ranges::copy(std::span(place->data(), bytes.size()), bytes.begin());
  return {};
}

std::optional<uint64_t> FunctionalDevice::firstPoisoned(uint64_t address, uint64_t bytes) {
  const auto place = memory_->find(0, address, bytes);
  if (!place || bytes == 0 || !place->region->poison) return std::nullopt;
  const std::optional<uint64_t> first = place->region->poison->first(place->offset, bytes);
  if (!first) return std::nullopt;
  return address + (*first - place->offset);
}

Result<RunResult> FunctionalDevice::launch(const LaunchOptions& options) {
  ETALON_RETURN_IF_ERROR(start(options));
  std::optional<RunResult> result = advance(~uint64_t{0});
  ETALON_CHECK(result.has_value(), "a launch ends within 2^64 instructions");
  return *std::move(result);
}

Status FunctionalDevice::start(const LaunchOptions& options) {
  if (options.cores < 1 || options.first_core > machine_.cores ||
      options.cores > machine_.cores - options.first_core)
    return Error{fmt::format("cannot launch on {} cores from core {} on: machine '{}' has {}",
                             options.cores, options.first_core, machine_.displayName(),
                             machine_.cores)};
  Schedule schedule(options.seed, cluster().devices * options.cores);
  auto launch =
      LaunchState::create(options.cores, *memory_, options.timed || schedule.defersSignals(),
                          options.observe, options.first_core);
  if (!launch.ok()) return launch.error();
  launch_ = std::move(*launch);
  stopClock();
  resetCores();
  startClock();
  setStops({});
  pristine_ = false;
  if (options.program) {
    entry_ = options.program->entry;
    tohost_ = options.program->tohost;
    fromhost_ = options.program->fromhost;
  }
  const uint64_t limit = options.instruction_limit ? options.instruction_limit : ~uint64_t{0};
  running_.emplace(Running{options, makeHtif(options), std::move(schedule), limit, limit});
  for (unsigned i = 0; i < launch_->size(); ++i) {
    Core& core = launched(i);
    core.setX(kA0, options.arguments);
    core.setX(kA1, options.cores);
    core.setX(kA2, cluster().devices);
    core.setX(kA3, Cluster::id(core.device()));
    core.setX(kA4, options.first_core);
    core.watchTohost(tohost_.value_or(~uint64_t{0}));
    core.start(entry_, *launch_);
  }
  return {};
}

Htif FunctionalDevice::makeHtif(const LaunchOptions& options) {
  return Htif(
      *memory_, tohost_.value_or(0), fromhost_,
      options.console ? options.console : [](std::string_view) {});
}

Core& FunctionalDevice::beginTurn() {
  Running& run = *running_;
  Core& core = launched(run.schedule.core(run.turn));
  if (run.begun) return core;
  run.begun = true;
  run.turn_left = run.schedule.length(run.turn);
  if (const uint64_t pending = core.pendingSignals()) {
    const uint64_t arriving = run.schedule.arriving(run.turn, pending);
    core.deliverSignals(arriving);
    run.moved |= arriving != 0;
    run.held_back |= arriving != pending;
  }
  if (core.state() == CoreState::running && run.turn_left != 0 && core.interruptDue() &&
      !stops_.held.contains(core.agent())) {
    core.takeInterrupt();
    run.moved = true;
  }
  return core;
}

std::optional<RunResult> FunctionalDevice::advance(uint64_t most) {
  ETALON_CHECK(running_.has_value(), "advance() is for a launch that was started and is not over");
  Running& run = *running_;
  const LaunchOptions& options = run.options;
  stop_.reset();
  for (;;) {
    if (run.turn == launch_->size()) {
      const bool exited = !run.waiting, stuck = !run.moved && !run.held_back;
      run.schedule.startRound(!run.moved);
      run.turn = 0;
      run.moved = run.held_back = run.waiting = false;
      if (exited) return finish(RunStatus::exited);
      if (stuck) {
        const std::optional<unsigned> held = firstHeld();
        if (!held) {
          if (skipToTimer()) continue;
          if (!waitsForHost()) return finish(RunStatus::deadlock);
          return std::nullopt;
        }
        stop_ = Stop{StopReason::held, *held, {}};
        return std::nullopt;
      }
    }
    if (run.turn == 0 && options.progress && !options.progress(executed()))
      return finish(RunStatus::interrupted);
    Core& core = beginTurn();
    if (core.state() == CoreState::faulted) return finish(RunStatus::fault);
    bool turn_over = true;
    if (core.state() != CoreState::halted && run.turn_left == 0) {
      run.held_back = true;
    } else if (core.state() != CoreState::halted && !stops_.held.contains(core.agent())) {
      const bool steps = stops_.stepping == core.agent();
      const uint64_t done = runTurn(core, steps ? 1 : most);
      most -= done;
      if (core.events_ & event::interrupt) core.takeInterrupt();
      if (core.state() == CoreState::faulted) return finish(RunStatus::fault);
      if (core.events_ & event::tohost) {
        if (const auto code = serveHost(core)) {
          RunResult result = finish(RunStatus::exited);
          result.exit_code = *code;
          return result;
        }
      }
      if (core.state() == CoreState::poisoned) return finish(RunStatus::poisoned);
      if (run.left == 0 && !allHalted()) return finish(RunStatus::instruction_limit);
      stop_ = stopAfter(core, steps && done == 1);
      // Otherwise only what was asked for ended here, and the turn goes on at the next call.
      turn_over = run.turn_left == 0 ||
                  (core.events_ & (event::blocked | event::stopped | event::tohost)) != 0;
    }
    run.waiting |= core.state() != CoreState::halted;
    if (turn_over) {
      ++run.turn;
      run.begun = false;
    }
    if (most == 0 || stop_) return std::nullopt;
  }
}

uint64_t FunctionalDevice::runTurn(Core& core, uint64_t most) {
  Running& run = *running_;
  std::span<const uint64_t> breakpoints = stops_.breakpoints;
  if (stops_.stepping == core.agent()) breakpoints = {};
  const uint64_t done = runCore(core, cacheOf(core), std::min({run.left, run.turn_left, most}),
                                run.options.commits, breakpoints);
  run.moved |= done != 0;
  run.left -= done;
  run.turn_left -= done;
  return done;
}

std::optional<uint64_t> FunctionalDevice::serveHost(Core& core) {
  const auto code = running_->htif.serve(core.agent(), core.tohostDevice());
  if (const auto& read = running_->htif.poisonedRead()) core.stopHostRead(read->place, read->bytes);
  return code;
}

StepOutcome FunctionalDevice::step(Core& core) {
  Running& run = *running_;
  const uint64_t retired = core.retired();
  StepOutcome outcome;
  outcome.executed = runCore(core, cacheOf(core), 1, run.options.commits) != 0;
  outcome.trapped = outcome.executed && core.retired() == retired;
  run.left -= outcome.executed ? 1 : 0;
  if (core.events_ & event::tohost) outcome.exit_code = serveHost(core);
  return outcome;
}

const isa::Instruction* FunctionalDevice::next(const Core& core) {
  return cacheOf(core).instruction(core.fetchAddress());
}

void FunctionalDevice::setWindow(unsigned agent, unsigned index, const isa::Window& window) {
  ETALON_CHECK(agent < cores_.size() && index < isa::Windows::kCount, "a window of a core");
  memory_->setWindow(agent, index, window);
  cores_[agent]->windowsChanged();
}

RunResult FunctionalDevice::end(RunStatus status, uint64_t exit_code) {
  RunResult result = finish(status);
  result.exit_code = exit_code;
  return result;
}

RunResult FunctionalDevice::finish(RunStatus status) {
  running_.reset();
  setStops({});
  RunResult result;
  result.status = status;
  for (unsigned i = 0; i < launch_->size(); ++i) result.instructions += launched(i).retired();
  if (status == RunStatus::exited || status == RunStatus::fault || status == RunStatus::poisoned)
    return result;
  for (unsigned i = 0; i < launch_->size(); ++i)
    if (launched(i).state() != CoreState::halted)
      result.stopped.push_back(stoppedCore(launched(i), status));
  return result;
}

bool FunctionalDevice::allHalted() const {
  // Others never left that state.
  return std::ranges::all_of(cores_,
                             [](const auto& core) { return core->state() == CoreState::halted; });
}

StoppedCore FunctionalDevice::stoppedCore(const Core& core, RunStatus status) const {
  StoppedCore stopped{core.agent(), core.pc(), 0, ""};
  const auto place =
      memory_->find(core.agent(), core.fetchAddress().value_or(0), sizeof stopped.instruction);
  const bool plain = core.pc() >> isa::kDeviceShift == 0;
  if (plain && place && place->region == &memory_->global(core.device()))
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
