// SPDX-License-Identifier: Apache-2.0
#include "sim/systemc/chip_module.h"

#include <fmt/format.h>

namespace etalon::sim {

class ChipModule::Component final : public TimedModule {
 public:
  Component(const std::string& name, ChipModule& owner, unsigned number)
      : TimedModule(name.c_str(), owner.clock_), owner_(owner), number_(number) {}

 private:
  void work(Cycles now) override { owner_.chip_->advance(number_, now); }
  Cycles nextWork() const override { return owner_.chip_->nextTime(number_); }

  ChipModule& owner_;
  unsigned number_;
};

ChipModule::ChipModule(const sc_core::sc_module_name& name, const isa::Machine& machine,
                       FunctionalDevice& device, TimedChip::Channels channels,
                       RunObserver* observer, Jitter jitter)
    : sc_module(name),
      clock_(machine.timing->clock_mhz),
      interleave_(machine.timing->memory.channels, machine.timing->memory.interleave_bytes) {
  build(machine, device, std::move(channels), observer, jitter);
}

ChipModule::ChipModule(const sc_core::sc_module_name& name, const isa::Machine& machine,
                       FunctionalDevice& device, RunObserver* observer)
    : sc_module(name),
      clock_(machine.timing->clock_mhz),
      interleave_(machine.timing->memory.channels, machine.timing->memory.interleave_bytes) {
  TimedChip::Channels channels;
  for (uint32_t i = 0; i < machine.timing->memory.channels; ++i) {
    memories_.push_back(std::make_unique<TlmMemory>(fmt::format("memory_{}", i).c_str(), clock_,
                                                    interleave_, i,
                                                    device.memory().global().data()));
    channels.push_back(memories_.back()->makeChannel());
  }
  build(machine, device, std::move(channels), observer, Jitter(0));
  for (uint32_t i = 0; i < memories_.size(); ++i)
    memories_[i]->onNews([this, i](Cycles at) { chip_->wakeChannel(i, at); });
}

void ChipModule::build(const isa::Machine& machine, FunctionalDevice& device,
                       TimedChip::Channels channels, RunObserver* observer, Jitter jitter) {
  chip_ = std::make_unique<TimedChip>(
      machine, device, std::move(channels), observer,
      [this](unsigned component, Cycles at) { components_[component]->wakeAt(at); }, jitter);
  for (unsigned i = 0; i < chip_->components(); ++i)
    components_.push_back(std::make_unique<Component>(chip_->componentName(i), *this, i));
}

ChipModule::~ChipModule() = default;

void ChipModule::start_of_simulation() {
  for (unsigned i = 0; i < chip_->components(); ++i) components_[i]->wakeAt(chip_->nextTime(i));
}

}  // namespace etalon::sim
