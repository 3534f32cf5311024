// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

namespace etalon::numerics {

/// Philox4x32-10: four random words for a counter and a key, the same on every host.
///
/// Source  Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", SC 2011; known answers of
/// Random123 in the test.
constexpr std::array<uint32_t, 4> philox4x32(std::array<uint32_t, 4> counter,
                                             std::array<uint32_t, 2> key) {
  for (int round = 0; round < 10; ++round) {
    const uint64_t product0 = uint64_t{0xD2511F53} * counter[0];
    const uint64_t product1 = uint64_t{0xCD9E8D57} * counter[2];
    counter = {static_cast<uint32_t>(product1 >> 32) ^ counter[1] ^ key[0],
               static_cast<uint32_t>(product1),
               static_cast<uint32_t>(product0 >> 32) ^ counter[3] ^ key[1],
               static_cast<uint32_t>(product0)};
    key = {key[0] + 0x9E3779B9, key[1] + 0xBB67AE85};
  }
  return counter;
}

/// The random words of a seed and a stream: word number e is the same however it is asked for.
///
/// Numerics  word e mod 4 of the counter {e / 4 low, high, stream low, high} and the key {seed low,
///           high} (isa.md section 5). Ascending numbers run Philox once for four words.
class RandomWords {
 public:
  constexpr RandomWords(uint64_t seed, uint64_t stream)
      : key_{low(seed), high(seed)}, stream_(stream), words_(wordsOf(0)) {}

  constexpr uint32_t operator()(uint64_t e) {
    if (e / 4 != block_) {
      block_ = e / 4;
      words_ = wordsOf(block_);
    }
    return words_[e % 4];
  }

 private:
  static constexpr uint32_t low(uint64_t value) { return static_cast<uint32_t>(value); }
  static constexpr uint32_t high(uint64_t value) { return static_cast<uint32_t>(value >> 32); }
  constexpr std::array<uint32_t, 4> wordsOf(uint64_t block) const {
    return philox4x32({low(block), high(block), low(stream_), high(stream_)}, key_);
  }

  std::array<uint32_t, 2> key_;
  uint64_t stream_;
  uint64_t block_ = 0;
  std::array<uint32_t, 4> words_;
};

}  // namespace etalon::numerics
