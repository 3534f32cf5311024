// SPDX-License-Identifier: Apache-2.0
// et.vx: sources of any types converted to the class the steps compute in, programs of every kind of
// step, displaced sources, a third source, reductions folded and in lanes, with and without td.
#include <map>

#include "isa/elementwise_op.h"
#include "sim/functional/coverage/family.h"

namespace etalon::sim::coverage {
namespace {

using reference::Chain;

constexpr unsigned kTemporary = 8, kConstant = 16, kDisplacedA = 32;

bool takes(const isa::InstructionInfo& info) { return info.name == "et.vx"; }

void describe(const isa::InstructionInfo&, const std::vector<TypeTuple>& tuples, Space& space) {
  space.dimensions.push_back({"rows", {"0", "1", "3", "8"}});
  space.dimensions.push_back({"columns", {"0", "1", "2", "16", "17", "65", "130"}});
  space.dimensions.push_back({"values", valueKinds()});
  space.dimensions.push_back({"td", destinationLayouts(true)});
  space.dimensions.push_back({"ta", sourceLayouts(true, false)});
  space.dimensions.push_back({"tb", sourceLayouts(true, false)});
  space.dimensions.push_back({"third", sourceLayouts(true, false)});
  space.dimensions.push_back({"computes in", {"f32", "i32", "u32"}});
  space.dimensions.push_back(
      {"program", {"unary", "binary", "ternary", "mask", "comparison", "displaced", "stochastic"}});
  space.dimensions.push_back({"reduction", {"none", "sum", "prod", "max", "min"}});
  space.dimensions.push_back(
      {"destinations", {"td", "td and fold", "td and lanes", "fold", "lanes"}});
  space.dimensions.push_back({"place", {"apart", "ta", "tb"}});
  require(space, "reduction", "destinations", [](const std::string& op, const std::string& to) {
    return (op == "none") == (to == "td");
  });
  // Reductions run in f32 and i32.
  require(space, "computes in", "reduction", [](const std::string& type, const std::string& op) {
    return type != "u32" || op == "none";
  });
  require(space, "computes in", "destinations", [](const std::string& type, const std::string& to) {
    return type != "u32" || to == "td";
  });
  require(space, "destinations", "place", [](const std::string& to, const std::string& place) {
    return place == "apart" || to.starts_with("td");
  });
  require(space, "program", "place", [](const std::string& program, const std::string& place) {
    return program != "displaced" || place != "ta";
  });
  for (const size_t tile : {1, 2}) {
    const std::string source = tile == 1 ? "ta" : "tb";
    std::map<std::string, bool> same;
    for (const TypeTuple& t : tuples)
      same[tupleText(t)] = reference::bitsOf(t[0]) == reference::bitsOf(t[tile]);
    require(space, "types", "place", [=](const std::string& types, const std::string& place) {
      return place != source || same.at(types);
    });
    require(space, source, "place", [=](const std::string& layout, const std::string& place) {
      return place != source || layout == "dense";
    });
  }
}

unsigned anyMode(Random& random) {
  constexpr unsigned kModes[] = {0, 1, 8, 9};
  return kModes[random() % 4];
}

/// A random operation of the arity that computes in the type; comparisons only if asked for.
std::string anyOperation(int arity, bool comparison, ElementType compute, Random& random) {
  const int needed = compute == ElementType::f32   ? kClassFloat
                     : compute == ElementType::i32 ? kClassInt
                                                   : kClassUint;
  std::vector<std::string> names;
  for (const ElementwiseInfo& info : kElementwiseOps)
    if (info.arity == arity && (info.classes & needed) && (info.forms & kFormSTEP) &&
        (info.result == ResultKind::Mask) == comparison && info.name != "cvt" &&
        info.name != "mask" && info.name != "select")
      names.emplace_back(info.name);
  return names.empty() ? "" : names[random() % names.size()];
}

/// Types that a conversion step between the sources and the class computed in may pass through.
ElementType typeOfClass(ElementType compute, Random& random) {
  constexpr ElementType kFloats[] = {ElementType::f32, ElementType::bf16, ElementType::f16,
                                     ElementType::f8e5m2, ElementType::f8e4m3};
  constexpr ElementType kInts[] = {ElementType::i32, ElementType::i16, ElementType::i8};
  constexpr ElementType kUints[] = {ElementType::u32, ElementType::u16, ElementType::u8};
  if (compute == ElementType::f32) return kFloats[random() % 5];
  return compute == ElementType::i32 ? kInts[random() % 3] : kUints[random() % 3];
}

/// A selector of one of the first two temporaries, or of a constant.
unsigned anyOperand(Random& random) {
  return random() % 4 ? kTemporary + static_cast<unsigned>(random() % 2)
                      : kConstant + static_cast<unsigned>(random() % 4);
}

Chain::Step conversion(ElementType from, ElementType to, unsigned selector, unsigned destination,
                       Random& random) {
  return {"cvt", reference::widened(from), to, anyMode(random), destination, {selector, 0, 0}};
}

/// The step that the program is about; its result goes to temporary 2.
Chain::Step middleStep(const std::string& program, ElementType compute, bool third,
                       Random& random) {
  Chain::Step step{"", compute, compute, 0, 2, {kTemporary, kTemporary + 1, anyOperand(random)}};
  if (program == "unary") step.op = anyOperation(1, false, compute, random);
  if (program == "ternary") {
    step.op = anyOperation(3, false, compute, random);
    if (step.op.empty() || random() % 3 == 0) step.op = "select";
    // With a third source of the type computed in it stands for c, unconverted.
    if (third) step.selectors[2] = 2;
  }
  if (program == "mask") {
    step.op = "mask";
    step.selectors[1] = kConstant + 8;
  }
  if (program == "comparison") {
    step.op = anyOperation(2, true, compute, random);
    step.result = ElementType::u32;
  }
  if (program == "stochastic") {
    step.op = "cvt";
    step.result = typeOfClass(ElementType::f32, random);
    step.mode = random() % 2 ? 2 : 10;
    step.selectors[1] = 2;
  }
  if (step.op.empty()) step.op = anyOperation(2, false, compute, random);
  return step;
}

/// Constants 0..3 are operands, 4 the displacement, 8..11 the mask's.
void setConstants(Scene& s, ElementType compute, uint32_t displacement) {
  auto& constants = s.call.chain.constants;
  for (uint32_t& constant : constants)
    constant = static_cast<uint32_t>(elementOfKind(compute, s.what.value("values"), s.random));
  constants[4] = displacement;
  for (size_t i = 8; i < 12; ++i)
    constants[i] = s.random() % 4 ? static_cast<uint32_t>(s.random() % 9) - 4
                                  : static_cast<uint32_t>(s.random());
}

void buildProgram(Scene& s, ElementType compute) {
  const Case& c = s.what;
  const std::string& program = c.value("program");
  Chain& chain = s.call.chain;
  const unsigned a = program == "displaced" ? kDisplacedA + 4 : 0;
  chain.steps.push_back(conversion(c.type("ta"), typeOfClass(compute, s.random), a, 0, s.random));
  chain.steps.push_back(conversion(c.type("tb"), typeOfClass(compute, s.random), 1, 1, s.random));
  Chain::Step middle = middleStep(program, compute, s.call.has("third"), s.random);
  if (middle.op == "select" && compute == ElementType::f32) {
    // The condition is an integer.
    chain.steps.push_back({anyOperation(2, true, compute, s.random),
                           compute,
                           ElementType::u32,
                           0,
                           3,
                           {kTemporary, kTemporary + 1, 0}});
    middle.selectors[0] = kTemporary + 3;
  }
  chain.steps.push_back(middle);
  // Temporary 2 is then of another class than the steps compute in.
  const bool reduces_source = program == "comparison" || program == "stochastic";
  chain.reduction_selector = kTemporary + (reduces_source ? 1 : 2);
  const ElementType td = reference::widened(c.type("td"));
  chain.steps.push_back(conversion(middle.result, td, kTemporary + 2, 3, s.random));
  chain.td_selector = kTemporary + 3;
}

void placeTiles(Scene& s, ElementType compute, uint32_t displacement) {
  const Case& c = s.what;
  const uint64_t rows = c.count("rows"), columns = c.count("columns");
  const std::string& values = c.value("values");
  s.place("td", c.type("td"), rows, columns, c.value("td"));
  for (const char* name : {"ta", "tb"}) {
    if (c.value("place") == name)
      s.placeInPlace(name, c.type(name), "td");
    else
      s.place(name, c.type(name), rows, columns, c.value(name), displacement);
    s.fill(name, values);
  }
  if (displacement != 0) {
    reference::Tile moved = s.call.tile("ta");
    moved.base += displacement;
    fillTile(s.memory, moved, values, s.random);
  }
  if (c.value("program") == "ternary" || c.value("program") == "stochastic") {
    // Random words are u32.
    const bool words = c.value("program") == "stochastic";
    s.place("third", words ? ElementType::u32 : compute, rows, columns, c.value("third"));
    s.fill("third", values);
  }
}

void build(Scene& s) {
  const Case& c = s.what;
  const ElementType compute = *elementTypeNamed(c.value("computes in"));
  const bool displaced = c.value("program") == "displaced";
  const auto size = static_cast<uint32_t>(reference::bitsOf(c.type("ta")) / 8);
  const uint32_t displacement = displaced ? size * static_cast<uint32_t>(1 + s.random() % 5) : 0;
  placeTiles(s, compute, displacement);
  setConstants(s, compute, displacement);
  buildProgram(s, compute);
  Chain& chain = s.call.chain;
  const std::string& to = c.value("destinations");
  chain.writes_td = to.starts_with("td");
  chain.lanes = to.ends_with("lanes");
  if (c.value("reduction") == "none") return;
  chain.reduction = c.value("reduction");
  const ElementType type = chain.lanes ? compute : typeOfClass(compute, s.random);
  s.place("reduction", type, c.count("rows"), chain.lanes ? 64 : 1, "padded");
  if (chain.lanes) s.fill("reduction", c.value("values"));
}

}  // namespace

const Family kChainFamily = {takes, describe, build};

}  // namespace etalon::sim::coverage
