// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "isa/abi/array.h"

namespace etalon::kernels {

using abi::Array;
using Shape = std::vector<uint64_t>;

/// The bits of all elements in C order. 4-bit types lose the padding of their rows.
std::vector<uint64_t> elementBits(const Array& array);

/// The values of all elements in C order (value.h's decode()); not for i64.
std::vector<double> elementValues(const Array& array);

/// The values of an array of an integer type in C order.
std::vector<int64_t> elementIntegers(const Array& array);

/// Array of a type and shape from the bits of its elements in C order, one each.
Array arrayOf(ElementType type, const Shape& shape, const std::vector<uint64_t>& bits);

/// Element number i (C order) as it is written: `C[3, 5]`; `C` alone without axes.
std::string placeText(const std::string& name, const Shape& shape, uint64_t index);

/// An element as people read it, and its bits: `1.5 (0x3fc0)`.
std::string elementText(ElementType type, uint64_t bits);

}  // namespace etalon::kernels
