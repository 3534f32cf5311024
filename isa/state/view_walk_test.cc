// SPDX-License-Identifier: Apache-2.0
#include "isa/state/view_walk.h"

#include <gtest/gtest.h>

#include <set>

#include "isa/state/brute_force.h"
#include "isa/state/rule_test.h"

namespace etalon::isa {
namespace {

using brute_force::Rng;

struct RowRun {
  uint64_t row, column, count;
  ViewRun run;
};

std::vector<RowRun> runsOf(const ViewDescriptor& view) {
  std::vector<RowRun> runs;
  walkView(view, [&](uint64_t row, uint64_t column, uint64_t count, const ViewRun& run) {
    runs.push_back({row, column, count, run});
  });
  return runs;
}

ViewDescriptor matrix(ElementType type, uint64_t rows, uint64_t columns) {
  ViewDescriptor v;
  const int64_t size = brute_force::typeBits(static_cast<int>(type)) / 8;
  v.type = static_cast<uint8_t>(type);
  v.base = 0x1000;
  v.naxes = v.nbox = 2;
  v.ncol = 1;
  v.axes[0] = {rows, static_cast<int64_t>(columns) * size, 0};
  v.axes[1] = {columns, size, 0};
  v.box[0] = {4, 0, 1};
  v.box[1] = {8, 1, 1};
  return v;
}

/// Checks that the runs of a walk tile the box in order and say what each element's definition
/// says.
class Checker {
 public:
  Checker(const ViewDescriptor& view, uint64_t rows, uint64_t columns)
      : view_(view), rows_(rows), columns_(columns) {}

  template <class Definition>
  void take(const RowRun& r, Definition&& definition) {
    ASSERT_EQ(r.row, next_row_);
    ASSERT_EQ(r.column, next_column_);
    ASSERT_GE(r.count, 1u);
    ASSERT_LE(r.column + r.count, columns_);
    const bool four_bit = brute_force::typeBits(view_.type) == 4;
    for (uint64_t i = 0; i < r.count; ++i) {
      const brute_force::Element e = definition(r.row, r.column + i);
      ASSERT_EQ(r.run.inside, e.inside) << "row " << r.row << " column " << r.column + i;
      if (!e.inside) continue;
      const Int128 units = Int128{r.run.stride} * Int128{i};
      const Int128 nibble = Int128{r.run.address} * 2 + r.run.nibble + units * (four_bit ? 1 : 2);
      ASSERT_TRUE(nibble == e.nibble) << "row " << r.row << " column " << r.column + i;
    }
    next_column_ += r.count;
    if (next_column_ == columns_) {
      next_column_ = 0;
      ++next_row_;
    }
  }

  void finish() const {
    const bool none = rows_ == 0 || columns_ == 0;
    EXPECT_EQ(next_row_, none ? 0 : rows_);
    EXPECT_EQ(next_column_, 0u);
  }

