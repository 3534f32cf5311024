// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>

#include "isa/csr.h"
#include "sim/functional/snapshot_test_support.h"
#include "sim/functional/vector_test_support.h"

namespace etalon::sim {

inline constexpr uint64_t kViewImages = kTestData + 0x8000;  // of view registers 0, 1, ...
inline constexpr uint64_t kGlobal = kTestData + 0x100;
inline constexpr uint32_t kLocal = 0x1000;
inline constexpr isa::X kHart{8};

/// A program whose tile t and view v are `kElements` f32 elements: the tile in local memory, the view at kGlobal + 256 v.
class StepProgram : public VectorBuilder {
 public:
  static constexpr uint32_t kElements = 4;

  StepProgram() {
    csrrs(kHart, isa::csr::kMhartid, isa::X{0});
    for (uint8_t i = 0; i < 4; ++i) {
      setTile(i, denseTile(ElementType::f32, kElements, 1, kLocal + 256 * i));
      li(isa::X{31}, static_cast<int64_t>(kViewImages + isa::kViewImageBytes * i));
      et_vld(isa::View{i}, isa::X{31});
    }
    for (uint8_t i = 0; i < 2; ++i)  // tiles 2 and 3 have nothing in them
      store(kLocal + 256 * i, {1, 2, 3, 4});
  }
  void address(isa::X x, uint64_t value) { li(x, static_cast<int64_t>(value)); }
  void idle(int instructions) {
    for (int i = 0; i < instructions; ++i) addi(isa::X{9}, isa::X{9}, 1);
  }
  void meet() {
    li(isa::X{28}, -1);
    et_barrier(isa::X{28}, isa::X{28});
  }
  /// Adds 1 to semaphore s of a core.
  void signal(unsigned core, unsigned s) {
    address(isa::X{28}, isa::kCoreWindowBase + core * isa::kCoreWindowStride + kLocalBytes + 4 * s);
    li(isa::X{29}, 1);
    et_sig(isa::X{28}, isa::X{29});
  }
  /// `first` on core 0, `second` on core 1.
  void split(const std::function<void()>& first, const std::function<void()>& second) {
    const Label others = label(), end = label();
    bne(kHart, isa::X{0}, others);
    first();
    jal(isa::X{0}, end);
    bind(others);
    second();
    bind(end);
  }

  static constexpr uint64_t kLocalBytes = 64 << 10;
};

inline std::unique_ptr<FunctionalDevice> deviceOf(StepProgram& p) {
  TestProgram program(p, {"cores=2", "local_bytes=64 KiB", "address_map.global_bytes=2 MiB"});
  for (uint64_t i = 0; i < 4; ++i) {
    isa::ViewDescriptor view;
    view.base = kGlobal + 256 * i;
    view.type = static_cast<uint8_t>(ElementType::f32);
    view.naxes = view.nbox = 1;
    view.axes[0] = {.dim = StepProgram::kElements, .stride = 4, .origin = 0};
    view.box[0] = {.extent = StepProgram::kElements, .axis = 0, .step = 1};
    std::array<std::byte, isa::kViewImageBytes> image;
    isa::storeViewImage(view, image);
    EXPECT_TRUE(program.device().write(kViewImages + isa::kViewImageBytes * i, image).ok());
  }
  return program.takeDevice();
}

struct StepRun {
  std::unique_ptr<FunctionalDevice> device;  // that ran to its end without snapshots
  RunResult result;
};
inline StepRun runThroughSnapshots(StepProgram& p, unsigned cores, uint64_t seed = 0) {
  p.et_halt();
  StepRun run{deviceOf(p), {}};
  const Comparison comparison =
      compareThroughSnapshots(*run.device, deviceOf(p), cores, [] { return 1; }, seed);
  run.result = comparison.result;
  EXPECT_GT(comparison.snapshots, 10);
  for (const isa::Fault& fault : run.device->findings().faults()) ADD_FAILURE() << fault.detail;
  return run;
}

}  // namespace etalon::sim
