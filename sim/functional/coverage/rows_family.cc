// SPDX-License-Identifier: Apache-2.0
// Reductions, scans, recurrences, movement and sorts: each operand has its own shape, none is in place;
// columns stand around the 64 lanes.
#include <algorithm>

#include "sim/functional/coverage/family.h"

namespace etalon::sim::coverage {
namespace {

using std::string_view;

bool takes(const isa::InstructionInfo& info) {
  return info.group == "reductions" || info.group == "scans" || info.group == "movement" ||
         info.group == "selection";
}

bool written(string_view operand) {
  return operand == "td" || operand == "tdv" || operand == "tdi" || operand == "tcarry";
}

bool hasOperand(const isa::InstructionInfo& info, string_view name) {
  return std::ranges::any_of(info.operands(),
                             [=](const isa::OperandInfo& o) { return o.name == name; });
}

/// Operands that are read and written, whose values before matter.
bool keeps(const isa::InstructionInfo& info, string_view operand) {
  return (written(operand) && info.name.ends_with(".acc")) || operand == "tcarry" ||
         (operand == "td" && info.name == "et.lscatter");
}

struct Shape {
  uint64_t rows, columns;
};

/// Columns that a top-k keeps of n.
uint64_t keptColumns(const std::string& kept, uint64_t n) {
  return kept == "none" ? 0 : kept == "one" ? std::min<uint64_t>(1, n) : kept == "half" ? n / 2 : n;
}

/// Shape of an operand; ta is rows x columns, `other` the extent that an index tile or top-k brings.
Shape shapeOf(string_view name, string_view operand, Shape ta, uint64_t other) {
  const bool row_result = name.starts_with("et.red.") || name.starts_with("et.arg");
  const bool column_result = name.starts_with("et.cred.") || name.starts_with("et.carg");
  if (operand == "tcarry") return {ta.rows, 1};
  if (name == "et.topk" && written(operand)) return {ta.rows, other};
  if (name.starts_with("et.red.") && name.ends_with(".acc") && operand == "td")
    return {ta.rows, 64};
  if (row_result && written(operand)) return {ta.rows, 1};
  if (column_result && written(operand)) return {1, ta.columns};
  if (name == "et.transpose" && operand == "td") return {ta.columns, ta.rows};
  if (name == "et.permute" && operand == "td") return {other, ta.columns};
  if (name == "et.permute" && operand == "ti") return {other, 1};
  if (name == "et.lgather" && operand != "ta") return {ta.rows, other};
  if (name == "et.lscatter" && operand == "td") return {ta.rows, other};
  return ta;
}

void describe(const isa::InstructionInfo& info, const std::vector<TypeTuple>& tuples,
              Space& space) {
  space.dimensions.push_back({"rows", {"0", "1", "2", "3", "5", "12"}});
  space.dimensions.push_back(
      {"columns", {"0", "1", "2", "15", "16", "17", "63", "64", "65", "128", "150"}});
  space.dimensions.push_back({"values", valueKinds()});
  bool start = false;
  for (const isa::OperandInfo& o : info.operands()) {
    if (o.kind != isa::OperandKind::tile) continue;
    space.dimensions.push_back({std::string(o.name), written(o.name) ? destinationLayouts(true)
                                                                     : sourceLayouts(true, false)});
    start |= keeps(info, o.name);
  }
  if (start) space.dimensions.push_back({"start", valueKinds()});
  if (keeps(info, "tdi")) space.dimensions.push_back({"held", {"nothing", "something"}});
  if (hasOperand(info, "flags")) space.dimensions.push_back({"flags", {"0", "1"}});
  if (info.name == "et.topk") space.dimensions.push_back({"kept", {"none", "one", "half", "all"}});
  if (hasOperand(info, "ti")) {
    // Rows of a permutation stay few: each has up to 150 columns of 8 bytes, 4 elements apart.
    space.dimensions.push_back({"other", {"0", "1", "5", "17"}});
    if (info.name != "et.permute") space.dimensions.back().values.emplace_back("65");
    space.dimensions.push_back({"indices", {"inside", "equal", "outside"}});
  }
  if (info.name == "et.iota")
    space.dimensions.push_back({"steps", {"none", "row", "column", "both"}});
  forbidStepsOfFourBits(info, tuples, space);
}

void fillIndices(Scene& s, uint64_t extent) {
  const reference::Tile& ti = s.call.tile("ti");
  const std::string& kind = s.what.value("indices");
  for (uint64_t r = 0; r < ti.rows(); ++r)
    for (uint64_t c = 0; c < ti.columns(); ++c) {
      const uint64_t inside = extent == 0 ? 0 : kind == "equal" ? extent / 2 : s.random() % extent;
      const bool outside = kind == "outside" && s.random() % 2;
      const uint64_t bits = outside ? elementOfKind(ti.type, "special", s.random) : inside;
      reference::writeElement(s.memory, ti, r, c, bits);
    }
}

/// Holds nothing (index -1) in every row, or in every other.
void fillHeld(Scene& s) {
  const reference::Tile& tdi = s.call.tile("tdi");
  const bool nothing = s.what.value("held") == "nothing";
  for (uint64_t r = 0; r < tdi.rows(); ++r)
    reference::writeElement(s.memory, tdi, r, 0, nothing || s.random() % 2 ? ~uint64_t{0} : r);
}

void setScalars(Scene& s) {
  const Case& c = s.what;
  for (const isa::OperandInfo& o : c.info->operands()) {
    if (o.kind != isa::OperandKind::x) continue;
    s.call.x[std::string(o.name)] = s.random();
    if (c.info->name != "et.iota") continue;
    const ElementType type = c.type("td");
    const ElementType scalar = type == ElementType::i64 ? type : reference::widened(type);
    const std::string& steps = c.value("steps");
    const bool left_out = (o.name == "rs2" && steps != "row" && steps != "both") ||
                          (o.name == "rs3" && steps != "column" && steps != "both");
    uint64_t bits = elementOfKind(scalar, c.value("values"), s.random);
    if (left_out) bits = reference::isFloatType(type) && s.random() % 2 ? 0x80000000 : 0;
    if (scalar != type || scalar != ElementType::i64) bits |= s.random() << 32;
    s.call.x[std::string(o.name)] = bits;
  }
}

void build(Scene& s) {
  const Case& c = s.what;
  const Shape ta = {c.count("rows"), c.count("columns")};
  const bool indexed = hasOperand(*c.info, "ti");
  const uint64_t other = indexed                     ? c.count("other")
                         : c.info->name == "et.topk" ? keptColumns(c.value("kept"), ta.columns)
                                                     : 0;
  for (const isa::OperandInfo& o : c.info->operands()) {
    if (o.kind != isa::OperandKind::tile) continue;
    const std::string name(o.name);
    const Shape shape = shapeOf(c.info->name, o.name, ta, other);
    s.place(name, c.type(name), shape.rows, shape.columns, c.value(name));
    if (keeps(*c.info, name)) s.fill(name, c.value("start"));
    if (!written(name)) s.fill(name, c.value("values"));
  }
  if (keeps(*c.info, "tdi")) fillHeld(s);
  if (hasOperand(*c.info, "flags")) s.call.mode = static_cast<unsigned>(c.count("flags"));
  if (indexed)
    fillIndices(s, c.info->name == "et.permute"   ? ta.rows
                   : c.info->name == "et.lgather" ? ta.columns
                                                  : other);
  setScalars(s);
}

}  // namespace

const Family kRowsFamily = {takes, describe, build};

}  // namespace etalon::sim::coverage
