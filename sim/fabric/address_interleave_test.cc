// SPDX-License-Identifier: Apache-2.0
#include "sim/fabric/address_interleave.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace etalon::sim {
namespace {

constexpr uint64_t kChannels[] = {1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 64, 100, 128};

TEST(AddressInterleave, EveryByteHasOnePlaceAndNoOtherByteHasIt) {
  for (const uint64_t channels : kChannels) {
    const AddressInterleave map(channels, 256);
    // Whole rounds of channels fill every channel's first blocks exactly.
    const uint64_t blocks = channels * 600;
    std::set<std::pair<uint32_t, uint64_t>> places;
    for (uint64_t block = 0; block < blocks; ++block) {
      const auto place = map.place(block * 256 + block % 256);
      EXPECT_LT(place.channel, channels);
      EXPECT_LT(place.address, blocks / channels * 256);
      EXPECT_EQ(place.address % 256, block % 256);
      EXPECT_TRUE(places.emplace(place.channel, place.address / 256).second);
      EXPECT_EQ(map.offset(place), block * 256 + block % 256);
    }
  }
}

TEST(AddressInterleave, HighAddressesComeBack) {
  for (const uint64_t channels : kChannels) {
    const AddressInterleave map(channels, 512);
    for (uint64_t offset = 1; offset < uint64_t{1} << 46; offset = offset * 3 + 7)
      EXPECT_EQ(map.offset(map.place(offset)), offset) << channels << " channels";
  }
}

/// Most accesses of one channel among `count` blocks, `stride` blocks apart.
uint64_t worst(uint64_t channels, uint64_t stride, uint64_t count) {
  const AddressInterleave map(channels, 256);
  std::map<uint32_t, uint64_t> hits;
  for (uint64_t i = 0; i < count; ++i) ++hits[map.place(i * stride * 256).channel];
  return std::ranges::max_element(hits, {}, [](const auto& h) { return h.second; })->second;
}

TEST(AddressInterleave, StridesOfAnyPowerOfTwoUseAllChannelsEvenly) {
  for (const uint64_t channels : {2, 4, 8, 16, 32, 64, 128})
    for (int log2 = 0; log2 <= 20; ++log2)
      EXPECT_EQ(worst(channels, uint64_t{1} << log2, channels * 4), 4u)
          << channels << " channels, 2^" << log2 << " blocks";
}

TEST(AddressInterleave, PaddedPowersOfTwoDoNotMeetInOneChannel) {
  // Rows of a matrix padded by a block: the stride that defeats a plain exclusive-or of neighbouring digits, by which all
  // of them would meet. An even spread is 8 to a channel.
  for (const uint64_t channels : {8, 16, 32})
    for (const uint64_t stride : {channels + 1, 2 * channels + 1, 4 * channels + 1, channels - 1})
      EXPECT_LE(worst(channels, stride, channels * 8), 24u) << channels << " by " << stride;
}

TEST(AddressInterleave, OtherNumbersOfChannelsSpreadPowersOfTwo) {
  for (const uint64_t channels : {3, 6, 12, 24})
    for (int log2 = 0; log2 <= 16; ++log2)
      EXPECT_LE(worst(channels, uint64_t{1} << log2, channels * 64), 256u)
          << channels << " channels, 2^" << log2;
}

}  // namespace
}  // namespace etalon::sim
