// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace etalon::sim {

/// Spreads global memory over channels by blocks of `interleave_bytes`.
///
/// Block number b of c channels is split into q = b / c and r = b mod c. With c = 2^m its channel is r ^ h(q), where h(q) is
/// the remainder of q * x^m divided by a primitive polynomial of degree m, over GF(2): so the channel is b mod P, and every
/// stride of a power of two meets every channel (Rau, "Pseudo-randomly interleaved memory", ISCA 1991). Any other c takes
/// (r + h(q)) mod c with m = floor(log2 c). In the channel the block is number q. Bijective for every c, since h depends
/// on q alone.
class AddressInterleave {
 public:
  struct Place {
    uint32_t channel = 0;
    uint64_t address = 0;  // in the channel
    bool operator==(const Place&) const = default;
  };

  /// `channels` in 1..65535; `interleave_bytes` a power of two. Offsets count from the begin of global memory.
  AddressInterleave(uint64_t channels, uint64_t interleave_bytes);

  Place place(uint64_t offset) const {
    const uint64_t block = offset >> block_shift_;
    const uint64_t within = offset & block_mask_;
    if (channel_mask_ != 0 || channels_ == 1) {
      const uint64_t quotient = block >> channel_bits_;
      return {static_cast<uint32_t>((block & channel_mask_) ^ hash(quotient)),
              (quotient << block_shift_) | within};
    }
    const uint64_t quotient = block / channels_;
    return {static_cast<uint32_t>((block % channels_ + hash(quotient)) % channels_),
            (quotient << block_shift_) | within};
  }
  /// The inverse.
  uint64_t offset(const Place& place) const;

  uint64_t channels() const { return channels_; }

 private:
  static constexpr int kDigits = 6;  // bytes of a quotient that count: 2^48 blocks

  uint32_t hash(uint64_t quotient) const {
    uint32_t h = 0;
    for (int digit = 0; quotient != 0 && digit < kDigits; ++digit, quotient >>= 8)
      h ^= remainder_[static_cast<size_t>(digit) * 256 + (quotient & 255)];
    return h;
  }

  uint64_t channels_;
  int block_shift_;
  uint64_t block_mask_;
  int channel_bits_;                 // floor(log2 channels)
  uint64_t channel_mask_;            // 0 where channels is no power of two
  std::vector<uint16_t> remainder_;  // of byte * x^(8 digit + channel_bits)
};

}  // namespace etalon::sim
