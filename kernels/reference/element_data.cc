// SPDX-License-Identifier: Apache-2.0
#include "kernels/reference/element_data.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "isa/base/check.h"
#include "kernels/reference/value.h"

namespace etalon::kernels {
namespace {

/// Elements of a row, the last axis: 4-bit rows begin on a byte.
uint64_t rowLength(const Shape& shape) { return shape.empty() ? 1 : shape.back(); }

uint64_t nibbleAt(const Array& array, uint64_t index) {
  const uint64_t row_length = rowLength(array.shape);
  const uint64_t column = index % row_length;
  const uint64_t byte = (index / row_length) * ((row_length + 1) / 2) + column / 2;
  return (static_cast<uint64_t>(array.data[byte]) >> (column % 2 * 4)) & 0xF;
}

uint64_t loadElement(const std::byte* from, size_t bytes) {
  uint64_t bits = 0;
  for (size_t i = 0; i < bytes; ++i) bits |= static_cast<uint64_t>(from[i]) << (8 * i);
  return bits;
}

void checkSize(const Array& array) {
  const Result<uint64_t> bytes = abi::arrayBytes(array.type, array.shape);
  ETALON_CHECK(bytes.ok() && *bytes == array.data.size(), "an array of the size of its shape");
}

template <class Function>
void forEachElement(const Array& array, Function function) {
  checkSize(array);
  const uint64_t count = abi::elementCount(array.shape);
  const int bits = elementInfo(array.type).bits;
  if (bits == 4) {
    for (uint64_t i = 0; i < count; ++i) function(i, nibbleAt(array, i));
    return;
  }
  const size_t bytes = static_cast<size_t>(bits) / 8;
  for (uint64_t i = 0; i < count; ++i) function(i, loadElement(&array.data[i * bytes], bytes));
}

}  // namespace

std::vector<uint64_t> elementBits(const Array& array) {
  std::vector<uint64_t> out(abi::elementCount(array.shape));
  forEachElement(array, [&](uint64_t i, uint64_t bits) { out[i] = bits; });
  return out;
}

std::vector<double> elementValues(const Array& array) {
  std::vector<double> out(abi::elementCount(array.shape));
  forEachElement(array, [&](uint64_t i, uint64_t bits) { out[i] = decode(array.type, bits); });
  return out;
}

std::vector<int64_t> elementIntegers(const Array& array) {
  std::vector<int64_t> out(abi::elementCount(array.shape));
  forEachElement(array,
                 [&](uint64_t i, uint64_t bits) { out[i] = decodeInteger(array.type, bits); });
  return out;
}

Array arrayOf(ElementType type, const Shape& shape, const std::vector<uint64_t>& bits) {
  Result<Array> made = abi::makeArray(type, shape);
  ETALON_CHECK(made.ok(), "a shape that was accepted before");
  Array array = *std::move(made);
  ETALON_CHECK(bits.size() == abi::elementCount(shape), "one entry for each element");
  const int width = elementInfo(type).bits;
  const uint64_t row_length = rowLength(shape);
  for (uint64_t i = 0; i < bits.size(); ++i) {
    if (width == 4) {
      const uint64_t column = i % row_length;
      const uint64_t byte = (i / row_length) * ((row_length + 1) / 2) + column / 2;
      array.data[byte] |= static_cast<std::byte>((bits[i] & 0xF) << (column % 2 * 4));
      continue;
    }
    const size_t bytes = static_cast<size_t>(width) / 8;
    for (size_t b = 0; b < bytes; ++b)
      array.data[i * bytes + b] = static_cast<std::byte>(bits[i] >> (8 * b));
  }
  return array;
}

std::string placeText(const std::string& name, const Shape& shape, uint64_t index) {
  if (shape.empty()) return name;
  std::vector<uint64_t> coordinates(shape.size());
  for (size_t axis = shape.size(); axis-- > 0;) {
    coordinates[axis] = index % shape[axis];
    index /= shape[axis];
  }
  return fmt::format("{}[{}]", name, fmt::join(coordinates, ", "));
}

std::string elementText(ElementType type, uint64_t bits) {
  const int digits = (elementInfo(type).bits + 3) / 4;
  if (isInteger(type))
    return fmt::format("{} (0x{:0{}x})", decodeInteger(type, bits), bits, digits);
  return fmt::format("{} (0x{:0{}x})", decode(type, bits), bits, digits);
}

}  // namespace etalon::kernels
