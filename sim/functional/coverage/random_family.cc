// SPDX-License-Identifier: Apache-2.0
// Random numbers: where the numbers of the elements begin and how rows follow, with any seed and
// stream.
#include "sim/functional/coverage/family.h"

namespace etalon::sim::coverage {
namespace {

bool takes(const isa::InstructionInfo& info) { return info.group == "random"; }

void describe(const isa::InstructionInfo&, const std::vector<TypeTuple>&, Space& space) {
  space.dimensions.push_back({"rows", {"0", "1", "2", "3", "12"}});
  space.dimensions.push_back({"columns", {"0", "1", "3", "4", "17", "150", "600"}});
  space.dimensions.push_back({"td", destinationLayouts(true)});
  space.dimensions.push_back({"base", {"zero", "small", "word", "wrap", "any"}});
  space.dimensions.push_back({"pitch", {"zero", "columns", "negative", "any"}});
  space.dimensions.push_back({"seed", {"zero", "low", "any"}});
  space.dimensions.push_back({"stream", {"zero", "low", "any"}});
}

/// Numbers that cross 2^34, where the low word of the counter overflows, and 2^64.
uint64_t baseOf(const std::string& kind, Random& random) {
  if (kind == "zero") return 0;
  if (kind == "small") return random() % 1000;
  if (kind == "word") return (uint64_t{1} << 34) - random() % 300;
  return kind == "wrap" ? -(random() % 300) : random();
}

uint64_t pitchOf(const Case& c, Random& random) {
  const std::string& kind = c.value("pitch");
  if (kind == "zero") return 0;
  if (kind == "columns") return c.count("columns");
  return kind == "negative" ? -(random() % 300) : random();
}

uint64_t stateOf(const std::string& kind, Random& random) {
  return kind == "zero" ? 0 : kind == "low" ? random() >> 32 : random();
}

void build(Scene& s) {
  const Case& c = s.what;
  s.place("td", c.type("td"), c.count("rows"), c.count("columns"), c.value("td"));
  s.call.x["rs1"] = baseOf(c.value("base"), s.random);
  s.call.x["rs2"] = pitchOf(c, s.random);
  s.call.seed = stateOf(c.value("seed"), s.random);
  s.call.stream = stateOf(c.value("stream"), s.random);
}

}  // namespace

const Family kRandomFamily = {takes, describe, build};

}  // namespace etalon::sim::coverage
