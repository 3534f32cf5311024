// SPDX-License-Identifier: Apache-2.0
// Products of sources whose links name block scales or the metadata of a sparse A.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstring>

#include "isa/base/fuzz_scale.h"
#include "isa/numerics/mma.h"
#include "isa/numerics/mma_reference.h"
#include "isa/numerics/mma_test_data.h"
#include "isa/state/rule_test.h"

namespace etalon::numerics {
namespace {

using namespace test;  // NOLINT: its test data
using enum ElementType;

/// Element type and the type of its scales; none: the element type again, of which there are none.
struct Scaled {
  ElementType element, scale;

  bool hasScales() const { return scale != element; }
};

/// Scales that isa.md section 3 lists, with the elements of logical k that share one.
struct LegalScale {
  ElementType element, scale;
  uint32_t block;
};
constexpr std::array<LegalScale, 10> kLegalScales = {{{f4e2m1, e8m0, 32},
                                                      {f8e4m3, e8m0, 32},
                                                      {f8e5m2, e8m0, 32},
                                                      {f4e2m1, f8e4m3, 16},
                                                      {f8e4m3, f32, 128},
                                                      {f8e5m2, f32, 128},
                                                      {i4, f32, 128},
                                                      {u4, f32, 128},
                                                      {i8, f32, 128},
                                                      {u8, f32, 128}}};

uint32_t blockOf(const Scaled& s) {
  for (const LegalScale& legal : kLegalScales) {
    if (legal.element == s.element && legal.scale == s.scale) return legal.block;
  }
  return 0;
}

struct LinkedPair {
  Scaled a, b;
  ElementType acc;
};

/// All pairs of sources, each without scales or with any of its own.
std::vector<LinkedPair> linkedPairs() {
  std::vector<Scaled> sources;
  for (const ElementType t : {f16, bf16, f32, f4e2m1, f8e4m3, f8e5m2, i4, u4, i8, u8}) {
    sources.push_back({t, t});
  }
  for (const LegalScale& legal : kLegalScales) sources.push_back({legal.element, legal.scale});
  std::vector<LinkedPair> pairs;
  for (const Scaled& a : sources) {
    for (const Scaled& b : sources) {
      const auto acc = accumulatorType(a.element, b.element, a.hasScales() || b.hasScales());
      if (acc) pairs.push_back({a, b, *acc});
    }
  }
  return pairs;
}

const std::vector<LinkedPair>& pairs() {
  static const std::vector<LinkedPair> all = linkedPairs();
  return all;
}

std::string nameOf(const Scaled& s) {
  std::string name(elementInfo(s.element).name);
  if (s.hasScales()) name += "_by_" + std::string(elementInfo(s.scale).name);
  return name;
}

/// A source of rows x columns logical elements; `k` runs along the columns of A and the rows of B.
Source makeSource(const Scaled& s, uint32_t rows, uint32_t columns, uint32_t k, bool is_b,
                  bool transposed, Fill fill, Random& random) {
  Source source(makeTile(s.element, rows, columns, transposed, pick(kRows, random), fill, random));
  if (!s.hasScales()) return source;
  const uint32_t blocks = (k + blockOf(s) - 1) / blockOf(s);
  uint32_t scale_rows = is_b ? blocks : rows, scale_columns = is_b ? columns : blocks;
  if (transposed) std::swap(scale_rows, scale_columns);
  // Scales with subnormals, zeros, NaN and infinities only now and then: each spoils a block.
  const Fill scale_fill = random() % 4 == 0 ? fill : Fill::Ordinary;
  source.scales = makeTile(s.scale, scale_rows, scale_columns, false, pick(kRows, random),
                           scale_fill, random, random() % 4 == 0 ? 0 : 1);
  return source;
}

/// A of M x K, sparse or not.
Source makeA(const Scaled& s, uint32_t m, uint32_t k, bool sparse, bool transposed, Fill fill,
             Random& random) {
  const uint32_t groups = (k + 3) / 4;
  Source a = makeSource(s, m, sparse ? 2 * groups : k, k, false, transposed, fill, random);
  if (sparse) {
    a.metadata = makeTile(u4, m, groups, false, pick(kRows, random), Fill::Ordinary, random);
  }
  return a;
}

class EveryLinkedPair : public testing::TestWithParam<size_t> {
 protected:
  void run(uint32_t m, uint32_t n, uint32_t k, bool sparse) {
    const LinkedPair& pair = pairs()[GetParam()];
    const Fill fill = pick(kFills, random_);
    const bool a_transposed = !sparse && random_() % 2, b_transposed = random_() % 2;
    const bool accumulate = random_() % 2;
    const Source a = makeA(pair.a, m, k, sparse, a_transposed, fill, random_);
    const Source b = makeSource(pair.b, k, n, k, true, b_transposed, fill, random_);
    const Tile acc =
        makeTile(pair.acc, m, n, false, static_cast<Rows>(random_() % 4), fill, random_);
    SCOPED_TRACE(testing::Message()
                 << nameOf(pair.a) << " x " << nameOf(pair.b) << ", " << m << " x " << n << " x "
                 << k << (sparse ? ", sparse" : "") << (a_transposed ? ", A transposed" : "")
                 << (b_transposed ? ", B transposed" : "") << ", accumulate " << accumulate
                 << ", fill " << int(fill));
    expectAllEqual(a, b, acc, accumulate, random_() % 2 ? &scratch_ : nullptr);
  }

