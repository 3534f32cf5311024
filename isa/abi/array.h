// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "isa/base/status.h"
#include "isa/element_type.h"

namespace etalon::abi {

/// A dense array in C order, little endian. 4-bit types: two elements a byte, the even one in bits
/// 3:0, each row (last axis) begins on a byte, as tiles in memory do.
struct Array {
  ElementType type = ElementType::f32;
  std::vector<uint64_t> shape;  // empty: one element
  std::vector<std::byte> data;  // arrayBytes(type, shape) of them
};

/// More than any machine's global memory; above it a shape is taken for a mistake.
inline constexpr uint64_t kMostArrayBytes = uint64_t{64} << 30;
inline constexpr size_t kMostArrayRank = 32;

/// Bytes of an array. Errors: rank over kMostArrayRank, size over kMostArrayBytes (overflow
/// included).
Result<uint64_t> arrayBytes(ElementType type, const std::vector<uint64_t>& shape);

/// Elements of a shape whose arrayBytes() is no error.
uint64_t elementCount(const std::vector<uint64_t>& shape);

/// A zeroed array; an error instead of std::bad_alloc where the host has not got the memory.
Result<Array> makeArray(ElementType type, const std::vector<uint64_t>& shape);

/// `bf16[64, 32]`.
std::string describe(ElementType type, const std::vector<uint64_t>& shape);

}  // namespace etalon::abi
