// SPDX-License-Identifier: Apache-2.0
#include "sim/units/cache_model.h"

#include <algorithm>

#include "isa/base/check.h"

namespace etalon::sim {

CacheModel::CacheModel(Bytes bytes, Bytes line_bytes, uint64_t ways)
    : line_bytes_(line_bytes),
      associativity_(ways),
      sets_(bytes / (line_bytes * ways)),
      ways_(sets_ * ways) {
  ETALON_CHECK(sets_ >= 1, "a machine's caches were checked when it was loaded");
}

bool CacheModel::hit(uint64_t address) {
  const uint64_t wanted = line(address);
  Way* const ways = set(address);
  for (uint64_t i = 0; i < associativity_; ++i) {
    if (ways[i].line != wanted) continue;
    ways[i].used = ++clock_;
    return true;
  }
  return false;
}

void CacheModel::fill(uint64_t address) {
  Way* const ways = set(address);
  Way* const oldest = std::min_element(ways, ways + associativity_,
                                       [](const Way& a, const Way& b) { return a.used < b.used; });
  *oldest = {line(address), ++clock_};
}

void CacheModel::clear() { std::ranges::fill(ways_, Way{}); }

}  // namespace etalon::sim
