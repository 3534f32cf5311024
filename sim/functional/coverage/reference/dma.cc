// SPDX-License-Identifier: Apache-2.0
// Loads, stores, gather, scatter, updates: the coordinate of every element by its definition.
#include <optional>

#include "sim/functional/coverage/reference/lane.h"
#include "sim/functional/coverage/reference/model.h"

namespace etalon::reference {
namespace {

/// Index of each box dim at element (row, column) of the box: rows count the leading dims.
std::vector<uint64_t> boxIndex(const View& view, uint64_t row, uint64_t column) {
  std::vector<uint64_t> index(view.box.size());
  const size_t first_column = view.box.size() - view.ncol;
  for (size_t b = view.box.size(); b-- > 0;) {
    uint64_t& rest = b >= first_column ? column : row;
    index[b] = rest % view.box[b].extent;
    rest /= view.box[b].extent;
  }
  return index;
}

/// Where an element stands: an address, and for 4-bit types the half of its byte.
struct Place {
  uint64_t address;
  int shift;
};

/// Place of a box element; nothing if it is outside on any axis. `selected`: indices of a gather, which
/// stand for origin and box dim 0 on the named axis.
std::optional<Place> placeOf(const View& view, const std::vector<uint64_t>& index,
                             const std::vector<int64_t>* selected, unsigned named) {
  int64_t offset = 0;
  for (unsigned a = 0; a < view.axes.size(); ++a) {
    int64_t coordinate = view.axes[a].origin;
    if (selected && a == named) {
      coordinate = selected->at(index[0]);
      // An index outside takes its whole inner box with it.
      if (coordinate < 0 || static_cast<uint64_t>(coordinate) >= view.axes[a].dim)
        return std::nullopt;
    }
    for (size_t b = selected && a == named ? 1 : 0; b < view.box.size(); ++b)
      if (view.box[b].axis == a) coordinate += static_cast<int64_t>(index[b]) * view.box[b].step;
    if (coordinate < 0 || static_cast<uint64_t>(coordinate) >= view.axes[a].dim)
      return std::nullopt;
    offset += coordinate * view.axes[a].stride;
  }
  if (bitsOf(view.type) != 4) return Place{view.base + static_cast<uint64_t>(offset), 0};
  const int64_t half = offset % 2 != 0 ? 1 : 0;
  return Place{view.base + static_cast<uint64_t>((offset - half) / 2), static_cast<int>(4 * half)};
}

uint64_t readAt(Memory& memory, const Place& place, ElementType type) {
  if (bitsOf(type) == 4) return *memory.at(place.address) >> place.shift & 15;
  uint64_t bits = 0;
  for (int i = 0; i < bitsOf(type) / 8; ++i)
    bits |= uint64_t{*memory.at(place.address + static_cast<uint64_t>(i))} << (8 * i);
  return bits;
}

void writeAt(Memory& memory, const Place& place, ElementType type, uint64_t bits) {
  if (bitsOf(type) == 4) {
    uint8_t& byte = *memory.at(place.address);
    byte = static_cast<uint8_t>((byte & ~(15 << place.shift)) | static_cast<int>(bits & 15)
                                                                    << place.shift);
    return;
  }
  for (int i = 0; i < bitsOf(type) / 8; ++i)
    *memory.at(place.address + static_cast<uint64_t>(i)) = static_cast<uint8_t>(bits >> (8 * i));
}

/// Equal types move bits; the mode's bit 0 saturates, bit 1 rounds toward zero.
uint64_t moved(ElementType from, uint64_t bits, ElementType to, unsigned mode) {
  return from == to ? bits : convert(from, bits, to, {(mode & 2) != 0, (mode & 1) != 0});
}

/// add, max or min of et.st.add, et.scatter.max and the like; empty for other instructions.
std::string_view updateOf(std::string_view name) {
  for (const std::string_view update : {"add", "max", "min"})
    if (name.ends_with(update)) return update;
  return {};
}

uint64_t lowBits(ElementType type, uint64_t bits) {
  return bits & (~uint64_t{0} >> (64 - bitsOf(type)));
}

}  // namespace

bool executeDma(Call& call, Memory& memory) {
  const std::string_view name = call.name;
  const bool load = name == "et.ld" || name == "et.gather";
  const bool indexed = name == "et.gather" || name.starts_with("et.scatter");
  if (!load && !indexed && name != "et.st" && !name.starts_with("et.st.")) return false;
  const std::string_view update = updateOf(name);
  const Tile& tile = call.tile(load ? "td" : "ts");
  const View& view = call.view;
  std::vector<int64_t> selected;
  if (indexed) {
    const Tile& ti = call.tile("ti");
    for (const uint64_t bits : readTile(memory, ti).bits) {
      selected.push_back(integer(ti.type, bits));
      const int64_t index = selected.back();
      call.index_outside |= tile.rows() != 0 && tile.columns() != 0 &&
                            (index < 0 || static_cast<uint64_t>(index) >= view.axes[call.axis].dim);
    }
  }
  Matrix value = load ? Matrix(tile.rows(), tile.columns()) : readTile(memory, tile);
  const auto placeAt = [&](uint64_t r, uint64_t c) {
    return placeOf(view, boxIndex(view, r, c), indexed ? &selected : nullptr, call.axis);
  };
  // Stores write whole bytes: what no element stands in becomes 0.
  if (!load && bitsOf(view.type) == 4)
    for (uint64_t r = 0; r < tile.rows(); ++r)
      for (uint64_t c = 0; c < tile.columns(); ++c)
        if (const auto place = placeAt(r, c)) *memory.at(place->address) = 0;
  for (uint64_t r = 0; r < tile.rows(); ++r)
    for (uint64_t c = 0; c < tile.columns(); ++c) {
      const auto place = placeAt(r, c);
      if (load)
        value.at(r, c) = moved(
            view.type, place ? readAt(memory, *place, view.type) : lowBits(view.type, view.fill),
            tile.type, call.mode);
      else if (place && !update.empty())
        writeAt(memory, *place, view.type,
                applyLane(update, view.type, view.type,
                          {static_cast<uint32_t>(readAt(memory, *place, view.type)),
                           static_cast<uint32_t>(value.at(r, c))}));
      else if (place)
        writeAt(memory, *place, view.type, moved(tile.type, value.at(r, c), view.type, call.mode));
    }
  if (load) writeTile(memory, tile, value);
  return true;
}

}  // namespace etalon::reference
