// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstring>
#include <initializer_list>
#include <vector>

#include "isa/machines/address_map.h"
#include "isa/state/chain_descriptor.h"
#include "isa/state/tile_register.h"
#include "sim/functional/test_support.h"

namespace etalon::sim {

/// A dense tile of rows x cols at a byte offset of local memory.
inline isa::TileRegister denseTile(ElementType type, uint32_t rows, uint32_t cols, uint32_t base) {
  isa::TileRegister tile;
  tile.base = base;
  tile.outer = 1;
  tile.inner = rows;
  tile.cols = cols;
  tile.type = static_cast<uint8_t>(type);
  tile.istride = cols * tile.elementBytes();
  return tile;
}

inline uint32_t bitsOf(float value) { return std::bit_cast<uint32_t>(value); }

/// A chain step on f32, in short.
inline isa::ChainStep floatStep(ElementwiseOp op, uint8_t destination, uint8_t a, uint8_t b = 0,
                                uint8_t c = 0) {
  const auto f32 = static_cast<uint8_t>(ElementType::f32);
  return {.op = static_cast<uint8_t>(op),
          .compute_type = f32,
          .result_type = f32,
          .mode = 0,
          .destination = destination,
          .selectors = {a, b, c}};
}

/// Builds a program that sets up tiles and chains; changes x28 to x31.
class VectorBuilder : public TestBuilder {
 public:
  void setTile(uint8_t reg, const isa::TileRegister& tile) {
    const isa::TileWords words = isa::packTile(tile);
    for (uint8_t i = 0; i < 3; ++i)
      li(isa::X{static_cast<uint8_t>(28 + i)}, static_cast<int64_t>(words[i]));
    et_tset(isa::Tile{reg}, isa::X{28}, isa::X{29}, isa::X{30});
  }
  /// Stores 32-bit words at an offset of local memory.
  void store(uint32_t offset, const std::vector<uint32_t>& words) {
    li(isa::X{31}, static_cast<int64_t>(isa::kLocalWindowBase + offset));
    for (size_t i = 0; i < words.size(); ++i) {
      li(isa::X{28}, static_cast<int32_t>(words[i]));
      sw(isa::X{28}, static_cast<int64_t>(4 * i), isa::X{31});
    }
  }
  void storeFloats(uint32_t offset, std::initializer_list<float> values) {
    std::vector<uint32_t> words;
    for (const float value : values) words.push_back(bitsOf(value));
    store(offset, words);
  }
  void setChain(uint8_t reg, const isa::ChainDescriptor& chain) {
    std::array<std::byte, isa::kChainImageBytes> image;
    isa::storeChainImage(chain, image);
    li(isa::X{31}, static_cast<int64_t>(kTestData));
    for (int at = 0; at < isa::kChainImageBytes; at += 8) {
      li(isa::X{28}, loadBytes<int64_t>(image.data() + at));
      sd(isa::X{28}, at, isa::X{31});
    }
    et_cld(isa::Chain{reg}, isa::X{31});
  }
};

/// 32-bit words of core 0's local memory.
inline std::vector<uint32_t> localWords(TestProgram& program, uint32_t offset, size_t count) {
  std::vector<uint32_t> words(count);
  std::memcpy(words.data(), program.device().memory().local(0).data() + offset, 4 * count);
  return words;
}
inline std::vector<float> localFloats(TestProgram& program, uint32_t offset, size_t count) {
  std::vector<float> values(count);
  std::memcpy(values.data(), program.device().memory().local(0).data() + offset, 4 * count);
  return values;
}

}  // namespace etalon::sim
