// SPDX-License-Identifier: Apache-2.0
#include "sim/systemc/chip_module.h"

#include <fmt/format.h>

namespace etalon::sim {

namespace {

const isa::Timing& timingOf(const FunctionalDevice& device) { return *device.machine().timing; }

}  // namespace

ChipModule::ChipModule(const sc_core::sc_module_name& name, FunctionalDevice& device,
                       TimedSystem::Channels channels, RunObserver* observer, Jitter jitter)
    : sc_module(name),
      clock_(timingOf(device).clock_mhz),
      interleave_(timingOf(device).memory.channels, timingOf(device).memory.interleave_bytes) {
  build(device, std::move(channels), observer, jitter);
}

ChipModule::ChipModule(const sc_core::sc_module_name& name, FunctionalDevice& device,
                       RunObserver* observer)
    : sc_module(name),
      clock_(timingOf(device).clock_mhz),
      interleave_(timingOf(device).memory.channels, timingOf(device).memory.interleave_bytes) {
  const auto each = static_cast<unsigned>(timingOf(device).memory.channels);
  TimedSystem::Channels channels;
  for (unsigned i = 0; i < device.cluster().devices * each; ++i) {
    std::byte* const memory = device.memory().global(i / each).data();
    memories_.push_back(std::make_unique<TlmMemory>(fmt::format("memory_{}", i).c_str(), clock_,
                                                    interleave_, i % each, memory));
    channels.push_back(memories_.back()->makeChannel());
  }
  build(device, std::move(channels), observer, Jitter(0));
  for (unsigned i = 0; i < memories_.size(); ++i)
    memories_[i]->onNews([this, i](Cycles at) { chip_->wakeChannel(i, at); });
}

void ChipModule::build(FunctionalDevice& device, TimedSystem::Channels channels,
                       RunObserver* observer, Jitter jitter) {
  chip_ = std::make_unique<TimedSystem>(
      device, std::move(channels), observer,
      [this](unsigned component, Cycles at) { wake(component, at); }, jitter);
  agenda_.emplace(chip_->components());
  SC_HAS_PROCESS(ChipModule);
  SC_METHOD(work);
  dont_initialize();
  sensitive << due_;
}

ChipModule::~ChipModule() = default;

void ChipModule::start_of_simulation() {
  for (unsigned i = 0; i < chip_->components(); ++i) wake(i, chip_->nextTime(i));
}

void ChipModule::wake(unsigned component, Cycles at) {
  agenda_->wake(component, at);
  if (!working_) callAt(at);
}

void ChipModule::callAt(Cycles cycle) {
  // Of several notifications the kernel keeps the earliest.
  if (cycle != kNever) due_.notify(clock_.at(cycle) - sc_core::sc_time_stamp());
}

bool ChipModule::mayGoOnTo(Cycles cycle) const {
  return cycle < ahead_until_ && !sc_core::sc_pending_activity_at_current_time() &&
         clock_.at(cycle) < sc_core::sc_time_stamp() + sc_core::sc_time_to_pending_activity();
}

void ChipModule::work() {
  working_ = true;
  now_ = clock_.now();
  for (Cycles next = agenda_->nextTime();; next = agenda_->nextTime()) {
    if (next > now_) {
      if (!mayGoOnTo(next)) break;
      now_ = next;
    }
    const unsigned component = agenda_->take();
    chip_->advance(component, now_);
    agenda_->wake(component, chip_->nextTime(component));
  }
  working_ = false;
  callAt(agenda_->nextTime());
}

}  // namespace etalon::sim
