// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <vector>

#include "isa/machines/find_machine.h"
#include "sim/arch/elf_writer.h"
#include "sim/functional/test_support.h"
#include "sim/observe/ledger.h"
#include "sim/system/chip_memory.h"
#include "sim/system/run_shape.h"
#include "sim/system/timed_system.h"

namespace etalon::sim {

/// Channels that answer every request after `latency` cycles, any number at once.
class InstantChannel final : public MemoryChannel {
 public:
  explicit InstantChannel(Cycles latency) : latency_(latency) {}
  bool accepts(bool, uint32_t) const override { return true; }
  void submit(const ChannelRequest& request, Cycles now) override {
    pending_.push_back({request.tag, now + latency_});
  }
  Cycles nextTime() const override { return pending_.empty() ? kNever : pending_.front().time; }
  void advance(Cycles now, std::vector<ChannelCompletion>& completed) override {
    while (!pending_.empty() && pending_.front().time <= now) {
      completed.push_back(pending_.front());
      pending_.erase(pending_.begin());
    }
  }

 private:
  Cycles latency_;
  std::vector<ChannelCompletion> pending_;
};

struct TimedTestResult {
  TimedSystem::End end;
  TimedReport report;
  std::vector<TileRecord> tiles;
};

/// Remembers the records of tile instructions, in the order in which they were done.
class TileLog final : public RunObserver {
 public:
  void span(const TrackSpan&) override {}
  void tile(const TileRecord& record) override { tiles.push_back(record); }
  void transfer(const Transfer&) override {}
  void finish(Cycles) override {}
  std::vector<TileRecord> tiles;
};

/// A program on a fresh device of the machine `base`, run in time without SystemC: components that are due in one cycle are
/// advanced in an order that `shuffle` permutes.
class TimedProgram {
 public:
  static constexpr Cycles kMemoryLatency = 40;
  using Shuffle = std::function<void(std::vector<unsigned>&)>;

  explicit TimedProgram(isa::ProgramBuilder& builder,
                        const std::vector<std::string>& overrides = {}, unsigned devices = 1) {
    const auto words = builder.finish();
    EXPECT_TRUE(words.ok()) << (words.ok() ? "" : words.error().message);
    const auto machine = isa::openMachine("base", overrides);
    EXPECT_TRUE(machine.ok()) << (machine.ok() ? "" : machine.error().message);
    auto device = FunctionalDevice::create(*machine, {}, Values::computed, devices);
    EXPECT_TRUE(device.ok()) << (device.ok() ? "" : device.error().message);
    device_ = std::move(*device);
    auto image = ElfImage::parse(writeElf(kTestEntry, *words, {{"tohost", kTestTohost}}), "test");
    EXPECT_TRUE(image.ok()) << (image.ok() ? "" : image.error().message);
    EXPECT_TRUE(device_->load(*image).ok());
    for (uint64_t id = 0; id <= devices; ++id) {
      if (id != 0 && devices == 1) break;
      const uint64_t field = id << isa::kDeviceShift;
      EXPECT_TRUE(device_->write(field + kTestTohost, std::vector<std::byte>(64)).ok());
      EXPECT_TRUE(device_->write(field + kTestData, std::vector<std::byte>(kTestDataBytes)).ok());
    }
  }

  TimedTestResult run(unsigned cores = 1, const Shuffle& shuffle = {}, uint64_t limit = 1'000'000,
                      Jitter jitter = Jitter(0)) {
    LaunchOptions options;
    options.cores = cores;
    options.instruction_limit = limit;
    options.timed = true;
    EXPECT_TRUE(device_->start(options).ok());
    const isa::Machine& machine = device_->machine();
    TimedSystem::Channels channels;
    const unsigned devices = device_->cluster().devices;
    for (uint64_t i = 0; i < devices * machine.timing->memory.channels; ++i)
      channels.push_back(std::make_unique<InstantChannel>(kMemoryLatency));
    const Result<isa::DramPreset> memory = chipMemory(machine);
    EXPECT_TRUE(memory.ok());
    Ledger ledger(runShape(machine, *memory, cores, devices));
    TileLog log;
    ObserverList observers;
    observers.add(ledger);
    observers.add(log);
    TimedSystem chip(
        *device_, std::move(channels), &observers,
        [&](unsigned component, Cycles at) {
          EXPECT_GT(at, now_) << chip_->componentName(component);
        },
        jitter);
    chip_ = &chip;
    std::vector<unsigned> due;
    while (!chip.end()) {
      now_ = kNever;
      for (unsigned i = 0; i < chip.components(); ++i) now_ = std::min(now_, chip.nextTime(i));
      if (now_ == kNever) {
        chip.deadlock(last_);
        break;
      }
      due.clear();
      for (unsigned i = 0; i < chip.components(); ++i)
        if (chip.nextTime(i) == now_) due.push_back(i);
      if (shuffle) shuffle(due);
      for (const unsigned component : due) chip.advance(component, now_);
      last_ = now_;
    }
    result_ = device_->end(chip.end()->status, chip.end()->exit_code);
    return {*chip.end(), ledger.report(), std::move(log.tiles)};
  }

  FunctionalDevice& device() { return *device_; }
  std::unique_ptr<FunctionalDevice> takeDevice() { return std::move(device_); }
  /// Of the last run.
  const RunResult& result() const { return result_; }

 private:
  std::unique_ptr<FunctionalDevice> device_;
  TimedSystem* chip_ = nullptr;
  Cycles now_ = 0, last_ = 0;
  RunResult result_;
};

}  // namespace etalon::sim
