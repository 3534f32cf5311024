// SPDX-License-Identifier: Apache-2.0
#include "sim/memory/local_memory.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>

#include "isa/base/fuzz_scale.h"

namespace etalon::sim {
namespace {

constexpr isa::LocalTiming kBase{.banks = 32, .bank_bytes = 128};

isa::TileRegister tile(uint32_t base, uint32_t rows, uint32_t cols, uint32_t stride,
                       ElementType type = ElementType::f32) {
  isa::TileRegister t;
  t.base = base;
  t.outer = 1;
  t.inner = rows;
  t.cols = cols;
  t.istride = stride;
  t.type = static_cast<uint8_t>(type);
  return t;
}

/// Words by the definition, row after row: each row's words, but a word that ends one row and begins the next once; blocks
/// of rows that stand in one word, once.
uint64_t wordsRowByRow(const LocalMemory& local, const isa::TileRegister& t) {
  const isa::CanonicalTile c = isa::canonical(t);
  const uint64_t word = local.wordBytes();
  const bool disjoint = c.inner == 1 || c.istride >= c.width;
  uint64_t sum = 0;
  std::set<uint64_t> only;
  for (uint64_t o = 0; o < c.outer; ++o) {
    std::set<uint64_t> block;
    uint64_t counted = 0;
    for (uint64_t i = 0; i < c.inner; ++i)
      for (uint64_t w = (c.base + o * c.ostride + i * c.istride) / word;
           w <= (c.base + o * c.ostride + i * c.istride + c.width - 1) / word; ++w) {
        block.insert(w);
        ++counted;
      }
    const bool once = disjoint || block.size() == 1;
    sum += once ? block.size() : counted;
    only.insert(block.begin(), block.end());
  }
  return c.outer > 1 && c.ostride == 0 && only.size() == 1 ? 1 : sum;
}

TEST(LocalMemory, WordsOfATileAreThoseOfItsRowsOneByOne) {
  std::mt19937 random(1);
  const auto below = [&](uint32_t limit) { return static_cast<uint32_t>(random() % limit); };
  const auto pick = [&](std::initializer_list<uint32_t> of) {
    return *(of.begin() + below(9) % of.size());
  };
  const auto count = static_cast<int>(20'000 * fuzzScale());
  for (int n = 0; n < count; ++n) {
    const LocalMemory local({.banks = pick({1, 8, 32}), .bank_bytes = pick({16, 64, 128})});
    isa::TileRegister t;
    t.type = static_cast<uint8_t>(
        pick({static_cast<uint32_t>(ElementType::f32), static_cast<uint32_t>(ElementType::bf16),
              static_cast<uint32_t>(ElementType::u8), static_cast<uint32_t>(ElementType::u4)}));
    const uint32_t size = t.elementBytes();
    t.base = below(2000) * size;
    t.outer = 1 + below(9);
    t.inner = 1 + below(40);
    t.cols = 1 + below(pick({1, 2, 16, 300}));
    t.step = t.elementBits() == 4 ? 1 : static_cast<uint8_t>(pick({0, 1, 1, 2, 4}));
    t.istride = pick(
        {0, size, t.cols * size, t.cols * size + 100 * size, below(3000) * size, 128, 4096, 64});
    t.ostride = pick({0, t.inner * t.istride, below(5000) * size, 8192, 100 * size});
    ASSERT_EQ(local.words(t), wordsRowByRow(local, t))
        << t.base << ": " << t.outer << " x " << t.inner << " x " << t.cols << " by " << t.ostride
        << ", " << t.istride << ", " << int{t.step} << ", word " << local.wordBytes();
  }
}

TEST(LocalMemory, ConsecutiveWordsAndRowsOfBanksAreInDifferentBanks) {
  const LocalMemory local(kBase);
  for (uint64_t stride : {uint64_t{128}, uint64_t{4096}}) {
    std::set<uint64_t> banks;
    for (uint64_t i = 0; i < 32; ++i) banks.insert(local.bank(i * stride));
    EXPECT_EQ(banks.size(), 32u) << stride;
  }
}

TEST(LocalMemory, SpreadCountsTheBanksOfAllMultiplesFromAnyBase) {
  std::mt19937 random(2);
  for (const isa::LocalTiming& timing : {kBase, isa::LocalTiming{.banks = 8, .bank_bytes = 64},
                                         isa::LocalTiming{.banks = 1, .bank_bytes = 64}}) {
    const LocalMemory local(timing);
    for (uint64_t power = 1; power <= 1 << 20; power *= 2)
      for (uint64_t odd : {1, 3, 5, 127}) {
        const uint64_t stride = power * odd;
        const uint64_t base = random() % (1 << 20);
        std::set<uint64_t> banks;
        // Banks repeat after banks^2 words.
        const uint64_t period = timing.banks * timing.banks * timing.bank_bytes;
        for (uint64_t i = 0; i < period; ++i) banks.insert(local.bank(base + i * stride));
        ASSERT_EQ(local.spread(stride), banks.size()) << "stride " << stride << " base " << base;
      }
  }
}

/// Accesses of the bank that has most of them, over all rows.
uint64_t fullestBank(const LocalMemory& local, const isa::TileRegister& t) {
  const isa::CanonicalTile c = isa::canonical(t);
  std::map<uint64_t, uint64_t> count;
  uint64_t most = 0;
  for (uint64_t o = 0; o < c.outer; ++o)
    for (uint64_t i = 0; i < c.inner; ++i) {
      const uint64_t begin = c.base + o * c.ostride + i * c.istride;
      for (uint64_t w = begin / 128; w <= (begin + c.width - 1) / 128; ++w)
        most = std::max(most, ++count[local.bank(w * 128)]);
    }
  return most;
}

TEST(LocalMemory, RowsAPowerOfTwoApartTakeTheFullestBanksCycles) {
  const LocalMemory local(kBase);
  for (uint32_t stride = 8192; stride <= 1 << 19; stride *= 2)
    for (uint32_t rows : {1, 2, 3, 7, 16, 32, 33, 64})
      for (uint32_t words : {1, 2, 3, 4, 8})
        for (uint32_t base : {0U, 1024U, 8192U * 5}) {
          // Of longer rows a few may meet by chance: then it is a lower bound.
          if (words > 1 && rows % local.spread(stride) != 0) continue;
          const auto t = tile(base, rows, words * 32, stride);
          ASSERT_EQ(local.cycles(t), fullestBank(local, t))
              << rows << " rows of " << words << " words, " << stride << " apart, at " << base;
        }
}

TEST(LocalMemory, NoTileIsServedFasterThanBanksCan) {
  std::mt19937 random(3);
  const LocalMemory local(kBase);
  const auto count = static_cast<int>(3000 * fuzzScale());
  for (int n = 0; n < count; ++n) {
    const uint32_t cols = 1 + random() % 64;
    auto t = tile(random() % 1000 * 4, 1 + random() % 200, cols, (cols + random() % 8000) * 4);
    ASSERT_LE(local.cycles(t), fullestBank(local, t));
    ASSERT_GE(local.cycles(t) * 32, local.words(t));
  }
}

TEST(LocalMemory, AColumnOfAWideMatrixTakesAWordAnElement) {
  const LocalMemory local(kBase);
  const auto dense = tile(0, 512, 1, 4), column = tile(0, 512, 1, 4096),
             worst = tile(0, 512, 1, 128 * 1024);
  EXPECT_EQ(local.words(dense), 16u);
  EXPECT_EQ(local.cycles(dense), 1u);
  EXPECT_EQ(local.words(column), 512u);
  EXPECT_EQ(local.cycles(column), 16u);
  EXPECT_EQ(local.cycles(worst), 512u);
}

TEST(LocalMemory, AnUncontendedBookingEndsInTime) {
  LocalMemory local(kBase);
  EXPECT_EQ(local.book(100, 10, 4096 * 10), 110u);
  EXPECT_EQ(local.book(200, 10, 1), 210u);
  EXPECT_EQ(local.book(300, 0, 0), 300u);
}

TEST(LocalMemory, ABookingThatFitsBesideAnotherIsNotDelayedAndOneByteMoreIs) {
  LocalMemory local(kBase);
  EXPECT_EQ(local.book(0, 10, 3000 * 10), 10u);
  LocalMemory more(local);
  EXPECT_EQ(local.book(0, 10, 1096 * 10), 10u);
  EXPECT_EQ(more.book(0, 10, 1096 * 10 + 1), 11u);
  EXPECT_EQ(local.booked(9), 4096u);
  EXPECT_EQ(local.booked(10), 0u);
}

TEST(LocalMemory, WhoBooksLaterWaitsForWhatIsLeft) {
  LocalMemory local(kBase);
  EXPECT_EQ(local.book(50, 10, 4096 * 10), 60u);  // in the future
  EXPECT_EQ(local.book(45, 10, 4096 * 10), 65u);  // around it
  EXPECT_EQ(local.book(0, 10, 4096 * 10), 10u);   // before it
  EXPECT_EQ(local.book(0, 1, 1), 11u);
}

/// The calendar cycle by cycle.
class EveryCycle {
 public:
  Cycles book(Cycles from, Cycles cycles, Bytes bytes) {
    const Bytes rate = cycles == 0 ? 0 : (bytes + cycles - 1) / cycles;
    Cycles t = from;
    for (; bytes > 0; ++t) {
      const Bytes now = std::min({rate, 4096 - used_[t], bytes});
      used_[t] += now;
      bytes -= now;
    }
    return std::max(t, from + cycles);
  }
  Bytes booked(Cycles t) { return used_[t]; }

 private:
  std::map<Cycles, Bytes> used_;
};

TEST(LocalMemory, BookingsAreThoseOfACalendarOfSingleCycles) {
  const auto runs = static_cast<int>(40 * fuzzScale()) + 1;
  for (int run = 0; run < runs; ++run) {
    std::mt19937 random(static_cast<unsigned>(run));
    LocalMemory local(kBase);
    EveryCycle expected;
    Cycles now = 0;
    for (int n = 0; n < 200; ++n) {
      const Cycles from = now + random() % 60;
      const Cycles cycles = 1 + random() % (random() % 4 == 0 ? 100 : 8);
      const Bytes bytes = random() % (cycles * (random() % 2 == 0 ? 4096 : 700) + 1);
      ASSERT_EQ(local.book(from, cycles, bytes), expected.book(from, cycles, bytes))
          << "run " << run << ", booking " << n;
      if (random() % 3 == 0) local.retire(now += random() % 20);
      for (Cycles t = now; t < now + 250; t += 1 + random() % 5) {
        ASSERT_EQ(local.booked(t), expected.booked(t)) << "run " << run << ", cycle " << t;
        ASSERT_LE(local.booked(t), local.bytesPerCycle());
      }
    }
  }
}

TEST(LocalMemoryDeathTest, NothingIsBookedInTheForgottenPast) {
  LocalMemory local(kBase);
  local.book(0, 1000, 4096);
  local.retire(500);
  EXPECT_EQ(local.book(500, 1, 1), 501u);
  EXPECT_DEATH(local.book(499, 1, 1), "before its last retire");
}

}  // namespace
}  // namespace etalon::sim
