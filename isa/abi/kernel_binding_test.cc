// SPDX-License-Identifier: Apache-2.0
#include "isa/abi/kernel_binding.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

#include "isa/state/rule_test.h"

namespace etalon::abi {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;

constexpr const char* kGemm =
    "gemm(A: bf16[M, K], B: bf16[K, N], out C: f32[M, N], alpha: f32 = 1.5)";
constexpr const char* kConv =
    "conv(X: f32[H], W: f32[3], out Y: f32[(H + 2*pad - 3)/stride + 1], pad: i32 = 0, stride: i32 "
    "= 1) "
    "check conv(X, W) -> Y with pads=[pad, pad], stride=stride, shift=pad - 1, mode=valid";

GivenInput array(const std::string& name, ElementType type, std::vector<uint64_t> shape) {
  return {name, type, std::move(shape)};
}
GivenInput generated(const std::string& name) { return {name, std::nullopt, std::nullopt}; }

Result<Binding> solve(const std::string& spec, const std::vector<GivenInput>& inputs,
                      const std::vector<GivenValue>& values = {}) {
  return bindKernel(parseKernelSpec(spec).value(), inputs, values);
}
std::string refusal(const std::string& spec, const std::vector<GivenInput>& inputs,
                    const std::vector<GivenValue>& values = {}) {
  const Result<Binding> binding = solve(spec, inputs, values);
  return binding.ok() ? "accepted" : binding.error().message;
}

const GivenInput kA = array("A", ElementType::bf16, {5, 64});
const GivenInput kB = array("B", ElementType::bf16, {64, 7});

TEST(Binding, SolvesSymbolsFromShapes) {
  SHOWS(note_symbols);
  const Binding binding = solve(kGemm, {kA, kB}).value();
  EXPECT_THAT(binding.symbols, ElementsAre(Pair("M", 5), Pair("K", 64), Pair("N", 7)));
  EXPECT_THAT(binding.arguments[2].shape, ElementsAre(5, 7));
  EXPECT_EQ(binding.arguments[3].slot, 0x3fc00000u);
}

TEST(Binding, MakesTheArgumentBlock) {
  SHOWS(note_block);
  const Binding binding = solve(kGemm, {kA, kB}, {{"alpha", "-2"}}).value();
  const std::vector<uint64_t> addresses{0x80000000, 0x80001000, 0x80002000};
  const std::vector<std::byte> block = binding.argumentBlock(addresses);
  const std::vector<uint64_t> wanted{0x80000000, 0x80001000, 0x80002000, 0xc0000000, 5, 64, 7};
  ASSERT_EQ(block.size(), wanted.size() * 8);
  EXPECT_EQ(std::memcmp(block.data(), wanted.data(), block.size()), 0);
}

TEST(Binding, ScalarsGoSignExtendedIntoTheBlock) {
  SHOWS(note_block);
  const Binding binding =
      solve("k(a: i32, b: u32, c: i64 = -3)", {}, {{"a", "-1"}, {"b", "4294967295"}}).value();
  const std::vector<std::byte> block = binding.argumentBlock({});
  const std::vector<uint64_t> wanted{~uint64_t{0}, 0xffffffff, ~uint64_t{2}};
  ASSERT_EQ(block.size(), 24u);
  EXPECT_EQ(std::memcmp(block.data(), wanted.data(), 24), 0);
}

TEST(Binding, GeneratedInputsTakeTheShapeOfTheOthers) {
  const Binding binding = solve(kGemm, {kA, generated("B")}, {{"N", "9"}}).value();
  EXPECT_THAT(binding.arguments[1].shape, ElementsAre(64, 9));
}

TEST(Binding, EvaluatesExpressionsWithScalars) {
  const std::vector<GivenInput> inputs{array("X", ElementType::f32, {10}), generated("W")};
  EXPECT_THAT(solve(kConv, inputs).value().arguments[2].shape, ElementsAre(8));
  const Binding binding = solve(kConv, inputs, {{"pad", "1"}, {"stride", "2"}}).value();
  EXPECT_THAT(binding.arguments[2].shape, ElementsAre(5));
  EXPECT_THAT(binding.attributes, ElementsAre(Pair("pads", "[1, 1]"), Pair("stride", "2"),
                                              Pair("shift", "0"), Pair("mode", "valid")));
}

TEST(Binding, AttributesMayNameAFloat) {
  const Binding binding =
      solve("k(inout A: f32[n], n: i32, a: f32 = 0.1) check f(A) -> A with a=a, n=n",
            {array("A", ElementType::f32, {3})})
          .value();
  EXPECT_THAT(binding.attributes, ElementsAre(Pair("a", "0.1"), Pair("n", "3")));
}

TEST(Binding, ShapesSolveScalarsAndBeatDefaults) {
  EXPECT_EQ(
      solve("k(A: f32[n], n: i32)", {array("A", ElementType::f32, {7})}).value().arguments[1].slot,
      7u);
  EXPECT_EQ(solve("k(A: f32[n], n: i32 = 3)", {array("A", ElementType::f32, {7})})
                .value()
                .arguments[1]
                .slot,
            7u);
  EXPECT_THAT(solve("k(A: f32[n], n: i32 = 3)", {generated("A")}).value().arguments[0].shape,
              ElementsAre(3));
  EXPECT_EQ(refusal("k(A: f32[n], n: i32 = 3)", {array("A", ElementType::f32, {7})}, {{"n", "8"}}),
            "n is 8 by --arg n but 7 by A (axis 0)");
  EXPECT_THAT(
      refusal("k(A: f32[n], n: i32)", {array("A", ElementType::f32, {uint64_t{1} << 32})}),
      HasSubstr(
          "n by A (axis 0): 4294967296 is outside -2147483648 to 2147483647, the range of i32"));
}

TEST(Binding, SaysWhichTwoShapesConflict) {
  EXPECT_EQ(refusal(kGemm, {kA, array("B", ElementType::bf16, {63, 7})}),
            "K is 64 by A (axis 1) but 63 by B (axis 0)");
  EXPECT_EQ(refusal(kGemm, {kA, kB}, {{"K", "32"}}), "K is 32 by --arg K but 64 by A (axis 1)");
  EXPECT_EQ(refusal("k(A: f32[M], B: f32[2*M])",
                    {array("A", ElementType::f32, {4}), array("B", ElementType::f32, {7})}),
            "B (axis 0) is given with 7, but 2*M = 8 (M = 4)");
  EXPECT_EQ(refusal("k(A: f32[3])", {array("A", ElementType::f32, {4})}),
            "A (axis 0) is given with 4, but 3 = 3");
}

TEST(Binding, SaysWhatIsMissing) {
  EXPECT_EQ(refusal(kGemm, {kA}),
            "no input for B, bf16[K, N]: give --in B=FILE, --in B=random:SEED or --in B=zeros");
  EXPECT_EQ(refusal(kGemm, {kA, generated("B")}),
            "the shape of B, bf16[K, N], needs N: give --arg N=... or an array for B (axis 1)");
  EXPECT_EQ(refusal("fill(out C: f32[N])", {}),
            "the shape of C, f32[N], needs N: give --arg N=...");
  EXPECT_EQ(refusal("k(n: i32)", {}), "the scalar n (i32) has no value: give --arg n=...");
}

TEST(Binding, SaysWhatTheKernelHasNot) {
  EXPECT_EQ(refusal(kGemm, {generated("D")}),
            "--in 'D': gemm has no such tensor; its inputs: A, B");
  EXPECT_EQ(refusal(kGemm, {generated("alpha")}),
            "--in 'alpha': gemm has no such tensor; its inputs: A, B");
  EXPECT_EQ(refusal(kGemm, {generated("C")}), "--in C: C is an output, f32[M, N]");
  EXPECT_EQ(refusal(kGemm, {kA, kA, kB}), "--in A is given twice");
  EXPECT_EQ(refusal(kGemm, {kA, kB}, {{"beta", "1"}}),
            "--arg 'beta': gemm has no such scalar or symbol; it has: alpha, M, K, N");
  EXPECT_EQ(refusal(kGemm, {kA, kB}, {{"A", "1"}}),
            "--arg A: A is a tensor, bf16[M, K]: give it with --in");
  EXPECT_EQ(refusal(kGemm, {kA, kB}, {{"alpha", "1"}, {"alpha", "2"}}),
            "--arg alpha is given twice");
  EXPECT_EQ(refusal(kGemm, {kA, kB}, {{"M", "5"}, {"M", "5"}}), "--arg M is given twice");
}

TEST(Binding, SaysWhatDoesNotFit) {
  EXPECT_EQ(refusal(kGemm, {array("A", ElementType::f32, {5, 64}), kB}),
            "A is given as f32, but gemm takes bf16[M, K]: convert it first");
  EXPECT_EQ(refusal(kGemm, {array("A", ElementType::bf16, {5, 64, 1}), kB}),
            "A is given with shape [5, 64, 1], but gemm takes bf16[M, K]");
  EXPECT_EQ(refusal(kGemm, {kA, kB}, {{"alpha", "x"}}),
            "--arg alpha: 'x' is not a number: write it as 1.5, -2 or 1e-3");
  EXPECT_EQ(refusal(kGemm, {kA, kB}, {{"M", "-5"}}),
            "--arg M: -5 is no extent; it may be 0 to 2^48 - 1");
  EXPECT_EQ(refusal(kGemm, {array("A", ElementType::bf16, {uint64_t{1} << 48, 64}), kB}),
            "M is 281474976710656 by A (axis 0); an extent may be 0 to 2^48 - 1");
  const std::vector<GivenInput> small{array("X", ElementType::f32, {1}), generated("W")};
  EXPECT_EQ(refusal(kConv, small),
            "Y (axis 0) would have the extent (H + 2*pad - 3)/stride + 1 = -1 (H = 1, pad = 0, "
            "stride = 1); it may be 0 to 2^48 - 1");
  EXPECT_EQ(refusal(kConv, small, {{"stride", "0"}}),
            "Y (axis 0): (H + 2*pad - 3)/stride + 1 divides by zero (H = 1, pad = 0, stride = 0)");
}

}  // namespace
}  // namespace etalon::abi
