// SPDX-License-Identifier: Apache-2.0
#include "isa/numerics/mma_expand.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <utility>

#include "isa/base/check.h"
#include "isa/numerics/convert.h"
#include "isa/numerics/float_format.h"
#include "isa/numerics/mma_kernels.h"

namespace etalon::numerics {
namespace {

constexpr int kNibble = 4;

template <class T, ElementType kType>
constexpr T nibbleValue(uint32_t code) {
  if constexpr (kType == ElementType::f4e2m1) {
    return std::bit_cast<float>(widenFloatBits(floatFormat(kType), code));
  } else {
    return static_cast<T>(kType == ElementType::i4 && code >= 8 ? static_cast<int>(code) - 16
                                                                : static_cast<int>(code));
  }
}

/// Both elements of every byte.
template <class T>
using Pairs = std::array<std::array<T, 2>, 256>;

template <class T, ElementType kType>
constexpr Pairs<T> makePairs() {
  Pairs<T> pairs{};
  for (uint32_t byte = 0; byte < pairs.size(); ++byte) {
    pairs[byte] = {nibbleValue<T, kType>(byte & 15), nibbleValue<T, kType>(byte >> kNibble)};
  }
  return pairs;
}

constexpr Pairs<float> kF4Floats = makePairs<float, ElementType::f4e2m1>();
constexpr Pairs<float> kI4Floats = makePairs<float, ElementType::i4>();
constexpr Pairs<float> kU4Floats = makePairs<float, ElementType::u4>();
constexpr Pairs<int8_t> kI4Bytes = makePairs<int8_t, ElementType::i4>();
constexpr Pairs<int8_t> kU4Bytes = makePairs<int8_t, ElementType::u4>();

const Pairs<float>& floatPairs(ElementType type) {
  return type == ElementType::f4e2m1 ? kF4Floats : type == ElementType::i4 ? kI4Floats : kU4Floats;
}

template <class T>
void lookUp(const Pairs<T>& pairs, const std::byte* from, T* out, size_t count) {
  for (size_t i = 0; i < count / 2; ++i) {
    std::memcpy(out + 2 * i, pairs[std::to_integer<size_t>(from[i])].data(), 2 * sizeof(T));
  }
  // The last byte of an odd row has one element.
  if (count % 2 != 0) out[count - 1] = pairs[std::to_integer<size_t>(from[count / 2])][0];
}

bool isNibble(ElementType type) { return elementInfo(type).bits == kNibble; }

const std::byte* place(const TileRef& tile, uint64_t row, uint64_t column) {
  ETALON_CHECK(!isNibble(tile.type) || column % 2 == 0,
               "a block of 4-bit elements begins on a byte");
  return tile.row(row) + column * static_cast<uint64_t>(elementInfo(tile.type).bits) / 8;
}

/// Elements without scales, as f32.
void widenRow(const TileRef& tile, uint64_t row, const StoredBlock& block, float* out) {
  const std::byte* from = place(tile, row, block.column);
  if (isNibble(tile.type)) return lookUp(floatPairs(tile.type), from, out, block.columns);
  if (tile.type == ElementType::f32) {
    std::memcpy(out, from, block.columns * sizeof(float));
    return;
  }
  convertRun(tile.type, from, elementInfo(tile.type).bits / 8, ElementType::f32,
             reinterpret_cast<std::byte*>(out), sizeof(float), block.columns, {});
}

void readScales(const TileRef& scales, uint64_t row, uint64_t column, size_t count, float* out) {
  const auto bytes = static_cast<ptrdiff_t>(elementInfo(scales.type).bits / 8);
  const ptrdiff_t stride = bytes * scales.step;
  const std::byte* from = scales.row(row) + column * static_cast<uint64_t>(stride);
  auto* to = reinterpret_cast<std::byte*>(out);
  if (scales.type == ElementType::f32) return copyRun(sizeof(float), from, stride, to, 4, count);
  convertRun(scales.type, from, stride, ElementType::f32, to, sizeof(float), count, {});
}

/// Whether the greatest finite element times each scale stays finite.
bool allFit(const float* scales, size_t count, float greatest) {
  bool fit = true;
  for (size_t i = 0; i < count; ++i) fit &= !std::isinf(greatest * scales[i]);
  return fit;
}

float scaled(float element, float scale, bool) { return element * scale; }
double scaled(double element, float scale, bool rounds) {
  const double product = element * scale;  // exact: 24 bits each at most
  return rounds ? static_cast<double>(static_cast<float>(product)) : product;
}

/// Multiplies a block by its scales. False (f32 alone) if a product may overflow.
template <class T>
bool applyScales(const MmaSource& source, bool k_in_columns, const StoredBlock& block, T* out,
                 size_t stride) {
  const TileRef& scales = *source.scales;
  const bool rounds = scales.type == ElementType::f32;
  const bool checks = std::is_same_v<T, float> && scales.type == ElementType::e8m0;
  const FloatFormat format = floatFormat(source.tile.type);
  const float greatest =
      checks ? std::bit_cast<float>(widenFloatBits(format, format.max_code)) : 0.0f;
  // Two of four elements of k are stored where A is sparse.
  const uint32_t length =
      scaleBlock(source.tile.type, scales.type) / (source.metadata.has_value() ? 2 : 1);
  std::array<float, kMmaBlockUnits> s;
  const uint64_t first = k_in_columns ? block.column / length : block.column;
  const uint64_t last = block.column + block.columns - 1;
  const auto count = static_cast<size_t>((k_in_columns ? last / length : last) - first + 1);
  for (size_t r = 0; r < block.rows; ++r, out += stride) {
    const uint64_t row = block.row + r;
    if (k_in_columns || r == 0 || row % length == 0) {
      readScales(scales, k_in_columns ? row : row / length, first, count, s.data());
      if (checks && !allFit(s.data(), count, greatest)) return false;
    }
    if (!k_in_columns) {
      for (size_t c = 0; c < block.columns; ++c) out[c] = scaled(out[c], s[c], rounds);
      continue;
    }
    size_t c = 0;
    for (size_t i = 0; i < count; ++i) {
      const uint64_t end =
          std::min<uint64_t>((first + i + 1) * length - block.column, block.columns);
      for (; c < end; ++c) out[c] = scaled(out[c], s[i], rounds);
    }
  }
  return true;
}

}  // namespace

ElementType byteType(ElementType type) {
  return type == ElementType::i4   ? ElementType::i8
         : type == ElementType::u4 ? ElementType::u8
                                   : type;
}

void expandBytes(const TileRef& tile, const StoredBlock& block, std::byte* out, size_t stride) {
  for (size_t r = 0; r < block.rows; ++r, out += stride) {
    const std::byte* from = place(tile, block.row + r, block.column);
    if (isNibble(tile.type)) {
      lookUp(tile.type == ElementType::i4 ? kI4Bytes : kU4Bytes, from,
             reinterpret_cast<int8_t*>(out), block.columns);
    } else {
      std::memcpy(out, from, block.columns);
    }
  }
}

bool expandFloats(const MmaSource& source, bool k_in_columns, const StoredBlock& block, float* out,
                  size_t stride) {
  for (size_t r = 0; r < block.rows; ++r) {
    widenRow(source.tile, block.row + r, block, out + r * stride);
  }
  return !source.scales || applyScales(source, k_in_columns, block, out, stride);
}

void expandDoubles(const MmaSource& source, bool k_in_columns, const StoredBlock& block,
                   double* out, size_t stride) {
  std::array<float, kMmaBlockUnits> row;
  for (size_t r = 0; r < block.rows; ++r) {
    widenRow(source.tile, block.row + r, block, row.data());
    std::copy_n(row.data(), block.columns, out + r * stride);
  }
  if (source.scales) applyScales(source, k_in_columns, block, out, stride);
}

void expandPositions(const TileRef& metadata, uint64_t row, size_t rows, uint64_t group,
                     size_t groups, uint8_t* out, size_t stride) {
  for (size_t r = 0; r < rows; ++r, out += stride) {
    const std::byte* from = metadata.row(row + r);
    for (size_t g = 0; g < groups; ++g) {
      const uint64_t at = group + g;
      const auto value = std::to_integer<size_t>(from[at / 2]) >> (at % 2 * kNibble);
      out[2 * g] = static_cast<uint8_t>(4 * g + value % 4);
      out[2 * g + 1] = static_cast<uint8_t>(4 * g + value / 4 % 4);
    }
  }
}

bool expandSparseBytes(const SparseBytes& a, bool second, std::byte* out) {
  bool any_second = false;
  std::memset(out, 0, a.rows * a.columns);
  for (size_t r = 0; r < a.rows; ++r, out += a.columns) {
    const std::byte* terms = a.terms + r * a.stride;
    const uint8_t* positions = a.positions + r * a.stride;
    for (size_t t = 0; t < 2 * a.groups; ++t) {
      const bool doubled = t % 2 != 0 && positions[t] == positions[t - 1];
      any_second |= doubled;
      if (doubled == second && positions[t] < a.columns) out[positions[t]] = terms[t];
    }
  }
  return any_second;
}

}  // namespace etalon::numerics
