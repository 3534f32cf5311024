// SPDX-License-Identifier: Apache-2.0
// Tiles with values for tests: a host buffer, a shape with strides and steps, and element access
// that shares nothing with the library but the address formula written on TileRef.
#pragma once

#include <bit>
#include <cstring>
#include <random>
#include <vector>

#include "isa/numerics/tile_ref.h"

namespace etalon::numerics::test {

class TestTile {
 public:
  /// A packed tile, optionally with `inner` rows a group, gaps (in elements) after columns, rows
  /// and groups.
  TestTile(ElementType type, uint32_t rows, uint32_t cols, uint32_t inner = 0, uint8_t step = 1,
           uint32_t gap = 0) {
    ref_.type = type;
    ref_.inner = inner == 0 ? std::max(rows, 1u) : inner;
    ref_.outer = rows / ref_.inner;
    ref_.cols = cols;
    ref_.step = step;
    const auto size = static_cast<uint32_t>(bytes());
    ref_.istride = (cols * step + gap) * size;
    ref_.ostride = (ref_.inner * (cols * step + gap) + gap) * size;
    memory_.assign(size_t{ref_.outer + 1} * ref_.ostride + 64, std::byte{0x5a});
    ref_.data = memory_.data();
  }
  TestTile(TestTile&&) = default;
  TestTile(const TestTile& other) : memory_(other.memory_), ref_(other.ref_) {
    ref_.data = memory_.data();
  }

  /// One row or one column or one element repeated over a shape.
  static TestTile repeated(ElementType type, uint32_t rows, uint32_t cols, bool repeat_rows,
                           bool repeat_cols) {
    TestTile tile(type, rows, cols);
    if (repeat_cols) tile.ref_.step = 0;
    if (repeat_rows) tile.ref_.istride = tile.ref_.ostride = 0;
    return tile;
  }

  size_t bytes() const {
    switch (ref_.type) {
      case ElementType::i8:
      case ElementType::u8:
      case ElementType::e8m0:
      case ElementType::f8e4m3:
      case ElementType::f8e5m2: return 1;
      case ElementType::i16:
      case ElementType::u16:
      case ElementType::f16:
      case ElementType::bf16: return 2;
      default: return 4;
    }
  }
  uint32_t rows() const { return ref_.outer * ref_.inner; }
  uint32_t cols() const { return ref_.cols; }
  TileRef& ref() { return ref_; }
  const TileRef& ref() const { return ref_; }

  uint32_t get(uint32_t r, uint32_t c) const {
    uint32_t bits = 0;
    std::memcpy(&bits, ref_.data + offset(r, c), bytes());
    return bits;
  }
  float getFloat(uint32_t r, uint32_t c) const { return std::bit_cast<float>(get(r, c)); }
  void set(uint32_t r, uint32_t c, uint32_t bits) {
    std::memcpy(ref_.data + offset(r, c), &bits, bytes());
  }
  void setFloat(uint32_t r, uint32_t c, float value) { set(r, c, std::bit_cast<uint32_t>(value)); }

  /// Random bits; f32 mostly of moderate magnitude with some special values.
  void fill(std::mt19937& random) {
    for (uint32_t r = 0; r < rows(); ++r)
      for (uint32_t c = 0; c < cols(); ++c) {
        uint32_t bits = random();
        if (ref_.type == ElementType::f32 && random() % 16 != 0)
          bits = (bits & 0x83ffffff) + 0x3e000000;
        set(r, c, bits);
      }
  }

  bool operator==(const TestTile& other) const { return memory_ == other.memory_; }

 private:
  size_t offset(uint32_t r, uint32_t c) const {
    return size_t{r / ref_.inner} * ref_.ostride + size_t{r % ref_.inner} * ref_.istride +
           size_t{c} * ref_.step * bytes();
  }

  std::vector<std::byte> memory_;
  TileRef ref_;
};

}  // namespace etalon::numerics::test
