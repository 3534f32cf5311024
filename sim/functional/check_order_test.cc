// SPDX-License-Identifier: Apache-2.0
// Rule fault.order where an instruction breaks two rules of different classes or operands; and that own local memory
// is the same bytes through all its windows.
#include <functional>
#include <optional>

#include "isa/state/rule_test.h"
#include "sim/functional/vector_test_support.h"

namespace etalon::sim {
namespace {

using isa::Cause;
using isa::Rule;
using isa::Tile;
using isa::View;
using isa::ViewDescriptor;
using isa::X;
using enum ElementType;

constexpr uint64_t kViewImage = kTestData + 0x8000;
constexpr uint64_t kNowhere = 0x1000;
constexpr uint32_t kTile = 0x1000, kIndices = 0x3000;

ViewDescriptor bytesView(uint64_t base, uint32_t rows, uint32_t columns) {
  ViewDescriptor v;
  v.base = base;
  v.type = static_cast<uint8_t>(u8);
  v.naxes = v.nbox = 2;
  v.ncol = 1;
  v.axes[0] = {rows, columns, 0};
  v.axes[1] = {columns, 1, 0};
  v.box[0] = {rows, 0, 1};
  v.box[1] = {columns, 1, 1};
  return v;
}

/// A tile of one row of bytes that stands for all rows.
isa::TileRegister repeatedTile(uint32_t rows, uint32_t columns) {
  isa::TileRegister tile = denseTile(u8, rows, columns, kTile);
  tile.istride = 0;
  return tile;
}

isa::TileRegister indexTile(uint32_t count, uint32_t base) {
  return denseTile(i32, 1, count, base);
}

/// Loads the view into vr1, then the program; its first fault, on `cores` cores.
std::optional<isa::Fault> faultOf(const ViewDescriptor& view,
                                  const std::function<void(VectorBuilder&)>& program,
                                  unsigned cores = 1) {
  VectorBuilder p;
  p.li(X{31}, static_cast<int64_t>(kViewImage));
  p.et_vld(View{1}, X{31});
  program(p);
  p.et_halt();
  TestProgram run(p, {"work_cap.elements_log2=24"});
  std::vector<std::byte> image(isa::kViewImageBytes);
  isa::storeViewImage(view, std::span<std::byte, isa::kViewImageBytes>(image));
  EXPECT_TRUE(run.device().write(kViewImage, image).ok());
  run.run(cores);
  const auto& faults = run.device().findings().faults();
  return faults.empty() ? std::nullopt : std::optional(faults[0]);
}

void expectFault(const std::optional<isa::Fault>& fault, Cause cause, Rule rule) {
  ASSERT_TRUE(fault);
  EXPECT_EQ(fault->cause, cause) << fault->detail;
  EXPECT_EQ(fault->rule, rule) << fault->detail;
}

constexpr uint32_t kRows = 1 << 13, kColumns = 1 << 12;  // 2^25 elements, cap 2^24

TEST(CheckOrder, BoundsOfAViewComeBeforeTheWorkCap) {
  SHOWS(fault_order);
  VIOLATES(fault_order);
  const auto store = [](VectorBuilder& p) {
    p.setTile(1, repeatedTile(kRows, kColumns));
    p.et_st(Tile{1}, View{1}, 0);
  };
  expectFault(faultOf(bytesView(kNowhere, kRows, kColumns), store), Cause::global_access,
              Rule::view_bounds);
  expectFault(faultOf(bytesView(0x90000000, kRows, kColumns), store), Cause::work_cap,
              Rule::op_work_cap);
}

TEST(CheckOrder, BoundsOfAFencedViewComeBeforeTheWorkCap) {
  SHOWS(fault_order);
  VIOLATES(fault_order);
  const auto fence = [](VectorBuilder& p) { p.et_fence_v(View{1}); };
  expectFault(faultOf(bytesView(kNowhere, kRows, kColumns), fence), Cause::global_access,
              Rule::view_bounds);
  expectFault(faultOf(bytesView(0x90000000, kRows, kColumns), fence), Cause::work_cap,
              Rule::op_work_cap);
}

TEST(CheckOrder, BoundsGoByOperandTilesAndViewsAlike) {
  SHOWS(fault_order);
  VIOLATES(fault_order);
  const auto gather = [](uint32_t tile, uint32_t indices) {
    return [=](VectorBuilder& p) {
      p.setTile(1, denseTile(u8, 2, 2, tile));
      p.setTile(2, indexTile(2, indices));
      p.et_gather(Tile{1}, View{1}, Tile{2}, 0, 0);
    };
  };
  constexpr uint32_t kBeyond = 64 << 20;
  expectFault(faultOf(bytesView(kNowhere, 2, 2), gather(kTile, kBeyond)), Cause::global_access,
              Rule::view_bounds);
  expectFault(faultOf(bytesView(kNowhere, 2, 2), gather(kBeyond + 64, kBeyond)),
              Cause::local_bounds, Rule::tile_bounds);
  expectFault(faultOf(bytesView(kTestData, 2, 2), gather(kTile, kBeyond)), Cause::local_bounds,
              Rule::tile_bounds);
}

TEST(CheckOrder, DescriptorsComeBeforeTheNamedAxis) {
  SHOWS(fault_order);
  VIOLATES(fault_order);
  const auto gather = [](VectorBuilder& p) {
    p.setTile(1, denseTile(u8, 2, 2, kTile));
    p.setTile(2, indexTile(2, kIndices));
    p.et_gather(Tile{1}, View{1}, Tile{2}, 1, 0);
  };
  const ViewDescriptor wrong_axis = bytesView(kTestData, 2, 2);
  expectFault(faultOf(wrong_axis, gather), Cause::shape, Rule::dma_gather_count);
  ViewDescriptor position = wrong_axis;
  position.axes[1].origin = INT64_MAX;
  expectFault(faultOf(position, gather), Cause::malformed, Rule::view_position);
  // A reserved type of the index tile is a descriptor's, too.
  const auto reserved = [&](VectorBuilder& p) {
    isa::TileRegister indices = indexTile(2, kIndices);
    indices.type = 40;
    p.setTile(1, denseTile(u8, 2, 2, kTile));
    p.setTile(2, indices);
    p.et_scatter(Tile{1}, View{1}, Tile{2}, 1, 0);
  };
  expectFault(faultOf(wrong_axis, reserved), Cause::malformed, Rule::tile_type);
}

TEST(CheckOrder, TypesComeBeforeTheNamedAxis) {
  SHOWS(fault_order);
  VIOLATES(fault_order);
  const auto gather = [](VectorBuilder& p) {
    p.setTile(1, denseTile(u8, 2, 2, kTile));
    p.setTile(2, denseTile(f32, 1, 2, kIndices));
    p.et_gather(Tile{1}, View{1}, Tile{2}, 1, 0);
  };
  expectFault(faultOf(bytesView(kTestData, 2, 2), gather), Cause::shape, Rule::op_types);
}

/// A load of a 2 x 2 tile of bytes at kTile from `address`, by every core.
std::optional<isa::Fault> faultOfLoadFrom(uint64_t address, unsigned cores) {
  return faultOf(
      bytesView(address, 2, 2),
      [](VectorBuilder& p) {
        p.setTile(1, denseTile(u8, 2, 2, kTile));
        p.et_ld(Tile{1}, View{1}, 0);
      },
      cores);
}

constexpr uint64_t windowOf(unsigned core) {
  return isa::kCoreWindowBase + core * isa::kCoreWindowStride;
}

TEST(Windows, OwnMemoryAliasesATileThroughEitherWindow) {
  SHOWS(map_core_window, alias_view);
  expectFault(faultOfLoadFrom(isa::kLocalWindowBase + kTile + 3, 1), Cause::aliasing,
              Rule::alias_view);
  expectFault(faultOfLoadFrom(windowOf(0) + kTile + 3, 1), Cause::aliasing, Rule::alias_view);
  constexpr uint64_t kOwnDevice = uint64_t{1} << isa::kDeviceShift;
  for (const uint64_t window : {isa::kLocalWindowBase, windowOf(0)})
    expectFault(faultOfLoadFrom(kOwnDevice | (window + kTile + 3), 1), Cause::aliasing,
                Rule::alias_view);
  EXPECT_FALSE(faultOfLoadFrom(windowOf(0) + kTile + 4, 1));
  EXPECT_FALSE(faultOfLoadFrom(windowOf(1) + kTile, 1)) << "the memory of another core";
}

TEST(Windows, TheOwnWindowIsThatOfTheCoreThatExecutes) {
  SHOWS(map_core_window, alias_view);
  const auto fault = faultOfLoadFrom(windowOf(1) + kTile, 2);
  expectFault(fault, Cause::aliasing, Rule::alias_view);
  EXPECT_EQ(fault->core, 1);
}

}  // namespace
}  // namespace etalon::sim
