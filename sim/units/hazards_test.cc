// SPDX-License-Identifier: Apache-2.0
#include "sim/units/hazards.h"

#include <gtest/gtest.h>

#include "isa/state/overlap.h"

namespace etalon::sim {
namespace {

enum Access : int { kRead = 1, kWrite = 2 };

isa::TileRegister rows(uint32_t base, uint32_t count, uint32_t cols, uint32_t stride) {
  isa::TileRegister tile;
  tile.base = base;
  tile.outer = 1;
  tile.inner = count;
  tile.cols = cols;
  tile.istride = stride;
  tile.type = static_cast<uint8_t>(ElementType::u8);
  return tile;
}

TileUse use(const isa::TileRegister& tile, int access) {
  const isa::ByteInterval hull = tile.hull();
  return {tile,
          {static_cast<uint64_t>(hull.lo), static_cast<uint64_t>(hull.hi)},
          false,
          (access & kRead) != 0,
          (access & kWrite) != 0};
}

Token with(std::initializer_list<TileUse> uses) {
  Token token;
  for (const TileUse& one : uses) token.tile_uses[token.tile_count++] = one;
  return token;
}

/// A view of `rows` rows of 64 bytes, 256 bytes apart.
ViewUse box(uint64_t base, uint64_t count, uint64_t first, int access, bool local = false) {
  ViewUse use;
  use.view.base = base;
  use.view.type = static_cast<uint8_t>(ElementType::u8);
  use.view.naxes = 2;
  use.view.nbox = 2;
  use.view.ncol = 1;
  use.view.axes[0] = {1024, 256, static_cast<int64_t>(first)};
  use.view.axes[1] = {64, 1, 0};
  use.view.box[0] = {static_cast<uint32_t>(count), 0, 1};
  use.view.box[1] = {64, 1, 1};
  use.local = local;
  use.span = {base + first * 256, base + (first + count - 1) * 256 + 64};
  use.reads = (access & kRead) != 0;
  use.writes = (access & kWrite) != 0;
  return use;
}

TEST(Hazards, AReaderWaitsForTheWriteOfTheSameBytes) {
  const auto tile = rows(0, 4, 64, 64);
  EXPECT_EQ(hazardBetween(with({use(tile, kWrite)}), with({use(tile, kRead)})),
            Hazard::after_write);
}

TEST(Hazards, AWriterWaitsForReadsOnlyUntilTheyHaveRead) {
  const auto tile = rows(0, 4, 64, 64);
  EXPECT_EQ(hazardBetween(with({use(tile, kRead)}), with({use(tile, kWrite)})),
            Hazard::write_after_read);
}

TEST(Hazards, ReadersDoNotWaitForEachOther) {
  const auto tile = rows(0, 4, 64, 64);
  EXPECT_EQ(hazardBetween(with({use(tile, kRead)}), with({use(tile, kRead)})), Hazard::none);
}

TEST(Hazards, BytesOneApartAreFreeAndOneInCommonIsAHazard) {
  const auto older = with({use(rows(0, 1, 64, 64), kWrite)});
  EXPECT_EQ(hazardBetween(older, with({use(rows(64, 1, 64, 64), kRead)})), Hazard::none);
  EXPECT_EQ(hazardBetween(older, with({use(rows(63, 1, 64, 64), kRead)})), Hazard::after_write);
}

TEST(Hazards, TilesSideBySideInTheSameRowsAreFreeAsMayOverlapSays) {
  const auto left = rows(0, 8, 64, 128), right = rows(64, 8, 64, 128);
  ASSERT_FALSE(isa::mayOverlap(left, right));
  EXPECT_EQ(hazardBetween(with({use(left, kWrite)}), with({use(right, kWrite)})), Hazard::none);
}

TEST(Hazards, ADisplacedSourceCountsByItsSpan) {
  TileUse displaced = use(rows(0, 8, 16, 128), kRead);
  displaced.displaced = true;
  displaced.span.hi += 32;
  // Beside its rows, but inside the span.
  EXPECT_EQ(hazardBetween(with({use(rows(64, 1, 16, 128), kWrite)}), with({displaced})),
            Hazard::after_write);
}

TEST(Hazards, TheStrongestOfSeveralHazardsCounts) {
  const auto a = rows(0, 1, 64, 64), b = rows(64, 1, 64, 64);
  const auto older = with({use(a, kRead), use(b, kWrite)});
  EXPECT_EQ(hazardBetween(older, with({use(a, kWrite)})), Hazard::write_after_read);
  EXPECT_EQ(hazardBetween(older, with({use(a, kWrite), use(b, kRead)})), Hazard::after_write);
}

TEST(Hazards, BoxesOfOneTensorAreComparedByAxes) {
  Token store, load;
  store.view = box(0x80000000, 4, 0, kWrite);
  load.view = box(0x80000000, 4, 4, kRead);
  EXPECT_EQ(hazardBetween(store, load), Hazard::none);
  load.view = box(0x80000000, 4, 3, kRead);
  EXPECT_EQ(hazardBetween(store, load), Hazard::after_write);
}

TEST(Hazards, AViewOfGlobalMemoryNeverMeetsATileAndOneOfLocalMemoryCountsByItsSpan) {
  const auto tile = with({use(rows(0x1000, 4, 64, 64), kWrite)});
  Token load;
  load.view = box(0x1000, 4, 0, kRead);
  EXPECT_EQ(hazardBetween(tile, load), Hazard::none);
  load.view->local = true;
  EXPECT_EQ(hazardBetween(tile, load), Hazard::after_write);
}

TEST(Hazards, AScalarStoreWaitsForReadersAndALoadDoesNot) {
  const auto reader = with({use(rows(0, 4, 64, 64), kRead)});
  EXPECT_EQ(hazardOfLocalAccess(reader, {8, 16}, true), Hazard::write_after_read);
  EXPECT_EQ(hazardOfLocalAccess(reader, {8, 16}, false), Hazard::none);
  EXPECT_EQ(hazardOfLocalAccess(reader, {256, 264}, true), Hazard::none);
}

TEST(Hazards, AFenceOfATileFindsReadersAndWriters) {
  const TileUse fenced = use(rows(0, 4, 64, 64), 0);
  EXPECT_TRUE(mayTouch(with({use(rows(192, 1, 64, 64), kRead)}), fenced));
  EXPECT_FALSE(mayTouch(with({use(rows(256, 1, 64, 64), kWrite)}), fenced));
}

}  // namespace
}  // namespace etalon::sim
