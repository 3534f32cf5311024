// SPDX-License-Identifier: Apache-2.0
// DMA instructions as programs see them: types that do not go together, hints.
#include "isa/csr.h"
#include "isa/state/rule_test.h"
#include "sim/functional/vector_test_support.h"

namespace etalon::sim {
namespace {

using isa::Tile;
using isa::View;
using isa::X;

constexpr uint64_t kViewImage = kTestData + 0x8000;

/// Sets view 1.
void setView(VectorBuilder& p, const isa::ViewDescriptor& view) {
  std::array<std::byte, isa::kViewImageBytes> image;
  isa::storeViewImage(view, image);
  p.li(X{31}, static_cast<int64_t>(kViewImage));
  for (int at = 0; at < isa::kViewImageBytes; at += 8) {
    p.li(X{28}, loadBytes<int64_t>(image.data() + at));
    p.sd(X{28}, at, X{31});
  }
  p.et_vld(View{1}, X{31});
}

/// Sets tile 1 to one element of a type and view 1 to one element at `base`.
void setUp(VectorBuilder& p, ElementType tile, ElementType view, uint64_t base = kTestData) {
  isa::ViewDescriptor one;
  one.base = base;
  one.type = static_cast<uint8_t>(view);
  setView(p, one);
  p.setTile(1, denseTile(tile, 1, 1, 0x1000));
  p.store(0x1000, {0, 0});
}

/// The rule that the program's only fault names; "none" without one.
std::string ruleOf(VectorBuilder& p) {
  p.exit(0);
  TestProgram program(p);
  program.run();
  const auto& faults = program.device().findings().faults();
  if (faults.empty()) return "none";
  EXPECT_EQ(faults[0].cause, isa::Cause::shape);
  return std::string(isa::ruleInfo(faults[0].rule)->name);
}

TEST(Dma, ConvertsBetweenSomeTypesAlone) {
  SHOWS(dma_types);
  VIOLATES(dma_types);
  using T = ElementType;
  const std::pair<T, T> legal[] = {{T::i64, T::i64},    {T::bf16, T::f32}, {T::u8, T::i32},
                                   {T::f8e4m3, T::i32}, {T::i8, T::f16},   {T::e8m0, T::e8m0}};
  const std::pair<T, T> illegal[] = {{T::i64, T::i32}, {T::f32, T::i64}, {T::e8m0, T::u8}};
  for (const auto& [a, b] : legal) {
    VectorBuilder load, store;
    setUp(load, a, b);
    load.et_ld(Tile{1}, View{1}, 0);
    EXPECT_EQ(ruleOf(load), "none") << elementInfo(a).name << " " << elementInfo(b).name;
    setUp(store, a, b);
    store.et_st(Tile{1}, View{1}, 0);
    EXPECT_EQ(ruleOf(store), "none") << elementInfo(a).name << " " << elementInfo(b).name;
  }
  for (const auto& [a, b] : illegal) {
    VectorBuilder load, store;
    setUp(load, a, b);
    load.et_ld(Tile{1}, View{1}, 0);
    EXPECT_EQ(ruleOf(load), "op.types") << elementInfo(a).name << " " << elementInfo(b).name;
    setUp(store, a, b);
    store.et_st(Tile{1}, View{1}, 0);
    EXPECT_EQ(ruleOf(store), "op.types") << elementInfo(a).name << " " << elementInfo(b).name;
  }
}

TEST(Dma, UpdatesElementsOfOneTypeAlone) {
  SHOWS(dma_atomic_types);
  VIOLATES(dma_atomic_types);
  using T = ElementType;
  const auto update = [](T tile, T view) {
    VectorBuilder p;
    setUp(p, tile, view);
    p.et_st_add(Tile{1}, View{1});
    return ruleOf(p);
  };
  EXPECT_EQ(update(T::i32, T::i32), "none");
  EXPECT_EQ(update(T::f32, T::f32), "none");
  EXPECT_EQ(update(T::i32, T::f32), "op.types");
  EXPECT_EQ(update(T::u32, T::u32), "op.types");
  EXPECT_EQ(update(T::bf16, T::bf16), "op.types");
}

TEST(Dma, KnowsTheBytesOfATileByEveryAddress) {
  SHOWS(map_same_bytes);
  for (const uint64_t base : {isa::kLocalWindowBase, isa::kCoreWindowBase}) {
    VectorBuilder over, beside;
    setUp(over, ElementType::f32, ElementType::f32, base + 0x1000);
    over.et_ld(Tile{1}, View{1}, 0);
    over.exit(0);
    TestProgram program(over);
    ASSERT_EQ(program.run().status, RunStatus::fault) << base;
    EXPECT_EQ(program.device().findings().faults()[0].rule, isa::Rule::alias_view);
    setUp(beside, ElementType::f32, ElementType::f32, base + 0x1004);
    beside.et_ld(Tile{1}, View{1}, 0);
    EXPECT_EQ(ruleOf(beside), "none");
  }
  VectorBuilder other;  // the same offset in another core's memory
  setUp(other, ElementType::f32, ElementType::f32,
        isa::kCoreWindowBase + isa::kCoreWindowStride + 0x1000);
  other.et_ld(Tile{1}, View{1}, 0);
  EXPECT_EQ(ruleOf(other), "none");
}

TEST(Dma, PrefetchReadsNothingAndChangesNothing) {
  SHOWS(dma_prefetch);
  // Bytes that nobody wrote: a load would be a finding.
  VectorBuilder p;
  setUp(p, ElementType::f32, ElementType::f32, 0x9000'0000);
  p.et_pf(View{1});
  p.exit(0);
  TestProgram program(p);
  EXPECT_EQ(program.run().status, RunStatus::exited);
  EXPECT_EQ(program.device().findings().uninitialisedCount(), 0u);
  EXPECT_EQ(program.device().counterTotal(isa::Counter::load_bytes), 0u);
  EXPECT_EQ(localWords(program, 0x1000, 2), (std::vector<uint32_t>{0, 0}));
}

TEST(Dma, AnIndexOutsideFillsAndLeavesItsFirstPc) {
  SHOWS(dma_index_outside, csr_index_status);
  VectorBuilder p;
  isa::ViewDescriptor rows;
  rows.base = kTestData;
  rows.type = static_cast<uint8_t>(ElementType::i32);
  rows.fill = 77;
  rows.naxes = rows.nbox = rows.ncol = 1;
  rows.axes[0] = {.dim = 4, .stride = 4, .origin = 0};
  rows.box[0] = {.extent = 2, .axis = 0, .step = 1};
  setView(p, rows);
  p.setTile(1, denseTile(ElementType::i32, 1, 2, 0x1000));
  p.setTile(2, denseTile(ElementType::i32, 1, 2, 0x2000));
  p.store(0x2000, {3, 4});  // 4 is outside
  const uint64_t first = kTestEntry + p.here();
  for (int i = 0; i < 2; ++i) p.et_gather(Tile{1}, View{1}, Tile{2}, 0, 0);
  p.csrrs(X{5}, isa::csr::kEtindexld, X{0});
  p.csrrs(X{6}, isa::csr::kEtstatus, X{0});
  p.csrrwi(X{0}, isa::csr::kEtstatus, 0);
  p.csrrs(X{7}, isa::csr::kEtstatus, X{0});
  p.li(X{8}, static_cast<int64_t>(first - 1));  // 1 left for the status
  p.sub(X{5}, X{5}, X{8});
  p.slli(X{5}, X{5}, 1);
  p.add(X{5}, X{5}, X{6});
  p.slli(X{5}, X{5}, 1);
  p.add(X{5}, X{5}, X{7});
  p.exitWithRegister(X{5});
  TestProgram program(p);
  EXPECT_EQ(program.run().exit_code, 6u);
  EXPECT_EQ(localWords(program, 0x1000, 2), (std::vector<uint32_t>{0, 77}));
}

TEST(Dma, CountsTheBytesInsideTheViewInItsTypeAsUseful) {
  // Columns -2..5 of a row of 5 elements of bf16: five of the eight are inside.
  isa::ViewDescriptor view;
  view.base = kTestData;
  view.type = static_cast<uint8_t>(ElementType::bf16);
  view.naxes = view.nbox = view.ncol = 1;
  view.axes[0] = {.dim = 5, .stride = 2, .origin = -2};
  view.box[0] = {.extent = 8, .axis = 0, .step = 1};
  VectorBuilder p;
  setView(p, view);
  p.setTile(1, denseTile(ElementType::f32, 1, 8, 0x1000));
  p.et_ld(Tile{1}, View{1}, 0);
  p.et_st(Tile{1}, View{1}, 0);
  p.et_st(Tile{1}, View{1}, 0);
  p.exit(0);
  TestProgram program(p);
  ASSERT_EQ(program.run().status, RunStatus::exited);
  EXPECT_EQ(program.device().counterTotal(isa::Counter::load_bytes), 10u);
  EXPECT_EQ(program.device().counterTotal(isa::Counter::store_bytes), 20u);
}

TEST(Dma, CountsTheBytesOfIndexedRowsInsideAsUseful) {
  // Of the indices 3, 4 and 0 into four elements of bf16 two are inside.
  isa::ViewDescriptor view;
  view.base = kTestData;
  view.type = static_cast<uint8_t>(ElementType::bf16);
  view.naxes = view.nbox = view.ncol = 1;
  view.axes[0] = {.dim = 4, .stride = 2, .origin = 0};
  view.box[0] = {.extent = 3, .axis = 0, .step = 1};
  VectorBuilder p;
  setView(p, view);
  p.setTile(1, denseTile(ElementType::f32, 1, 3, 0x1000));
  p.setTile(2, denseTile(ElementType::i32, 1, 3, 0x2000));
  p.store(0x2000, {3, 4, 0});
  p.et_gather(Tile{1}, View{1}, Tile{2}, 0, 0);
  p.et_scatter(Tile{1}, View{1}, Tile{2}, 0, 0);
  p.et_scatter(Tile{1}, View{1}, Tile{2}, 0, 0);
  p.exit(0);
  TestProgram program(p);
  ASSERT_EQ(program.run().status, RunStatus::exited);
  EXPECT_EQ(program.device().counterTotal(isa::Counter::retired_load), 1u);
  EXPECT_EQ(program.device().counterTotal(isa::Counter::load_bytes), 4u);
  EXPECT_EQ(program.device().counterTotal(isa::Counter::retired_store), 2u);
  EXPECT_EQ(program.device().counterTotal(isa::Counter::store_bytes), 8u);
}

TEST(Dma, ReadsNoByteBesideTheView) {
  // Four bytes that the program wrote, between bytes that nobody did.
  constexpr uint64_t kBase = 0x9000'0004;
  VectorBuilder p;
  setUp(p, ElementType::f32, ElementType::f32, kBase);
  p.li(X{5}, static_cast<int64_t>(kBase));
  p.sw(X{0}, 0, X{5});
  p.et_ld(Tile{1}, View{1}, 0);
  p.exit(0);
  TestProgram program(p);
  EXPECT_EQ(program.run().status, RunStatus::exited);
  EXPECT_EQ(program.device().findings().uninitialisedCount(), 0u);
}

}  // namespace
}  // namespace etalon::sim
