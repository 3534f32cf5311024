// SPDX-License-Identifier: Apache-2.0
#include "isa/numerics/sort.h"

#include <algorithm>
#include <bit>
#include <vector>

#include "isa/base/check.h"
#include "isa/numerics/element_stream.h"

namespace etalon::numerics {
namespace {

constexpr uint32_t kSign = 0x80000000;

/// A number that is below another's exactly if the element is below it, equal if they are equal.
/// `bits` are those of the 32-bit type that elements of `type` widen to.
uint32_t rankOf(ElementType type, uint32_t bits) {
  switch (elementInfo(type).widens_to) {
    case ElementType::u32: return bits;
    case ElementType::i32: return bits ^ kSign;
    default: break;
  }
  if ((bits & ~kSign) > 0x7f800000) return ~uint32_t{0};
  if ((bits & ~kSign) == 0) return kSign;
  return (bits & kSign) != 0 ? ~bits : bits | kSign;
}

}  // namespace

void sortRows(SortOrder order, const TileRef& a, const TileRef& values, const TileRef& indices) {
  const size_t columns = a.cols, kept = values.cols;
  ETALON_CHECK(kept <= columns, "a row has fewer elements than are asked of it");
  const uint32_t reversed = order == SortOrder::Descending ? ~uint32_t{0} : 0;
  std::vector<uint32_t> wide(columns), raw(columns), first(kept), first_columns(kept);
  // The column below the rank makes all keys different, so any sort of them is stable.
  std::vector<uint64_t> keys(columns);
  ElementStream numbers(a), elements(a), sorted(values), positions(indices);
  for (uint64_t r = 0; r < a.storedRows(); ++r) {
    numbers.read(wide.data(), columns);
    elements.readAligned(raw.data(), columns);
    for (size_t c = 0; c < columns; ++c)
      keys[c] = uint64_t{rankOf(a.type, wide[c]) ^ reversed} << 32 | c;
    const auto end = keys.begin() + static_cast<ptrdiff_t>(kept);
    std::nth_element(keys.begin(), end, keys.end());
    std::sort(keys.begin(), end);
    for (size_t i = 0; i < kept; ++i) {
      first_columns[i] = static_cast<uint32_t>(keys[i]);
      first[i] = raw[first_columns[i]];
    }
    sorted.writeAligned(first.data(), kept);
    positions.write(first_columns.data(), kept, ElementType::i32, {});
  }
}

}  // namespace etalon::numerics
