// SPDX-License-Identifier: Apache-2.0
#include "isa/abi/array.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <new>

namespace etalon::abi {

Result<uint64_t> arrayBytes(ElementType type, const std::vector<uint64_t>& shape) {
  if (shape.size() > kMostArrayRank)
    return Error{
        fmt::format("{} axes; an array may have {} at most", shape.size(), kMostArrayRank)};
  const uint64_t bits = static_cast<uint64_t>(elementInfo(type).bits);
  for (const uint64_t extent : shape)
    if (extent == 0) return 0;
  const Error too_large{fmt::format("{} is larger than the limit of {} GiB for one array",
                                    describe(type, shape), kMostArrayBytes >> 30)};
  const uint64_t last = shape.empty() ? 1 : shape.back();
  if (last > kMostArrayBytes * 2) return too_large;
  uint64_t bytes = (last * bits + 7) / 8;
  for (size_t axis = 0; axis + 1 < shape.size(); ++axis)
    if (__builtin_mul_overflow(bytes, shape[axis], &bytes)) return too_large;
  if (bytes > kMostArrayBytes) return too_large;
  return bytes;
}

uint64_t elementCount(const std::vector<uint64_t>& shape) {
  uint64_t count = 1;
  for (const uint64_t extent : shape) count *= extent;
  return count;
}

Result<Array> makeArray(ElementType type, const std::vector<uint64_t>& shape) {
  Result<uint64_t> bytes = arrayBytes(type, shape);
  if (!bytes.ok()) return bytes.error();
  Array array{type, shape, {}};
  try {
    array.data.resize(*bytes);
  } catch (const std::bad_alloc&) {
    return Error{
        fmt::format("this host has no memory for {} ({} bytes)", describe(type, shape), *bytes)};
  }
  return array;
}

std::string describe(ElementType type, const std::vector<uint64_t>& shape) {
  return fmt::format("{}[{}]", elementInfo(type).name, fmt::join(shape, ", "));
}

}  // namespace etalon::abi
