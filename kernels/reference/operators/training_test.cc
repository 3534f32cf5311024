// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include <limits>

#include "kernels/reference/test_support.h"

namespace etalon::kernels {
namespace {

using enum ElementType;

Result<CheckReport> judge(const std::string& operation, const Named& inputs, const Named& outputs,
                          const Attributes& attributes = {}) {
  abi::CheckSpec spec;
  spec.operation = operation;
  spec.attributes = attributes;
  std::vector<NamedArray> arguments;
  for (const auto& [name, array] : inputs) {
    spec.inputs.push_back(name);
    arguments.push_back({name, array});
  }
  for (const auto& [name, array] : outputs) {
    spec.outputs.push_back(name);
    arguments.push_back({name, array});
  }
  return checkOperator(spec, arguments, {});
}

/// The words of counter 0 and key 0 as the authors of Philox publish them: 6627e8d5 e169c58d bc57ac4c
/// 9b00dbd8, so the uniform numbers are 0.399, 0.881, 0.736, 0.605.
TEST(Dropout, DropsByTheNumberOfTheElement) {
  const Array x = arrayOfValues(f32, {2, 2}, {1, 2, 3, 4});
  const auto passes = [&](const char* p, const std::vector<double>& y) {
    const Array array = arrayOfValues(f32, {2, 2}, y);
    const CheckReport report =
        reportOf(runCheck("dropout", {{"x", &x}, {"y", &array}}, {{"p", p}, {"seed", "0"}}));
    EXPECT_EQ(report.verdict, "replay");
    return report.passed;
  };
  EXPECT_TRUE(passes("0", {1, 2, 3, 4}));
  EXPECT_TRUE(passes("0.5", {0, 4, 6, 8}));
  EXPECT_TRUE(passes("0.75", {0, 8, 0, 0}));
  EXPECT_TRUE(passes("1", {0, 0, 0, 0}));
  EXPECT_FALSE(passes("0.5", {0, 4, 6, 7}));
  EXPECT_FALSE(passes("0.5", {2, 4, 6, 8}));
}

TEST(Dropout, RefusesAProbabilityThatIsNone) {
  const Array x = arrayOfValues(f32, {1}, {1});
  EXPECT_THAT(messageOf(runCheck("dropout", {{"x", &x}, {"y", &x}}, {{"p", "1.5"}})),
              testing::HasSubstr("attribute p is 1.5; it is 0 to 1"));
}

class AdamStep : public testing::Test {
 protected:
  Array p_ = arrayOfValues(f32, {1}, {1});
  Array g_ = arrayOfValues(f32, {1}, {0.5});
  Array m_ = arrayOfValues(f32, {1}, {0});
  Array v_ = arrayOfValues(f32, {1}, {0});
  Attributes settings_ = {{"lr", "0.25"},         {"beta1", "0.5"},        {"beta2", "0.75"},
                          {"epsilon", "0"},       {"weight_decay", "0.5"}, {"correction1", "0.5"},
                          {"correction2", "0.25"}};
  // m' = 1/4, v' = 1/16; p' = (1 - 1/8) - 1/4 (1/2) / (1/2).
  Array p_out_ = arrayOfValues(f32, {1}, {0.625});
  Array m_out_ = arrayOfValues(f32, {1}, {0.25});
  Array v_out_ = arrayOfValues(f32, {1}, {0.0625});
  Array copy_ = arrayOfValues(bf16, {1}, {0.625});

  CheckReport report() {
    return reportOf(judge("adam", {{"p", &p_}, {"g", &g_}, {"m", &m_}, {"v", &v_}},
                          {{"p'", &p_out_}, {"m'", &m_out_}, {"v'", &v_out_}, {"copy", &copy_}},
                          settings_));
  }
};

TEST_F(AdamStep, IsTheOneByHand) {
  EXPECT_TRUE(report().passed) << report().first_mismatch;
  EXPECT_EQ(report().worst_ratio, 0);
  EXPECT_EQ(report().unbounded, 0u);
}

TEST_F(AdamStep, JudgesEveryOutputTightly) {
  for (Array* output : {&p_out_, &m_out_, &v_out_}) {
    const Array right = *output;
    *output = withFlippedBit(right, 0, 4);  // 16 ulp
    EXPECT_FALSE(report().passed);
    *output = right;
  }
  copy_ = withFlippedBit(copy_, 0, 0);
  EXPECT_FALSE(report().passed);
}

TEST_F(AdamStep, SaysWhatItCannotBound) {
  v_ = arrayOfValues(f32, {1}, {-1});
  v_out_ = arrayOfValues(f32, {1}, {-0.6875});
  EXPECT_EQ(report().unbounded, 2u);  // p' and its copy
  settings_[5].second = "0";
  EXPECT_THAT(messageOf(judge("adam", {{"p", &p_}, {"g", &g_}, {"m", &m_}, {"v", &v_}},
                              {{"p'", &p_out_}, {"m'", &m_out_}, {"v'", &v_out_}, {"c", &copy_}},
                              settings_)),
              testing::HasSubstr("attribute correction1 is 0"));
}

TEST(LayerNormBackward, IsTheOneByHandAndJudgesEveryOutput) {
  // h = 2, 0; g = 4, 6: means 5 and 4.
  const Array dy = arrayOfValues(bf16, {1, 2}, {4, 2});
  const Array x = arrayOfValues(bf16, {1, 2}, {4, 2});
  const Array mean = arrayOfValues(f32, {1}, {2});
  const Array rstd = arrayOfValues(f32, {1}, {1});
  const Array gamma = arrayOfValues(f32, {2}, {1, 3});
  Array outputs[] = {arrayOfValues(f32, {1, 2}, {-9, 1}), arrayOfValues(f32, {2}, {8, 0}),
                     arrayOfValues(f32, {2}, {4, 2})};
  const auto report = [&](const Array& gamma_of_one) {
    return judge(
        "layer_norm_backward",
        {{"dy", &dy}, {"x", &x}, {"mean", &mean}, {"rstd", &rstd}, {"gamma", &gamma_of_one}},
        {{"dx", &outputs[0]}, {"dgamma", &outputs[1]}, {"dbeta", &outputs[2]}});
  };
  EXPECT_TRUE(reportOf(report(gamma)).passed) << reportOf(report(gamma)).first_mismatch;
  EXPECT_EQ(reportOf(report(gamma)).worst_ratio, 0);
  for (Array& output : outputs) {
    const Array right = output;
    output = withFlippedBit(right, 0, 10);
    EXPECT_FALSE(reportOf(report(gamma)).passed);
    output = right;
  }
  EXPECT_THAT(messageOf(report(rstd)),
              testing::HasSubstr("they must be [R, N], [R, N], [R], [R] and [N]"));
}

}  // namespace
}  // namespace etalon::kernels
