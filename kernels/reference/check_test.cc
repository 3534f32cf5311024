// SPDX-License-Identifier: Apache-2.0
#include "kernels/reference/check.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <filesystem>

#include "kernels/reference/test_support.h"

namespace etalon::kernels {
namespace {

using enum ElementType;
using testing::HasSubstr;

TEST(CheckOperator, KnowsOneOperatorForEachFileInSortedOrder) {
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(
           std::filesystem::path(ETALON_SOURCE_DIR) / "kernels/reference/operators"))
    if (const std::string name = entry.path().stem().string(); !name.ends_with("_test"))
      files.push_back(name);
  std::ranges::sort(files);
  EXPECT_GE(files.size(), 16u);
  EXPECT_EQ(knownOperators(), files);
}

TEST(CheckOperator, ListsTheKnownForAnUnknownOne) {
  const std::string message = messageOf(runCheck("matmal", {{"x", nullptr}}));
  EXPECT_THAT(message, HasSubstr("check 'matmal': there is no reference of this name; known are"));
  EXPECT_THAT(message, HasSubstr("matmul, "));
}

TEST(CheckOperator, NamesArgumentsThatWereNotGiven) {
  const Array x = arrayOfValues(f32, {1}, {1});
  abi::CheckSpec spec{"copy", {"x"}, {"y"}, {}};
  const std::vector<NamedArray> only_x{{"x", &x}};
  EXPECT_EQ(messageOf(checkOperator(spec, only_x, {})),
            "check copy: output 'y' is no array that was given");
  spec.inputs = {"z"};
  EXPECT_EQ(messageOf(checkOperator(spec, only_x, {})),
            "check copy: input 'z' is no argument that was given");
  spec = {"copy", {"x"}, {"x", "x"}, {}};
  EXPECT_EQ(messageOf(checkOperator(spec, only_x, {})),
            "check copy: 2 outputs; it is used as copy(x) -> y");
}

TEST(CheckOperator, RefusesAnArrayWithoutItsBytes) {
  Array x = arrayOfValues(f32, {2}, {1, 2});
  x.data.pop_back();
  EXPECT_EQ(messageOf(runCheck("copy", {{"x", &x}, {"y", &x}})),
            "check copy: x: f32[2] takes 8 bytes, but has 7");
}

TEST(CheckOperator, RefusesInputsAndAttributesAnOperatorDoesNotHave) {
  const Array x = arrayOfValues(f32, {2}, {1, 2});
  EXPECT_THAT(messageOf(runCheck("softmax", {{"x", &x}, {"z", &x}, {"y", &x}})),
              HasSubstr("check softmax: 2 inputs; it is used as softmax(x) -> y"));
  EXPECT_EQ(messageOf(runCheck("softmax", {{"x", &x}, {"y", &x}}, {{"axis", "0"}})),
            "check softmax: unknown attribute 'axis'; it has rescales, saturate");
  EXPECT_EQ(messageOf(runCheck("softmax", {{"x", &x}, {"y", &x}}, {{"rescales", "-1"}})),
            "check softmax: attribute rescales is -1; it may be 0 to 4294967296");
}

TEST(CheckOperator, RefusesTypesByNamingThem) {
  const Array x = arrayOfValues(i32, {2}, {1, 2});
  const Array y = arrayOfValues(f32, {2}, {1, 2});
  EXPECT_EQ(messageOf(runCheck("softmax", {{"x", &x}, {"y", &y}})),
            "check softmax: x: i32[2]; it must be an array of f32, bf16, f16, f8e4m3, f8e5m2");
  EXPECT_EQ(messageOf(runCheck("copy", {{"x", &x}, {"y", &y}})),
            "check copy: output y is f32; from these inputs it may be i32");
}

}  // namespace
}  // namespace etalon::kernels
