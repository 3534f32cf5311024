// SPDX-License-Identifier: Apache-2.0
// Element-wise instructions: tiles of one shape, each in every layout, td apart or in place of any
// source of its element size; scalars and conversion modes.
#include "sim/functional/coverage/family.h"

namespace etalon::sim::coverage {
namespace {

bool isElementwiseGroup(const isa::InstructionInfo& info) {
  return info.group == "elementwise" || info.group == "chain";
}

bool takes(const isa::InstructionInfo& info) {
  return isElementwiseGroup(info) && info.name != "et.vx";
}

std::vector<std::string> tileNames(const isa::InstructionInfo& info) {
  std::vector<std::string> names;
  for (const isa::OperandInfo& o : info.operands())
    if (o.kind == isa::OperandKind::tile) names.emplace_back(o.name);
  return names;
}

/// Element size of the operand numbered `tile` of a tuple.
int sizeIn(const TypeTuple& tuple, size_t tile) { return reference::bitsOf(tuple[tile]); }

/// td may stand in place of source `tile` only if they have one element size; the source then has
/// td's layout, and its own dimension stays at its first value.
void allowInPlace(const std::vector<TypeTuple>& tuples, const std::string& source, size_t tile,
                  Space& space) {
  std::map<std::string, bool> same_size;
  for (const TypeTuple& tuple : tuples)
    same_size[tupleText(tuple)] = sizeIn(tuple, 0) == sizeIn(tuple, tile);
  require(space, "types", "place", [=](const std::string& types, const std::string& place) {
    return place != source || same_size.at(types);
  });
  require(space, source, "place", [=](const std::string& layout, const std::string& place) {
    return place != source || layout == "dense";
  });
}

void describe(const isa::InstructionInfo& info, const std::vector<TypeTuple>& tuples,
              Space& space) {
  const std::vector<std::string> tiles = tileNames(info);
  space.dimensions.push_back({"rows", {"0", "1", "3", "4", "7", "16"}});
  space.dimensions.push_back({"columns", {"0", "1", "2", "7", "15", "16", "17", "33", "65"}});
  space.dimensions.push_back({"values", valueKinds()});
  for (const std::string& tile : tiles)
    space.dimensions.push_back(
        {tile, tile == "td" ? destinationLayouts(true) : sourceLayouts(true, false)});
  Dimension place{"place", {"apart"}};
  place.values.insert(place.values.end(), tiles.begin() + 1, tiles.end());
  space.dimensions.push_back(place);
  for (size_t i = 1; i < tiles.size(); ++i) allowInPlace(tuples, tiles[i], i, space);
  if (info.name == "et.cvt") space.dimensions.push_back({"mode", {"0", "1", "2", "3"}});
  forbidStepsOfFourBits(info, tuples, space);
}

void build(Scene& s) {
  const Case& c = s.what;
  const uint64_t rows = c.count("rows"), columns = c.count("columns");
  for (const std::string& tile : tileNames(*c.info)) {
    if (c.value("place") == tile)
      s.placeInPlace(tile, c.type(tile), "td");
    else
      s.place(tile, c.type(tile), rows, columns, c.value(tile));
    if (tile != "td") s.fill(tile, c.value("values"));
  }
  const ElementType scalar = reference::widened(c.type("ta"));
  for (const isa::OperandInfo& o : c.info->operands())
    if (o.kind == isa::OperandKind::x)
      s.call.x[std::string(o.name)] =
          elementOfKind(scalar, c.value("values"), s.random) | s.random() << 32;
  if (c.info->name == "et.cvt") s.call.mode = static_cast<unsigned>(c.count("mode"));
}

}  // namespace

const Family kElementwiseFamily = {takes, describe, build};

}  // namespace etalon::sim::coverage
