// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "kernels/c/kernel_cases.h"

namespace etalon::kernels {
namespace {

using enum ElementType;

struct RowsShape {
  uint64_t r, n;
};

std::string titleOf(const RowsShape& s) { return fmt::format("R={} N={}", s.r, s.n); }

/// Tiles are 4 x 4096 to 256 x 64 or less, sums have 64 lanes. The last two have more than 32 MiB,
/// four local memories; a row of the very last has more than one.
constexpr RowsShape kNormShapes[] = {
    {0, 5},    {5, 0},     {0, 0},     {1, 1},     {1, 2},       {3, 1},       {63, 7},
    {63, 63},  {64, 64},   {65, 65},   {2, 127},   {5, 129},     {64, 1000},   {67, 997},
    {1, 4095}, {3, 4096},  {2, 4097},  {64, 4097}, {1, 8191},    {2, 8192},    {3, 8193},
    {130, 61}, {129, 300}, {1031, 60}, {1, 12289}, {257, 66001}, {4, 4300003},
};

/// 1, zeros, infinities, NaNs, subnormals, the least normal, the two largest magnitudes, and -2^64,
/// the least whose square overflows, as bits of bf16.
constexpr uint16_t kSpecial[] = {0x3f80, 0x0000, 0x8000, 0x7f80, 0xff80, 0x7fc0, 0x7f81,
                                 0x0001, 0x8001, 0x0080, 0x7f7f, 0xff7f, 0xdf80};

/// Two rows for each special value: one with a single such element among small ones, one full of it.
abi::Array specialRows(uint64_t n) {
  const uint64_t rows = 2 * std::size(kSpecial);
  std::vector<uint16_t> bits(rows * n);
  for (uint64_t i = 0; i < bits.size(); ++i)
    bits[i] = static_cast<uint16_t>(0x3e00 + i * 37 % 256 + (i % 3 == 0 ? 0x8000 : 0));
  for (uint64_t row = 0; row < rows; ++row) {
    const uint16_t special = kSpecial[row / 2];
    if (row % 2 == 0)
      bits[row * n + row * 7 % n] = special;
    else  // a whole row of it
      std::fill_n(bits.begin() + static_cast<ptrdiff_t>(row * n), n, special);
  }
  return arrayOfHalves(bf16, {rows, n}, bits);
}

TEST(Softmax, IsWithinItsBoundForEveryShape) {
  ETALON_NEEDS_C_PROGRAMS();
  KernelCases cases("softmax");
  for (const RowsShape& s : kNormShapes)
    cases.run({titleOf(s), {{"x", randomSource(1, {s.r, s.n})}}});
  EXPECT_GE(cases.count(), 20);
}

TEST(Softmax, PassesInfinitiesAndNansAsTheReferenceDoes) {
  ETALON_NEEDS_C_PROGRAMS();
  KernelCases cases("softmax");
  for (const uint64_t n : {1, 65, 4100})
    cases.run({fmt::format("special N={}", n), {{"x", specialRows(n)}}});
}

std::vector<CaseInput> normInputs(CaseInput x, uint64_t n) {
  return {std::move(x), {"gamma", randomSource(2, {n})}, {"beta", randomSource(3, {n})}};
}

TEST(LayerNorm, IsWithinItsBoundForEveryShape) {
  ETALON_NEEDS_C_PROGRAMS();
  KernelCases cases("layer_norm");
  for (const RowsShape& s : kNormShapes)
    cases.run({titleOf(s), normInputs({"x", randomSource(1, {s.r, s.n})}, s.n)});
  EXPECT_GE(cases.count(), 20);
}

/// The largest overflow in sums and squares: what that leaves the reference knows.
TEST(LayerNorm, PassesInfinitiesAndNansAsTheReferenceDoes) {
  ETALON_NEEDS_C_PROGRAMS();
  KernelCases cases("layer_norm");
  for (const uint64_t n : {1, 65, 4100}) {
    cases.run({fmt::format("special N={}", n), normInputs({"x", specialRows(n)}, n)});
    cases.run({fmt::format("special N={} eps=0.5", n),
               normInputs({"x", specialRows(n)}, n),
               {{"eps", "0.5"}}});
  }
}

/// Tiles are 128 x 1024. The last has more than 32 MiB, four local memories.
constexpr RowsShape kFmaShapes[] = {
    {0, 5},      {5, 0},      {0, 0},      {1, 1},      {1, 2},        {3, 1},
    {2, 127},    {127, 7},    {128, 8},    {129, 9},    {5, 1023},     {6, 1024},
    {7, 1025},   {127, 1023}, {128, 1024}, {129, 1025}, {131, 2047},   {1, 4099},
    {257, 2049}, {1021, 1},   {383, 61},   {64, 1000},  {1009, 17423},
};

std::vector<CaseInput> fmaInputs(CaseInput a, uint64_t r, uint64_t n) {
  return {std::move(a), {"b", randomSource(2, {n})}, {"c", randomSource(3, {r, 1})}};
}

TEST(FmaRelu, IsExactForEveryShape) {
  ETALON_NEEDS_C_PROGRAMS();
  KernelCases cases("fma_relu");
  for (const RowsShape& s : kFmaShapes)
    cases.run({titleOf(s), fmaInputs({"a", randomSource(1, {s.r, s.n})}, s.r, s.n)});
  EXPECT_GE(cases.count(), 20);
}

TEST(FmaRelu, PassesInfinitiesAndNansAsTheReferenceDoes) {
  ETALON_NEEDS_C_PROGRAMS();
  KernelCases cases("fma_relu");
  const abi::Array special = specialRows(65);
  cases.run({"special N=65", fmaInputs({"a", special}, special.shape[0], 65)});
}

struct EmbeddingShape {
  uint64_t v, d, t;
};

/// Tiles are 128 indices x 2048 columns. In the last table and output have more than 32 MiB, four
/// local memories. Ids reach three beyond both ends of the table.
constexpr EmbeddingShape kEmbeddingShapes[] = {
    {0, 5, 7},       {5, 0, 7},         {5, 7, 0},          {0, 0, 0},       {1, 1, 1},
    {2, 1, 3},       {7, 5, 3},         {1, 2047, 2},       {3, 2048, 5},    {5, 2049, 7},
    {11, 13, 127},   {12, 14, 128},     {13, 15, 129},      {17, 2047, 127}, {18, 2048, 128},
    {19, 2049, 129}, {1009, 64, 257},   {3, 4097, 1},       {50021, 3, 509}, {31, 1, 1021},
    {127, 300, 61},  {8209, 2053, 257}, {1021, 2063, 8317},
};

TEST(Embedding, IsExactForEveryShapeAndForIdsOutside) {
  ETALON_NEEDS_C_PROGRAMS();
  KernelCases cases("embedding");
  for (const EmbeddingShape& s : kEmbeddingShapes)
    cases.run({fmt::format("V={} D={} T={}", s.v, s.d, s.t),
               {{"table", randomSource(1, {s.v, s.d})},
                {"ids", randomSource(2, {s.t}, fmt::format(":-3:{}", s.v + 3))}}});
  EXPECT_GE(cases.count(), 20);
}

TEST(Embedding, GivesZerosForTheFarthestIds) {
  ETALON_NEEDS_C_PROGRAMS();
  KernelCases cases("embedding");
  for (const char* id : {"-2147483648", "-1", "0", "4", "5", "2147483647"})
    cases.run({fmt::format("id {}", id),
               {{"table", randomSource(1, {5, 70})}, {"ids", fmt::format("const:{}[9]", id)}}});
}

}  // namespace
}  // namespace etalon::kernels
