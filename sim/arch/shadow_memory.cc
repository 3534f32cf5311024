// SPDX-License-Identifier: Apache-2.0
#include "sim/arch/shadow_memory.h"

#include <algorithm>
#include <utility>

#include "isa/base/check.h"

namespace etalon::sim {

Result<ShadowMemory> ShadowMemory::create(std::span<const uint64_t> sizes) {
  ShadowMemory shadow;
  for (uint64_t size : sizes) {
    Region region;
    region.size = size;
    if (size > 0) {
      auto lines = Backing::create((size / kLineBytes + 1) * sizeof(uint32_t), "race detector");
      if (!lines.ok()) return lines.error();
      auto touched = Backing::create(size / kChunkBytes + 1, "race detector");
      if (!touched.ok()) return touched.error();
      region.lines = std::move(lines).value();
      region.touched = std::move(touched).value();
    }
    shadow.regions_.push_back(std::move(region));
  }
  auto blocks = Backing::create(kMaxBlocks * kLineBytes * sizeof(StateId), "race detector");
  if (!blocks.ok()) return blocks.error();
  shadow.blocks_ = std::move(blocks).value();
  return shadow;
}

StateId* ShadowMemory::split(uint32_t& line) {
  uint32_t number;
  if (free_blocks_.empty()) {
    ETALON_CHECK(next_block_ < kMaxBlocks, "more than 2^28 split lines in the race detector");
    number = next_block_++;
  } else {
    number = free_blocks_.back();
    free_blocks_.pop_back();
  }
  const StateId state = line;
  line = number | kBlockBit;
  StateId* bytes = block(line);
  std::fill_n(bytes, kLineBytes, state);
  return bytes;
}

void ShadowMemory::collapse(uint32_t& line) {
  if (!isBlock(line)) return;
  const StateId* bytes = block(line);
  StateId differ = 0;
  for (uint64_t i = 1; i < kLineBytes; ++i) differ |= bytes[i] ^ bytes[0];
  if (differ != 0) return;
  free_blocks_.push_back(line & ~kBlockBit);
  line = bytes[0];
}

}  // namespace etalon::sim
