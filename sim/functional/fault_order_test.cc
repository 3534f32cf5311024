// SPDX-License-Identifier: Apache-2.0
// An instruction that breaks rules of every class traps with the first one, and after each repair with the next.
#include "isa/state/rule_test.h"
#include "sim/functional/vector_test_support.h"

namespace etalon::sim {
namespace {

using isa::Cause;
using isa::Tile;
using isa::TileRegister;

constexpr uint32_t kRows = 4096, kColumns = 4100;  // over a work cap of 2^24

/// The fault of `et.add tr0, tr1, tr2`, or none.
std::optional<isa::Fault> faultOf(const std::array<TileRegister, 3>& tiles) {
  VectorBuilder p;
  for (uint8_t i = 0; i < 3; ++i) p.setTile(i, tiles[i]);
  p.et_add(Tile{0}, Tile{1}, Tile{2});
  p.exit(0);
  TestProgram program(p, {"cores=1", "profiles=Et-base", "work_cap.elements_log2=24"});
  program.run();
  const auto& faults = program.device().findings().faults();
  return faults.empty() ? std::nullopt : std::optional(faults[0]);
}

TEST(FaultOrder, GoesClassByClassAndWithinOneByOperand) {
  SHOWS(fault_order);
  VIOLATES(fault_order);
  constexpr ElementType kF16 = ElementType::f16, kBf16 = ElementType::bf16;
  std::array<TileRegister, 3> t = {denseTile(kF16, kRows, kColumns, 0x1000),
                                   denseTile(kF16, kRows, kColumns - 1, 0x1002),
                                   denseTile(kF16, kRows, kColumns, (64u << 20) - 16)};
  t[1].type = t[2].type = 40;
  const auto expect = [&](Cause cause, int operand, const char* what) {
    const auto fault = faultOf(t);
    ASSERT_TRUE(fault.has_value()) << what;
    EXPECT_EQ(isa::causeName(fault->cause), isa::causeName(cause)) << what;
    EXPECT_EQ(fault->value >> 16 & 15, static_cast<uint64_t>(operand)) << what;
  };
  expect(Cause::malformed, 1, "two reserved types");
  t[1].type = static_cast<uint8_t>(kF16);
  expect(Cause::malformed, 2, "one reserved type");
  t[2].type = static_cast<uint8_t>(kF16);
  expect(Cause::shape, 1, "a column too few");
  t[1].cols = kColumns;
  t[1].istride = 2 * kColumns;
  expect(Cause::unsupported, 0, "a type outside the profile");
  for (TileRegister& tile : t) tile.type = static_cast<uint8_t>(kBf16);
  expect(Cause::aliasing, 0, "td over ta");
  t[1].base = t[0].base;
  expect(Cause::local_bounds, 2, "tb outside local memory");
  t[2].base = t[0].base;
  expect(Cause::work_cap, 0, "too many elements");
}

TEST(FaultOrder, LeavesAnInstructionThatBreaksNothing) {
  SHOWS(fault_order);
  const TileRegister small = denseTile(ElementType::bf16, 2, 2, 0x1000);
  EXPECT_FALSE(faultOf({small, small, small}).has_value());
}

}  // namespace
}  // namespace etalon::sim
