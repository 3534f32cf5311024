// SPDX-License-Identifier: Apache-2.0
#include "sim/fabric/address_interleave.h"

#include <array>
#include <bit>

#include "isa/base/check.h"

namespace etalon::sim {
namespace {

// Primitive polynomials over GF(2), without their leading term, by degree (Peterson and Weldon, "Error-correcting codes",
// appendix C: the one with the fewest terms).
constexpr std::array<uint32_t, 16> kPrimitive = {0,    1,    3,    3,    3,    5,    3,     3,
                                                 0x1d, 0x11, 0x09, 0x05, 0x53, 0x1b, 0x443, 0x3};

/// value * x mod P.
uint32_t timesX(uint32_t value, int degree) {
  const uint32_t shifted = value << 1;
  return (shifted >> degree & 1) != 0 ? (shifted ^ (uint32_t{1} << degree) ^ kPrimitive[degree])
                                      : shifted;
}

}  // namespace

AddressInterleave::AddressInterleave(uint64_t channels, uint64_t interleave_bytes)
    : channels_(channels),
      block_shift_(std::countr_zero(interleave_bytes)),
      block_mask_(interleave_bytes - 1) {
  ETALON_CHECK(channels < 65536, "checked by the machine loader");
  ETALON_CHECK(std::has_single_bit(interleave_bytes), "checked by the machine loader");
  channel_bits_ = std::bit_width(channels) - 1;
  channel_mask_ = std::has_single_bit(channels) ? channels - 1 : 0;
  remainder_.assign(size_t{kDigits} * 256, 0);
  if (channel_bits_ == 0) return;
  // x^channel_bits is the leading term itself, whose remainder is the rest of the polynomial.
  uint32_t power = kPrimitive[channel_bits_];
  for (int bit = 0; bit < 8 * kDigits; ++bit, power = timesX(power, channel_bits_)) {
    for (int byte = 0; byte < 256; ++byte)
      if ((byte >> (bit % 8) & 1) != 0)
        remainder_[static_cast<size_t>(bit / 8) * 256 + byte] ^= static_cast<uint16_t>(power);
  }
}

uint64_t AddressInterleave::offset(const Place& place) const {
  const uint64_t quotient = place.address >> block_shift_;
  const uint64_t h = hash(quotient);
  const uint64_t rest = channel_mask_ != 0 || channels_ == 1
                            ? place.channel ^ h
                            : (place.channel + channels_ - h % channels_) % channels_;
  return ((quotient * channels_ + rest) << block_shift_) | (place.address & block_mask_);
}

}  // namespace etalon::sim
