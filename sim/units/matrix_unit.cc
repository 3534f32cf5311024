// SPDX-License-Identifier: Apache-2.0
#include "sim/units/matrix_unit.h"

#include <algorithm>

#include "isa/base/check.h"
#include "sim/units/hazards.h"

namespace etalon::sim {
namespace {

uint64_t ceilDiv(uint64_t a, uint64_t b) { return (a + b - 1) / b; }

/// Moves `at` on to `to`; returns how far.
Cycles advance(Cycles& at, Cycles to) {
  const Cycles by = to > at ? to - at : 0;
  at += by;
  return by;
}

bool sameTile(const isa::TileRegister& a, const isa::TileRegister& b) {
  return a == b || isa::sameElements(a, b);
}

/// Words of a walk over a tile by pieces of `width` columns; all whole pieces lie in words as the first does.
uint64_t wordsByColumns(const LocalMemory& local, isa::TileRegister tile, uint64_t width) {
  if (tile.cols <= width) return local.words(tile);
  const uint64_t pieces = tile.cols / width, rest = tile.cols % width;
  const auto bits = static_cast<uint64_t>(tile.elementBits());
  tile.cols = static_cast<uint32_t>(width);
  uint64_t words = pieces * local.words(tile);
  if (rest != 0) {
    tile.base += static_cast<uint32_t>(pieces * width * bits / 8);
    tile.cols = static_cast<uint32_t>(rest);
    words += local.words(tile);
  }
  return words;
}

/// td comes first, then A, B and what their links name; A and B are left out where K is 0.
constexpr size_t kTd = 0, kA = 1, kB = 2;

}  // namespace

MatrixUnit::Waits MatrixUnit::waitsOf(const Token& token, const MatrixPasses& passes,
                                      Cycles now) const {
  Waits waits;
  const auto tiles = token.tiles();
  const uint64_t m = token.matrix.m;
  for (const InFlight& old : in_flight_) {
    if (old.done <= now) continue;
    if (sameTile(old.td.tile, tiles[kTd].tile)) {
      if (token.matrix.accumulates) {
        // Row after row, so a faster stream begins so much later that its last row does not overtake.
        const Cycles later =
            old.stream > passes.stream ? ceilDiv((m - 1) * (old.stream - passes.stream), m) : 0;
        waits.first_block = std::max(waits.first_block, old.first + old.lag + later);
        waits.last_block = std::max(waits.last_block, old.last + old.lag + later);
      }
    } else if (mayOverlap(old.td, tiles[kTd])) {
      waits.rows = std::max(waits.rows, old.done);
    }
    for (size_t i = kA; i < tiles.size(); ++i) {
      if (!mayOverlap(old.td, tiles[i])) continue;
      Cycles& wait = i == kA ? waits.rows : waits.weights;
      wait = std::max(wait, old.done);
    }
  }
  return waits;
}

Bytes MatrixUnit::weightBytes(const Token& token, const MatrixPasses& passes) const {
  const auto tiles = token.tiles();
  if (tiles.size() <= kB || timing_.dataflow == isa::MatrixTiming::kOutputStationary) return 0;
  return ceilDiv(local_.words(tiles[kB].tile), passes.blocks * passes.steps) * local_.wordBytes();
}

/// Of all passes, without the first weights.
Bytes MatrixUnit::streamBytes(const Token& token, const MatrixPasses& passes) const {
  const auto tiles = token.tiles();
  const MatrixWork& work = token.matrix;
  const bool output_stationary = timing_.dataflow == isa::MatrixTiming::kOutputStationary;
  const uint64_t across = ceilDiv(work.n, timing_.cols);
  // Every pass writes its accumulators, and reads them if it goes on with some.
  const uint64_t passes_of_td = 2 * passes.steps - (work.accumulates ? 0 : 1);
  uint64_t words = passes_of_td * wordsByColumns(local_, tiles[kTd].tile, timing_.cols);
  if (tiles.size() > kB) {
    const isa::TileRegister& a = tiles[kA].tile;
    const bool pieces = !output_stationary && !a.transpose;
    words += across * (pieces ? wordsByColumns(local_, a, timing_.rows) : local_.words(a));
    const uint64_t b = local_.words(tiles[kB].tile);
    words += output_stationary ? b * (passes.blocks / across)
                               : b - ceilDiv(b, passes.blocks * passes.steps);
  }
  for (size_t i = kB + 1; i < tiles.size(); ++i) words += across * local_.words(tiles[i].tile);
  return words * local_.wordBytes();
}

UnitTimes MatrixUnit::take(const Token& token, Cycles now) {
  ETALON_CHECK(now >= accepts_, "an instruction given to the matrix unit before it accepts one");
  const MatrixPasses passes = matrixPasses(timing_, token.matrix);
  UnitTimes times;
  times.taken = now;
  Cycles at = std::max(now, streamed_);  // up to here, cycles are accounted for
  if (passes.blocks == 0) {              // one cycle to see that there is nothing to do
    times.start = at;
    times.busy = 1;
    times.first_result = times.read_done = times.done = streamed_ = at + 1;
    times.next = accepts_ = std::max(at, now + 1);
    return times;
  }
  const Waits waits = waitsOf(token, passes, now);

  const Cycles load = std::max(now, waits.weights);
  const Cycles loaded = local_.book(load, passes.first_load, weightBytes(token, passes));
  times.chain = advance(at, load);
  times.weights = advance(at, load + passes.first_load);
  times.ports = advance(at, loaded);
  times.chain += advance(at, std::max(waits.rows, waits.first_block));

  // Of the first round, the last pass alone can wait longer for older partial sums than the first, since the beginnings of a
  // round's passes lie on convex curves over their blocks.
  times.start = at;
  const MatrixRound first_round = {
      at, std::max(at + (passes.blocks - 1) * passes.interval(), waits.last_block)};
  const MatrixRound last_round = lastRound(passes, first_round);
  const Cycles last_pass = last_round.last;
  const Cycles end = last_pass + passes.stream;
  const uint64_t count = passes.blocks * passes.steps;
  times.busy = count * passes.stream;
  const Cycles gaps = (count - 1) * (passes.interval() - passes.stream);
  times.weights += gaps;
  times.chain += end - at - times.busy - gaps;
  const Cycles late = local_.book(at, end - at, streamBytes(token, passes)) - end;
  times.ports += late;

  times.first_result = last_round.first + ceilDiv(passes.stream, token.matrix.m) + passes.drain;
  times.read_done = streamed_ = end + late;
  times.done = times.read_done + passes.drain;
  times.next = accepts_ = std::max(last_pass + late, now + 1);
  in_flight_.push_back({.td = token.tile_uses[kTd],
                        .stream = passes.stream,
                        .lag = passes.lag,
                        .first = passes.blocks == 1 ? last_pass + late : last_round.first,
                        .last = last_pass + late,
                        .done = times.done});
  return times;
}

void MatrixUnit::retire(Cycles now) {
  std::erase_if(in_flight_, [now](const InFlight& old) { return old.done <= now; });
}

}  // namespace etalon::sim
