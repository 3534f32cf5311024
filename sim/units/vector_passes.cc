// SPDX-License-Identifier: Apache-2.0
#include "sim/units/vector_passes.h"

#include <algorithm>
#include <bit>

namespace etalon::sim {
namespace {

uint64_t ceilDiv(uint64_t a, uint64_t b) { return (a + b - 1) / b; }
uint64_t log2Ceil(uint64_t n) { return n <= 1 ? 0 : static_cast<uint64_t>(std::bit_width(n - 1)); }

/// Cycles of the port for a group of elements of every source, and of the result.
Cycles portCycles(const isa::VectorTiming& t, const VectorWork& w, uint64_t elements) {
  const auto uses = [&](unsigned bits) {
    return std::max<uint64_t>(1, ceilDiv(elements * bits, 8 * t.port_bytes));
  };
  const Cycles reads = ceilDiv(w.sources * uses(w.source_bits), t.read_ports);
  const Cycles writes = w.result_bits == 0 ? 0 : ceilDiv(uses(w.result_bits), t.write_ports);
  return std::max(reads, writes);
}

/// A pass over rows that stand side by side: `width` of `group` elements every `lanes_cycles`, or `port_cycles` if longer.
void walk(VectorPasses& p, RowPace pace, Cycles lanes_cycles, Cycles port_cycles) {
  const uint64_t groups = ceilDiv(p.rows * pace.width, pace.group);
  pace.cycles = std::max(lanes_cycles, port_cycles);
  p.pace = pace;
  p.compute = groups * lanes_cycles;
  p.total = groups * pace.cycles;
}

/// Passes of a row of n elements through the sorting network of the lanes: bitonic to the size of the lanes, longer rows by
/// merging sorted runs pair by pair, each group of lanes through the last stage of a network of twice its size.
Cycles sortPasses(uint64_t n, uint64_t lanes) {
  const auto bitonic = [](uint64_t levels) { return levels * (levels + 1) / 2; };
  if (n <= lanes) return std::max<Cycles>(1, bitonic(log2Ceil(n)));
  const uint64_t runs = ceilDiv(n, lanes), levels = log2Ceil(lanes);
  return runs * (bitonic(levels) + log2Ceil(runs) * (levels + 1));
}

void sortWalk(VectorPasses& p, const isa::VectorTiming& t, const VectorWork& w) {
  const uint64_t side =
      std::max<uint64_t>(1, t.lanes / std::bit_ceil(std::max<uint64_t>(w.cols, 1)));
  // Elements and their indices pass the ports once, and once more for each round of merging.
  const uint64_t rounds = log2Ceil(ceilDiv(w.cols, t.lanes));
  const Cycles ports = portCycles(t, w, t.lanes) * ceilDiv(w.cols, t.lanes) * (1 + rounds);
  walk(p, {1, side, 0}, sortPasses(w.cols, t.lanes), ports);
}

}  // namespace

VectorPasses vectorPasses(const isa::VectorTiming& t, uint64_t bank_bytes, const VectorWork& w) {
  const uint64_t slots = w.exp_steps * t.exp_slots + w.function_steps * t.function_slots;
  const Cycles passes = std::max({uint64_t{1}, ceilDiv(w.simple_steps, t.stages), slots});
  const Cycles ports = portCycles(t, w, t.lanes);
  VectorPasses p{.rows = w.rows, .ordered = w.ordered};
  const unsigned bits = std::max({1U, w.source_bits, w.result_bits});
  switch (w.walk) {
    case VectorWalk::stream:
    case VectorWalk::row_reduction: walk(p, {w.cols, t.lanes, 0}, passes, ports); break;
    case VectorWalk::column_reduction:
      walk(p, {ceilDiv(w.cols, t.lanes), 1, 0}, passes, ports);
      p.at_end = true;
      break;
    case VectorWalk::row_scan: {
      const uint64_t side = std::max<uint64_t>(1, t.lanes / t.scan);
      walk(p, {1, side, 0}, ceilDiv(w.cols, t.scan), ceilDiv(w.cols, t.scan) * ports);
      break;
    }
    case VectorWalk::move:
    case VectorWalk::transpose: {
      const uint64_t elements = std::max<uint64_t>(1, t.port_bytes * 8 / bits);
      walk(p, {w.cols, elements, 0}, 1, portCycles(t, w, elements));
      break;
    }
    case VectorWalk::indexed:
      walk(p, {w.cols, std::max<uint64_t>(1, t.port_bytes / bank_bytes), 0}, 1, 1);
      break;
    case VectorWalk::sort: sortWalk(p, t, w); break;
  }
  if (w.reduces && p.total < p.rows) {
    // A row a cycle leaves the lanes for the fold, or for the tile of lanes.
    p.pace = {};
    p.compute = p.total = p.rows;
  }
  p.compute = std::max<Cycles>(p.compute, 1);
  p.total = std::max<Cycles>(p.total, 1);
  const uint64_t stages = w.simple_steps + slots;
  p.depth = t.start - 1 + (stages > 1 ? stages - 1 : 0) + (w.folds ? t.fold : 0);
  return p;
}

Cycles followDistance(const RowPace& older, const RowPace& younger, uint64_t rows) {
  const uint64_t last = rows - 1;
  const Cycles first_row = older.end(0);
  const Cycles last_end = older.end(last), last_begin = younger.begin(last);
  const Cycles distance = std::max(first_row, last_end > last_begin ? last_end - last_begin : 0);
  // Both go evenly, so the first or the last row decides, up to the group that a row begins or ends within.
  const bool same_groups = older.width == younger.width && older.group == younger.group;
  if (rows == 1 || (same_groups && older.group % older.width == 0)) return distance;
  return distance + (older.even() ? 0 : older.cycles) + (younger.even() ? 0 : younger.cycles);
}

}  // namespace etalon::sim
