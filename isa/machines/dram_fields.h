// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "isa/machines/dram_preset.h"

namespace etalon::isa {

/// One time of a DRAM preset: `key` in nCK, or `key_ns`.
struct DramTimeField {
  std::string_view key;
  uint64_t DramTiming::* member;
  uint64_t most;          // nCK
  bool optional = false;  // 0 if it is not there
};

/// The one list that reading and printing share. Limits are far above what any part has: they keep sums small.
inline constexpr std::array<DramTimeField, 24> kDramTimeFields{{
    {"burst", &DramTiming::burst, 64},
    {"cl", &DramTiming::cl, 1000},
    {"cwl", &DramTiming::cwl, 1000},
    {"rcd_rd", &DramTiming::rcd_rd, 1000},
    {"rcd_wr", &DramTiming::rcd_wr, 1000},
    {"rp", &DramTiming::rp, 1000},
    {"rp_all", &DramTiming::rp_all, 1000},
    {"ras", &DramTiming::ras, 1000},
    {"rc", &DramTiming::rc, 2000},
    {"ccd_s", &DramTiming::ccd_s, 1000},
    {"ccd_l", &DramTiming::ccd_l, 1000},
    {"ccd_l_wr", &DramTiming::ccd_l_wr, 1000},
    {"rrd_s", &DramTiming::rrd_s, 1000},
    {"rrd_l", &DramTiming::rrd_l, 1000},
    {"faw", &DramTiming::faw, 1000},
    {"wtr_s", &DramTiming::wtr_s, 1000},
    {"wtr_l", &DramTiming::wtr_l, 1000},
    {"rtw_gap", &DramTiming::rtw_gap, 100},
    {"wr", &DramTiming::wr, 1000},
    {"rtp", &DramTiming::rtp, 1000},
    {"rfc", &DramTiming::rfc, 10000},
    {"rfc_bank", &DramTiming::rfc_bank, 10000, true},
    {"rrefd", &DramTiming::rrefd, 1000, true},
    {"refi", &DramTiming::refi, 1000000},
}};
/// A number of `organisation`.
struct DramNumberField {
  std::string_view key;
  uint64_t DramPreset::* member;
  uint64_t least, most;
  bool power_of_two;
};

inline constexpr std::array<DramNumberField, 4> kDramNumberFields{{
    {"groups", &DramPreset::groups, 1, 16, true},
    {"banks", &DramPreset::banks, 1, 16, true},
    {"page_bytes", &DramPreset::page_bytes, 64, 65536, true},
    {"burst_bytes", &DramPreset::burst_bytes, 8, 256, true},
}};

}  // namespace etalon::isa
