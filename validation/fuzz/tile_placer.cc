// SPDX-License-Identifier: Apache-2.0
#include "validation/fuzz/tile_placer.h"

#include <algorithm>

#include "isa/state/overlap.h"
#include "validation/fuzz/layout.h"

namespace etalon::fuzz {
namespace {

constexpr int kTries = 8;
constexpr size_t kRemembered = 16;

/// Bytes from a row's first to past its last; 0 of an empty row.
uint32_t rowBytes(const isa::TileRegister& t) {
  if (t.cols == 0) return 0;
  if (t.elementBits() == 4) return (t.cols + 1) / 2;
  return ((t.cols - 1) * t.step + 1) * t.elementBytes();
}

uint32_t divisor(Random& random, uint32_t n) {
  std::vector<uint32_t> all;
  for (uint32_t d = 1; d <= n; ++d)
    if (n % d == 0) all.push_back(d);
  return all.empty() ? 1 : random.pick(all);
}

}  // namespace

void TilePlacer::beginStep() {
  for (const Placed& p : placed_) {
    if (earlier_.size() < kRemembered)
      earlier_.push_back(p.tile.base);
    else
      earlier_[random_.below(kRemembered)] = p.tile.base;
  }
  placed_.clear();
  woven_ = 0;
  weave_ =
      random_.oneIn(3) ? random_.pick({Weave::rows, Weave::columns, Weave::blocks}) : Weave::none;
}

isa::TileRegister TilePlacer::layOut(const TileNeed& need) {
  isa::TileRegister t;
  t.type = static_cast<uint8_t>(need.type);
  t.transpose = need.transposable && random_.oneIn(3);
  t.cols = static_cast<uint32_t>(t.transpose ? need.rows : need.columns);
  const auto rows = static_cast<uint32_t>(t.transpose ? need.columns : need.rows);
  const bool four_bit = t.elementBits() == 4;
  if (need.steps && !four_bit && random_.oneIn(4)) t.step = random_.pick<uint8_t>({2, 4});
  t.inner = random_.oneIn(3) ? divisor(random_, rows) : rows;
  t.outer = t.inner == 0 ? 1 : rows / t.inner;
  const uint32_t size = t.elementBytes();
  const auto padding = [&] {
    return random_.oneIn(2) ? 0 : size * static_cast<uint32_t>(random_.below(4));
  };
  t.istride = rowBytes(t) + padding();
  t.ostride = t.inner * t.istride + padding();
  if (random_.oneIn(8)) {  // blocks between each other
    t.ostride = rowBytes(t) + padding();
    t.istride = t.outer * t.ostride;
  }
  if (need.written) return t;
  if (random_.oneIn(12)) t.istride = 0;
  if (random_.oneIn(12)) t.ostride = 0;
  if (need.steps && !four_bit && random_.oneIn(12)) t.step = 0;
  return t;
}

/// Leaves gaps in the first tile of a pattern that the others fill.
void TilePlacer::makeRoom(isa::TileRegister& t) {
  const uint32_t size = t.elementBytes();
  if (weave_ == Weave::columns) {
    t.step = 4;
    t.istride = t.cols * 4 * size;
  } else if (weave_ == Weave::rows) {
    t.istride = 4 * rowBytes(t) + size * static_cast<uint32_t>(random_.below(3));
  }
  t.ostride = t.inner * t.istride;
  if (weave_ == Weave::blocks) t.ostride *= 4;
}

/// Puts a tile into the pattern of the instruction; false if it has no place there.
bool TilePlacer::weave(isa::TileRegister& tile, const TileNeed& need) {
  constexpr uint32_t kMostWoven = 4;
  if (weave_ == Weave::none || tile.empty() || (weave_ == Weave::columns && !need.steps))
    return false;
  if (woven_ == 0) {
    if (tile.elementBits() == 4) return false;
    makeRoom(tile);
    findBase(tile, need.written);
    pattern_ = tile;
    woven_ = 1;
    return true;
  }
  const uint64_t rows = tile.transpose ? need.columns : need.rows;
  if (woven_ == kMostWoven || pattern_.storedRows() != rows || pattern_.cols != tile.cols ||
      pattern_.elementBits() != tile.elementBits())
    return false;
  const isa::CanonicalTile c = isa::canonical(pattern_);
  const uint64_t apart = weave_ == Weave::columns ? c.size
                         : weave_ == Weave::rows  ? c.width
                                                  : pattern_.inner * uint64_t{pattern_.istride};
  isa::TileRegister next = pattern_;
  next.type = tile.type;
  next.transpose = tile.transpose;
  next.base = static_cast<uint32_t>(pattern_.base + woven_ * apart);
  ++woven_;
  if (next.hull().hi > kExchange || !fits(next, need.written) ||
      (need.written && isa::selfOverlaps(next)))
    return false;
  tile = next;
  return true;
}

bool TilePlacer::fits(const isa::TileRegister& tile, bool written) const {
  return std::ranges::none_of(placed_, [&](const Placed& p) {
    return (written || p.written) && isa::mayOverlap(p.tile, tile);
  });
}

bool TilePlacer::fitsInPlace(const isa::TileRegister& tile) const {
  return std::ranges::none_of(placed_, [&](const Placed& p) {
    return isa::mayOverlap(p.tile, tile) && (p.written || !isa::sameElements(p.tile, tile));
  });
}

bool TilePlacer::meets(const isa::ByteInterval& bytes) const {
  return std::ranges::any_of(placed_,
                             [&](const Placed& p) { return isa::mayOverlap(p.tile, bytes); });
}

uint32_t TilePlacer::randomBase(const isa::TileRegister& tile) {
  isa::TileRegister at_zero = tile;
  at_zero.base = 0;
  const uint64_t bytes = at_zero.empty() ? 0 : at_zero.hull().hi;
  if (bytes > kExchange) return 0;
  const uint32_t size = tile.elementBytes();
  uint64_t base = random_.below(kExchange - bytes + 1);
  if (!earlier_.empty() && random_.oneIn(2)) {
    base = random_.pick(earlier_) + (random_.oneIn(3) ? random_.below(64) : 0);
    base = std::min(base, kExchange - bytes);
  }
  return static_cast<uint32_t>(base / size * size);
}

void TilePlacer::findBase(isa::TileRegister& tile, bool written) {
  for (int i = 0; i < kTries; ++i) {
    tile.base = randomBase(tile);
    if (tile.empty() || fits(tile, written)) return;
  }
}

isa::TileRegister TilePlacer::place(const TileNeed& need) {
  isa::TileRegister tile = layOut(need);
  if (!weave(tile, need)) findBase(tile, need.written);
  add(tile, need.written);
  return tile;
}

}  // namespace etalon::fuzz
