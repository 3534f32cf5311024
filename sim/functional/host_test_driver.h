// SPDX-License-Identifier: Apache-2.0
// For tests: what a driver in an operating system does, written against etalon/host.h as one would be.
#pragma once

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "include/etalon/host.h"
#include "isa/machines/find_machine.h"
#include "sim/functional/functional_host.h"
#include "sim/functional/test_support.h"

namespace etalon::sim {

class HostDriver {
 public:
  explicit HostDriver(uint64_t entries_log2 = 2, FunctionalHost::Options options = {})
      : entries_log2_(entries_log2) {
    const auto machine = isa::openMachine("functional64", {});
    EXPECT_TRUE(machine.ok());
    options.console = [this](std::string_view text) { console += text; };
    auto made = FunctionalHost::create(*machine, std::move(options));
    EXPECT_TRUE(made.ok());
    host_ = std::move(*made);
    ring_ = *device().allocate(64 << entries_log2);
    records_ = *device().allocate(64 << entries_log2);
    data = *device().allocate(kDataBytes);
    put(data, std::vector<std::byte>(kDataBytes));
  }

  FunctionalHost& host() { return *host_; }
  FunctionalDevice& device() { return host_->device(); }

  void set(uint64_t offset, uint64_t value) {
    EXPECT_EQ(host_->write(offset, 8, value), HostAnswer::ok) << std::hex << offset;
  }
  uint64_t get(uint64_t offset) {
    uint64_t value = 0;
    EXPECT_EQ(host_->read(offset, 8, value), HostAnswer::ok) << std::hex << offset;
    return value;
  }

  /// Gives the device its rings and starts it.
  void open() {
    written_ = read_ = 0;
    set(ET_HOST_RING_BASE, ring_);
    set(ET_HOST_COMPLETION_BASE, records_);
    set(ET_HOST_RING_SIZE, entries_log2_);
    set(ET_HOST_CONTROL, ET_HOST_CONTROL_START);
  }
  void submit(const et_launch_descriptor& launch) {
    putOne(ring_ + 64 * (written_ & ((1 << entries_log2_) - 1)), launch);
    set(ET_HOST_DOORBELL, ++written_);
  }
  /// The next record, if it has been written.
  std::optional<et_completion_record> reap() {
    if (get(ET_HOST_COMPLETION_COUNT) == read_) return std::nullopt;
    const auto record =
        getOne<et_completion_record>(records_ + 64 * (read_ & ((1 << entries_log2_) - 1)));
    set(ET_HOST_COMPLETION_READ, ++read_);
    return record;
  }
  /// Runs until a record is there.
  et_completion_record wait() {
    for (;;) {
      if (const auto record = reap()) return *record;
      if (!host_->advance(1000) && get(ET_HOST_COMPLETION_COUNT) == read_) {
        ADD_FAILURE() << "nothing runs and nothing was completed";
        return {};
      }
    }
  }

  /// Loads a program for the address and describes a launch of it on one core.
  et_launch_descriptor load(isa::ProgramBuilder& p, uint64_t address,
                            std::optional<uint64_t> tohost = {}) {
    const auto words = p.finish();
    EXPECT_TRUE(words.ok());
    auto image = ElfImage::parse(writeElf(address, *words, {}), "test");
    EXPECT_TRUE(image.ok() && device().load(*image).ok());
    et_launch_descriptor launch{};
    launch.entry = image->entry();
    launch.cores = 1;
    launch.tohost = tohost.value_or(0);
    return launch;
  }

  void put(uint64_t address, std::span<const std::byte> bytes) {
    EXPECT_TRUE(device().write(address, bytes).ok());
  }
  template <class T>
  void putOne(uint64_t address, const T& value) {
    put(address, std::as_bytes(std::span(&value, 1)));
  }
  template <class T>
  T getOne(uint64_t address) {
    T value{};
    EXPECT_TRUE(device().read(address, std::as_writable_bytes(std::span(&value, 1))).ok());
    return value;
  }

  static constexpr uint64_t kDataBytes = 0x10000;
  uint64_t data = 0;  // a buffer of zeros
  std::string console;

 private:
  uint64_t entries_log2_;
  std::unique_ptr<FunctionalHost> host_;
  uint64_t ring_ = 0, records_ = 0, written_ = 0, read_ = 0;
};

}  // namespace etalon::sim
