// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "isa/base/bits.h"
#include "isa/base/status.h"
#include "sim/arch/backing.h"

namespace etalon::sim {

/// Which bytes of a memory were ever written: one bit a byte, all clear at first.
///
/// Offsets are bytes from the start of the memory. The caller has checked bounds: offset + length
/// <= size. Both directions have an inline path for scalar accesses (length <= 8) that touches one
/// unaligned 16-bit word; longer runs go 64 bytes a step.
class InitMap {
 public:
  /// A map for `bytes` bytes of memory; `what` names the memory in an error.
  static Result<InitMap> create(uint64_t bytes, std::string_view what);

  InitMap() = default;

  /// Marks bytes [offset, offset + length) as written.
  void setRange(uint64_t offset, uint64_t length) {
    if (length <= kScalarBytes) {
      std::byte* at = bits_.data() + offset / 8;
      storeBytes<uint16_t>(at, loadBytes<uint16_t>(at) | scalarMask(offset, length));
    } else {
      setLong(offset, length);
    }
  }

  /// Marks bytes as never written; offset and length are multiples of 64.
  void clearRange(uint64_t offset, uint64_t length);

  /// The first byte of [offset, offset + length) never written, or nothing if all were.
  std::optional<uint64_t> firstUnset(uint64_t offset, uint64_t length) const {
    if (length <= kScalarBytes) [[likely]] {
      const auto mask = scalarMask(offset, length);
      const auto missing = mask & ~loadBytes<uint16_t>(bits_.data() + offset / 8);
      if (missing == 0) [[likely]]
        return std::nullopt;
      return offset / 8 * 8 + static_cast<uint64_t>(std::countr_zero(unsigned(missing)));
    }
    return firstUnsetLong(offset, length);
  }

  /// True if every byte of [offset, offset + length) was written.
  bool allSet(uint64_t offset, uint64_t length) const { return !firstUnset(offset, length); }

  uint64_t size() const { return size_; }

  /// Snapshots, here and below: every field, in order. Reads into a map of the same size that is all clear.
  template <class Archive, class Self>
  static void transfer(Archive& archive, Self& self) {
    archive(self.bits_);
  }

 private:
  static constexpr uint64_t kScalarBytes = 8;

  InitMap(Backing bits, uint64_t size) : bits_(std::move(bits)), size_(size) {}

  // 8 bits beginning at any of 8 positions always lie inside one 16-bit word.
  static uint32_t scalarMask(uint64_t offset, uint64_t length) {
    return ((1u << length) - 1) << (offset % 8);
  }
  void setLong(uint64_t offset, uint64_t length);
  std::optional<uint64_t> firstUnsetLong(uint64_t offset, uint64_t length) const;

  Backing bits_;
  uint64_t size_ = 0;
};

}  // namespace etalon::sim
