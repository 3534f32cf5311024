// SPDX-License-Identifier: Apache-2.0
#include "sim/functional/coverage/reference/model.h"

namespace etalon::reference {
namespace {

uint64_t rowStart(const Tile& tile, uint64_t stored_row) {
  return tile.base + stored_row / tile.inner * tile.ostride +
         stored_row % tile.inner * tile.istride;
}

}  // namespace

uint8_t* Memory::at(uint64_t address) {
  if (address >= kLocalWindow && address - kLocalWindow < local.size())
    return &local[address - kLocalWindow];
  if (address >= global_base && address - global_base < global.size())
    return &global[address - global_base];
  return nullptr;
}

uint64_t readElement(const Memory& memory, const Tile& tile, uint64_t row, uint64_t column) {
  if (tile.transpose) std::swap(row, column);
  const uint64_t start = rowStart(tile, row);
  const uint64_t place = column * tile.step;
  const int width = bitsOf(tile.type);
  if (width == 4) return memory.local.at(start + place / 2) >> (place % 2 * 4) & 15;
  uint64_t bits = 0;
  const uint64_t bytes = static_cast<uint64_t>(width) / 8;
  for (uint64_t i = 0; i < bytes; ++i)
    bits |= uint64_t{memory.local.at(start + place * bytes + i)} << (8 * i);
  return bits;
}

void writeElement(Memory& memory, const Tile& tile, uint64_t row, uint64_t column, uint64_t bits) {
  if (tile.transpose) std::swap(row, column);
  const uint64_t start = rowStart(tile, row);
  const uint64_t place = column * tile.step;
  const int width = bitsOf(tile.type);
  if (width == 4) {
    uint8_t& byte = memory.local.at(start + place / 2);
    const int shift = static_cast<int>(place % 2) * 4;
    byte = static_cast<uint8_t>((byte & ~(15 << shift)) | static_cast<int>(bits & 15) << shift);
    return;
  }
  const uint64_t bytes = static_cast<uint64_t>(width) / 8;
  for (uint64_t i = 0; i < bytes; ++i)
    memory.local.at(start + place * bytes + i) = static_cast<uint8_t>(bits >> (8 * i));
}

Matrix readTile(const Memory& memory, const Tile& tile) {
  Matrix value(tile.rows(), tile.columns());
  for (uint64_t r = 0; r < value.rows; ++r)
    for (uint64_t c = 0; c < value.columns; ++c) value.at(r, c) = readElement(memory, tile, r, c);
  return value;
}

void writeTile(Memory& memory, const Tile& tile, const Matrix& value) {
  for (uint64_t r = 0; r < value.rows; ++r)
    for (uint64_t c = 0; c < value.columns; ++c) writeElement(memory, tile, r, c, value.at(r, c));
  if (bitsOf(tile.type) != 4 || tile.cols % 2 == 0) return;
  for (uint64_t r = 0; r < tile.outer * tile.inner; ++r) {
    uint8_t& last = memory.local.at(rowStart(tile, r) + tile.cols / 2);
    last = static_cast<uint8_t>(last % 16);
  }
}

uint64_t View::rows() const {
  uint64_t product = 1;
  for (size_t b = 0; b + ncol < box.size(); ++b) product *= box[b].extent;
  return product;
}

uint64_t View::columns() const {
  uint64_t product = 1;
  for (size_t b = box.size() - ncol; b < box.size(); ++b) product *= box[b].extent;
  return product;
}

bool execute(Call& call, Memory& memory) {
  return executeMatrix(call, memory) || executeDma(call, memory) ||
         executeElementwise(call, memory) || executeRows(call, memory) ||
         executeChain(call, memory) || executeMovement(call, memory) || executeSort(call, memory) ||
         executeRandom(call, memory) || executeQuantise(call, memory);
}

}  // namespace etalon::reference
