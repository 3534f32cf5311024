// SPDX-License-Identifier: Apache-2.0
// A tile's values as a matrix, for `--dump tile:trN`.
#include <fmt/format.h>

#include <algorithm>

#include "isa/base/bits.h"
#include "isa/numerics/convert.h"
#include "tools/run/dump.h"

namespace etalon::tools {
namespace {

constexpr uint64_t kRows = 12,
                   kColumns = 8;  // shown; a half of them from each end of a longer axis

/// Indices shown of an axis; kGap where some were left out.
constexpr uint64_t kGap = ~uint64_t{0};
std::vector<uint64_t> shownIndices(uint64_t extent, uint64_t most) {
  std::vector<uint64_t> shown;
  for (uint64_t i = 0; i < std::min(extent, extent > most ? most / 2 : most); ++i)
    shown.push_back(i);
  if (extent <= most) return shown;
  shown.push_back(kGap);
  for (uint64_t i = extent - most / 2; i < extent; ++i) shown.push_back(i);
  return shown;
}

std::string valueText(ElementType type, uint64_t bits) {
  const ElementKind kind = elementInfo(type).kind;
  if (kind == ElementKind::Float || kind == ElementKind::Scale)
    return fmt::format("{:.6g}", numerics::widenToFloat(type, static_cast<uint32_t>(bits)));
  return fmt::format("{}", numerics::widenToInt(type, bits));
}

std::string elementText(sim::Region& local, const isa::TileRegister& tile, uint64_t row,
                        uint64_t column) {
  if (tile.transpose) std::swap(row, column);
  const uint64_t begin =
      tile.base + row / tile.inner * tile.ostride + row % tile.inner * tile.istride;
  const uint64_t bits = static_cast<uint64_t>(tile.elementBits());
  const uint64_t at = begin + column * tile.step * bits / 8;
  const uint64_t bytes = tile.elementBytes();
  if (!local.init.allSet(at, bytes)) return "?";
  if (local.poisoned(at, bytes)) return "*";
  uint64_t value = 0;
  for (uint64_t i = 0; i < bytes; ++i)
    value |= static_cast<uint64_t>(local.data()[at + i]) << 8 * i;
  if (bits == 4) value = column % 2 == 0 ? value & 15 : value >> 4;
  return valueText(tile.elementType(), value);
}

}  // namespace

std::string tileMatrix(sim::Memory& memory, unsigned core, const isa::TileRegister& tile) {
  if (!tile.hasType() || isa::checkTile(tile)) return "  (not usable as an operand)\n";
  if (tile.empty()) return "  (empty)\n";
  sim::Region& local = memory.local(core);
  if (tile.hull().hi > local.size()) return "  (reaches past the end of local memory)\n";
  const std::vector<uint64_t> rows = shownIndices(tile.rows(), kRows),
                              columns = shownIndices(tile.columns(), kColumns);
  std::vector<std::vector<std::string>> cells;
  size_t width = 1;
  for (const uint64_t row : rows) {
    auto& line = cells.emplace_back();
    for (const uint64_t column : columns) {
      line.push_back(row == kGap || column == kGap ? "..." : elementText(local, tile, row, column));
      width = std::max(width, line.back().size());
    }
  }
  std::string text;
  for (const auto& line : cells) {
    text += " ";
    for (const std::string& cell : line) text += fmt::format(" {:>{}}", cell, width);
    text += '\n';
  }
  return text;
}

}  // namespace etalon::tools
