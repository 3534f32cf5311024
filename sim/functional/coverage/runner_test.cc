// SPDX-License-Identifier: Apache-2.0
#include "sim/functional/coverage/runner.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "isa/base/check.h"

namespace etalon::sim::coverage {
namespace {

using testing::HasSubstr;

/// A product 1 x 1 of moderate numbers.
void buildProduct(Scene& s) {
  for (const char* name : {"ta", "tb", "td"}) {
    s.place(name, s.what.type(name), 1, 1, "dense");
    s.fill(name, "moderate");
  }
}

/// The core executes et.mm, the reference et.mma.
void buildOtherInstruction(Scene& s) {
  buildProduct(s);
  s.call.name = "et.mma";
}

/// A of two columns for B of one row.
void buildWrongShape(Scene& s) {
  buildProduct(s);
  s.place("ta", s.what.type("ta"), 1, 2, "dense");
  s.fill("ta", "moderate");
}

class RunnerTest : public testing::Test {
 protected:
  std::optional<std::string> run(void (*build)(Scene&)) {
    auto runner = Runner::create();
    ETALON_CHECK(runner.ok(), "the runner of the test");
    const Space space{{{"types", {"f32"}}}};
    const Case c{42, isa::instructionNamed("et.mm"), &space, TypeTuple(3, ElementType::f32), {0}};
    return (*runner)->run(c, {nullptr, nullptr, build});
  }
};

TEST_F(RunnerTest, SaysNothingWhenModelAndReferenceAgree) {
  EXPECT_EQ(run(buildProduct), std::nullopt);
}

TEST_F(RunnerTest, NamesTheElementTheBitsAndTheCaseThatDiffer) {
  const auto problem = run(buildOtherInstruction);
  ASSERT_TRUE(problem.has_value());
  EXPECT_THAT(*problem, HasSubstr("et.mm tr"));
  EXPECT_THAT(*problem, HasSubstr("td(0, 0): expected 0x"));
  EXPECT_THAT(*problem, HasSubstr("repeat with ETALON_CASE=42"));
}

TEST_F(RunnerTest, ReportsACaseThatTraps) {
  const auto problem = run(buildWrongShape);
  ASSERT_TRUE(problem.has_value());
  EXPECT_THAT(*problem, HasSubstr("trapped with cause 25"));
}

}  // namespace
}  // namespace etalon::sim::coverage
