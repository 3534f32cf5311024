// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <unordered_map>

#include "isa/codec/instruction.h"
#include "sim/arch/memory.h"

namespace etalon::sim {

/// Instructions of a device decoded ahead, a page at a time. Stale after a store to code until clear(), as RISC-V allows.
class DecodeCache {
 public:
  static constexpr uint64_t kPageBytes = 4096;
  using Page = std::array<isa::Instruction, kPageBytes / 4>;

  explicit DecodeCache(Memory& memory, unsigned device = 0) : memory_(memory), device_(device) {}

  /// The decoded page at an address (a multiple of kPageBytes), nullptr outside global memory.
  const Page* page(uint64_t address);
  /// The decoded instruction at an address, a multiple of 4; nullptr where there is none.
  const isa::Instruction* instruction(std::optional<uint64_t> address) {
    const Page* decoded = address ? page(*address & ~(kPageBytes - 1)) : nullptr;
    return decoded ? &(*decoded)[(*address % kPageBytes) / 4] : nullptr;
  }
  void clear();

  /// Snapshots (device_snapshot.cc): which pages are decoded, and what of them is stale.
  template <class Archive, class Self>
  static void transfer(Archive& archive, Self& self);

 private:
  /// Decodes the words of memory now; nullptr outside global memory.
  Page* decodePage(uint64_t address);
  /// Bounds the host memory that a program jumping everywhere can make us use.
  static constexpr size_t kMaxPages = 4096;

  Memory& memory_;
  unsigned device_;
  std::unordered_map<uint64_t, std::unique_ptr<Page>> pages_;
  // Direct-mapped front: calls between a few pages cost no hashing.
  std::array<std::pair<uint64_t, const Page*>, 16> recent_{};
};

}  // namespace etalon::sim
