// SPDX-License-Identifier: Apache-2.0
#include "isa/numerics/mma.h"

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "isa/base/fuzz_scale.h"
#include "isa/numerics/mma_reference.h"
#include "isa/numerics/mma_test_data.h"
#include "isa/state/rule_test.h"

namespace etalon::numerics {
namespace {

using namespace test;  // NOLINT: its test data
using enum ElementType;

struct Pair {
  ElementType a, b, acc;
};

/// Every pair without links: what isa.md section 3 lists, either order, either sign.
std::vector<Pair> allPairs() {
  constexpr std::array kNarrow = {f4e2m1, f8e4m3, f8e5m2};
  constexpr std::array kIntegers = {i4, u4, i8, u8};
  std::vector<Pair> pairs = {{f16, f16, f32}, {bf16, bf16, f32}, {f32, f32, f32}};
  for (const ElementType a : kNarrow) {
    for (const ElementType b : kNarrow) pairs.push_back({a, b, f32});
  }
  for (const ElementType a : kIntegers) {
    for (const ElementType b : kIntegers) pairs.push_back({a, b, i32});
  }
  for (const ElementType nibble : {i4, u4}) {
    pairs.push_back({bf16, nibble, f32});
    pairs.push_back({nibble, bf16, f32});
  }
  return pairs;
}

const std::vector<Pair>& pairs() {
  static const std::vector<Pair> all = allPairs();
  return all;
}

struct Case {
  Pair pair;
  bool a_transposed, b_transposed;
  uint32_t m, n, k;
};

void runCase(const Case& c, Random& random, MmaScratch& scratch) {
  const Fill fill = pick(kFills, random);
  const Rows a_rows = pick(kRows, random), b_rows = pick(kRows, random);
  const auto acc_rows = static_cast<Rows>(random() % 4);
  const bool accumulate = random() % 2;
  const Tile a = makeTile(c.pair.a, c.m, c.k, c.a_transposed, a_rows, fill, random);
  const Tile b = makeTile(c.pair.b, c.k, c.n, c.b_transposed, b_rows, fill, random);
  const Tile acc = makeTile(c.pair.acc, c.m, c.n, false, acc_rows, fill, random);
  SCOPED_TRACE(testing::Message() << elementInfo(c.pair.a).name << " x "
                                  << elementInfo(c.pair.b).name << ", " << c.m << " x " << c.n
                                  << " x " << c.k << (c.a_transposed ? ", A transposed" : "")
                                  << (c.b_transposed ? ", B transposed" : "") << ", accumulate "
                                  << accumulate << ", rows " << int(a_rows) << int(b_rows)
                                  << int(acc_rows) << ", fill " << int(fill));
  expectAllEqual(a, b, acc, accumulate, random() % 2 ? &scratch : nullptr);
}

class EveryPair : public testing::TestWithParam<std::tuple<int, bool, bool>> {
 protected:
  Case caseOf(uint32_t m, uint32_t n, uint32_t k) const {
    const auto [pair, a_transposed, b_transposed] = GetParam();
    return {pairs()[static_cast<size_t>(pair)], a_transposed, b_transposed, m, n, k};
  }
  bool hasNibbles() const {
    const Pair pair = caseOf(1, 1, 1).pair;
    return bitsOf(pair.a) == 4 || bitsOf(pair.b) == 4;
  }
  Random random_{static_cast<uint32_t>(std::get<0>(GetParam()) * 4 + std::get<1>(GetParam()) * 2 +
                                       std::get<2>(GetParam()))};
  MmaScratch scratch_;
};

INSTANTIATE_TEST_SUITE_P(Mma, EveryPair,
                         testing::Combine(testing::Range(0, int(pairs().size())), testing::Bool(),
                                          testing::Bool()));

// A Latin square of extents: each two of M, N, K meet in every combination. A third of it, in which
// every extent still meets M, N and K, is enough for 4-bit sources, which become others before they
// meet the kernels, and under the sanitizers.
TEST_P(EveryPair, EqualsExactArithmeticAtOddExtents) {
  SHOWS(mm_meaning, mm_float, mm_integer);
  constexpr std::array<uint32_t, 12> kExtents = {0, 1, 2, 3, 5, 15, 16, 17, 31, 33, 64, 65};
  const size_t step = hasNibbles() || kSanitized ? 3 : 1;
  for (size_t i = 0; i < kExtents.size(); ++i) {
    for (size_t j = i % step; j < kExtents.size(); j += step) {
      runCase(caseOf(kExtents[i], kExtents[j], kExtents[(i + j) % kExtents.size()]), random_,
              scratch_);
      if (HasFailure()) return;
    }
  }
}

// Blocks are 128 x 128 x 256 units, a unit being 1, 2 or 4 k.
TEST_P(EveryPair, EqualsExactArithmeticAcrossBlocks) {
  const bool integers = caseOf(1, 1, 1).pair.acc == i32;
  runCase(caseOf(129, 7, integers ? 1025 : 257), random_, scratch_);
  runCase(caseOf(5, 131, integers ? 513 : 256), random_, scratch_);
  runCase(caseOf(130, 161, 19), random_, scratch_);
  runCase(caseOf(3, 9, integers ? 2051 : 770), random_, scratch_);
}

TEST_P(EveryPair, EqualsExactArithmeticOnEveryTailOfAVector) {
  for (uint32_t tail = 1; tail < 48; ++tail) {
    runCase(caseOf(1 + tail % 9, tail, 1 + random_() % 9), random_, scratch_);
    runCase(caseOf(1 + random_() % 9, 1 + random_() % 9, tail), random_, scratch_);
    runCase(caseOf(tail, 1 + random_() % 9, 1 + random_() % 9), random_, scratch_);
    if (HasFailure()) return;
  }
}

// All encodings of A, then of B, against 1: the conversion in packing, special values included.
TEST(Mma, ReadsEveryEncodingOfTypesOfUpToSixteenBits) {
  Random random(5);
  for (const Pair& pair : pairs()) {
    for (const int flags : {0, 1, 2, 3}) {
      const bool as_b = flags & 1, transposed = flags & 2;
      const ElementType type = as_b ? pair.b : pair.a, other = as_b ? pair.a : pair.b;
      if (bitsOf(type) > 16) continue;
      const uint32_t count = 1u << bitsOf(type);
      const uint32_t m = as_b ? 1 : count, n = as_b ? count : 1;
      SCOPED_TRACE(testing::Message()
                   << elementInfo(pair.a).name << elementInfo(pair.b).name << flags);
      Tile all = makeTile(type, m, n, transposed, Rows::Dense, Fill::Ordinary, random);
      const bool along_columns = as_b != transposed;
      for (uint32_t i = 0; i < count; ++i) all.set(along_columns ? 0 : i, along_columns ? i : 0, i);
      Tile one = makeTile(other, 1, 1, false, Rows::Dense, Fill::Ordinary, random);
      one.set(0, 0, oneOf(other));
      const Tile acc = makeTile(pair.acc, m, n, false, Rows::Dense, Fill::Ordinary, random);
      expectAllEqual(as_b ? one : all, as_b ? all : one, acc, false, nullptr);
    }
  }
}

/// A 1 x 1 tile of f32.
Tile f32Tile(uint32_t bits) {
  Tile tile;
  tile.bytes.resize(4);
  std::memcpy(tile.bytes.data(), &bits, 4);
  tile.ref = {tile.bytes.data(), f32, 1, 1, 1, 0, 4, 1, false};
  return tile;
}

uint32_t bitsOf(const Tile& tile) {
  uint32_t bits;
  std::memcpy(&bits, tile.bytes.data(), 4);
  return bits;
}

TEST(Mma, RoundsOnceAStepForEveryKernel) {
  SHOWS(mm_float);
  struct Row {
    uint32_t a, b, c, result;
  };
  constexpr std::array<Row, 9> kRowsOfFma = {{
      {0x3f800800, 0x3f800800, 0xbf801000, 0x33800000},  // (1+2^-12)^2 - (1+2^-11) = 2^-24
      {0x7f7fffff, 0x40000000, 0xff7fffff, 0x7f7fffff},  // 2*max - max: no overflow between
      {0x00000001, 0x3f000000, 0x00000000, 0x00000000},  // half of the least: to even, +0
      {0x00000001, 0x3f400000, 0x00000000, 0x00000001},  // three quarters of it
      {0x00800000, 0x3f000000, 0x80000001, 0x003fffff},  // subnormals kept on both sides
      {0x00000000, 0x7f800000, 0x3f800000, 0x7fc00000},  // 0 * Inf
      {0x7f800000, 0x3f800000, 0xff800000, 0x7fc00000},  // Inf - Inf
      {0x7f7fffff, 0x7f7fffff, 0xff800000, 0xff800000},  // the product is finite
      {0x3f800000, 0xff800001, 0x3f800000, 0x7fc00000},  // signalling NaN
  }};
  for (const Row& row : kRowsOfFma) {
    EXPECT_EQ(row.result, reference::exactFma(row.a, row.b, row.c)) << std::hex << row.a;
    for (const MmaKernels* kernels : hostMmaKernels()) {
      const Tile a = f32Tile(row.a), b = f32Tile(row.b), acc = f32Tile(row.c);
      multiplyAccumulate(a.ref, b.ref, acc.ref, true, *kernels);
      EXPECT_EQ(row.result, bitsOf(acc)) << mmaKernelsName(*kernels) << std::hex << " " << row.a;
    }
  }
}

TEST(Mma, ReferenceAgreesWithTheLibraryFma) {
  Random random(3);
  for (int i = 0; i < 1'000'000; ++i) {
    const Fill fill = i % 4 == 0 ? Fill::FiniteEdges : Fill::Ordinary;
    uint32_t a = randomElement(f32, fill, random), b = randomElement(f32, fill, random);
    uint32_t c = i % 3 == 0 ? random() : randomElement(f32, Fill::FewSpecials, random);
    // Near cancellations: c is minus the rounded product, give or take an ulp.
    const float p = std::bit_cast<float>(a) * std::bit_cast<float>(b);
    if (i % 5 == 0) c = (std::bit_cast<uint32_t>(p) ^ 0x80000000) + random() % 3 - 1;
    const float r =
        std::fma(std::bit_cast<float>(a), std::bit_cast<float>(b), std::bit_cast<float>(c));
    const uint32_t bits = std::isnan(r) ? 0x7fc00000 : std::bit_cast<uint32_t>(r);
    ASSERT_EQ(bits, reference::exactFma(a, b, c)) << std::hex << a << " " << b << " " << c;
  }
}

TEST(Mma, KeepsTheAccumulatorsBitsWhenKIsZero) {
  SHOWS(mm_nan);
  for (const MmaKernels* kernels : hostMmaKernels()) {
    Tile a = f32Tile(0), b = f32Tile(0), acc = f32Tile(0xff812345);
    a.ref.cols = 0;
    b.ref.inner = 0;
    multiplyAccumulate(a.ref, b.ref, acc.ref, true, *kernels);
    EXPECT_EQ(0xff812345u, bitsOf(acc));
    multiplyAccumulateScalar(a.ref, b.ref, acc.ref, true);
    EXPECT_EQ(0xff812345u, bitsOf(acc));
    multiplyAccumulate(a.ref, b.ref, acc.ref, false, *kernels);
    EXPECT_EQ(0u, bitsOf(acc));
  }
}

TEST(Mma, MakesANanFromTheAccumulatorCanonical) {
  SHOWS(mm_nan);
  for (const MmaKernels* kernels : hostMmaKernels()) {
    const Tile a = f32Tile(0), b = f32Tile(0), acc = f32Tile(0xff812345);
    multiplyAccumulate(a.ref, b.ref, acc.ref, true, *kernels);
    EXPECT_EQ(0x7fc00000u, bitsOf(acc));
  }
}

TEST(Mma, WrapsIntegersModuloTwoToThe32) {
  SHOWS(mm_integer);
  constexpr uint32_t kLong = 70'000;  // 255 * 255 * 70,000 > 2^32
  for (const auto& [a_type, b_type, value] : {std::tuple{u8, u8, 0xff}, std::tuple{i8, i8, 0x80},
                                              std::tuple{i8, u8, 0x80}, std::tuple{u8, i8, 0xff}}) {
    std::vector<std::byte> as(kLong, static_cast<std::byte>(value)), bs(1, std::byte{0xff});
    const TileRef a{as.data(), a_type, 1, 1, kLong, 0, 0, 1, false};
    const TileRef b{bs.data(), b_type, 1, kLong, 1, 0, 0, 1, false};
    const int64_t x = a_type == i8 ? value - 256 : value, y = b_type == i8 ? -1 : 255;
    for (const MmaKernels* kernels : hostMmaKernels()) {
      uint32_t sum = 0;
      multiplyAccumulate(a, b, {reinterpret_cast<std::byte*>(&sum), i32, 1, 1, 1, 0, 4, 1, false},
                         false, *kernels);
      EXPECT_EQ(static_cast<uint32_t>(x * y * kLong), sum) << mmaKernelsName(*kernels);
    }
  }
}

TEST(Mma, NamesTheAccumulatorOfLegalPairsAlone) {
  for (int a = 0; a < kElementTypes; ++a) {
    for (int b = 0; b < kElementTypes; ++b) {
      std::optional<ElementType> expected;
      for (const Pair& pair : pairs()) {
        if (int(pair.a) == a && int(pair.b) == b) expected = pair.acc;
      }
      EXPECT_EQ(expected, accumulatorType(ElementType(a), ElementType(b))) << a << " " << b;
    }
  }
}

TEST(Mma, OffersThePortableKernelsFirstAndTheBestLast) {
  const auto all = hostMmaKernels();
  EXPECT_EQ("generic", mmaKernelsName(*all.front()));
  EXPECT_EQ(all.back(), &bestMmaKernels());
  for (const MmaKernels* kernels : all) RecordProperty(std::string(mmaKernelsName(*kernels)), 1);
}

}  // namespace
}  // namespace etalon::numerics
