// SPDX-License-Identifier: Apache-2.0
// et.mm, et.mma: k ascending, one rounding a step; integers modulo 2^32; block scales and sparse A.
#include <cmath>

#include "sim/functional/coverage/reference/model.h"

namespace etalon::reference {
namespace {

/// A matrix of numbers: elements times their scales, each exact in a double (up to 32 significant
/// bits, exponents far inside a double's).
struct Numbers {
  uint64_t rows, columns;
  std::vector<double> values;

  double& at(uint64_t r, uint64_t c) { return values[r * columns + c]; }
};

/// Elements of k that share a scale of a type.
uint64_t lengthOf(ElementType scale) {
  return scale == ElementType::e8m0 ? 32 : scale == ElementType::f8e4m3 ? 16 : 128;
}

/// Elements of a source; element (r, c) has logical k `k_of(r, c)`, and `scales` may be none.
template <class K>
Numbers numbersOf(const Memory& memory, const Call& call, const char* source, K k_of) {
  const Tile& tile = call.tile(source);
  const Matrix bits = readTile(memory, tile);
  Numbers numbers{bits.rows, bits.columns, {}};
  for (const uint64_t element : bits.bits) numbers.values.push_back(decode(tile.type, element));
  const std::string scales_of = std::string("scales of ") + source;
  if (!call.has(scales_of)) return numbers;
  Tile scales = call.tile(scales_of);
  // Stored transposed when the source is, without a flag.
  scales.transpose = tile.transpose;
  const bool is_a = source[1] == 'a';
  for (uint64_t r = 0; r < bits.rows; ++r)
    for (uint64_t c = 0; c < bits.columns; ++c) {
      const uint64_t block = k_of(r, c) / lengthOf(scales.type);
      const uint64_t scale = readElement(memory, scales, is_a ? r : block, is_a ? block : c);
      double& value = numbers.at(r, c);
      value *= decode(scales.type, scale);
      if (scales.type == ElementType::f32) value = roundF32(value);
    }
  return numbers;
}

/// k of the t-th stored element of row m of A.
uint64_t positionOf(const Memory& memory, const Call& call, uint64_t m, uint64_t t) {
  if (!call.has("metadata")) return t;
  const uint64_t both = readElement(memory, call.tile("metadata"), m, t / 2);
  return t / 2 * 4 + (t % 2 ? both / 4 : both % 4);
}

}  // namespace

bool executeMatrix(Call& call, Memory& memory) {
  const bool accumulate = call.name == "et.mma";
  if (!accumulate && call.name != "et.mm") return false;
  const Tile& td = call.tile("td");
  const auto k_of_a = [&](uint64_t m, uint64_t t) { return positionOf(memory, call, m, t); };
  Numbers a = numbersOf(memory, call, "ta", k_of_a);
  Numbers b = numbersOf(memory, call, "tb", [](uint64_t k, uint64_t) { return k; });
  Matrix d = accumulate ? readTile(memory, td) : Matrix(a.rows, b.columns);
  for (uint64_t m = 0; m < a.rows; ++m)
    for (uint64_t t = 0; t < a.columns; ++t) {
      const uint64_t k = k_of_a(m, t);
      for (uint64_t n = 0; n < b.columns; ++n) {
        const double x = a.at(m, t), y = k < b.rows ? b.at(k, n) : 0;
        uint64_t& sum = d.at(m, n);
        if (td.type == ElementType::f32)
          sum = encode(ElementType::f32, fmaOdd(x, y, decode(ElementType::f32, sum)));
        else
          sum =
              wrap(ElementType::i32, static_cast<int64_t>(x * y) + integer(ElementType::i32, sum));
      }
    }
  writeTile(memory, td, d);
  return true;
}

}  // namespace etalon::reference
