// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include <limits>

#include "kernels/reference/test_support.h"

namespace etalon::kernels {
namespace {

using enum ElementType;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

Result<CheckReport> judge(const std::string& operation, const Named& inputs, const Array& first,
                          const Array& second) {
  abi::CheckSpec spec;
  spec.operation = operation;
  spec.outputs = {"first", "second"};
  std::vector<NamedArray> arguments{{"first", &first}, {"second", &second}};
  for (const auto& [name, array] : inputs) {
    spec.inputs.push_back(name);
    arguments.push_back({name, array});
  }
  return checkOperator(spec, arguments, {});
}

const Array kLogits = arrayOfValues(f32, {2, 4}, {1, 3, 1, 1, -0.0, kNan, 0, -7});
const Array kExperts = arrayOfValues(i32, {2, 2}, {1, 0, 1, 0});
const Array kGates = arrayOf(f32, {2, 2}, {0x3f617bea, 0x3df420a9, 0x7fc00000, 0x7fc00000});

TEST(TopkRouting, PrefersTheLowerOfEqualExpertsAndTakesNanForTheGreatest) {
  const CheckReport report =
      reportOf(judge("topk_routing", {{"logits", &kLogits}}, kExperts, kGates));
  EXPECT_TRUE(report.passed) << report.first_mismatch;
  EXPECT_EQ(report.verdict, "bounded");
  EXPECT_EQ(report.elements, 8u);
}

TEST(TopkRouting, RefusesAnotherChoiceAndAnotherGate) {
  const Array choice = arrayOfValues(i32, {2, 2}, {1, 2, 1, 0});
  CheckReport report = reportOf(judge("topk_routing", {{"logits", &kLogits}}, choice, kGates));
  EXPECT_FALSE(report.passed);
  EXPECT_EQ(report.mismatches, 1u);
  EXPECT_THAT(report.first_mismatch, testing::StartsWith("first[0, 1] is 2"));
  report = reportOf(
      judge("topk_routing", {{"logits", &kLogits}}, kExperts, withFlippedBit(kGates, 1, 8)));
  EXPECT_FALSE(report.passed);
  EXPECT_THAT(report.first_mismatch, testing::StartsWith("second[0, 1] is"));
}

TEST(TopkRouting, NamesShapesThatDoNotFitAndTheMissingOutput) {
  const Array wide = arrayOfValues(i32, {2, 5}, std::vector<double>(10, 0));
  EXPECT_THAT(messageOf(judge("topk_routing", {{"logits", &kLogits}}, wide, kGates)),
              testing::HasSubstr("they must be [T, E] and [T, k], k up to E"));
  EXPECT_THAT(messageOf(runCheck("topk_routing", {{"logits", &kLogits}, {"y", &kExperts}})),
              testing::HasSubstr("1 outputs; it is used as topk_routing(logits) -> expert, gate"));
}

// Two experts of 2 x 1; token 0 takes 1 and none, token 1 takes both.
const Array kX = arrayOfValues(f32, {2, 2}, {1, 2, 3, 4});
const Array kW = arrayOfValues(f32, {2, 2, 1}, {1, 1, 10, 100});
const Array kChosen = arrayOfValues(i32, {2, 2}, {1, 2, 0, 1});
const Array kWeights = arrayOfValues(f32, {2, 2}, {0.5, kNan, 2, -1});
const Array kZ = arrayOfValues(f32, {2, 2, 1}, {105, 0, 14, -430});
const Array kY = arrayOfValues(f32, {2, 1}, {105, -416});
const Named kInputs = {{"x", &kX}, {"W", &kW}, {"expert", &kChosen}, {"gate", &kWeights}};

TEST(GroupedMatmul, WeighsExpertsAndAddsThem) {
  const CheckReport report = reportOf(judge("grouped_matmul", kInputs, kZ, kY));
  EXPECT_TRUE(report.passed) << report.first_mismatch;
  EXPECT_EQ(report.worst_ratio, 0);
  EXPECT_EQ(report.elements, 6u);
}

TEST(GroupedMatmul, JudgesBothOutputs) {
  EXPECT_FALSE(reportOf(judge("grouped_matmul", kInputs, withFlippedBit(kZ, 3, 9), kY)).passed);
  EXPECT_FALSE(reportOf(judge("grouped_matmul", kInputs, kZ, withFlippedBit(kY, 0, 9))).passed);
  EXPECT_FALSE(reportOf(judge("grouped_matmul", kInputs, withFlippedBit(kZ, 1, 30), kY)).passed);
}

TEST(GroupedMatmul, NamesTheShapesThatDoNotFit) {
  const Named inputs = {{"x", &kX}, {"W", &kX}, {"expert", &kChosen}, {"gate", &kWeights}};
  EXPECT_THAT(messageOf(judge("grouped_matmul", inputs, kZ, kY)),
              testing::HasSubstr("they must be [T, D], [E, D, F], [T, K] and [T, K]"));
}

}  // namespace
}  // namespace etalon::kernels
