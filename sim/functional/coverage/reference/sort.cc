// SPDX-License-Identifier: Apache-2.0
// Sorting: rows are built by inserting one element after another where it belongs.
#include <cmath>

#include "sim/functional/coverage/reference/model.h"

namespace etalon::reference {
namespace {

struct Element {
  uint64_t bits = 0;
  double value = 0;
  uint64_t column = 0;
};

/// True if x comes before y for its value: a NaN is above every number and no NaN above another.
bool precedes(const Element& x, const Element& y, bool descending) {
  const Element& low = descending ? y : x;
  const Element& high = descending ? x : y;
  if (std::isnan(low.value)) return false;
  return std::isnan(high.value) || low.value < high.value;
}

std::vector<Element> sortedRow(const Memory& memory, const Tile& ta, uint64_t row,
                               bool descending) {
  std::vector<Element> sorted;
  for (uint64_t c = 0; c < ta.columns(); ++c) {
    const uint64_t bits = readElement(memory, ta, row, c);
    const Element element{bits, decode(ta.type, bits), c};
    size_t place = sorted.size();
    while (place > 0 && precedes(element, sorted[place - 1], descending)) --place;
    sorted.insert(sorted.begin() + static_cast<ptrdiff_t>(place), element);
  }
  return sorted;
}

}  // namespace

bool executeSort(Call& call, Memory& memory) {
  if (call.name != "et.sort" && call.name != "et.topk") return false;
  const Tile &ta = call.tile("ta"), &tdv = call.tile("tdv"), &tdi = call.tile("tdi");
  for (uint64_t r = 0; r < tdv.rows(); ++r) {
    const std::vector<Element> row = sortedRow(memory, ta, r, call.mode != 0);
    for (uint64_t i = 0; i < tdv.columns(); ++i) {
      writeElement(memory, tdv, r, i, row.at(i).bits);
      writeElement(memory, tdi, r, i, row.at(i).column);
    }
  }
  return true;
}

}  // namespace etalon::reference
