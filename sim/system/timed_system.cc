// SPDX-License-Identifier: Apache-2.0
#include "sim/system/timed_system.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "isa/base/check.h"

namespace etalon::sim {

TimedSystem::TimedSystem(FunctionalDevice& device, Channels channels, RunObserver* observer,
                         Wake wake, Jitter jitter)
    : device_(device), observer_(observer), wake_(std::move(wake)) {
  const unsigned devices = device.cluster().devices;
  const isa::Timing& timing = *device.machine().timing;
  ETALON_CHECK(channels.size() == devices * timing.memory.channels,
               "channels for every chip's memory");
  ChipUplink& uplink = *this;
  for (unsigned i = 0; i < devices; ++i) {
    const auto first = channels.begin() + static_cast<ptrdiff_t>(i * timing.memory.channels);
    Channels own(std::make_move_iterator(first),
                 std::make_move_iterator(first + static_cast<ptrdiff_t>(timing.memory.channels)));
    chips_.push_back(std::make_unique<TimedChip>(device, i, std::move(own), observer, uplink,
                                                 gateways_, jitter));
    first_.push_back(first_.back() + chips_.back()->components());
  }
  for (const auto& chip : chips_) gateways_.push_back(&chip->gateway());
  if (devices == 1) return;
  Result<LinkLayout> layout = linkLayout(timing.links, devices);
  ETALON_CHECK(layout.ok(), "the caller asked linkLayout()");
  links_ = std::make_unique<LinkFabric>(timing, *std::move(layout));
}

TimedSystem::~TimedSystem() = default;

unsigned TimedSystem::chipOf(unsigned component) const {
  return static_cast<unsigned>(std::ranges::upper_bound(first_, component) - first_.begin()) - 1;
}

std::string TimedSystem::componentName(unsigned component) const {
  if (component == first_.back()) return "links";
  const unsigned chip = chipOf(component);
  const std::string name = chips_[chip]->componentName(component - first_[chip]);
  return chips_.size() == 1 ? name : fmt::format("chip_{}_{}", chip + 1, name);
}

Cycles TimedSystem::nextTime(unsigned component) const {
  if (end_) return kNever;
  if (component == first_.back()) return links_->nextTime();
  const unsigned chip = chipOf(component);
  return chips_[chip]->nextTime(component - first_[chip]);
}

void TimedSystem::advance(unsigned component, Cycles now) {
  if (end_) return;
  if (component == first_.back()) return advanceLinks(now);
  const unsigned chip = chipOf(component);
  chips_[chip]->advance(component - first_[chip], now);
}

void TimedSystem::advanceLinks(Cycles now) {
  arrived_.clear();
  links_->advance(now, arrived_);
  for (const LinkDelivery& delivery : arrived_)
    chips_[delivery.message.destination]->arrive(delivery);
}

void TimedSystem::wakeChannel(unsigned channel, Cycles at) {
  const auto channels = static_cast<unsigned>(device_.machine().timing->memory.channels);
  chips_[channel / channels]->wakeChannel(channel % channels, at);
}

void TimedSystem::passTime(Cycles now) {
  for (const auto& chip : chips_) chip->passTime(now);
}

void TimedSystem::interruptsChanged(Cycles at) {
  for (const auto& chip : chips_) chip->interruptsChanged(at);
}

void TimedSystem::wake(unsigned device, unsigned component, Cycles at) {
  wake_(first_[device] + component, at);
}

void TimedSystem::send(const LinkMessage& message) {
  links_->send(message);
  wake_(first_.back(), message.sent + 1);
}

UnitWork TimedSystem::work() const {
  UnitWork work;
  for (const auto& chip : chips_) work += chip->work();
  return work;
}

void TimedSystem::worked(const TimedCore& core, Cycles now) {
  if (core.exitCode()) return finish(RunStatus::exited, *core.exitCode(), now + 1);
  if (core.faulted()) return finish(RunStatus::fault, 0, now + 1);
  if (core.poisoned()) return finish(RunStatus::poisoned, 0, now + 1);
  if (device_.instructionsLeft() == 0) return finish(RunStatus::instruction_limit, 0, now + 1);
  if (core.finished() &&
      std::ranges::all_of(chips_, [](const auto& chip) { return chip->finished(); }))
    finish(RunStatus::exited, 0, now + 1);
}

void TimedSystem::finish(RunStatus status, uint64_t exit_code, Cycles now) {
  if (end_) return;
  end_ = End{status, exit_code, now};
  for (const auto& chip : chips_) chip->close(now);
  if (observer_) observer_->finish(now);
}

}  // namespace etalon::sim
