// SPDX-License-Identifier: Apache-2.0
// et.ld, et.st and its updates: every way to see a tensor, at and beyond its edges. et.gather,
// et.scatter and its updates: box dim 0 counts indices, inside, doubled and outside.
#include <limits>

#include "sim/functional/coverage/family.h"
#include "sim/functional/coverage/view_shapes.h"

namespace etalon::sim::coverage {
namespace {

constexpr const char* kModes[] = {"0", "1", "2", "3"};

bool isLoad(const isa::InstructionInfo& info) { return info.unit == isa::Unit::load; }
bool hasOperand(const isa::InstructionInfo& info, std::string_view name) {
  for (const isa::OperandInfo& o : info.operands())
    if (o.name == name) return true;
  return false;
}
/// Conversions have a mode, updates have none.
bool isUpdate(const isa::InstructionInfo& info) {
  return !isLoad(info) && !hasOperand(info, "mode");
}
bool isDma(const isa::InstructionInfo& info) {
  return info.unit == isa::Unit::load || info.unit == isa::Unit::store;
}

void describeCommon(const isa::InstructionInfo& info, Space& space) {
  const bool load = isLoad(info);
  space.dimensions.insert(space.dimensions.end(),
                          {{"tile", load ? destinationLayouts(true) : sourceLayouts(true, false)},
                           {"bounds", viewBounds()},
                           {"memory", {"global", "local"}},
                           {"values", valueKinds()}});
  if (!isUpdate(info)) space.dimensions.push_back({"mode", {std::begin(kModes), std::end(kModes)}});
}

/// The layout of td or ts is the dimension "tile".
void forbidStepsOfTile(const isa::InstructionInfo& info, const std::vector<TypeTuple>& tuples,
                       Space& space) {
  forbidStepsOfFourBits(info, tuples, space, isLoad(info) ? "td" : "ts", "tile");
}

bool takesTransfer(const isa::InstructionInfo& info) {
  return isDma(info) && !hasOperand(info, "ti");
}

void describeTransfer(const isa::InstructionInfo& info, const std::vector<TypeTuple>& tuples,
                      Space& space) {
  describeCommon(info, space);
  space.dimensions.push_back({"view", viewShapes(isLoad(info) || isUpdate(info))});
  space.dimensions.push_back({"rows", {"0", "1", "3", "4", "15", "16", "17"}});
  space.dimensions.push_back({"columns", {"0", "1", "2", "15", "16", "17", "33"}});
  require(space, "view", "columns", [](const std::string& view, const std::string& columns) {
    return view != "rows-only" || columns == "1";
  });
  require(space, "view", "rows", [](const std::string& view, const std::string& rows) {
    return view != "columns-only" || rows == "1";
  });
  require(space, "view", "bounds", [](const std::string& view, const std::string& bounds) {
    return view != "none" || bounds == "inside";
  });
  forbidStepsOfTile(info, tuples, space);
}

void buildTransfer(Scene& s) {
  const Case& c = s.what;
  const bool load = isLoad(*c.info);
  const uint64_t rows = c.count("rows"), columns = c.count("columns");
  const std::string tile = load ? "td" : "ts";
  s.place(tile, c.type(tile), rows, columns, c.value("tile"));
  const bool flat = c.value("view") == "columns-only";
  placeView(s, c.type("vs"), flat ? 1 : rows, columns, c.value("view"), c.value("bounds"),
            c.value("memory") == "local", c.value("values"));
  if (!load) s.fill(tile, c.value("values"));
  if (!isUpdate(*c.info)) s.call.mode = static_cast<unsigned>(c.count("mode"));
}

bool takesIndexed(const isa::InstructionInfo& info) {
  return isDma(info) && hasOperand(info, "ti");
}

void describeIndexed(const isa::InstructionInfo& info, const std::vector<TypeTuple>& tuples,
                     Space& space) {
  describeCommon(info, space);
  space.dimensions.push_back({"view", {"rows", "blocks", "other-axis", "columns", "elements"}});
  space.dimensions.push_back({"index rows", {"0", "1", "3", "4"}});
  space.dimensions.push_back({"index columns", {"0", "1", "2", "5"}});
  space.dimensions.push_back({"inner", {"0", "1", "3", "16", "17"}});
  space.dimensions.push_back({"index tile", sourceLayouts(true, false)});
  space.dimensions.push_back({"indices", {"inside", "equal", "some outside", "far outside"}});
  require(space, "view", "inner", [](const std::string& view, const std::string& inner) {
    return view != "elements" || inner == "1";
  });
  require(space, "bounds", "indices", [](const std::string& bounds, const std::string& indices) {
    return bounds != "empty" || indices == "some outside";
  });
  forbidStepsOfTile(info, tuples, space);
}

/// Box dims of a gather; box dim 0 counts the indices on `named`.
unsigned shapeIndexedBox(reference::View& view, uint64_t indices, uint64_t inner,
                         const std::string& shape) {
  view.axes.resize(shape == "other-axis" ? 3 : shape == "elements" ? 1 : 2);
  view.ncol = shape == "elements" ? 0 : 1;
  view.box = {{indices, 0, 9}, {inner, 1, 1}};  // the step of box dim 0 has no meaning
  if (shape == "elements") view.box.pop_back();
  if (shape == "columns") view.ncol = 2;
  if (shape == "blocks") view.box = {{indices, 0, 1}, {2, 0, 1}, {inner, 1, 1}};
  if (shape == "other-axis") view.box = {{indices, 1, 1}, {2, 0, 1}, {inner, 2, 1}};
  return shape == "other-axis" ? 1 : 0;
}

uint64_t indexOfKind(const std::string& kind, uint64_t dim, ElementType type, Random& random) {
  if (kind == "equal") return dim / 2;
  const uint64_t inside = dim ? random() % dim : 0;
  if (kind == "inside" || random() % 3 == 0) return inside;
  if (kind == "some outside")
    return static_cast<uint64_t>(static_cast<int64_t>(random() % (dim + 4)) - 2);
  return elementOfKind(type, "extreme", random);
}

void buildIndexed(Scene& s) {
  const Case& c = s.what;
  const bool load = isLoad(*c.info);
  const std::string tile = load ? "td" : "ts";
  auto& view = s.call.view;
  view.type = c.type("vs");
  const uint64_t indices = c.count("index rows") * c.count("index columns");
  s.call.axis = shapeIndexedBox(view, indices, c.count("inner"), c.value("view"));
  if (!isUpdate(*c.info)) s.call.mode = static_cast<unsigned>(c.count("mode"));
  s.place("ti", c.type("ti"), c.count("index rows"), c.count("index columns"),
          c.value("index tile"));
  s.place(tile, c.type(tile), view.rows(), view.columns(), c.value("tile"));
  std::vector<unsigned> order;
  for (unsigned a = 0; a < view.axes.size(); ++a) order.push_back(a);
  placeTensor(s, order, s.random() % 4 == 0, c.value("bounds"), c.value("memory") == "local",
              c.value("values"), s.call.axis, 5);
  if (!load) s.fill(tile, c.value("values"));
  const reference::Tile& ti = s.call.tile("ti");
  for (uint64_t r = 0; r < ti.rows(); ++r)
    for (uint64_t i = 0; i < ti.columns(); ++i)
      reference::writeElement(
          s.memory, ti, r, i,
          indexOfKind(c.value("indices"), view.axes[s.call.axis].dim, ti.type, s.random));
}

}  // namespace

const Family kTransferFamily = {takesTransfer, describeTransfer, buildTransfer};
const Family kIndexedFamily = {takesIndexed, describeIndexed, buildIndexed};

}  // namespace etalon::sim::coverage
