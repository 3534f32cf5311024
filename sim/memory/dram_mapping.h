// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

#include "isa/machines/dram_preset.h"

namespace etalon::sim {

/// Where a burst stands in a channel.
struct DramAddress {
  uint32_t bank = 0;  // group * banks of a group + bank of the group
  uint32_t row = 0;
  uint32_t column = 0;  // in bursts
  bool operator==(const DramAddress&) const = default;
};

/// Splits the address of a burst into row, bank, group and column, in the order that the preset says.
///
/// A bijection: two bursts never share a place. With `hash`, bank and group are exclusive-ored with the lowest bits of the
/// row, so that rows which a power of two keeps apart do not meet in one bank.
class DramMapping {
 public:
  explicit DramMapping(const isa::DramPreset& preset);

  /// Input  address: bytes, of any byte of the burst; wraps after 2^32 rows.
  DramAddress decode(uint64_t address) const {
    uint64_t rest = address >> burst_shift_;
    std::array<uint32_t, 2> parts{};
    for (uint32_t i = 0; i < fields_; ++i) {
      const Field& field = field_[i];
      parts[field.part] |= (static_cast<uint32_t>(rest) & field.mask) << field.shift;
      rest >>= field.bits;
    }
    const auto row = static_cast<uint32_t>(rest);
    return {parts[kBank] ^ (row & hash_), row, parts[kColumn]};
  }

 private:
  static constexpr uint32_t kBank = 0, kColumn = 1;
  struct Field {
    uint32_t part = 0, bits = 0, mask = 0, shift = 0;
  };
  std::array<Field, 16> field_{};  // low to high
  uint32_t fields_ = 0;
  uint32_t burst_shift_ = 0;
  uint32_t hash_ = 0;  // mask of the row's bits that go into the bank
};

}  // namespace etalon::sim
