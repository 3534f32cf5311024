// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

namespace etalon::isa {

/// Exact address arithmetic: a 64-bit stride times a 48-bit dim over six axes stays below 2^115.
__extension__ typedef __int128 Int128;

/// Bytes [lo, hi), in whichever address space the operand lives; empty if hi <= lo.
struct ByteInterval {
  Int128 lo = 0;
  Int128 hi = 0;

  bool empty() const { return hi <= lo; }
  bool intersects(const ByteInterval& other) const {
    return std::max(lo, other.lo) < std::min(hi, other.hi);
  }
  bool contains(const ByteInterval& other) const {
    return other.empty() || (lo <= other.lo && other.hi <= hi);
  }
};

}  // namespace etalon::isa
