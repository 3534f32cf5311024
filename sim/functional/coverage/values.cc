// SPDX-License-Identifier: Apache-2.0
#include "sim/functional/coverage/values.h"

namespace etalon::sim::coverage {
namespace {

int mantissaBits(ElementType type) {
  switch (type) {
    case ElementType::f4e2m1: return 1;
    case ElementType::f8e4m3: return 3;
    case ElementType::f8e5m2: return 2;
    case ElementType::f16: return 10;
    case ElementType::bf16: return 7;
    default: return 23;
  }
}

std::vector<uint64_t> extremes(ElementType type) {
  const int width = reference::bitsOf(type);
  const uint64_t sign = uint64_t{1} << (width - 1);
  if (!reference::isFloatType(type) || type == ElementType::e8m0)
    return {0, 1, sign, sign - 1, 2 * sign - 1, 2 * sign - 2};
  const uint64_t most = reference::encode(type, reference::greatest(type));
  return {most, most | sign, 1, 1 | sign, most - 1, 0};
}

std::vector<uint64_t> specials(ElementType type) {
  std::vector<uint64_t> list = extremes(type);
  const int width = reference::bitsOf(type);
  const uint64_t sign = uint64_t{1} << (width - 1);
  if (!reference::isFloatType(type) || type == ElementType::e8m0) {
    for (uint64_t small : {2, 3, 7, 15, 31, 32, 33, 127}) list.push_back(small & (2 * sign - 1));
    list.push_back(sign + 1);
    return list;
  }
  const uint64_t normal = uint64_t{1} << mantissaBits(type);  // smallest normal
  const uint64_t one = reference::encode(type, 1);
  const uint64_t all = sign - 1;  // every exponent and mantissa bit
  const uint64_t infinity = all & ~(normal - 1);
  for (const uint64_t bits :
       {uint64_t{0}, normal, normal - 1, one, one + 1, one - 1, reference::encode(type, 2),
        reference::encode(type, 0.5), all, infinity, infinity + 1, reference::canonicalNan(type)})
    for (const uint64_t s : {uint64_t{0}, sign}) list.push_back(bits | s);
  return list;
}

}  // namespace

const std::vector<std::string>& valueKinds() {
  static const std::vector<std::string> kinds = {"random", "moderate", "special", "extreme"};
  return kinds;
}

uint64_t elementOfKind(ElementType type, const std::string& kind, Random& random) {
  const uint64_t mask = ~uint64_t{0} >> (64 - reference::bitsOf(type));
  const uint64_t word = random();
  if (kind == "random") return word & mask;
  if (kind == "moderate") {
    if (type == ElementType::e8m0) return 120 + word % 16;
    if (reference::isFloatType(type))
      return reference::encode(type, static_cast<double>(word % 65536) / 8192 - 4);
    const auto number = static_cast<int64_t>(word % 17) - 8;
    return static_cast<uint64_t>(reference::isSignedType(type) ? number : number + 8) & mask;
  }
  const std::vector<uint64_t> list = kind == "special" ? specials(type) : extremes(type);
  return list[word % list.size()];
}

void fillTile(reference::Memory& memory, const reference::Tile& tile, const std::string& kind,
              Random& random) {
  for (uint64_t r = 0; r < tile.rows(); ++r)
    for (uint64_t c = 0; c < tile.columns(); ++c)
      reference::writeElement(memory, tile, r, c, elementOfKind(tile.type, kind, random));
}

}  // namespace etalon::sim::coverage