  Random random_{static_cast<uint32_t>(GetParam())};
  MmaScratch scratch_;
};

INSTANTIATE_TEST_SUITE_P(Mma, EveryLinkedPair, testing::Range(size_t{0}, pairs().size()),
                         [](const auto& info) {
                           const LinkedPair& pair = pairs()[info.param];
                           return nameOf(pair.a) + "_x_" + nameOf(pair.b);
                         });

// K stands on both sides of every block of scales and of a panel, 256; sparse groups have a rest.
TEST_P(EveryLinkedPair, EqualsExactArithmetic) {
  SHOWS(mm_scale, mm_sparse);
  constexpr std::array<uint32_t, 21> kOfK = {0,  1,  2,  3,  4,  5,   15,  16,  17,  31, 32,
                                             33, 47, 48, 64, 65, 127, 128, 129, 255, 257};
  constexpr std::array<uint32_t, 10> kExtents = {1, 2, 3, 5, 8, 15, 16, 17, 31, 33};
  for (const uint32_t k : kOfK) {
    // Under the sanitizers every other one, of which both rests of a group and a panel remain.
    if (kSanitized && k % 2 == 0) continue;
    for (const bool sparse : {false, true}) {
      run(pick(kExtents, random_), pick(kExtents, random_), k, sparse);
      if (HasFailure()) return;
    }
  }
}

TEST_P(EveryLinkedPair, EqualsExactArithmeticAcrossBlocks) {
  for (const bool sparse : {false, true}) {
    run(129, 3, 66, sparse);
    run(3, 131, 67, sparse);
    run(2, 3, 1030, sparse);
  }
}

/// One element times a scale, times 1 that has another scale.
struct Alone {
  Source a, b;
};
Alone alone(ElementType type, uint32_t element, uint32_t a_scale, uint32_t b_scale) {
  Random random(1);
  const auto tile = [&](ElementType t, uint32_t bits) {
    Tile one = makeTile(t, 1, 1, false, Rows::Dense, Fill::Ordinary, random);
    one.set(0, 0, bits);
    return one;
  };
  Alone x{tile(type, element), tile(type, oneOf(type))};
  x.a.scales = tile(e8m0, a_scale);
  x.b.scales = tile(e8m0, b_scale);
  return x;
}

float multiplied(const Alone& x, const MmaKernels& kernels) {
  float result = -1;
  MmaSource a = x.a.tile.ref, b = x.b.tile.ref;
  a.scales = x.a.scales->ref;
  b.scales = x.b.scales->ref;
  multiplyAccumulate(a, b, {reinterpret_cast<std::byte*>(&result), f32, 1, 1, 1, 0, 4, 1, false},
                     false, kernels);
  return result;
}

TEST(MmaScales, ReadEveryE8m0OnEveryElement) {
  SHOWS(mm_scale);
  Random random(2);
  for (const ElementType type : {f4e2m1, f8e4m3, f8e5m2}) {
    const uint32_t count = 1u << bitsOf(type);
    Source a = makeTile(type, count, 1, false, Rows::Dense, Fill::Ordinary, random);
    for (uint32_t i = 0; i < count; ++i) a.tile.set(i, 0, i);
    const Tile acc = makeTile(f32, count, 1, false, Rows::Dense, Fill::Ordinary, random);
    for (uint32_t scale = 0; scale < 256; ++scale) {
      Alone x = alone(type, 0, scale, (scale * 11 + 5) & 0xff);
      a.scales = x.a.scales;
      a.scales->ref.inner = count;
      a.scales->ref.istride = 0;
      expectAllEqual(a, x.b, acc, false, nullptr);
      if (HasFailure()) FAIL() << elementInfo(type).name << " scaled by " << scale;
    }
  }
}

TEST(MmaScales, MultiplyElementsWithoutOverflowOrUnderflowOnTheWay) {
  for (const MmaKernels* kernels : hostMmaKernels()) {
    EXPECT_EQ(448.0f, multiplied(alone(f8e4m3, 0x7e, 254, 0), *kernels));
    EXPECT_EQ(std::ldexp(1.0f, -16), multiplied(alone(f8e5m2, 1, 0, 254), *kernels));
    EXPECT_EQ(INFINITY, multiplied(alone(f4e2m1, 2, 254, 128), *kernels));
  }
}

TEST(MmaScales, OfAllOnesMakeZerosAndInfinitiesNan) {
  SHOWS(mm_scale);
  for (const MmaKernels* kernels : hostMmaKernels()) {
    for (const uint32_t element : {0x00, 0x80, 0x7c, 0x3c}) {
      EXPECT_TRUE(std::isnan(multiplied(alone(f8e5m2, element, 255, 127), *kernels))) << element;
      EXPECT_TRUE(std::isnan(multiplied(alone(f8e5m2, element, 127, 255), *kernels))) << element;
    }
  }
}

// 3 * s is no f32: the rounding of e * s shows where the accumulator takes it away again.
TEST(MmaScales, OfF32RoundElementTimesScaleFirst) {
  SHOWS(mm_scale);
  for (const MmaKernels* kernels : hostMmaKernels()) {
    std::byte e{3}, one{1};
    float s = std::nextafter(1.0f, 2.0f), acc = -(3 * s);
    MmaSource a = TileRef{&e, i8, 1, 1, 1, 0, 1, 1, false};
    a.scales = TileRef{reinterpret_cast<std::byte*>(&s), f32, 1, 1, 1, 0, 4, 1, false};
    const TileRef b{&one, i8, 1, 1, 1, 0, 1, 1, false};
    multiplyAccumulate(a, b, {reinterpret_cast<std::byte*>(&acc), f32, 1, 1, 1, 0, 4, 1, false},
                       true, *kernels);
    EXPECT_EQ(0.0f, acc) << mmaKernelsName(*kernels);
  }
}

TEST(MmaScales, HaveABlockForTheTypesTheyAreListedWithAlone) {
  for (int element = 0; element < kElementTypes; ++element) {
    for (int scale = 0; scale < kElementTypes; ++scale) {
      const Scaled s{ElementType(element), ElementType(scale)};
      EXPECT_EQ(blockOf(s), scaleBlock(s.element, s.scale)) << element << " " << scale;
    }
  }
}

/// 1 x 4 times 4 x 1: A holds two of four.
float sparseProduct(std::array<float, 2> stored, uint8_t positions, std::array<float, 4> b,
                    float start, const MmaKernels& kernels, uint32_t k = 4) {
  auto meta = static_cast<std::byte>(positions);
  MmaSource a = TileRef{reinterpret_cast<std::byte*>(stored.data()), f32, 1, 1, 2, 0, 8, 1, false};
  a.metadata = TileRef{&meta, u4, 1, 1, 1, 0, 1, 1, false};
  const TileRef tb{reinterpret_cast<std::byte*>(b.data()), f32, 1, k, 1, 0, 4, 1, false};
  multiplyAccumulate(a, tb, {reinterpret_cast<std::byte*>(&start), f32, 1, 1, 1, 0, 4, 1, false},
                     true, kernels);
  return start;
}

TEST(MmaSparse, TakesTermsInStoredOrderWhateverTheirPositions) {
  SHOWS(mm_sparse);
  for (const MmaKernels* kernels : hostMmaKernels()) {
    const float big = std::ldexp(1.0f, 60);
    // (0 + big) - big + ... against (0 + 1 - big): position 3 first, then 0.
    EXPECT_EQ(0.0f, sparseProduct({big, -big}, 3 + 4 * 0, {1, 9, 9, 1}, 1.0f, *kernels));
    EXPECT_EQ(11.0f, sparseProduct({5, 1}, 3 + 4 * 0, {1, 9, 9, 2}, 0.0f, *kernels));
    EXPECT_EQ(12.0f, sparseProduct({5, 1}, 2 + 4 * 2, {9, 9, 2, 9}, 0.0f, *kernels));
  }
}

TEST(MmaSparse, AddsNothingForAbsentElements) {
  SHOWS(mm_sparse);
  for (const MmaKernels* kernels : hostMmaKernels()) {
    EXPECT_EQ(3.0f, sparseProduct({1, 2}, 1 + 4 * 2, {INFINITY, 1, 1, NAN}, 0.0f, *kernels));
    // A dense zero would turn -0 into +0.
    EXPECT_TRUE(std::signbit(sparseProduct({-1, -1}, 1 + 4 * 2, {1, 0, 0, 1}, -0.0f, *kernels)));
  }
}

TEST(MmaSparse, ReadsZeroPastTheLastRowOfB) {
  SHOWS(mm_sparse);
  for (const MmaKernels* kernels : hostMmaKernels()) {
    EXPECT_EQ(2.0f, sparseProduct({2, 7}, 0 + 4 * 3, {1, 1, 1, 9}, 0.0f, *kernels, 3));
    EXPECT_TRUE(
        std::isnan(sparseProduct({2, INFINITY}, 0 + 4 * 3, {1, 1, 1, 9}, 0.0f, *kernels, 3)));
  }
}

}  // namespace
}  // namespace etalon::numerics
