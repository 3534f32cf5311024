// SPDX-License-Identifier: Apache-2.0
// The reference tries every code and every scale: an element is a neighbour of the exact quotient
// among the values of its type, a scale the first that fits. Quotients and values are exact in double.
#include "isa/numerics/block_quantise.h"

#include <gtest/gtest.h>

#include <cmath>

#include "isa/base/fuzz_scale.h"
#include "isa/numerics/mma.h"
#include "isa/numerics/nibbles.h"
#include "isa/numerics/tile_test_data.h"
#include "isa/state/rule_test.h"

namespace etalon::numerics {
namespace {

using enum ElementType;
using test::TestTile;
using Random = std::mt19937;

constexpr ElementType kTargets[] = {f8e4m3, f8e5m2, f4e2m1};
constexpr ElementType kSources[] = {f32, bf16, f16, f8e4m3, f8e5m2};
constexpr ScaleChoice kChoices[] = {ScaleChoice::binade, ScaleChoice::unsaturated};

struct Fields {
  int exponent_bits, fraction_bits, bias;
};
Fields fieldsOf(ElementType type) {
  switch (type) {
    case f4e2m1: return {2, 1, 1};
    case f8e4m3: return {4, 3, 7};
    case f8e5m2: return {5, 2, 15};
    case f16: return {5, 10, 15};
    case bf16: return {8, 7, 127};
    default: return {8, 23, 127};
  }
}
/// Greatest value and its exponent, from the format standards.
double greatestOf(ElementType type) { return type == f8e4m3 ? 448 : type == f8e5m2 ? 57344 : 6; }
int emaxOf(ElementType type) { return type == f8e4m3 ? 8 : type == f8e5m2 ? 15 : 2; }

double decode(ElementType type, uint32_t code) {
  const Fields f = fieldsOf(type);
  const int e = static_cast<int>(code >> f.fraction_bits & ((1u << f.exponent_bits) - 1));
  const int m = static_cast<int>(code & ((1u << f.fraction_bits) - 1));
  const double sign = code >> (f.exponent_bits + f.fraction_bits) & 1 ? -1 : 1;
  if (type == f8e4m3 && e == 15 && m == 7) return NAN;
  if (type != f8e4m3 && type != f4e2m1 && e == (1 << f.exponent_bits) - 1)
    return m != 0 ? NAN : sign * INFINITY;
  const double fraction = std::ldexp(m, -f.fraction_bits);
  return sign * (e == 0 ? std::ldexp(fraction, 1 - f.bias) : std::ldexp(1 + fraction, e - f.bias));
}

/// The neighbour of a magnitude among the nonnegative values of a type that a direction takes, as
/// a code; above the greatest value that one.
uint32_t nearestCode(ElementType type, double magnitude, Direction direction, bool negative) {
  uint32_t below = 0;
  const uint32_t sign = 1u << (elementInfo(type).bits - 1);
  for (uint32_t code = 0; code < sign && decode(type, code) <= greatestOf(type); ++code)
    if (decode(type, code) <= magnitude) below = code;
  const double low = decode(type, below);
  if (low == magnitude || low == greatestOf(type)) return below;
  const double middle = (low + decode(type, below + 1)) / 2;
  bool up = false;
  switch (direction) {
    case Direction::nearest_even:
      up = magnitude > middle || (magnitude == middle && below % 2);
      break;
    case Direction::nearest_away: up = magnitude >= middle; break;
    case Direction::toward_zero: break;
    case Direction::toward_positive: up = !negative; break;
    case Direction::toward_negative: up = negative; break;
    case Direction::odd: up = below % 2 == 0; break;
  }
  return up ? below + 1 : below;
}

/// True if a quotient rounds to nearest even beyond the greatest value: it is nearer to the next
/// value of a wider type, or as near and that one is even.
bool saturates(ElementType type, double magnitude) {
  const double half = std::ldexp(1, emaxOf(type) - fieldsOf(type).fraction_bits - 1);
  const double middle = greatestOf(type) + half;
  return type == f8e4m3 ? magnitude > middle : magnitude >= middle;
}

/// Code of the scale of a block of numbers, by trying all.
uint32_t scaleOf(ElementType type, ScaleChoice choice, const std::vector<double>& block) {
  double amax = 0;
  for (const double x : block) {
    if (!std::isfinite(x)) return 0xff;
    amax = std::fmax(amax, std::fabs(x));
  }
  if (amax == 0) return 0;
  uint32_t scale = 0;
  const double top = std::ldexp(1, emaxOf(type) + 1);
  const auto tooSmall = [&](uint32_t b) {
    const double quotient = std::ldexp(amax, 127 - static_cast<int>(b));
    return choice == ScaleChoice::binade ? quotient >= top : saturates(type, quotient);
  };
  while (scale < 254 && tooSmall(scale)) ++scale;
  return scale;
}

uint32_t codeAt(const TestTile& tile, uint32_t r, uint32_t c) {
  if (tile.ref().type != f4e2m1) return tile.get(r, c);
  return loadNibble(tile.ref().row(r), c);
}

struct Shape {
  uint32_t rows, cols, inner;
  uint8_t step;
};
TestTile tileOf(ElementType type, const Shape& s, Random& random) {
  return TestTile(type, s.rows, s.cols, s.inner, elementInfo(type).bits == 4 ? uint8_t{1} : s.step,
                  random() % 3);
}
Shape anyShape(Random& random) {
  constexpr uint32_t kColumns[] = {1, 2, 31, 32, 33, 64, 65, 97};
  return {4, kColumns[random() % std::size(kColumns)], random() % 2 ? 2u : 4u,
          static_cast<uint8_t>(random() % 2 ? 1 : 2)};
}

/// Numbers of a few binades around one of any size, at the edges of rounding and of saturation,
/// with zeros; seldom a special value.
void fillBlocks(TestTile& tile, Random& random) {
  const int mantissa_bits = fieldsOf(tile.ref().type).fraction_bits;
  const auto width = static_cast<uint32_t>(elementInfo(tile.ref().type).bits);
  const uint32_t sign = 1u << (width - 1);
  for (uint32_t r = 0; r < tile.rows(); ++r) {
    uint32_t top = 0;
    for (uint32_t c = 0; c < tile.cols(); ++c) {
      if (c % kQuantiseBlock == 0) top = random() & (sign - 1) & ~((1u << mantissa_bits) - 1);
      const uint32_t drop = (random() % 20) << mantissa_bits;
      const uint32_t exponent = top > drop && random() % 2 ? top - drop : top;
      uint32_t fraction = random() & ((1u << mantissa_bits) - 1);
      // Few bits, or those of a value half way, or next to it.
      if (random() % 2 && mantissa_bits > 4) {
        const int low = mantissa_bits - static_cast<int>(random() % 5);
        fraction = (fraction >> low << low) + (random() % 3 - 1);
      }
      uint32_t code = (exponent | (fraction & ((1u << mantissa_bits) - 1))) % sign;
      if (random() % 16 == 0) code = 0;
      if (random() % 400 == 0) code = sign - 1 - (random() % 2 << (mantissa_bits - 1));
      tile.set(r, c, random() % 2 ? code : code | sign);
    }
  }
}

std::vector<double> blockOf(const TestTile& tile, uint32_t r, uint32_t first) {
  std::vector<double> block;
  for (uint32_t c = first; c < std::min(first + kQuantiseBlock, tile.cols()); ++c)
    block.push_back(decode(tile.ref().type, codeAt(tile, r, c)));
  return block;
}

struct Quantised {
  TestTile elements, scales;
};
Quantised quantise(ScaleChoice choice, const TestTile& a, ElementType type, Shape shape,
                   Random& random, const VectorContract* contract = nullptr) {
  Quantised q{tileOf(type, shape, random),
              TestTile(e8m0, shape.rows, (shape.cols + kQuantiseBlock - 1) / kQuantiseBlock)};
  quantiseBlocks(choice, a.ref(), q.elements.ref(), q.scales.ref(), contract);
  return q;
}

/// Every scale and element of a quantised tile is what the reference says.
void expectQuantised(ScaleChoice choice, const TestTile& a, const Quantised& q, Direction direction,
                     double flushed_below) {
  const ElementType type = q.elements.ref().type;
  const uint32_t sign = 1u << (elementInfo(type).bits - 1);
  for (uint32_t r = 0; r < a.rows(); ++r)
    for (uint32_t first = 0; first < a.cols(); first += kQuantiseBlock) {
      const std::vector<double> block = blockOf(a, r, first);
      const uint32_t scale = scaleOf(type, choice, block);
      ASSERT_EQ(q.scales.get(r, first / kQuantiseBlock), scale)
          << elementInfo(a.ref().type).name << " to " << elementInfo(type).name;
      for (uint32_t i = 0; i < block.size(); ++i) {
        const bool negative = std::signbit(block[i]);
        double magnitude = std::fabs(block[i]);
        if (magnitude < flushed_below) magnitude = 0;
        const uint32_t expected =
            scale == 0xff ? 0
                          : nearestCode(type, std::ldexp(magnitude, 127 - static_cast<int>(scale)),
                                        direction, negative) |
                                (negative ? sign : 0);
        ASSERT_EQ(codeAt(q.elements, r, first + i), expected)
            << block[i] << " by 2^" << static_cast<int>(scale) - 127 << " to "
            << elementInfo(type).name;
      }
    }
}

TEST(BlockQuantise, ScalesAndElementsAgreeWithTheReference) {
  SHOWS(quant_block, quant_scale, quant_scale_up, quant_element);
  Random random(1);
  for (int i = 0; i < 40 * fuzzScale(); ++i)
    for (const ElementType from : kSources)
      for (const ElementType to : kTargets)
        for (const ScaleChoice choice : kChoices) {
          const Shape shape = anyShape(random);
          TestTile a = tileOf(from, shape, random);
          fillBlocks(a, random);
          const Quantised q = quantise(choice, a, to, shape, random);
          ASSERT_NO_FATAL_FAILURE(expectQuantised(choice, a, q, Direction::nearest_even, 0));
        }
}

TEST(BlockQuantise, EveryBinadeOfF32HasItsScale) {
  SHOWS(quant_scale, quant_scale_up);
  Random random(2);
  for (uint32_t exponent = 0; exponent < 255; ++exponent)
    for (const ElementType to : kTargets)
      for (const ScaleChoice choice : kChoices) {
        TestTile a(f32, 1, 40);
        for (uint32_t c = 0; c < 40; ++c) a.set(0, c, exponent << 23 | (random() & 0x7fffff));
        const Quantised q = quantise(choice, a, to, {1, 40, 1, 1}, random);
        ASSERT_NO_FATAL_FAILURE(expectQuantised(choice, a, q, Direction::nearest_even, 0));
      }
}

TEST(BlockQuantise, OddRowsOfFourBitsEndWithAZeroAndLeaveWhatFollows) {
  SHOWS(tile_nibble);
  TestTile a(f32, 3, 5), scales(e8m0, 3, 1);
  for (uint32_t r = 0; r < 3; ++r)
    for (uint32_t c = 0; c < 5; ++c) a.setFloat(r, c, 6);
  std::byte memory[3 * 4];
  std::fill(std::begin(memory), std::end(memory), std::byte{0xee});
  const TileRef td{memory, f4e2m1, 1, 3, 5, 0, 4};
  quantiseBlocks(ScaleChoice::binade, a.ref(), td, scales.ref());
  for (const size_t row : {0, 4, 8}) {
    EXPECT_EQ(memory[row + 1], std::byte{0x77});
    EXPECT_EQ(memory[row + 2], std::byte{0x07});
    EXPECT_EQ(memory[row + 3], std::byte{0xee});
  }
}

TEST(BlockQuantise, DirectionsOfAContractRoundElementsAndLeaveScales) {
  SHOWS(contract_block_scale);
  Random random(3);
  for (int i = 0; i < 10 * fuzzScale(); ++i)
    for (int direction = 0; direction < 6; ++direction)
      for (const ElementType from : kSources)
        for (const ElementType to : kTargets) {
          VectorContract contract;
          contract.conversion.rounding = static_cast<Direction>(direction);
          contract.conversion.flush_in = random() % 2 != 0;
          contract.conversion.overflow = Overflow::infinity;
          const ScaleChoice choice = kChoices[random() % 2];
          const Shape shape = anyShape(random);
          TestTile a = tileOf(from, shape, random);
          fillBlocks(a, random);
          const Quantised q = quantise(choice, a, to, shape, random, &contract);
          const bool flushes = contract.conversion.flush_in && elementInfo(from).bits > 8;
          const double least_normal = std::ldexp(1, 1 - fieldsOf(from).bias);
          ASSERT_NO_FATAL_FAILURE(expectQuantised(choice, a, q, contract.conversion.rounding,
                                                  flushes ? least_normal : 0));
        }
}

/// f32 of every element and its scale.
TestTile dequantise(const Quantised& q) {
  TestTile values(f32, q.elements.rows(), q.elements.cols());
  dequantiseBlocks(q.elements.ref(), q.scales.ref(), values.ref());
  return values;
}

TEST(BlockDequantise, EveryCodeTimesEveryScaleIsTheirProduct) {
  SHOWS(quant_dequant);
  for (const ElementType type : kTargets)
    for (uint32_t scale = 0; scale < 256; ++scale) {
      const uint32_t codes = 1u << elementInfo(type).bits;
      const uint32_t columns = kQuantiseBlock, rows = (codes + columns - 1) / columns;
      TestTile a(type, rows, std::min(codes, columns)), scales(e8m0, rows, 1);
      for (uint32_t code = 0; code < codes; ++code) {
        const uint32_t r = code / columns, c = code % columns;
        scales.set(r, 0, scale);
        if (type == f4e2m1)
          storeNibble(a.ref().row(r), c, code);
        else
          a.set(r, c, code);
      }
      TestTile values(f32, rows, a.cols());
      dequantiseBlocks(a.ref(), scales.ref(), values.ref());
      for (uint32_t code = 0; code < codes; ++code) {
        const float found = values.getFloat(code / columns, code % columns);
        const double element = decode(type, code);
        if (scale == 0xff || std::isnan(element)) {
          ASSERT_EQ(std::bit_cast<uint32_t>(found), 0x7fc00000u);
          continue;
        }
        const double exact = std::ldexp(element, static_cast<int>(scale) - 127);
        const bool overflows = std::fabs(exact) >= std::ldexp(1, 128);
        ASSERT_EQ(found, overflows ? std::copysign(INFINITY, exact) : exact);
        ASSERT_EQ(std::signbit(found), std::signbit(exact));
      }
    }
}

TEST(BlockDequantise, WritesByTheConversionsOfAContract) {
  SHOWS(contract_block_scale);
  TestTile a(f8e4m3, 1, 1), scales(e8m0, 1, 1), td(f16, 1, 1);
  a.set(0, 0, 0x3c);           // 1.5
  scales.set(0, 0, 127 - 24);  // half way between 1 and 2 times the least f16
  dequantiseBlocks(a.ref(), scales.ref(), td.ref());
  EXPECT_EQ(td.get(0, 0), 2u);
  VectorContract contract;
  contract.conversion.rounding = Direction::toward_zero;
  dequantiseBlocks(a.ref(), scales.ref(), td.ref(), &contract);
  EXPECT_EQ(td.get(0, 0), 1u);
  contract.conversion.flush_out = true;
  dequantiseBlocks(a.ref(), scales.ref(), td.ref(), &contract);
  EXPECT_EQ(td.get(0, 0), 0u);
}

TEST(BlockDequantise, QuantisingWhatWasDequantisedChangesNothing) {
  Random random(4);
  for (int i = 0; i < 20 * fuzzScale(); ++i)
    for (const ElementType to : kTargets)
      for (const ScaleChoice choice : kChoices) {
        const Shape shape = anyShape(random);
        TestTile a = tileOf(f32, shape, random);
        fillBlocks(a, random);
        // Next to the greatest f32 an element rounds up to 2^128, which f32 has not.
        for (uint32_t r = 0; r < a.rows(); ++r)
          for (uint32_t c = 0; c < a.cols(); ++c)
            if ((a.get(r, c) & 0x7f800000) == 0x7f000000) a.set(r, c, a.get(r, c) ^ 0x40000000);
        const Quantised once = quantise(choice, a, to, shape, random);
        const TestTile values = dequantise(once);
        const Quantised twice = quantise(choice, values, to, shape, random);
        for (uint32_t r = 0; r < a.rows(); ++r) {
          for (uint32_t b = 0; b < once.scales.cols(); ++b)
            ASSERT_EQ(once.scales.get(r, b), twice.scales.get(r, b));
          for (uint32_t c = 0; c < a.cols(); ++c)
            ASSERT_EQ(codeAt(once.elements, r, c), codeAt(twice.elements, r, c));
        }
      }
}

TEST(BlockDequantise, AProductLinkedToScalesIsTheProductOfDequantisedTiles) {
  Random random(5);
  for (const ElementType to : kTargets) {
    const Shape shape{4, 70, 4, 1};
    TestTile a(f32, 4, 70), b(f32, 4, 70), scaled(f32, 4, 4), plain(f32, 4, 4);
    for (uint32_t r = 0; r < 4; ++r)
      for (uint32_t c = 0; c < 70; ++c) {
        a.setFloat(r, c, static_cast<float>(static_cast<int32_t>(random())) * 0x1p-31f);
        b.setFloat(r, c, static_cast<float>(static_cast<int32_t>(random())) * 0x1p-20f);
      }
    const Quantised qa = quantise(ScaleChoice::binade, a, to, shape, random);
    const Quantised qb = quantise(ScaleChoice::unsaturated, b, to, shape, random);
    const TestTile da = dequantise(qa), db = dequantise(qb);
    const auto multiply = [](MmaSource x, MmaSource y, TestTile& td) {
      y.tile.transpose = true;
      multiplyAccumulate(x, y, td.ref(), false);
    };
    MmaSource x(qa.elements.ref()), y(qb.elements.ref());
    x.scales = qa.scales.ref();
    y.scales = qb.scales.ref();
    multiply(x, y, scaled);
    multiply(MmaSource(da.ref()), MmaSource(db.ref()), plain);
    EXPECT_EQ(scaled, plain) << elementInfo(to).name;
  }
}

}  // namespace
}  // namespace etalon::numerics
