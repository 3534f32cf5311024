// SPDX-License-Identifier: Apache-2.0
// Philox against the known answers of its authors; tiles against a Philox written from the paper's
// description of one word, with the key of a round computed from its number.
#include "isa/numerics/random.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "isa/numerics/philox.h"
#include "isa/numerics/tile_test_data.h"
#include "isa/state/rule_test.h"

namespace etalon::numerics {
namespace {

using test::TestTile;
using testing::ElementsAre;
using T = ElementType;

// Known answers of Random123 (kat_vectors, philox4x32 10 rounds).
TEST(Philox, GivesTheKnownAnswers) {
  SHOWS(rand_philox);
  EXPECT_THAT(philox4x32({0, 0, 0, 0}, {0, 0}),
              ElementsAre(0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8));
  EXPECT_THAT(philox4x32({~0u, ~0u, ~0u, ~0u}, {~0u, ~0u}),
              ElementsAre(0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd));
  EXPECT_THAT(
      philox4x32({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}),
      ElementsAre(0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1));
}

/// Word `word` of the counter after `rounds` rounds.
uint32_t wordAfter(int rounds, unsigned word, const uint64_t (&counter)[2], uint64_t key) {
  if (rounds == 0) return static_cast<uint32_t>(counter[word / 2] >> (word % 2 * 32));
  const auto r = static_cast<uint32_t>(rounds - 1);
  // Words 0 and 1 come of the product of word 2, words 2 and 3 of that of word 0.
  const bool upper = word < 2;
  const uint64_t product = uint64_t{upper ? 0xCD9E8D57u : 0xD2511F53u} *
                           wordAfter(rounds - 1, upper ? 2 : 0, counter, key);
  if (word % 2 == 1) return static_cast<uint32_t>(product);
  const uint32_t round_key = upper ? static_cast<uint32_t>(key) + r * 0x9E3779B9u
                                   : static_cast<uint32_t>(key >> 32) + r * 0xBB67AE85u;
  return static_cast<uint32_t>(product >> 32) ^ wordAfter(rounds - 1, word + 1, counter, key) ^
         round_key;
}

uint32_t wordOf(uint64_t e, uint64_t seed, uint64_t stream) {
  return wordAfter(10, static_cast<unsigned>(e & 3), {e >> 2, stream}, seed);
}

constexpr uint64_t kSeed = 0x0123456789abcdef, kStream = 0xfedcba9876543210;

TEST(Random, EveryElementHasTheWordOfItsNumber) {
  SHOWS(rand_number, rand_word, rand_distribution);
  const uint64_t bases[] = {0, 3, (uint64_t{1} << 34) - 2, ~uint64_t{0} - 5};
  const uint64_t pitches[] = {0, 19, uint64_t{1} << 33, static_cast<uint64_t>(-7)};
  for (const uint64_t base : bases)
    for (const uint64_t pitch : pitches) {
      TestTile bits(T::u32, 6, 19, 2, 2, 1), uniform(T::f32, 6, 19, 3);
      randomTile(Distribution::Bits, bits.ref(), base, pitch, kSeed, kStream);
      randomTile(Distribution::Uniform, uniform.ref(), base, pitch, kSeed, kStream);
      for (uint32_t r = 0; r < 6; ++r)
        for (uint32_t c = 0; c < 19; ++c) {
          const uint32_t word = wordOf(base + r * pitch + c, kSeed, kStream);
          ASSERT_EQ(bits.get(r, c), word) << base << " " << pitch;
          ASSERT_EQ(uniform.getFloat(r, c), static_cast<float>(word / 256) / 16777216.0f);
        }
    }
}

TEST(Random, LongRowsAreOneSequence) {
  TestTile bits(T::u32, 2, 1500);
  randomTile(Distribution::Bits, bits.ref(), 1, 1500, 7, 0);
  for (uint32_t i = 0; i < 3000; ++i)
    ASSERT_EQ(bits.get(i / 1500, i % 1500), wordOf(1 + i, 7, 0)) << i;
}

TEST(Random, ATileCutInPiecesHasTheSameElements) {
  SHOWS(rand_number);
  TestTile whole(T::u32, 5, 40), piece(T::u32, 2, 11);
  randomTile(Distribution::Bits, whole.ref(), 100, 40, 1, 2);
  randomTile(Distribution::Bits, piece.ref(), 100 + 3 * 40 + 27, 40, 1, 2);
  for (uint32_t r = 0; r < 2; ++r)
    for (uint32_t c = 0; c < 11; ++c) EXPECT_EQ(piece.get(r, c), whole.get(3 + r, 27 + c));
}

TEST(Random, SeedAndStreamHave64BitsThatAllCount) {
  SHOWS(rand_word);
  TestTile first(T::u32, 1, 8);
  randomTile(Distribution::Bits, first.ref(), 0, 0, kSeed, kStream);
  for (int bit = 0; bit < 64; ++bit) {
    TestTile seeded(T::u32, 1, 8), streamed(T::u32, 1, 8);
    randomTile(Distribution::Bits, seeded.ref(), 0, 0, kSeed ^ uint64_t{1} << bit, kStream);
    randomTile(Distribution::Bits, streamed.ref(), 0, 0, kSeed, kStream ^ uint64_t{1} << bit);
    EXPECT_FALSE(seeded == first) << bit;
    EXPECT_FALSE(streamed == first) << bit;
    EXPECT_FALSE(seeded == streamed) << bit;
  }
}

}  // namespace
}  // namespace etalon::numerics
