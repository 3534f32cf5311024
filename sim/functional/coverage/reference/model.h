// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "sim/functional/coverage/reference/number.h"

// What a tile instruction sees, as plainly as it can be said (isa.md section 2).
namespace etalon::reference {

/// Local memory, and a piece of global memory.
struct Memory {
  static constexpr uint64_t kLocalWindow = 0x1000'0000;

  std::vector<uint8_t> local;
  uint64_t global_base = 0;
  std::vector<uint8_t> global;

  /// The byte at an address, of the local window or of the piece; nullptr elsewhere.
  uint8_t* at(uint64_t address);
};

/// Element bits of a matrix.
struct Matrix {
  uint64_t rows = 0, columns = 0;
  std::vector<uint64_t> bits;

  Matrix(uint64_t r, uint64_t c) : rows(r), columns(c), bits(r * c) {}
  uint64_t& at(uint64_t r, uint64_t c) { return bits[r * columns + c]; }
  uint64_t at(uint64_t r, uint64_t c) const { return bits[r * columns + c]; }
};

/// A tile in local memory: stored row r at base + (r / inner) * ostride + (r % inner) * istride.
struct Tile {
  ElementType type = ElementType::f32;
  uint64_t base = 0;
  uint64_t outer = 0, inner = 0, cols = 0;
  uint64_t ostride = 0, istride = 0;
  unsigned step = 1;
  bool transpose = false;

  uint64_t rows() const { return transpose ? cols : outer * inner; }
  uint64_t columns() const { return transpose ? outer * inner : cols; }
};

uint64_t readElement(const Memory& memory, const Tile& tile, uint64_t row, uint64_t column);
void writeElement(Memory& memory, const Tile& tile, uint64_t row, uint64_t column, uint64_t bits);
Matrix readTile(const Memory& memory, const Tile& tile);
/// Whole bytes: 4 bits behind an odd row become 0.
void writeTile(Memory& memory, const Tile& tile, const Matrix& value);

/// A view: where an element of the box is, per axis.
struct View {
  struct Axis {
    uint64_t dim = 0;
    int64_t stride = 0, origin = 0;
  };
  struct Box {
    uint64_t extent = 0;
    unsigned axis = 0;
    int64_t step = 0;
  };

  ElementType type = ElementType::f32;
  uint64_t base = 0;
  uint64_t fill = 0;
  unsigned ncol = 0;
  std::vector<Axis> axes;
  std::vector<Box> box;

  uint64_t rows() const;
  uint64_t columns() const;
};

/// A chain: steps on temporaries. Selectors are those of the chain descriptor (isa-reference.md).
struct Chain {
  struct Step {
    std::string op;
    ElementType compute = ElementType::f32, result = ElementType::f32;
    unsigned mode = 0, destination = 0;
    std::array<unsigned, 3> selectors{};
  };
  std::vector<Step> steps;
  bool writes_td = true, lanes = false;
  std::string reduction;  // sum, prod, max, min; empty: none
  unsigned td_selector = 8, reduction_selector = 8;
  std::array<uint32_t, 12> constants{};
};

/// One instruction with its operands by their names in the syntax. Tiles that links name are
/// "metadata" (of a sparse A), "scales of ta", "scales of tb".
struct Call {
  std::string name;  // mnemonic
  std::map<std::string, Tile, std::less<>> tiles;
  View view;
  Chain chain;  // its third source and reduction tile are tiles "third" and "reduction"
  std::map<std::string, uint64_t, std::less<>> x;  // scalar operands
  unsigned mode = 0;  // conversion mode rne, rne.sat, rz, rz.sat, or flags of a sort
  unsigned axis = 0;
  uint64_t seed = 0, stream = 0;  // CSRs of random numbers
  bool index_outside = false;     // result: the sticky status is set

  const Tile& tile(std::string_view operand) const { return tiles.find(operand)->second; }
  bool has(std::string_view operand) const { return tiles.find(operand) != tiles.end(); }
};

/// The effect of one instruction that passes all checks; false if the reference does not know it.
bool execute(Call& call, Memory& memory);

// One function a group; false if the instruction is of another group.
bool executeMatrix(Call& call, Memory& memory);
bool executeDma(Call& call, Memory& memory);
bool executeElementwise(Call& call, Memory& memory);
bool executeChain(Call& call, Memory& memory);
bool executeRows(Call& call, Memory& memory);
bool executeMovement(Call& call, Memory& memory);
bool executeSort(Call& call, Memory& memory);
bool executeRandom(Call& call, Memory& memory);
bool executeQuantise(Call& call, Memory& memory);

}  // namespace etalon::reference
