// SPDX-License-Identifier: Apache-2.0
#include "isa/state/view_stepper.h"

#include <gtest/gtest.h>

#include "isa/base/fuzz_scale.h"
#include "isa/state/brute_force.h"

namespace etalon::isa {
namespace {

using brute_force::Rng;

/// Checks that the steps cover the box in order and say what each element's definition says.
void expectSteps(const ViewDescriptor& view, int axis, int64_t index, uint64_t rows,
                 uint64_t columns) {
  const ViewWalker walker(view, axis);
  ViewStepper stepper(walker, index);
  const Int128 nibbles = brute_force::typeBits(view.type) == 4 ? 1 : 2;
  ViewStepper::Step step;
  uint64_t element = 0;
  while (stepper.next(step)) {
    ASSERT_EQ(step.row * columns + step.column, element);
    ASSERT_GE(step.count, 1u);
    ASSERT_LE(step.column + step.count, columns);
    for (uint64_t i = 0; i < step.count; ++i, ++element) {
      const auto e = brute_force::viewElement(view, step.row, step.column + i, axis, index);
      ASSERT_EQ(step.run.inside, e.inside);
      if (!e.inside) continue;
      const Int128 at = Int128{step.run.address} * 2 + step.run.nibble +
                        Int128{step.run.stride} * Int128{i} * nibbles;
      ASSERT_TRUE(at == e.nibble);
    }
  }
  EXPECT_EQ(element, rows * columns);
  EXPECT_FALSE(stepper.next(step)) << "the end stays the end";
}

TEST(ViewStepper, AgreesWithTheDefinitionOnRandomViews) {
  Rng rng(11);
  const int views = static_cast<int>(20000 * fuzzScale());
  for (int seed = 0; seed < views; ++seed) {
    const ViewDescriptor view = seed % 4 == 3 ? brute_force::randomPackedView(rng)
                                              : brute_force::randomView(rng, seed % 2 == 0);
    expectSteps(view, kNoNamedAxis, 0, view.rows(), view.columns());
    ASSERT_FALSE(testing::Test::HasFailure()) << "seed " << seed;
  }
}

TEST(ViewStepper, StepsThroughTheBoxOfAnIndex) {
  Rng rng(12);
  int walked = 0;
  for (int seed = 0; seed < 4000; ++seed) {
    const ViewDescriptor view = brute_force::randomView(rng, seed % 2 == 0);
    const int axis = brute_force::someNamedAxis(rng, view);
    if (axis == kNoNamedAxis || view.empty() || view.axes[axis].dim == 0) continue;
    ++walked;
    const auto index = static_cast<int64_t>(brute_force::below(rng, view.axes[axis].dim));
    // Box dim 0 is gone: the box of one index.
    const uint64_t count = view.box[0].extent;
    const bool in_columns = view.ncol == view.nbox;
    expectSteps(view, axis, index, view.rows() / (in_columns ? 1 : count),
                view.columns() / (in_columns ? count : 1));
    ASSERT_FALSE(testing::Test::HasFailure()) << "seed " << seed;
  }
  EXPECT_GT(walked, 200);
}

}  // namespace
}  // namespace etalon::isa
