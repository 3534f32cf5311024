// SPDX-License-Identifier: Apache-2.0
#include "sim/functional/coverage/family.h"

#include <algorithm>
#include <map>

namespace etalon::sim::coverage {

const Family* familyOf(const isa::InstructionInfo& info) {
  for (const Family* family :
       {&kMatrixFamily, &kTransferFamily, &kIndexedFamily, &kElementwiseFamily, &kRowsFamily,
        &kRandomFamily, &kQuantiseFamily, &kChainFamily})
    if (family->takes(info)) return family;
  return nullptr;
}

Space spaceOf(const isa::InstructionInfo& info, const Family& family,
              const std::vector<TypeTuple>& tuples) {
  Space space;
  space.dimensions.push_back({"types", {}});
  for (const TypeTuple& tuple : tuples) space.dimensions[0].values.push_back(tupleText(tuple));
  family.describe(info, tuples, space);
  return space;
}

void require(Space& space, const std::string& dimension_a, const std::string& dimension_b,
             PairRule rule) {
  size_t a = space.indexOf(dimension_a), b = space.indexOf(dimension_b);
  const bool swapped = a > b;
  if (swapped) std::swap(a, b);
  const std::vector<std::string> of_a = space.dimensions[a].values;
  const std::vector<std::string> of_b = space.dimensions[b].values;
  space.allowed = [=, before = space.allowed](size_t i, size_t x, size_t j, size_t y) {
    if (!before(i, x, j, y)) return false;
    if (i != a || j != b) return true;
    return swapped ? rule(of_b[y], of_a[x]) : rule(of_a[x], of_b[y]);
  };
}

void forbidStepsOfFourBits(const isa::InstructionInfo& info, const std::vector<TypeTuple>& tuples,
                           Space& space, std::string_view operand, const std::string& dimension) {
  std::map<std::string, bool> four_bit;
  for (const TypeTuple& tuple : tuples) {
    Case c;
    c.info = &info;
    c.types = tuple;
    four_bit[tupleText(tuple)] = reference::bitsOf(c.type(operand)) == 4;
  }
  require(space, "types", dimension, [=](const std::string& types, const std::string& layout) {
    return !layout.starts_with("step") || !four_bit.at(types);
  });
}

void forbidStepsOfFourBits(const isa::InstructionInfo& info, const std::vector<TypeTuple>& tuples,
                           Space& space) {
  for (const isa::OperandInfo& o : info.operands()) {
    const auto is_layout = [&](const Dimension& d) { return d.name == o.name; };
    if (o.kind == isa::OperandKind::tile && std::ranges::any_of(space.dimensions, is_layout))
      forbidStepsOfFourBits(info, tuples, space, o.name, std::string(o.name));
  }
}

}  // namespace etalon::sim::coverage
