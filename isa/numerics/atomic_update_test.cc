// SPDX-License-Identifier: Apache-2.0
// The reference adds floats in double, whose one rounding more never changes an f32 sum (53 >= 2 * 24 + 2 bits, and a
// subnormal sum is exact), and integers in 64 bits; it orders floats by value and sign.
#include "isa/numerics/atomic_update.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

#include "isa/numerics/contract.h"
#include "isa/state/rule_test.h"

namespace etalon::numerics {
namespace {

using Op = ElementwiseOp;
using T = ElementType;

constexpr uint32_t kNan = 0x7fc00000;
constexpr uint32_t kGap = 0xdeadbeef;

uint32_t updatedFloat(Op op, uint32_t element, uint32_t value) {
  const float a = std::bit_cast<float>(element), b = std::bit_cast<float>(value);
  if (std::isnan(a) || std::isnan(b)) return kNan;
  if (op == Op::add) {
    const double sum = static_cast<double>(a) + static_cast<double>(b);
    return std::isnan(sum) ? kNan : std::bit_cast<uint32_t>(static_cast<float>(sum));
  }
  const bool a_is_less = a < b || (a == b && std::signbit(a));
  return a_is_less == (op == Op::min) ? element : value;
}

uint32_t updatedInt(Op op, uint32_t element, uint32_t value) {
  const int64_t a = static_cast<int32_t>(element), b = static_cast<int32_t>(value);
  const int64_t result = op == Op::add ? a + b : op == Op::max ? std::max(a, b) : std::min(a, b);
  return static_cast<uint32_t>(result);
}

uint32_t updated(Op op, T type, uint32_t element, uint32_t value) {
  return type == T::f32 ? updatedFloat(op, element, value) : updatedInt(op, element, value);
}

/// Every pair of values at which something may go wrong, then random ones.
std::vector<std::pair<uint32_t, uint32_t>> pairs() {
  const std::vector<uint32_t> specials = {
      0,          0x80000000, 1,          0x80000001, 0x007fffff, 0x00800000, 0x3f800000,
      0x3f800001, 0xbf800000, 0x33800000, 0x33800001, 0x7f7fffff, 0xff7fffff, 0x7f800000,
      0xff800000, 0x7f800001, 0xffc00001, 0x7fffffff, 0xffffffff, kNan};
  std::vector<std::pair<uint32_t, uint32_t>> all;
  for (const uint32_t a : specials)
    for (const uint32_t b : specials) all.emplace_back(a, b);
  std::mt19937 random(3);
  for (int i = 0; i < 3000; ++i) {
    const uint32_t a = random();
    // Every second one of nearly equal magnitude, where sums cancel.
    all.emplace_back(a, i % 2 ? random() : a ^ (random() & 0x80ffffff));
  }
  return all;
}

class Update : public testing::TestWithParam<std::pair<Op, T>> {};

TEST_P(Update, HasTheMeaningOfItsSentenceAndLeavesWhatStandsBetween) {
  SHOWS(dma_atomic);
  const auto [op, type] = GetParam();
  const auto all = pairs();
  // Values lie 8 bytes apart, elements 12 bytes apart in descending addresses.
  std::vector<uint32_t> from(2 * all.size()), to(3 * all.size(), kGap);
  for (size_t i = 0; i < all.size(); ++i) {
    to[3 * (all.size() - 1 - i)] = all[i].first;
    from[2 * i] = all[i].second;
  }
  updateRun(op, type, reinterpret_cast<const std::byte*>(from.data()), 8,
            reinterpret_cast<std::byte*>(&to[3 * (all.size() - 1)]), -12, all.size());
  for (size_t i = 0; i < all.size(); ++i) {
    const auto& [element, value] = all[i];
    const size_t at = 3 * (all.size() - 1 - i);
    ASSERT_EQ(to[at], updated(op, type, element, value)) << std::hex << element << " " << value;
    ASSERT_EQ(to[at + 1], kGap);
    ASSERT_EQ(to[at + 2], kGap);
  }
}

TEST_P(Update, OfAnElementMetAgainTakesTheValuesInAscendingOrder) {
  SHOWS(dma_atomic_order);
  const auto [op, type] = GetParam();
  std::mt19937 random(4);
  for (int round = 0; round < 100; ++round) {
    std::vector<uint32_t> from(1 + random() % 20);
    for (uint32_t& value : from) value = (random() & 0x80ffffff) + 0x3e000000;
    uint32_t element = 0x3f800000, want = element;
    for (const uint32_t value : from) want = updated(op, type, want, value);
    updateRun(op, type, reinterpret_cast<const std::byte*>(from.data()), 4,
              reinterpret_cast<std::byte*>(&element), 0, from.size());
    ASSERT_EQ(element, want);
  }
}

INSTANTIATE_TEST_SUITE_P(Atomic, Update,
                         testing::Values(std::pair{Op::add, T::f32}, std::pair{Op::max, T::f32},
                                         std::pair{Op::min, T::f32}, std::pair{Op::add, T::i32},
                                         std::pair{Op::max, T::i32}, std::pair{Op::min, T::i32}),
                         [](const auto& info) {
                           return std::string(
                                      elementwiseInfo(static_cast<int>(info.param.first))->name) +
                                  "_" + std::string(elementInfo(info.param.second).name);
                         });

TEST(UpdateOrder, ShowsInAFloatingSum) {
  SHOWS(dma_atomic_order);
  const float values[] = {1, 0x1p24f, -0x1p24f};
  float ascending = 0, descending = 0;
  updateRun(Op::add, T::f32, reinterpret_cast<const std::byte*>(values), 4,
            reinterpret_cast<std::byte*>(&ascending), 0, 3);
  updateRun(Op::add, T::f32, reinterpret_cast<const std::byte*>(values + 2), -4,
            reinterpret_cast<std::byte*>(&descending), 0, 3);
  EXPECT_EQ(ascending, 0);
  EXPECT_EQ(descending, 1);
}

TEST(UpdateUnderAContract, RoundsSumsOfFloatsAsDeclaredAndLeavesTheRest) {
  VectorContract contract;
  contract.arithmetic.rounding = Direction::toward_zero;
  contract.arithmetic.rules.flush_in = true;
  const auto updatedUnder = [&](Op op, T type, uint32_t element, uint32_t value) {
    updateRun(op, type, reinterpret_cast<const std::byte*>(&value), 4,
              reinterpret_cast<std::byte*>(&element), 4, 1, &contract);
    return element;
  };
  // 1 + 3/4 of the distance to the next float; a subnormal; the same bits as integers.
  EXPECT_EQ(updatedUnder(Op::add, T::f32, 0x3f800000, 0x33c00000), 0x3f800000u);
  EXPECT_EQ(updated(Op::add, T::f32, 0x3f800000, 0x33c00000), 0x3f800001u);
  EXPECT_EQ(updatedUnder(Op::add, T::f32, 0x00000001, 0), 0u);
  EXPECT_EQ(updatedUnder(Op::max, T::f32, 0x00000001, 0), 1u);
  EXPECT_EQ(updatedUnder(Op::add, T::i32, 0x00000001, 2), 3u);
}

}  // namespace
}  // namespace etalon::numerics
