// SPDX-License-Identifier: Apache-2.0
#include "sim/units/matrix_unit.h"

#include <gtest/gtest.h>

#include <random>

#include "isa/base/fuzz_scale.h"
#include "sim/units/systolic_array.h"
#include "sim/units/test_tokens.h"

namespace etalon::sim {
namespace {

constexpr uint32_t kSpace = 8 << 20;  // between tiles of different names
constexpr int kNames = 64;

ElementType typeOf(uint64_t bits) {
  return bits == 32   ? ElementType::f32
         : bits == 16 ? ElementType::bf16
         : bits == 8  ? ElementType::i8
                      : ElementType::i4;
}

/// The same product for the unit.
Token tokenOf(const ArrayProduct& p, int index) {
  const auto place = [&](int name, int otherwise) {
    return static_cast<uint32_t>(name >= 0 ? name : otherwise) * kSpace;
  };
  const ElementType type = typeOf(p.bits);
  const uint64_t a_rows = p.a_transposed ? p.k : p.m, a_cols = p.a_transposed ? p.m : p.k;
  Token token;
  token.unit = isa::Unit::matrix;
  const auto td = tileAt(place(p.td, 0), p.m, p.n, ElementType::f32);
  addTile(token, p.accumulates ? inout(td) : result(td));
  auto a = tileAt(place(p.a, kNames + 2 * index), a_rows, a_cols, type);
  a.transpose = p.a_transposed;
  addTile(token, source(a));
  addTile(token, source(tileAt(place(p.b, kNames + 2 * index + 1), p.k, p.n, type)));
  token.matrix = {.m = p.m,
                  .n = p.n,
                  .k = p.k,
                  .a_bits = static_cast<unsigned>(p.bits),
                  .b_bits = static_cast<unsigned>(p.bits),
                  .a_transposed = p.a_transposed,
                  .accumulates = p.accumulates};
  return token;
}

std::vector<ArrayTimes> runUnit(const isa::MatrixTiming& timing,
                                const std::vector<ArrayProduct>& products) {
  LocalMemory local = endlessMemory();
  MatrixUnit unit(timing, local);
  std::vector<ArrayTimes> seen;
  for (const ArrayProduct& product : products) {
    const Cycles now = std::max(product.arrives, unit.accepts());
    unit.retire(now);
    const UnitTimes t = unit.take(tokenOf(product, static_cast<int>(seen.size())), now);
    EXPECT_EQ(t.ports, 0u);
    seen.push_back({t.taken, t.start, t.next, t.first_result, t.read_done, t.done, t.busy,
                    t.weights, t.chain});
  }
  return seen;
}

std::string describe(const std::vector<ArrayProduct>& products, size_t i) {
  const ArrayProduct& p = products[i];
  return "product " + std::to_string(i) + ": " + std::to_string(p.m) + " x " + std::to_string(p.n) +
         " x " + std::to_string(p.k) + ", " + std::to_string(p.bits) + " bits, td " +
         std::to_string(p.td) + (p.accumulates ? ", accumulates" : "") + ", a " +
         std::to_string(p.a) + ", b " + std::to_string(p.b) + ", arrives " +
         std::to_string(p.arrives);
}

void expectAsInTheArray(const isa::MatrixTiming& timing,
                        const std::vector<ArrayProduct>& products) {
  SystolicArray array(timing);
  const auto expected = array.run(products);
  EXPECT_TRUE(array.sound());
  const auto seen = runUnit(timing, products);
  for (size_t i = 0; i < products.size(); ++i) {
    const std::string what = describe(products, i);
    ASSERT_EQ(seen[i].taken, expected[i].taken) << what;
    ASSERT_EQ(seen[i].start, expected[i].start) << what;
    ASSERT_EQ(seen[i].last_pass, expected[i].last_pass) << what;
    ASSERT_EQ(seen[i].first_result, expected[i].first_result) << what;
    ASSERT_EQ(seen[i].read_done, expected[i].read_done) << what;
    ASSERT_EQ(seen[i].done, expected[i].done) << what;
    ASSERT_EQ(seen[i].busy, expected[i].busy) << what;
    ASSERT_EQ(seen[i].weights, expected[i].weights) << what;
    ASSERT_EQ(seen[i].chain, expected[i].chain) << what;
  }
}

isa::MatrixTiming baseMatrix() { return timingOf("base").matrix; }

/// A small array of any proportions, with ports that are never in the way.
isa::MatrixTiming smallArray(std::mt19937& random) {
  const auto pick = [&](std::initializer_list<uint64_t> of) {
    return *(of.begin() + random() % of.size());
  };
  return {.rows = pick({1, 2, 4, 8}),
          .cols = pick({1, 2, 4, 8}),
          .latency = pick({1, 2, 3, 4}),
          .forward = pick({0, 1, 4}),
          .rate_32 = 500,
          .rate_16 = 1000,
          .rate_8 = 2000,
          .rate_4 = 2000,
          .weight_bits = pick({4, 16, 32, 64}),
          .port_bytes = 1 << 20,
          .accumulator_port_bytes = 1 << 20};
}

ArrayProduct randomProduct(std::mt19937& random, uint64_t m, uint64_t n, uint64_t k) {
  ArrayProduct p;
  p.m = 1 + random() % m;
  p.n = 1 + random() % n;
  p.k = 1 + random() % k;
  p.bits = uint64_t{4} << random() % 4;
  p.a_transposed = random() % 4 == 0;
  p.accumulates = random() % 2 == 0;
  return p;
}

TEST(MatrixUnit, HundredShapesOnBaseTakeTheCyclesOfTheArray) {
  const isa::MatrixTiming timing = baseMatrix();
  std::mt19937 random(1);
  const auto count = static_cast<int>(100 * std::min(1.0, fuzzScale()));
  for (int i = 0; i < count; ++i) {
    expectAsInTheArray(timing, {randomProduct(random, 300, 300, 300)});
    if (HasFatalFailure()) return;
  }
}

/// Products onto four tiles in random order, which find the tiles of older ones as td, A or B.
std::vector<ArrayProduct> randomSequence(std::mt19937& random, const ArrayProduct& most,
                                         int count) {
  std::vector<ArrayProduct> shapes;
  shapes.reserve(4);
  for (int td = 0; td < 4; ++td) shapes.push_back(randomProduct(random, most.m, most.n, most.k));
  std::vector<ArrayProduct> products;
  Cycles arrives = 0;
  for (int n = 0; n < count; ++n) {
    ArrayProduct p = randomProduct(random, most.m, most.n, most.k);
    p.td = static_cast<int>(random() % shapes.size());
    p.m = shapes[static_cast<size_t>(p.td)].m;
    p.n = shapes[static_cast<size_t>(p.td)].n;
    if (random() % 8 == 0) p.a = (p.td + 1) % 4;
    if (random() % 8 == 0) p.b = (p.td + 2) % 4;
    if (random() % 3 == 0) arrives += random() % (5 * most.m);
    p.arrives = arrives;
    products.push_back(p);
  }
  return products;
}

TEST(MatrixUnit, HundredsOfSequencesOnSmallArraysTakeTheirCycles) {
  const auto count = static_cast<int>(300 * fuzzScale());
  for (int i = 0; i < count; ++i) {
    std::mt19937 random(static_cast<unsigned>(i));
    const isa::MatrixTiming timing = smallArray(random);
    expectAsInTheArray(timing, randomSequence(random, {.m = 60, .n = 20, .k = 30}, 20));
    if (HasFatalFailure()) {
      ADD_FAILURE() << "sequence " << i << ": " << timing.rows << " x " << timing.cols
                    << ", latency " << timing.latency << ", forward " << timing.forward
                    << ", weight bits " << timing.weight_bits;
      return;
    }
  }
}

TEST(MatrixUnit, SequencesOnBaseTakeTheirCycles) {
  const isa::MatrixTiming timing = baseMatrix();
  const auto count = static_cast<int>(10 * fuzzScale());
  for (int i = 0; i < count; ++i) {
    std::mt19937 random(static_cast<unsigned>(i));
    expectAsInTheArray(timing, randomSequence(random, {.m = 300, .n = 300, .k = 300}, 12));
    if (HasFatalFailure()) return;
  }
}

}  // namespace
}  // namespace etalon::sim
