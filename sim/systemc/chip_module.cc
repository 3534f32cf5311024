// SPDX-License-Identifier: Apache-2.0
#include "sim/systemc/chip_module.h"

#include <fmt/format.h>

#include <algorithm>

namespace etalon::sim {

namespace {

const isa::Timing& timingOf(const FunctionalDevice& device) { return *device.machine().timing; }

}  // namespace

ChipModule::ChipModule(const sc_core::sc_module_name& name, FunctionalDevice& device,
                       MakeChannels channels, RunObserver* observer, Jitter jitter)
    : sc_module(name),
      device_(device),
      observer_(observer),
      jitter_(jitter),
      clock_(timingOf(device).clock_mhz),
      interleave_(timingOf(device).memory.channels, timingOf(device).memory.interleave_bytes),
      make_channels_(std::move(channels)) {
  setUp();
}

ChipModule::ChipModule(const sc_core::sc_module_name& name, FunctionalDevice& device,
                       RunObserver* observer)
    : sc_module(name),
      device_(device),
      observer_(observer),
      jitter_(0),
      clock_(timingOf(device).clock_mhz),
      interleave_(timingOf(device).memory.channels, timingOf(device).memory.interleave_bytes) {
  const auto each = static_cast<unsigned>(timingOf(device).memory.channels);
  for (unsigned i = 0; i < device.cluster().devices * each; ++i) {
    std::byte* const memory = device.memory().global(i / each).data();
    memories_.push_back(std::make_unique<TlmMemory>(fmt::format("memory_{}", i).c_str(), clock_,
                                                    interleave_, i % each, memory));
    memories_.back()->onNews([this, i](Cycles at) {
      if (chip_) chip_->wakeChannel(i, at);
    });
  }
  make_channels_ = [this] {
    TimedSystem::Channels channels;
    for (const auto& memory : memories_) channels.push_back(memory->makeChannel());
    return channels;
  };
  setUp();
}

void ChipModule::setUp() {
  SC_HAS_PROCESS(ChipModule);
  SC_METHOD(work);
  dont_initialize();
  sensitive << due_;
  if (device_.started()) begin();
}

ChipModule::~ChipModule() = default;

void ChipModule::begin() {
  chip_.reset();
  clock_.restart();
  now_ = 0;
  chip_ = std::make_unique<TimedSystem>(
      device_, make_channels_(), observer_,
      [this](unsigned component, Cycles at) { wake(component, at); }, jitter_);
  agenda_.emplace(chip_->components());
  if (sc_core::sc_is_running()) wakeAll();
}

void ChipModule::start_of_simulation() {
  if (chip_) wakeAll();
}

void ChipModule::wakeAll() {
  for (unsigned i = 0; i < chip_->components(); ++i) wake(i, chip_->nextTime(i));
}

bool ChipModule::memoriesIdle() const {
  return std::ranges::all_of(memories_, [](const auto& memory) { return memory->idle(); });
}

void ChipModule::wake(unsigned component, Cycles at) {
  agenda_->wake(component, at);
  if (!working_) callAt(at);
}

void ChipModule::callAt(Cycles cycle) {
  // Of several notifications the kernel keeps the earliest.
  if (cycle != kNever) due_.notify(clock_.at(cycle) - sc_core::sc_time_stamp());
}

Cycles ChipModule::horizon() const {
  // Memories of somebody else's are asked in SystemC's time.
  const bool alone = memories_.empty() && !sc_core::sc_pending_activity_at_current_time();
  if (ahead_until_ == 0 || !alone) return 0;
  if (!sc_core::sc_pending_activity()) return ahead_until_;
  return std::min(ahead_until_,
                  clock_.cycle(sc_core::sc_time_stamp() + sc_core::sc_time_to_pending_activity()));
}

void ChipModule::work() {
  if (!chip_) return;
  working_ = true;
  now_ = clock_.now();
  const Cycles horizon = this->horizon();
  for (Cycles next = agenda_->nextTime();; next = agenda_->nextTime()) {
    if (next > now_) {
      if (next >= horizon) break;
      now_ = next;
    }
    const unsigned component = agenda_->take();
    chip_->advance(component, now_);
    agenda_->wake(component, chip_->nextTime(component));
  }
  working_ = false;
  const Cycles next = agenda_->nextTime();
  callAt(next);
  if (rest_ && (next == kNever || chip_->end())) rest_();
}

}  // namespace etalon::sim
