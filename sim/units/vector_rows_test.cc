// SPDX-License-Identifier: Apache-2.0
// The vector unit against a walk over every element: which row is read and written in which cycle, and so when a younger
// instruction can begin. Only isa::VectorTiming is shared with the unit.
#include <gtest/gtest.h>

#include <map>
#include <random>

#include "isa/base/fuzz_scale.h"
#include "sim/units/test_tokens.h"
#include "sim/units/vector_unit.h"

namespace etalon::sim {
namespace {

constexpr ElementType kF32 = ElementType::f32;

/// An instruction for both: tiles by number; a column is a tile of one element a row.
struct Op {
  VectorWalk walk = VectorWalk::stream;
  uint64_t rows = 0, cols = 0;
  unsigned simple = 1, exponentials = 0, functions = 0;
  bool folds = false;
  std::vector<int> sources;
  int result = 0;
  bool column_source = false;  // the last source is one element a row, repeated
};

/// Cycle offsets from the start of an instruction: when each row's first element is read, and when its result can be.
struct Walk {
  std::vector<Cycles> read, written;
  Cycles total = 0, depth = 0;
  Cycles group = 0;     // of what goes side by side
  bool even = true;     // every row ends with a group
  bool nested = false;  // every group ends with a row
};

class ElementWalk {
 public:
  explicit ElementWalk(const isa::VectorTiming& timing) : t_(timing) {}

  Walk walk(const Op& op) {
    Walk w;
    w.read.assign(op.rows, kNever);
    w.written.assign(op.rows, 0);
    const Cycles group = w.group = groupCycles(op);
    unsigned stages = op.simple + op.exponentials * t_.exp_slots + op.functions * t_.function_slots;
    w.depth = t_.start - 1;
    for (; stages > 1; --stages) ++w.depth;
    if (op.folds) w.depth += t_.fold;
    if (op.walk == VectorWalk::row_scan)
      scan(op, w);
    else if (op.walk == VectorWalk::column_reduction)
      down(op, w, group);
    else
      stream(op, w, group);
    if (op.folds && w.total < op.rows) {  // the fold takes a row a cycle
      for (uint64_t r = 0; r < op.rows; ++r) {
        w.read[r] = r;
        w.written[r] = r + 1;
      }
      w.total = op.rows;
      w.group = 1;
      w.even = true;
      w.nested = false;
    }
    for (Cycles& written : w.written) written += w.depth;
    return w;
  }

 private:
  Cycles groupCycles(const Op& op) const {
    Cycles passes = 0;
    for (unsigned left = op.simple; left > 0; left -= std::min<unsigned>(left, t_.stages)) ++passes;
    Cycles slots = 0;
    for (unsigned i = 0; i < op.exponentials; ++i) slots += t_.exp_slots;
    for (unsigned i = 0; i < op.functions; ++i) slots += t_.function_slots;
    Cycles reads = 0;
    for (size_t i = 0; i < op.sources.size(); i += t_.read_ports) ++reads;
    return std::max({Cycles{1}, passes, slots, reads});
  }
  void touch(Walk& w, uint64_t row, Cycles begin, Cycles end) {
    w.read[row] = std::min(w.read[row], begin);
    w.written[row] = std::max(w.written[row], end);
  }
  void stream(const Op& op, Walk& w, Cycles group) {
    uint64_t lane = 0;
    for (uint64_t r = 0; r < op.rows; ++r)
      for (uint64_t c = 0; c < op.cols; ++c) {
        if (lane == 0) w.total += group;
        touch(w, r, w.total - group, w.total);
        lane = (lane + 1) % t_.lanes;
      }
    w.even = op.cols % t_.lanes == 0;
    w.nested = t_.lanes % op.cols == 0;
  }
  void down(const Op& op, Walk& w, Cycles group) {
    for (uint64_t r = 0; r < op.rows; ++r) {
      const Cycles begin = w.total;
      for (uint64_t c = 0; c < op.cols; c += t_.lanes) w.total += group;
      touch(w, r, begin, w.total);
    }
    for (Cycles& written : w.written) written = w.total;
  }
  void scan(const Op& op, Walk& w) {
    const uint64_t side = t_.lanes / t_.scan;
    w.group = 0;
    for (uint64_t c = 0; c < op.cols; c += t_.scan) ++w.group;
    w.even = side == 1;
    for (uint64_t r = 0; r < op.rows; r += side) {
      const Cycles begin = w.total;
      w.total += w.group;
      for (uint64_t i = r; i < std::min(op.rows, r + side); ++i) touch(w, i, begin, w.total);
    }
  }

