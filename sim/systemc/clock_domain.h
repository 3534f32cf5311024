// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <systemc>

#include "isa/base/units.h"

namespace etalon::sim {

/// Cycles of a clock on SystemC's time axis: cycle n begins at floor(n * 10^6 / MHz) picoseconds, so that no rounding adds up.
class ClockDomain {
 public:
  explicit ClockDomain(uint64_t megahertz) : megahertz_(megahertz) {}

  /// The first cycle that does not begin before now is number 0 from here on: a launch begins.
  void restart() { origin_ += now(); }
  sc_core::sc_time at(Cycles cycle) const {
    return sc_core::sc_time::from_value(picoseconds(origin_ + cycle) * unitsPerPicosecond());
  }
  /// The first cycle that does not begin before `time`.
  Cycles cycle(const sc_core::sc_time& time) const {
    const uint64_t ps = (time.value() + unitsPerPicosecond() - 1) / unitsPerPicosecond();
    Cycles cycle = quotient(ps, megahertz_, kPerSecond);
    while (picoseconds(cycle) < ps) ++cycle;
    return cycle - std::min(cycle, origin_);
  }
  Cycles now() const { return cycle(sc_core::sc_time_stamp()); }

 private:
  static constexpr uint64_t kPerSecond = 1'000'000;  // picoseconds of a cycle of one megahertz

  uint64_t picoseconds(Cycles cycle) const { return quotient(cycle, kPerSecond, megahertz_); }
  /// a * b / c without overflow; products of long runs alone need the wide division.
  static uint64_t quotient(uint64_t a, uint64_t b, uint64_t c) {
    const auto product = static_cast<unsigned __int128>(a) * b;
    const auto low = static_cast<uint64_t>(product);
    return low == product ? low / c : static_cast<uint64_t>(product / c);
  }
  /// Of SystemC's time resolution, which a platform may have made finer than a picosecond.
  static uint64_t unitsPerPicosecond() {
    static const uint64_t kUnits = sc_core::sc_time(1, sc_core::SC_PS).value();
    return kUnits;
  }

  uint64_t megahertz_;
  Cycles origin_ = 0;
};

}  // namespace etalon::sim