 private:
  const ViewDescriptor& view_;
  uint64_t rows_, columns_;
  uint64_t next_row_ = 0, next_column_ = 0;
};

TEST(ViewWalk, AgreesWithTheDefinitionOnRandomViews) {
  SHOWS(view_position, view_outside);
  Rng rng(1);
  for (int seed = 0; seed < 40000; ++seed) {
    const ViewDescriptor view = brute_force::randomView(rng, seed % 2 == 0);
    ASSERT_FALSE(checkView(view)) << checkView(view)->field << checkView(view)->text;
    ASSERT_FALSE(checkViewPosition(view)) << checkViewPosition(view)->text;
    Checker checker(view, view.rows(), view.columns());
    const std::vector<RowRun> runs = runsOf(view);
    for (const RowRun& run : runs)
      checker.take(run,
                   [&](uint64_t r, uint64_t c) { return brute_force::viewElement(view, r, c); });
    checker.finish();
    ASSERT_FALSE(HasFailure()) << "seed " << seed;
    for (size_t i = 1; i < runs.size(); ++i)
      ASSERT_TRUE(runs[i].row != runs[i - 1].row || runs[i].run.inside || runs[i - 1].run.inside)
          << "outside runs not joined";
  }
}

TEST(ViewWalk, GatherAgreesWithTheDefinitionOnRandomViews) {
  SHOWS(dma_gather);
  Rng rng(2);
  int walked = 0;
  for (int seed = 0; seed < 40000; ++seed) {
    const ViewDescriptor view = brute_force::randomView(rng, seed % 2 == 0);
    if (view.nbox == 0 || view.naxes == 0) continue;
    const int axis = view.box[0].axis;
    if (checkViewPosition(view, axis)) continue;
    ++walked;
    std::vector<int64_t> indices(view.box[0].extent);
    for (int64_t& index : indices) index = brute_force::between(rng, -2, 5);
    if (!indices.empty() && seed % 5 == 0) indices[0] = std::numeric_limits<int64_t>::min();
    Checker checker(view, view.rows(), view.columns());
    const bool in_columns = view.ncol == view.nbox;
    const uint64_t inner = indices.empty() || view.empty()
                               ? 1
                               : (in_columns ? view.columns() : view.rows()) / indices.size();
    const auto definition = [&](uint64_t r, uint64_t c) {
      return brute_force::viewElement(view, r, c, axis, indices[(in_columns ? c : r) / inner]);
    };
    walkGather(
        view, axis, [&](uint64_t i) { return indices[i]; },
        [&](uint64_t row, uint64_t column, uint64_t count, const ViewRun& run) {
          if (!HasFailure()) checker.take({row, column, count, run}, definition);
        });
    checker.finish();
    ASSERT_FALSE(HasFailure()) << "seed " << seed;
  }
  EXPECT_GT(walked, 20000);
}

TEST(ViewWalk, GivesOneRunForARowInside) {
  const std::vector<RowRun> runs = runsOf(matrix(ElementType::bf16, 16, 32));
  ASSERT_EQ(runs.size(), 4u);
  EXPECT_EQ(runs[2].count, 8u);
  EXPECT_EQ(runs[2].run.address, 0x1000u + 2 * 64);
  EXPECT_EQ(runs[2].run.stride, 2);
}

TEST(ViewWalk, SplitsARowAtBothBounds) {
  ViewDescriptor view = matrix(ElementType::f32, 16, 4);
  view.axes[1].origin = -3;
  const std::vector<RowRun> runs = runsOf(view);
  ASSERT_EQ(runs.size(), 12u);
  EXPECT_FALSE(runs[0].run.inside);
  EXPECT_EQ(runs[0].count, 3u);
  EXPECT_TRUE(runs[1].run.inside);
  EXPECT_EQ(runs[1].count, 4u);
  EXPECT_EQ(runs[1].run.address, 0x1000u);
  EXPECT_FALSE(runs[2].run.inside);
  EXPECT_EQ(runs[2].count, 1u);
}

TEST(ViewWalk, GivesOneRunForARowOutside) {
  ViewDescriptor view = matrix(ElementType::f32, 2, 32);
  const std::vector<RowRun> runs = runsOf(view);
  ASSERT_EQ(runs.size(), 4u);
  EXPECT_TRUE(runs[1].run.inside);
  EXPECT_FALSE(runs[2].run.inside);
  EXPECT_EQ(runs[2].count, 8u);
}

TEST(ViewWalk, MergesColumnDimsThatContinueEachOther) {
  // A 3 x 3 window of 16 channels in NHWC: 3 runs of 48 where it is inside.
  ViewDescriptor view;
  view.type = static_cast<uint8_t>(ElementType::i8);
  view.naxes = 3;
  view.axes = {{{8, 8 * 16, 0}, {8, 16, 0}, {16, 1, 0}}};
  view.nbox = 5;
  view.ncol = 3;
  view.box = {{{2, 0, 1}, {2, 1, 1}, {3, 0, 1}, {3, 1, 1}, {16, 2, 1}}};
  const std::vector<RowRun> runs = runsOf(view);
  ASSERT_EQ(runs.size(), 4u * 3);
  for (const RowRun& run : runs) EXPECT_EQ(run.count, 48u);
}

TEST(ViewWalk, StartsARunInTheUpperNibbleWhenRowsArePacked) {
  ViewDescriptor view;
  view.type = static_cast<uint8_t>(ElementType::u4);
  view.base = 100;
  view.naxes = view.nbox = 1;
  view.axes[0] = {8, 1, 0};
  view.box[0] = {4, 0, 1};
  const std::vector<RowRun> runs = runsOf(view);
  ASSERT_EQ(runs.size(), 4u);
  EXPECT_EQ(runs[3].run.address, 101u);
  EXPECT_EQ(runs[3].run.nibble, 1);
}

TEST(ViewWalk, AgreesWithTheDefinitionOnPackedViews) {
  Rng rng(3);
  for (int seed = 0; seed < 20000; ++seed) {
    const ViewDescriptor view = brute_force::randomPackedView(rng);
    Checker checker(view, view.rows(), view.columns());
    std::set<uint64_t> bytes, pieces;
    for (const RowRun& run : runsOf(view))
      checker.take(run, [&](uint64_t r, uint64_t c) {
        const brute_force::Element e = brute_force::viewElement(view, r, c);
        if (e.inside) bytes.insert(static_cast<uint64_t>(e.nibble / 2));
        return e;
      });
    checker.finish();
    forEachViewPiece(view, [&](uint64_t address, uint64_t count) {
      for (uint64_t i = 0; i < count; ++i) pieces.insert(address + i);
    });
    ASSERT_EQ(pieces, bytes) << "seed " << seed << ": pieces are the whole bytes of the elements";
    ASSERT_FALSE(HasFailure()) << "seed " << seed;
  }
}

TEST(ViewWalk, CountsWhatIsInsideWithoutTheWalk) {
  Rng rng(5);
  uint64_t partly = 0, several = 0;
  for (int seed = 0; seed < 30000; ++seed) {
    const ViewDescriptor view = seed % 3 == 2 ? brute_force::randomPackedView(rng)
                                              : brute_force::randomView(rng, seed % 3 == 0);
    uint64_t inside = 0;
    for (uint64_t r = 0; r < view.rows(); ++r)
      for (uint64_t c = 0; c < view.columns(); ++c)
        inside += brute_force::viewElement(view, r, c).inside ? 1 : 0;
    ASSERT_EQ(elementsInside(view), inside) << "seed " << seed;
    if (inside == 0 || inside == view.rows() * view.columns()) continue;
    ++partly;
    for (int b = 1; b < view.nbox; ++b) several += view.box[b].axis == view.box[0].axis ? 1 : 0;
  }
  EXPECT_GT(partly, 1000u);
  EXPECT_GT(several, 1000u);
}

TEST(ViewWalk, CountsWhatIsInsideAtExtremeCoordinates) {
  ViewDescriptor view = matrix(ElementType::u8, 16, 32);
  for (const auto& [origin, extent, step, inside] :
       {std::tuple{std::numeric_limits<int64_t>::min(), 8u, 1, 0u},
        std::tuple{std::numeric_limits<int64_t>::max(), 8u, -1, 0u},
        std::tuple{-(int64_t{1} << 31), 3u, 1 << 30, 1u},
        std::tuple{int64_t{1} << 31, 3u, -(1 << 30), 1u}, std::tuple{int64_t{31}, 9u, -1, 9u},
        std::tuple{int64_t{31}, 40u, -1, 32u}, std::tuple{int64_t{-3}, 8u, 0, 0u},
        std::tuple{int64_t{3}, 8u, 0, 8u}}) {
    view.axes[1].origin = origin;
    view.box[1] = {extent, 1, step};
    EXPECT_EQ(elementsInside(view), 4 * inside) << origin << " " << step;
  }
}

TEST(ViewWalk, FindsNibblesFarFromTheBase) {
  // 2^64 nibbles and more from the base, back in the first bytes.
  ViewDescriptor view;
  view.type = static_cast<uint8_t>(ElementType::u4);
  view.base = uint64_t{3} << 62;
  view.naxes = view.nbox = 2;
  view.ncol = 1;
  view.axes[0] = {7, -(int64_t{1} << 62), 6};
  view.axes[1] = {8, 1, 2};
  view.box[0] = {1, 0, 1};
  view.box[1] = {4, 1, 1};
  ASSERT_FALSE(checkView(view) || checkViewPosition(view));
  ASSERT_TRUE(boxHull(view).lo == 1);
  const std::vector<RowRun> runs = runsOf(view);
  ASSERT_EQ(runs.size(), 1u);
  EXPECT_EQ(runs[0].run.address, 1u);
  EXPECT_EQ(runs[0].run.nibble, 0);
}

TEST(ViewWalk, ClipsAtExtremeCoordinates) {
  ViewDescriptor view = matrix(ElementType::u8, 16, 32);
  view.axes[1].origin = std::numeric_limits<int64_t>::min();
  for (const RowRun& run : runsOf(view)) EXPECT_FALSE(run.run.inside);
  view.axes[1].origin = std::numeric_limits<int64_t>::max();
  view.box[1].step = -1;
  for (const RowRun& run : runsOf(view)) EXPECT_FALSE(run.run.inside);
  view.axes[1].origin = -(int64_t{1} << 31);
  view.box[1] = {3, 1, 1 << 30};
  const std::vector<RowRun> runs = runsOf(view);
  ASSERT_EQ(runs.size(), 8u);
  EXPECT_EQ(runs[0].count, 2u);
  EXPECT_TRUE(runs[1].run.inside);
  EXPECT_EQ(runs[1].run.address, 0x1000u);
}

}  // namespace
}  // namespace etalon::isa
