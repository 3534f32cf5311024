// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "isa/base/status.h"
#include "sim/arch/access_state.h"
#include "sim/arch/backing.h"

namespace etalon::sim {

/// The state of every byte of every region: one number a 64-byte line while its bytes agree, else
/// the number of a block with one state a byte.
class ShadowMemory {
 public:
  static constexpr uint64_t kLineBytes = 64;
  /// Numbers of states are below: a line holds one of them, or the number of a block.
  static constexpr uint64_t kMaxStates = uint64_t{1} << 31;

  /// `sizes[r]`: bytes of region r, 0 for a region that is not watched.
  static Result<ShadowMemory> create(std::span<const uint64_t> sizes);

  /// The lines of a region; entry i stands for bytes [64 i, 64 i + 64).
  uint32_t* lines(uint32_t region) { return regions_[region].lines.as<uint32_t>(); }
  uint64_t size(uint32_t region) const { return regions_[region].size; }

  static bool isBlock(uint32_t line) { return (line & kBlockBit) != 0; }
  StateId* block(uint32_t line) {
    return blocks_.as<StateId>() + uint64_t{line & ~kBlockBit} * kLineBytes;
  }

  /// The bytes of a line, split if they were one.
  StateId* expand(uint32_t& line) { return isBlock(line) ? block(line) : split(line); }
  /// Joins a split line whose bytes agree again.
  void collapse(uint32_t& line);

  /// To be called before lines of [offset, offset + length) get states, length >= 1.
  void touch(uint32_t region, uint64_t offset, uint64_t length) {
    auto* touched = regions_[region].touched.as<uint8_t>();
    const uint64_t last = (offset + length - 1) / kChunkBytes;
    for (uint64_t chunk = offset / kChunkBytes; chunk <= last; ++chunk) touched[chunk] = 1;
  }
  /// Marks every state that some byte has.
  void markStates(std::vector<bool>& marked) {
    forEachState([&](StateId state) { marked[state] = true; });
  }
  /// True if every state that some byte has is below `count`.
  bool statesBelow(StateId count);

  /// Snapshots (race_snapshot.cc). Numbers of blocks are not kept, nothing depends on them.
  template <class Archive, class Self>
  static void transfer(Archive& archive, Self& self);

 private:
  static constexpr uint32_t kBlockBit = 0x8000'0000;
  static constexpr uint64_t kChunkBytes = 64 << 10;
  /// 64 GiB of virtual memory: lines of 16 GiB may be split at one time.
  static constexpr uint64_t kMaxBlocks = uint64_t{1} << 28;

  struct Region {
    Backing lines;
    Backing touched;
    uint64_t size = 0;
  };

  StateId* split(uint32_t& line);
  /// Calls f(state) for every line or byte that was touched.
  template <class F>
  void forEachState(F&& f) {
    constexpr uint64_t kChunkLines = kChunkBytes / kLineBytes;
    for (uint32_t r = 0; r < regions_.size(); ++r) {
      Region& region = regions_[r];
      if (region.size == 0) continue;
      const uint64_t all_lines = region.size / kLineBytes + 1;
      for (uint64_t chunk = 0; chunk <= region.size / kChunkBytes; ++chunk) {
        if (region.touched.as<uint8_t>()[chunk] == 0) continue;
        const uint64_t end = std::min(all_lines, (chunk + 1) * kChunkLines);
        for (uint64_t i = chunk * kChunkLines; i < end; ++i) {
          const uint32_t line = lines(r)[i];
          if (!isBlock(line)) {
            f(line);
            continue;
          }
          for (uint64_t b = 0; b < kLineBytes; ++b) f(block(line)[b]);
        }
      }
    }
  }

  std::vector<Region> regions_;
  Backing blocks_;
  std::vector<uint32_t> free_blocks_;
  uint32_t next_block_ = 0;
};

}  // namespace etalon::sim