  isa::VectorTiming t_;
};

isa::TileRegister tileOf(int number, uint64_t rows, uint64_t cols, bool one_a_row) {
  return tileAt(static_cast<uint32_t>(number) << 24, rows, one_a_row ? 1 : cols, kF32);
}

Token tokenOf(const Op& op) {
  Token token;
  token.unit = isa::Unit::vector;
  const bool column = op.folds, row = op.walk == VectorWalk::column_reduction;
  addTile(token, result(tileOf(op.result, row ? 1 : op.rows, op.cols, column)));
  for (size_t i = 0; i < op.sources.size(); ++i) {
    const bool one = op.column_source && i + 1 == op.sources.size();
    auto tile = tileOf(op.sources[i], op.rows, op.cols, one);
    if (one) {
      tile.cols = static_cast<uint32_t>(op.cols);
      tile.step = 0;
    }
    addTile(token, source(tile));
  }
  token.vector = {.walk = op.walk,
                  .rows = op.rows,
                  .cols = op.cols,
                  .simple_steps = op.simple,
                  .exp_steps = op.exponentials,
                  .function_steps = op.functions,
                  .reduces = op.folds,
                  .folds = op.folds,
                  .sources = static_cast<unsigned>(op.sources.size()),
                  .source_bits = 32,
                  .result_bits = column || row ? 0U : 32U};
  return token;
}

/// Earliest start of an instruction behind others, by trying cycle after cycle.
struct Older {
  Op op;
  Walk walk;
  Cycles start = 0, done = 0;
};
bool mayStart(Cycles start, const Op& op, const Walk& walk, const std::vector<Older>& older) {
  for (const Older& o : older) {
    // What is written twice: nothing before the older one's last byte.
    if (o.op.result == op.result && start + walk.depth < o.done) return false;
    for (const int source : op.sources) {
      if (o.op.result != source || start >= o.done) continue;
      if (o.op.walk == VectorWalk::column_reduction) return false;
      for (uint64_t r = 0; r < op.rows; ++r)
        if (start + walk.read[r] < o.start + o.walk.written[r]) return false;
    }
  }
  return true;
}

/// By how much the rule may be late: where rows and groups do not meet, a group of each.
Cycles slackOf(const Older& older, const Op& op, const Walk& walk) {
  const bool same_walk = older.op.walk == op.walk && older.walk.nested && walk.nested;
  if (op.rows == 1 || same_walk) return 0;
  return (older.walk.even ? 0 : older.walk.group) + (walk.even ? 0 : walk.group);
}

TEST(VectorRows, NoRowIsReadBeforeItIsWrittenNorLaterThanByTheRule) {
  const isa::VectorTiming base = timingOf("base").vector;
  const auto runs = static_cast<int>(300 * fuzzScale()) + 1;
  int waits = 0, exact = 0;
  for (int run = 0; run < runs; ++run) {
    std::mt19937 random(static_cast<unsigned>(run));
    const auto pick = [&](std::initializer_list<uint64_t> of) {
      return *(of.begin() + random() % of.size());
    };
    isa::VectorTiming timing = base;
    timing.lanes = pick({16, 64, 256});
    timing.scan = pick({4, 8});
    timing.stages = pick({1, 2, 4});
    timing.start = pick({1, 3, 8});
    LocalMemory local = endlessMemory();
    VectorUnit unit(timing, local);
    ElementWalk elements(timing);
    std::vector<Older> older;
    const uint64_t rows = pick({1, 2, 7, 33, 100}), cols = pick({1, 3, 16, 64, 100, 256, 300});
    Cycles now = 0;
    for (int i = 0; i < 40; ++i) {
      Op op;
      op.rows = rows;
      op.cols = cols;
      op.simple = static_cast<unsigned>(random() % 7);
      op.exponentials = random() % 6 == 0 ? 1 : 0;
      op.functions = random() % 8 == 0 ? 1 : 0;
      // Tiles 0..3 are whole, 4 and 5 columns, 6 a row of results.
      op.sources.push_back(static_cast<int>(random() % 4));
      op.result = static_cast<int>(random() % 4);
      switch (random() % 5) {
        case 0:
          op.walk = VectorWalk::row_reduction;
          op.folds = true;
          op.result = 4 + static_cast<int>(random() % 2);
          break;
        case 1:
          op.walk = VectorWalk::row_scan;
          op.simple = 1;
          op.exponentials = op.functions = 0;
          break;
        case 2:
          op.sources.push_back(4 + static_cast<int>(random() % 2));
          op.column_source = true;
          break;
        case 3:
          op.walk = VectorWalk::column_reduction;
          op.result = 6;
          break;
        default:
          for (auto n = random() % 3; n > 0; --n)
            op.sources.push_back(static_cast<int>(random() % 4));
      }
      const Walk walk = elements.walk(op);
      now = std::max(now, unit.accepts()) + (random() % 4 == 0 ? random() % 50 : 0);
      unit.retire(now);
      Cycles expected = now;
      while (!mayStart(expected, op, walk, older)) ++expected;
      const UnitTimes t = unit.take(tokenOf(op), now);
      const std::string what = "run " + std::to_string(run) + ", instruction " + std::to_string(i) +
                               ": " + std::to_string(rows) + " x " + std::to_string(cols) +
                               ", lanes " + std::to_string(timing.lanes) + ", walk " +
                               std::to_string(static_cast<int>(op.walk));
      ASSERT_GE(t.start, expected) << what;
      Cycles slack = 0;
      for (const Older& o : older)
        for (const int source : op.sources)
          if (o.op.result == source) slack = std::max(slack, slackOf(o, op, walk));
      ASSERT_LE(t.start, expected + slack) << what;
      waits += expected > now ? 1 : 0;
      exact += expected > now && slack == 0 ? 1 : 0;
      ASSERT_EQ(t.next - t.start, walk.total) << what;
      ASSERT_EQ(t.busy + t.ports, walk.total) << what;
      ASSERT_EQ(t.chain, t.start - now) << what;
      ASSERT_EQ(t.done, t.start + walk.total + walk.depth) << what;
      older.push_back({op, walk, t.start, t.done});
      std::erase_if(older, [&](const Older& o) { return o.done <= now; });
    }
  }
  // Not all of it was about nothing.
  EXPECT_GT(exact, runs);
  EXPECT_GT(waits, exact);
}

}  // namespace
}  // namespace etalon::sim
