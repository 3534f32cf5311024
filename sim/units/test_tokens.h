// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "isa/base/share_folder.h"
#include "isa/machines/find_machine.h"
#include "sim/memory/local_memory.h"
#include "sim/units/token.h"

namespace etalon::sim {

/// Timing of a shipped machine.
inline isa::Timing timingOf(const std::string& name) {
  const auto profiles = isa::loadProfiles(ETALON_SOURCE_DIR "/isa/profiles");
  EXPECT_TRUE(profiles.ok());
  const auto machine =
      isa::loadMachine(ETALON_SOURCE_DIR "/isa/machines/" + name + ".yaml", *profiles);
  EXPECT_TRUE(machine.ok());
  return machine->timing.value();
}

/// Local memory that is never short of banks.
inline LocalMemory endlessMemory() {
  return LocalMemory({.banks = uint64_t{1} << 20, .bank_bytes = 128});
}

/// A tile of rows without gaps, or `stride` bytes apart.
inline isa::TileRegister tileAt(uint32_t base, uint64_t rows, uint64_t cols, ElementType type,
                                uint32_t stride = 0) {
  isa::TileRegister tile;
  tile.base = base;
  tile.outer = 1;
  tile.inner = static_cast<uint32_t>(rows);
  tile.cols = static_cast<uint32_t>(cols);
  tile.type = static_cast<uint8_t>(type);
  const uint64_t bits = static_cast<uint64_t>(elementInfo(type).bits);
  tile.istride = stride != 0 ? stride : static_cast<uint32_t>((cols * bits + 7) / 8);
  return tile;
}

inline TileUse useOf(const isa::TileRegister& tile, bool reads, bool writes) {
  const isa::ByteInterval hull = tile.hull();
  return {.tile = tile,
          .span = {static_cast<uint64_t>(hull.lo), static_cast<uint64_t>(hull.hi)},
          .reads = reads,
          .writes = writes};
}
inline TileUse source(const isa::TileRegister& tile) { return useOf(tile, true, false); }
inline TileUse result(const isa::TileRegister& tile) { return useOf(tile, false, true); }
inline TileUse inout(const isa::TileRegister& tile) { return useOf(tile, true, true); }

inline void addTile(Token& token, const TileUse& use) {
  if (!use.tile.empty()) token.tile_uses[token.tile_count++] = use;
}

/// A dense product onto an f32 tile; where its tiles stand, in megabytes.
struct TestProduct {
  uint64_t m = 0, n = 0, k = 0;
  ElementType type = ElementType::bf16;
  bool accumulates = false;
  uint32_t td = 0, a = 16, b = 32;
};
inline Token productToken(const TestProduct& p) {
  const auto bits = static_cast<unsigned>(elementInfo(p.type).bits);
  Token token;
  token.unit = isa::Unit::matrix;
  const isa::TileRegister td = tileAt(p.td << 20, p.m, p.n, ElementType::f32);
  addTile(token, useOf(td, p.accumulates, true));
  addTile(token, source(tileAt(p.a << 20, p.m, p.k, p.type)));
  addTile(token, source(tileAt(p.b << 20, p.k, p.n, p.type)));
  token.matrix = {
      .m = p.m, .n = p.n, .k = p.k, .a_bits = bits, .b_bits = bits, .accumulates = p.accumulates};
  return token;
}

}  // namespace etalon::sim
