// SPDX-License-Identifier: Apache-2.0
// et.mm, et.mma: extents around the kernels' blocks and the blocks of scales, every layout of the
// tiles, A and B apart or over each other; block scales on either source, A dense or sparse.
#include <algorithm>
#include <array>
#include <ranges>

#include "sim/functional/coverage/family.h"

namespace etalon::sim::coverage {
namespace {

using enum ElementType;

const std::string kNone = "none";

/// Scales that elements of a type may have, and how many elements of k share one (isa.md).
struct Scales {
  ElementType element;
  ElementType scale;
  uint64_t length;
};
constexpr std::array<Scales, 10> kScales = {{{f4e2m1, e8m0, 32},
                                             {f8e4m3, e8m0, 32},
                                             {f8e5m2, e8m0, 32},
                                             {f4e2m1, f8e4m3, 16},
                                             {f8e4m3, f32, 128},
                                             {f8e5m2, f32, 128},
                                             {i4, f32, 128},
                                             {u4, f32, 128},
                                             {i8, f32, 128},
                                             {u8, f32, 128}}};

const Scales* scalesOf(ElementType element, std::string_view name) {
  const auto* found = std::ranges::find_if(kScales, [&](const Scales& s) {
    return s.element == element && elementInfo(s.scale).name == name;
  });
  return found == kScales.end() ? nullptr : found;
}

/// "none", or the types of the scales of A and of B: "e8m0 none".
struct BothScales {
  std::string a, b;
};
std::string textOf(const BothScales& s) { return s.a + " " + s.b; }
BothScales parsed(const std::string& text) {
  const size_t gap = text.find(' ');
  return {text.substr(0, gap), text.substr(gap + 1)};
}

/// Whether a tuple (td, A, B) has these scales: each source its own or none, with td f32, and
/// integers in f32 at least one.
bool fits(const TypeTuple& tuple, const BothScales& scales) {
  const bool a = scales.a != kNone, b = scales.b != kNone;
  if (!a && !b) {
    return tuple[0] == i32 || reference::isFloatType(tuple[1]) || reference::isFloatType(tuple[2]);
  }
  return tuple[0] == f32 && (!a || scalesOf(tuple[1], scales.a)) &&
         (!b || scalesOf(tuple[2], scales.b));
}

bool takes(const isa::InstructionInfo& info) { return info.unit == isa::Unit::matrix; }

/// Scales have no flag, and their columns may repeat; metadata have neither.
std::vector<std::string> scaleLayouts() {
  std::vector<std::string> layouts = sourceLayouts(false, false);
  layouts.emplace_back("step0");
  return layouts;
}

void describe(const isa::InstructionInfo& info, const std::vector<TypeTuple>& tuples,
              Space& space) {
  Dimension scales{"scales", {}};
  for (const char* a : {"none", "e8m0", "f8e4m3", "f32"})
    for (const char* b : {"none", "e8m0", "f8e4m3", "f32"}) scales.values.push_back(textOf({a, b}));
  space.dimensions.insert(
      space.dimensions.end(),
      {{"M", {"0", "1", "3", "8", "15", "16", "17", "33"}},
       {"N", {"0", "1", "3", "15", "16", "17", "33", "65"}},
       {"K", {"0", "1", "2", "3", "15", "16", "17", "32", "33", "40", "128", "130"}},
       {"A", sourceLayouts(false, true)},
       {"B", sourceLayouts(false, true)},
       {"D", destinationLayouts(false)},
       {"values", valueKinds()},
       {"sources", {"apart", "overlapping"}},
       scales,
       {"scale layout", scaleLayouts()},
       {"scale values", valueKinds()},
       {"A is", {"dense", "sparse"}},
       {"metadata", sourceLayouts(false, false)}});
  if (info.name == "et.mma") space.dimensions.push_back({"start", valueKinds()});
  std::map<std::string, TypeTuple> by_text;
  for (const TypeTuple& tuple : tuples) by_text[tupleText(tuple)] = tuple;
  require(space, "types", "scales", [=](const std::string& types, const std::string& both) {
    return fits(by_text.at(types), parsed(both));
  });
  require(space, "A", "A is", [](const std::string& layout, const std::string& kind) {
    return kind == "dense" || !layout.starts_with("transposed");
  });
}

/// Scales of a source placed before; those of A are `rows` x blocks, those of B blocks x `columns`.
void placeScales(Scene& s, const std::string& source, const std::string& type, uint64_t rows,
                 uint64_t columns) {
  if (type == kNone) return;
  const Case& c = s.what;
  const Scales& scales = *scalesOf(c.type(source), type);
  const uint64_t blocks = (c.count("K") + scales.length - 1) / scales.length;
  (source == "ta" ? columns : rows) = blocks;
  if (s.call.tile(source).transpose) std::swap(rows, columns);
  const std::string name = "scales of " + source;
  s.place(name, scales.scale, rows, columns, c.value("scale layout"));
  s.fill(name, c.value("scale values"));
}

void build(Scene& s) {
  const Case& c = s.what;
  const uint64_t m = c.count("M"), n = c.count("N"), k = c.count("K");
  const bool sparse = c.value("A is") == "sparse";
  const uint64_t groups = (k + 3) / 4;
  s.place("ta", c.type("ta"), m, sparse ? 2 * groups : k, c.value("A"));
  if (c.value("sources") == "apart")
    s.place("tb", c.type("tb"), k, n, c.value("B"));
  else
    s.placeOver("tb", c.type("tb"), k, n, c.value("B"), "ta");
  s.place("td", c.type("td"), m, n, c.value("D"));
  s.fill("ta", c.value("values"));
  s.fill("tb", c.value("values"));
  if (c.info->name == "et.mma") s.fill("td", c.value("start"));
  if (sparse) {
    s.place("metadata", u4, m, groups, c.value("metadata"));
    s.fill("metadata", "random");
  }
  const BothScales scales = parsed(c.value("scales"));
  placeScales(s, "ta", scales.a, m, n);
  placeScales(s, "tb", scales.b, m, n);
}

}  // namespace

const Family kMatrixFamily = {takes, describe, build};

}  // namespace etalon::sim::coverage
