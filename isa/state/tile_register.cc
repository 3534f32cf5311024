// SPDX-License-Identifier: Apache-2.0
#include "isa/state/tile_register.h"

#include <fmt/format.h>

#include "isa/base/bits.h"
#include "isa/base/check.h"

namespace etalon::isa {
namespace {

constexpr std::array<uint8_t, 4> kStepOfCode = {0, 1, 2, 4};

uint64_t codeOfStep(uint8_t step) {
  for (uint64_t code = 0; code < kStepOfCode.size(); ++code)
    if (kStepOfCode[code] == step) return code;
  ETALON_CHECK(false, "column step of a tile register is 0, 1, 2 or 4");
}

}  // namespace

ElementType TileRegister::elementType() const {
  ETALON_CHECK(hasType(), "element type of a tile register with a reserved type code");
  return static_cast<ElementType>(type);
}

ByteInterval TileRegister::hull() const {
  if (empty()) return {};
  const CanonicalTile tile = canonical(*this);
  const uint64_t end = tile.base + (tile.outer - 1) * tile.ostride + tile.span;
  return {Int128{tile.base}, Int128{end}};
}

TileRegister unpackTile(const TileWords& words) {
  TileRegister tile;
  tile.base = static_cast<uint32_t>(bits(words[0], 31, 0));
  tile.cols = static_cast<uint32_t>(bits(words[0], 55, 32));
  tile.type = static_cast<uint8_t>(bits(words[0], 61, 56));
  tile.step = kStepOfCode[bits(words[0], 63, 62)];
  tile.outer = static_cast<uint32_t>(bits(words[1], 23, 0));
  tile.inner = static_cast<uint32_t>(bits(words[1], 47, 24));
  tile.transpose = bits(words[1], 48, 48) != 0;
  tile.link_valid = bits(words[1], 49, 49) != 0;
  tile.link = static_cast<uint8_t>(bits(words[1], 54, 50));
  tile.ostride = static_cast<uint32_t>(bits(words[2], 31, 0));
  tile.istride = static_cast<uint32_t>(bits(words[2], 63, 32));
  return tile;
}

TileWords packTile(const TileRegister& tile) {
  ETALON_CHECK(tile.outer <= kMaxCount && tile.inner <= kMaxCount && tile.cols <= kMaxCount,
               "counts of a tile register have 24 bits");
  ETALON_CHECK(tile.type < 64 && tile.link < kTileRegisters,
               "type and link of a tile register have 6 and 5 bits");
  return {uint64_t{tile.base} | uint64_t{tile.cols} << 32 | uint64_t{tile.type} << 56 |
              codeOfStep(tile.step) << 62,
          uint64_t{tile.outer} | uint64_t{tile.inner} << 24 | uint64_t{tile.transpose} << 48 |
              uint64_t{tile.link_valid} << 49 | uint64_t{tile.link} << 50,
          uint64_t{tile.ostride} | uint64_t{tile.istride} << 32};
}

TileRegister loadTileImage(std::span<const std::byte, kTileImageBytes> image) {
  return unpackTile({loadBytes<uint64_t>(image.data()), loadBytes<uint64_t>(image.data() + 8),
                     loadBytes<uint64_t>(image.data() + 16)});
}

void storeTileImage(const TileRegister& tile, std::span<std::byte, kTileImageBytes> image) {
  const TileWords words = packTile(tile);
  for (size_t i = 0; i < words.size(); ++i) storeBytes(image.data() + 8 * i, words[i]);
  storeBytes(image.data() + 24, uint64_t{0});
}

std::optional<Malformed> checkTileWords(const TileWords& words) {
  const uint64_t spare = bits(words[1], 63, 55);
  if (spare == 0) return std::nullopt;
  return Malformed{Problem::SpareBits, "word 1",
                   fmt::format("bits 63:55 are {:#x}, they must be 0", spare)};
}

std::optional<Malformed> checkTileImage(std::span<const std::byte, kTileImageBytes> image) {
  const uint64_t last = loadBytes<uint64_t>(image.data() + 24);
  if (last != 0)
    return Malformed{Problem::SpareBits, "bytes 24..31",
                     fmt::format("are {:#x}, they must be 0", last)};
  return checkTileWords({loadBytes<uint64_t>(image.data()), loadBytes<uint64_t>(image.data() + 8),
                         loadBytes<uint64_t>(image.data() + 16)});
}

std::optional<Malformed> checkTile(const TileRegister& tile) {
  if (!tile.hasType())
    return Malformed{
        Problem::ReservedType, "type",
        fmt::format("code {} is reserved; types are 0 to {}", tile.type, kElementTypes - 1)};
  const std::string_view name = elementInfo(tile.elementType()).name;
  if (tile.elementBits() == 4 && tile.step != 1)
    return Malformed{Problem::FourBitRule, "step",
                     fmt::format("is {}; a tile of {} has column step 1", tile.step, name)};
  const uint32_t size = tile.elementBytes();
  const std::pair<const char*, uint32_t> aligned[] = {
      {"base", tile.base}, {"ostride", tile.ostride}, {"istride", tile.istride}};
  for (const auto& [field, value] : aligned)
    if (value % size != 0)
      return Malformed{
          Problem::Misaligned, field,
          fmt::format("is {:#x}, no multiple of {}, the bytes of {}", value, size, name)};
  return std::nullopt;
}

CanonicalTile canonical(const TileRegister& tile) {
  ETALON_CHECK(!tile.empty(), "canonical form of an empty tile");
  CanonicalTile c{tile.base,    tile.outer, tile.inner,          tile.cols, tile.ostride,
                  tile.istride, tile.step,  tile.elementBytes(), 0,         0};
  if (c.cols == 1) c.step = 1;
  if (c.inner == 1) {
    c.inner = c.outer;
    c.istride = c.ostride;
    c.outer = 1;
    c.ostride = 0;
  }
  if (c.outer > 1 && c.ostride == c.inner * c.istride) {
    c.inner *= c.outer;
    c.outer = 1;
  }
  if (c.outer == 1) c.ostride = 0;
  if (c.inner == 1) c.istride = 0;
  c.width = tile.elementBits() == 4 ? (c.cols + 1) / 2 : (c.cols - 1) * c.step * c.size + c.size;
  c.span = (c.inner - 1) * c.istride + c.width;
  return c;
}

bool sameElements(const TileRegister& a, const TileRegister& b) {
  if (a.empty() || b.empty() || a.transpose || b.transpose) return false;
  if (a.elementBits() != b.elementBits()) return false;
  const CanonicalTile x = canonical(a);
  const CanonicalTile y = canonical(b);
  return x.base == y.base && x.outer == y.outer && x.inner == y.inner && x.cols == y.cols &&
         x.ostride == y.ostride && x.istride == y.istride && x.step == y.step;
}

}  // namespace etalon::isa
