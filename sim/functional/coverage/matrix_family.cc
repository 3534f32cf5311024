// SPDX-License-Identifier: Apache-2.0
// et.mm, et.mma: extents around the kernels' blocks, every layout of the three tiles, A and B apart
// or over each other.
#include "sim/functional/coverage/family.h"

namespace etalon::sim::coverage {
namespace {

bool takes(const isa::InstructionInfo& info) { return info.unit == isa::Unit::matrix; }

void describe(const isa::InstructionInfo& info, const std::vector<TypeTuple>&, Space& space) {
  space.dimensions.insert(space.dimensions.end(),
                          {{"M", {"0", "1", "3", "8", "15", "16", "17", "33"}},
                           {"N", {"0", "1", "3", "15", "16", "17", "33", "65"}},
                           {"K", {"0", "1", "2", "3", "15", "16", "17", "40"}},
                           {"A", sourceLayouts(false, true)},
                           {"B", sourceLayouts(false, true)},
                           {"D", destinationLayouts(false)},
                           {"values", valueKinds()},
                           {"sources", {"apart", "overlapping"}}});
  if (info.name == "et.mma") space.dimensions.push_back({"start", valueKinds()});
}

void build(Scene& s) {
  const Case& c = s.what;
  const uint64_t m = c.count("M"), n = c.count("N"), k = c.count("K");
  s.place("ta", c.type("ta"), m, k, c.value("A"));
  if (c.value("sources") == "apart")
    s.place("tb", c.type("tb"), k, n, c.value("B"));
  else
    s.placeOver("tb", c.type("tb"), k, n, c.value("B"), "ta");
  s.place("td", c.type("td"), m, n, c.value("D"));
  s.fill("ta", c.value("values"));
  s.fill("tb", c.value("values"));
  if (c.info->name == "et.mma") s.fill("td", c.value("start"));
}

}  // namespace

const Family kMatrixFamily = {takes, describe, build};

}  // namespace etalon::sim::coverage
