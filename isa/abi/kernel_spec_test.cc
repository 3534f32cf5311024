// SPDX-License-Identifier: Apache-2.0
#include "isa/abi/kernel_spec.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <random>

#include "isa/state/rule_test.h"

namespace etalon::abi {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;

constexpr const char* kGemm =
    "gemm(A: bf16[M, K], in B: bf16[K, N], out C: f32[M, N], alpha: f32 = 1.5, n: i32) "
    "check matmul(A, B) -> C with alpha=alpha, transpose=[0, 1], mode=fast";

std::string refusal(const std::string& text) {
  const Result<KernelSpec> spec = parseKernelSpec(text);
  return spec.ok() ? "accepted" : spec.error().message;
}
std::string extentRefusal(const std::string& text) { return refusal("k(A: f32[" + text + "])"); }
int64_t value(const std::string& text) {
  const DimExpression expression = parseDimExpression(text).value();
  return evaluate(expression,
                  [](std::string_view name) -> std::optional<int64_t> {
                    if (name == "H") return 10;
                    if (name == "pad") return 1;
                    if (name == "zero") return 0;
                    if (name == "most") return std::numeric_limits<int64_t>::max();
                    return std::nullopt;
                  })
      .value();
}
std::string valueRefusal(const std::string& text) {
  const DimExpression expression = parseDimExpression(text).value();
  return evaluate(expression,
                  [](std::string_view name) -> std::optional<int64_t> {
                    if (name == "zero") return 0;
                    if (name == "most") return std::numeric_limits<int64_t>::max();
                    return std::nullopt;
                  })
      .error()
      .message;
}

TEST(KernelSpec, ReadsArgumentsInOrder) {
  SHOWS(note_spec, note_size);
  const KernelSpec spec = parseKernelSpec(kGemm).value();
  EXPECT_EQ(spec.name, "gemm");
  ASSERT_EQ(spec.arguments.size(), 5u);
  EXPECT_EQ(spec.arguments[0].typeText(), "bf16[M, K]");
  EXPECT_EQ(spec.arguments[1].direction, Direction::In);
  EXPECT_EQ(spec.arguments[2].direction, Direction::Out);
  EXPECT_EQ(spec.arguments[3].default_slot, 0x3fc00000u);
  EXPECT_FALSE(spec.arguments[3].is_tensor);
  EXPECT_EQ(spec.arguments[4].typeText(), "i32");
  EXPECT_FALSE(spec.arguments[4].default_slot.has_value());
  EXPECT_THAT(spec.symbols, ElementsAre("M", "K", "N"));
  EXPECT_EQ(spec.argsBytes(), 64u);
}

TEST(KernelSpec, ReadsTheCheck) {
  SHOWS(note_spec);
  const CheckSpec check = parseKernelSpec(kGemm).value().check.value();
  EXPECT_EQ(check.operation, "matmul");
  EXPECT_THAT(check.inputs, ElementsAre("A", "B"));
  EXPECT_THAT(check.outputs, ElementsAre("C"));
  EXPECT_THAT(check.attributes, ElementsAre(Pair("alpha", "alpha"), Pair("transpose", "[0, 1]"),
                                            Pair("mode", "fast")));
}

TEST(KernelSpec, QualifiersMayAlsoBeNames) {
  const KernelSpec spec =
      parseKernelSpec("in(in: f32[], out out: f32[4], inout inout: i8[2, 3])").value();
  EXPECT_EQ(spec.arguments[0].name, "in");
  EXPECT_TRUE(spec.arguments[0].is_tensor);
  EXPECT_EQ(spec.arguments[1].direction, Direction::Out);
  EXPECT_EQ(spec.arguments[2].direction, Direction::InOut);
  EXPECT_EQ(spec.arguments[2].name, "inout");
  EXPECT_TRUE(parseKernelSpec("nothing()").ok());
}

TEST(KernelSpec, ScalarArgumentsInExtentsAreNoSymbols) {
  SHOWS(note_symbols);
  const KernelSpec spec = parseKernelSpec(
                              "pool(X: f32[H], out Y: f32[(H + 2*pad - 3)/stride + 1], pad: i32 = "
                              "0,\n stride: i64 = 0x2)")
                              .value();
  EXPECT_THAT(spec.symbols, ElementsAre("H"));
  EXPECT_EQ(spec.arguments[1].dims[0].text, "(H + 2*pad - 3)/stride + 1");
  EXPECT_EQ(spec.arguments[3].default_slot, 2u);
}

TEST(KernelSpec, SlotsHoldWhatTheTypeSays) {
  EXPECT_EQ(parseScalarSlot(ElementType::i32, "-1").value(), ~uint64_t{0});
  EXPECT_EQ(parseScalarSlot(ElementType::u32, "4294967295").value(), 0xffffffffu);
  EXPECT_EQ(parseScalarSlot(ElementType::i64, "-9223372036854775808").value(), uint64_t{1} << 63);
  EXPECT_EQ(parseScalarSlot(ElementType::f32, "-2").value(), 0xc0000000u);
  EXPECT_EQ(parseScalarSlot(ElementType::i32, "2147483648").error().message,
            "2147483648 is outside -2147483648 to 2147483647, the range of i32");
  EXPECT_THAT(parseScalarSlot(ElementType::u32, "-1").error().message,
              HasSubstr("-1 is outside 0 to 4294967295"));
  EXPECT_THAT(parseScalarSlot(ElementType::i32, "1.5").error().message,
              HasSubstr("'1.5' is not a whole number"));
  EXPECT_THAT(parseScalarSlot(ElementType::f32, "one").error().message,
              HasSubstr("'one' is not a number"));
}

TEST(KernelSpec, SaysTheColumnAndWhatWouldBeRight) {
  VIOLATES(note_spec);
  EXPECT_EQ(refusal(""), "kernel spec, column 1: expected the kernel's name, found the end");
  EXPECT_EQ(refusal("k"),
            "kernel spec, column 2: expected '(' after the kernel's name, found the end");
  EXPECT_EQ(refusal("k(A bf16[M])"),
            "kernel spec, column 5: expected ':' after the argument's name 'A', found 'bf16'");
  EXPECT_EQ(refusal("k(A: f32[M]"),
            "kernel spec, column 12: expected ',' or ')' after an argument, found the end");
  EXPECT_EQ(refusal("k(A: f32[M], )"),
            "kernel spec, column 14: expected an argument (NAME: TYPE), found ')'");
  EXPECT_THAT(refusal("k(A: bf17[M])"),
              HasSubstr("column 6: unknown element type 'bf17'; known: i4, u4, i8"));
  EXPECT_EQ(refusal("k(A: f32[M)"),
            "kernel spec, column 11: expected ',' or ']' after an extent, found ')'");
  EXPECT_EQ(refusal("k(A: f32[M], A: i32)"), "kernel spec, column 14: argument 'A' stands twice");
  EXPECT_EQ(refusal("k(a: bf16)"),
            "kernel spec, column 6: a scalar cannot be bf16; it can be i32, i64, u32 or f32 (a "
            "tensor is bf16[...])");
  EXPECT_THAT(refusal("k(out a: i32)"), HasSubstr("column 3: the scalar 'a' can only be in"));
  EXPECT_THAT(refusal("k(a: i32 = 1.5)"), HasSubstr("column 12: '1.5' is not a whole number"));
  EXPECT_THAT(refusal("k(a: i32 = )"), HasSubstr("column 12: '' is not a whole number"));
  EXPECT_THAT(refusal("k(a: f32, A: f32[a])"),
              HasSubstr("column 18: 'a' is f32, and an extent needs an integer"));
  EXPECT_THAT(refusal("k(B: f32[2], A: f32[B])"),
              HasSubstr("'B' is f32[2], and an extent needs an integer"));
  EXPECT_THAT(refusal("k() x"), HasSubstr("column 5: expected 'check' or the end, found 'x'"));
  EXPECT_THAT(refusal("k(\xff)"), HasSubstr("found '\\xff'"));
  EXPECT_THAT(refusal(std::string(70000, ' ')), HasSubstr("70000 bytes; the limit is 65536"));
}

TEST(KernelSpec, SaysWhatIsWrongWithAnExtent) {
  EXPECT_THAT(extentRefusal("M +"),
              HasSubstr("column 13: expected an extent (integer, name or expression), found ']'"));
  EXPECT_THAT(extentRefusal("(M"),
              HasSubstr("expected ')' after an expression in parentheses, found ']'"));
  EXPECT_THAT(extentRefusal("010"), HasSubstr("column 10: '010' has a leading zero"));
  EXPECT_THAT(extentRefusal("99999999999999999999"),
              HasSubstr("column 10: '99999999999999999999' is too large"));
  EXPECT_THAT(extentRefusal("M, "), HasSubstr("expected an extent"));
  EXPECT_THAT(extentRefusal("2x"), HasSubstr("'2x' is not a whole number"));
  EXPECT_THAT(extentRefusal(std::string(40000, '(')),
              HasSubstr("more than 32 parentheses and signs"));
  EXPECT_THAT(extentRefusal(std::string(40000, '-')),
              HasSubstr("more than 32 parentheses and signs"));
  std::string many = "M";
  for (int i = 0; i < 200; ++i) many += "+M";
  EXPECT_THAT(extentRefusal(many), HasSubstr("more than 256 terms"));
  many = "k(";
  for (int i = 0; i < 257; ++i) many += (i ? ",a" : "a") + std::to_string(i) + ":i32";
  EXPECT_THAT(refusal(many + ")"), HasSubstr("more than 256 arguments"));
  many = "k(A: f32[";
  for (int i = 0; i < 257; ++i) many += (i ? ",M" : "M") + std::to_string(i);
  EXPECT_THAT(refusal(many + "])"), HasSubstr("more than 256 symbols"));
}

TEST(KernelSpec, SaysWhatIsWrongWithACheck) {
  const std::string head = "k(A: f32[2], out C: f32[2]) check ";
  EXPECT_EQ(refusal(head + "f(A) -> C"), "accepted");
  EXPECT_EQ(refusal(head + "f() -> C"), "accepted");
  EXPECT_THAT(refusal(head), HasSubstr("expected the operation to check against, found the end"));
  EXPECT_THAT(refusal(head + "f(A)"),
              HasSubstr("expected '->' after the inputs of the check, found the end"));
  EXPECT_THAT(refusal(head + "f(B) -> C"),
              HasSubstr("column 37: the check names 'B', which is no argument"));
  EXPECT_THAT(refusal(head + "f(C) -> C"),
              HasSubstr("the check's input 'C' is an output of the kernel"));
  EXPECT_THAT(refusal(head + "f(A) -> A"),
              HasSubstr("the check's output 'A' is an input of the kernel"));
  EXPECT_THAT(refusal(head + "f(A) -> C with a"),
              HasSubstr("expected '=' after the attribute 'a'"));
  EXPECT_THAT(refusal(head + "f(A) -> C with a=1, a=2"), HasSubstr("attribute 'a' stands twice"));
  EXPECT_THAT(refusal(head + "f(A) -> C with a=, b=1"),
              HasSubstr("expected a value for the attribute 'a', found ','"));
}

TEST(DimExpression, FollowsArithmetic) {
  EXPECT_EQ(value("2 + 3*4"), 14);
  EXPECT_EQ(value("(2 + 3)*4"), 20);
  EXPECT_EQ(value("10 - 3 - 2"), 5);
  EXPECT_EQ(value("-H + 12"), 2);
  EXPECT_EQ(value("(H + 2*pad - 3)/2 + 1"), 5);
  EXPECT_EQ(value("100/7/2"), 7);
}

TEST(DimExpression, DividesTowardMinusInfinity) {
  EXPECT_EQ(value("(0-7)/2"), -4);
  EXPECT_EQ(value("7/(0-2)"), -4);
  EXPECT_EQ(value("(0-7)/(0-2)"), 3);
  EXPECT_EQ(value("(0-8)/2"), -4);
  EXPECT_EQ(value("7/2"), 3);
}

TEST(DimExpression, SaysWhyItHasNoValue) {
  EXPECT_EQ(valueRefusal("M + 1"), "M + 1 needs M, which has no value");
  EXPECT_EQ(valueRefusal("4/zero"), "4/zero divides by zero (zero = 0)");
  EXPECT_EQ(valueRefusal("most + 1"), "most + 1 leaves 64 bits (most = 9223372036854775807)");
  EXPECT_EQ(valueRefusal("2*most"), "2*most leaves 64 bits (most = 9223372036854775807)");
  EXPECT_EQ(valueRefusal("-most - 2"), "-most - 2 leaves 64 bits (most = 9223372036854775807)");
  EXPECT_EQ(valueRefusal("(-most - 1)/-1"),
            "(-most - 1)/-1 leaves 64 bits (most = 9223372036854775807)");
}

// Any outcome is right but a crash or a sanitizer's report.
TEST(KernelSpec, SurvivesTruncationsAndMutations) {
  const std::string good = kGemm;
  for (size_t length = 0; length < good.size(); ++length) (void)refusal(good.substr(0, length));
  std::mt19937 random(11);
  int refused = 0;
  for (int i = 0; i < 50000; ++i) {
    std::string text = good;
    for (int n = 0; n < 3; ++n)
      text[random() % text.size()] = "()[],:=->+*/ \n09azAZ_.\xff"[random() % 24];
    refused += refusal(text) != "accepted";
  }
  EXPECT_GT(refused, 20000);
}

}  // namespace
}  // namespace etalon::abi
