// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace etalon::abi {

/// Host memory that a plug-in is handed, between zones that show a write outside of it.
class GuardedMemory {
 public:
  explicit GuardedMemory(uint64_t bytes) : bytes_(kZone + bytes + kZone, kPattern) {
    std::ranges::fill(inside(), std::byte{0});
  }
  explicit GuardedMemory(std::span<const std::byte> content) : GuardedMemory(content.size()) {
    std::ranges::copy(content, inside().begin());
  }

  std::span<std::byte> inside() {
    return std::span(bytes_).subspan(kZone, bytes_.size() - 2 * kZone);
  }
  char* text() { return reinterpret_cast<char*>(inside().data()); }
  bool intact() const {
    const auto is_pattern = [](std::byte b) { return b == kPattern; };
    return std::all_of(bytes_.begin(), bytes_.begin() + kZone, is_pattern) &&
           std::all_of(bytes_.end() - kZone, bytes_.end(), is_pattern);
  }

 private:
  static constexpr ptrdiff_t kZone = 1024;
  static constexpr std::byte kPattern{0xD9};

  std::vector<std::byte> bytes_;
};

}  // namespace etalon::abi
