// SPDX-License-Identifier: Apache-2.0
#include "isa/numerics/nibbles.h"

#include <cstring>

#include "isa/base/check.h"
#include "isa/numerics/contract_convert.h"

namespace etalon::numerics {

NibbleMover::NibbleMover(const ConversionRule* rule, ElementType from, ElementType to,
                         ConvertMode mode)
    : rule_(rule),
      from_(from),
      to_(to),
      mode_(mode),
      from_bits_(elementInfo(from).bits),
      to_bits_(elementInfo(to).bits) {
  ETALON_CHECK(from_bits_ == 4 || to_bits_ == 4, "one of the types has 4 bits");
  if (from_bits_ != 4) return;
  for (uint64_t code = 0; code < table_.size(); ++code) table_[code] = convert(code);
}

uint64_t NibbleMover::convert(uint64_t bits) const {
  if (from_ == to_) return bits;
  return rule_ != nullptr ? convertElementUnder(*rule_, from_, bits, to_, mode_)
                          : convertElement(from_, bits, to_, mode_.rounding, mode_.saturate);
}

uint64_t NibbleMover::load(const ElementRun& run, size_t i) const {
  const int64_t at = run.nibble + static_cast<int64_t>(i) * run.stride;
  if (from_bits_ == 4) return table_[loadNibble(run.data + (at >> 1), at & 1)];
  uint64_t bits = 0;
  std::memcpy(&bits, run.data + at, static_cast<size_t>(from_bits_) / 8);
  return convert(bits);
}

void NibbleMover::run(const ElementRun& src, const ElementRun& dst, size_t n) const {
  const bool packed = src.stride == 1 && dst.stride == 1 && src.nibble == 0 && dst.nibble == 0;
  size_t i = 0;
  if (from_ == to_ && packed) {
    std::memcpy(dst.data, src.data, n / 2);
    i = n / 2 * 2;
  }
  for (; i < n; ++i) {
    const uint64_t bits = load(src, i);
    const int64_t at = dst.nibble + static_cast<int64_t>(i) * dst.stride;
    if (to_bits_ == 4)
      appendNibble(dst.data + (at >> 1), at & 1, static_cast<uint32_t>(bits));
    else
      std::memcpy(dst.data + at, &bits, static_cast<size_t>(to_bits_) / 8);
  }
}

}  // namespace etalon::numerics
