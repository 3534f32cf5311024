// SPDX-License-Identifier: Apache-2.0
#include "isa/state/tile_operands.h"

#include <gtest/gtest.h>

namespace etalon::isa {
namespace {

constexpr uint64_t kLocalBytes = 65536;

/// The rule that a tile of bytes as the destination of et.iota breaks in a local memory of 64 KiB.
Rule brokenBy(uint64_t base, uint32_t rows, uint32_t cols) {
  Instruction in;
  in.id = InstructionId::et_iota;
  const MachineLimits limits{.local_bytes = kLocalBytes, .profiles = " Et-base "};
  TileOperands operands(in, limits, {});
  TileRegister tile;
  tile.base = static_cast<uint32_t>(base);
  tile.outer = 1;
  tile.inner = rows;
  tile.cols = cols;
  tile.istride = cols;
  tile.type = static_cast<uint8_t>(ElementType::u8);
  operands.tile(1, tile, Role::destination);
  operands.checkRegisters();
  operands.checkPlacement();
  operands.checkBounds(0);
  return operands.fault() ? operands.fault()->rule : Rule::none;
}

TEST(TileOperands, ATileMayEndWithLocalMemoryAndNotPastIt) {
  EXPECT_EQ(brokenBy(kLocalBytes - 64, 4, 16), Rule::none);
  EXPECT_EQ(brokenBy(kLocalBytes - 63, 4, 16), Rule::tile_bounds);
  EXPECT_EQ(brokenBy(0, 4, kLocalBytes / 4), Rule::none);
  EXPECT_EQ(brokenBy(0, 4, kLocalBytes / 4 + 1), Rule::tile_bounds);
}

TEST(TileOperands, ATileWithoutElementsMayStandAnywhere) {
  EXPECT_EQ(brokenBy(kLocalBytes + 64, 0, 16), Rule::none);
  EXPECT_EQ(brokenBy(kLocalBytes + 64, 4, 0), Rule::none);
}

}  // namespace
}  // namespace etalon::isa
