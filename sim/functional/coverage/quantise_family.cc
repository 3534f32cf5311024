// SPDX-License-Identifier: Apache-2.0
// Block quantise and dequantise: columns around the blocks, magnitudes around those that saturate, and
// blocks with special values among others.
#include <cmath>
#include <map>

#include "sim/functional/coverage/family.h"

namespace etalon::sim::coverage {
namespace {

bool takes(const isa::InstructionInfo& info) { return info.group == "quantise"; }

bool quantises(const isa::InstructionInfo& info) { return info.name != "et.dequant"; }

/// Values, or the edge of saturation: magnitudes next to those that round to more than td has.
std::vector<std::string> sourceKinds(const isa::InstructionInfo& info) {
  std::vector<std::string> kinds = valueKinds();
  if (quantises(info)) kinds.insert(kinds.end(), {"edge", "zeros", "one special"});
  return kinds;
}

void describe(const isa::InstructionInfo& info, const std::vector<TypeTuple>& tuples,
              Space& space) {
  const char* scales = quantises(info) ? "tds" : "tscale";
  space.dimensions.push_back({"rows", {"0", "1", "2", "3", "12"}});
  space.dimensions.push_back(
      {"columns", {"0", "1", "2", "31", "32", "33", "63", "64", "65", "97", "150"}});
  space.dimensions.push_back({"td", destinationLayouts(true)});
  space.dimensions.push_back({"ta", sourceLayouts(true, false)});
  space.dimensions.push_back(
      {scales, quantises(info) ? destinationLayouts(true) : sourceLayouts(true, false)});
  space.dimensions.push_back({"values", sourceKinds(info)});
  if (!quantises(info)) space.dimensions.push_back({"scales", valueKinds()});
  forbidStepsOfFourBits(info, tuples, space);
}

/// A magnitude whose quotient by some scale is a power of two around the greatest value, half way to
/// the next, or next to it.
double edgeOf(ElementType td, Random& random) {
  const double most = reference::greatest(td);
  const double step = std::ldexp(1, std::ilogb(most) - (td == ElementType::f8e4m3   ? 3
                                                        : td == ElementType::f8e5m2 ? 2
                                                                                    : 1));
  const double places[] = {most, most + step / 2, most + step, most / 2, most - step};
  const double at = places[random() % std::size(places)];
  return at + step / 64 * (static_cast<double>(random() % 3) - 1);
}

void fillEdges(Scene& s) {
  const reference::Tile& ta = s.call.tile("ta");
  const ElementType td = s.what.type("td");
  for (uint64_t r = 0; r < ta.rows(); ++r) {
    // Any size that most source types have; it changes between rows.
    const int shift = static_cast<int>(s.random() % 12) - 8;
    for (uint64_t c = 0; c < ta.columns(); ++c) {
      const double magnitude = s.random() % 4 ? edgeOf(td, s.random) / 4 : edgeOf(td, s.random);
      const double value = std::ldexp(s.random() % 2 ? magnitude : -magnitude, shift);
      reference::writeElement(s.memory, ta, r, c, reference::encode(ta.type, value, {true, false}));
    }
  }
}

void fillSource(Scene& s) {
  const std::string& kind = s.what.value("values");
  if (kind == "edge") return fillEdges(s);
  const reference::Tile& ta = s.call.tile("ta");
  if (kind != "zeros" && kind != "one special") return s.fill("ta", kind);
  s.fill("ta", "moderate");
  for (uint64_t r = 0; r < ta.rows(); ++r)
    for (uint64_t c = 0; c < ta.columns(); ++c) {
      if (kind == "one special" && s.random() % 64 != 0) continue;
      const uint64_t sign = s.random() % 2 << (reference::bitsOf(ta.type) - 1);
      reference::writeElement(s.memory, ta, r, c,
                              kind == "zeros" ? sign : elementOfKind(ta.type, "special", s.random));
    }
}

void build(Scene& s) {
  const Case& c = s.what;
  const char* scales = quantises(*c.info) ? "tds" : "tscale";
  const uint64_t rows = c.count("rows"), columns = c.count("columns");
  s.place("ta", c.type("ta"), rows, columns, c.value("ta"));
  s.place("td", c.type("td"), rows, columns, c.value("td"));
  s.place(scales, c.type(scales), rows, (columns + 31) / 32, c.value(scales));
  fillSource(s);
  if (!quantises(*c.info)) s.fill(scales, c.value("scales"));
}

}  // namespace

const Family kQuantiseFamily = {takes, describe, build};

}  // namespace etalon::sim::coverage
