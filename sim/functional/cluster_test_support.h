// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gmock/gmock.h>

#include <functional>

#include "isa/state/rule_test.h"
#include "sim/functional/vector_test_support.h"

namespace etalon::sim {

/// Devices of two cores of 64 KiB, 16 MiB of global memory each.
inline const std::vector<std::string> kClusterMachine = {"cores=2", "local_bytes=64 KiB",
                                                         "address_map.global_bytes=16 MiB"};
inline constexpr uint64_t kClusterLocalBytes = 64 << 10;

constexpr uint64_t ofDevice(uint64_t id, uint64_t address) {
  return id << isa::kDeviceShift | address;
}
constexpr uint64_t coreWindow(uint64_t core, uint64_t offset) {
  return isa::kCoreWindowBase + core * isa::kCoreWindowStride + offset;
}
constexpr uint64_t semaphoreOf(uint64_t core, uint64_t semaphore) {
  return coreWindow(core, kClusterLocalBytes + 4 * semaphore);
}

/// A program of a cluster. x8 is the number of the core, x9 the id of its device.
class ClusterBuilder : public VectorBuilder {
 public:
  ClusterBuilder() {
    csrrs(kCore, 0xf14, isa::X{0});
    addi(kDevice, isa::X{13}, 0);
  }
  /// `then` on the cores of one device, or on one of them alone.
  void on(int64_t id, const std::function<void()>& then) {
    const Label others = label();
    li(isa::X{28}, id);
    bne(kDevice, isa::X{28}, others);
    then();
    bind(others);
  }
  void on(int64_t id, int64_t core, const std::function<void()>& then) {
    const Label others = label();
    li(isa::X{28}, id << 8 | core);
    slli(isa::X{29}, kDevice, 8);
    add(isa::X{29}, isa::X{29}, kCore);
    bne(isa::X{28}, isa::X{29}, others);
    then();
    bind(others);
  }
  void address(uint8_t x, uint64_t value) { li(isa::X{x}, static_cast<int64_t>(value)); }
  /// Sets a view to `count` i32 at an address; through own local memory from 0xf000 on.
  void setView(uint8_t reg, uint64_t base, uint32_t count) {
    isa::ViewDescriptor view;
    view.base = base;
    view.type = static_cast<uint8_t>(ElementType::i32);
    view.naxes = view.nbox = view.ncol = 1;
    view.axes[0] = {.dim = count, .stride = 4, .origin = 0};
    view.box[0] = {.extent = count, .axis = 0, .step = 1};
    std::array<std::byte, isa::kViewImageBytes> image;
    isa::storeViewImage(view, image);
    address(31, isa::kLocalWindowBase + 0xf000);
    for (int at = 0; at < isa::kViewImageBytes; at += 8) {
      li(isa::X{28}, loadBytes<int64_t>(image.data() + at));
      sd(isa::X{28}, at, isa::X{31});
    }
    et_vld(isa::View{reg}, isa::X{31});
  }
  void signal(uint64_t semaphore, int64_t amount = 1) {
    address(28, semaphore);
    li(isa::X{29}, amount);
    et_sig(isa::X{28}, isa::X{29});
  }
  void wait(int64_t semaphore, int64_t amount) {
    li(isa::X{28}, amount);
    et_wait(isa::X{0}, semaphore, isa::X{28});
  }

 private:
  static constexpr isa::X kCore{8}, kDevice{9};
};

/// A program on so many devices.
class ClusterRun {
 public:
  explicit ClusterRun(isa::ProgramBuilder& builder, unsigned devices = 2)
      : program_(builder, kClusterMachine, {}, Values::computed, devices) {}

  RunResult run(unsigned cores = 1, uint64_t seed = 0) {
    LaunchOptions options;
    options.cores = cores;
    options.seed = seed;
    options.instruction_limit = 1'000'000;
    options.console = [this](std::string_view text) { console += text; };
    return program_.launch(options);
  }
  FunctionalDevice& device() { return program_.device(); }
  std::unique_ptr<FunctionalDevice> takeDevice() { return program_.takeDevice(); }
  template <class T>
  T at(uint64_t address) {
    T value{};
    EXPECT_TRUE(device().read(address, std::as_writable_bytes(std::span(&value, 1))).ok());
    return value;
  }
  /// The fault that ended the run; fails the test if there is none.
  isa::Fault fault(unsigned cores = 1) {
    EXPECT_EQ(run(cores).status, RunStatus::fault);
    const auto& faults = device().findings().faults();
    EXPECT_EQ(faults.size(), 1u);
    return faults.empty() ? isa::Fault{} : faults[0];
  }
  void expectNoFinding() {
    for (const isa::Fault& fault : device().findings().faults()) ADD_FAILURE() << fault.detail;
    for (const RaceReport& race : device().races().reports()) ADD_FAILURE() << race.text;
    EXPECT_EQ(device().findings().uninitialisedCount(), 0u);
  }

  std::string console;

 private:
  TestProgram program_;
};

}  // namespace etalon::sim
