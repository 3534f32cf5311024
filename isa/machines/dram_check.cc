// SPDX-License-Identifier: Apache-2.0
#include "isa/machines/dram_check.h"

#include <fmt/format.h>

#include <array>
#include <bit>

namespace etalon::isa {

std::optional<std::string> organisationProblem(const DramPreset& preset) {
  if (preset.allBanks() > 64)
    return fmt::format("groups * banks is {}; a channel has at most 64 banks", preset.allBanks());
  if (preset.page_bytes < preset.burst_bytes)
    return fmt::format("page_bytes {} is less than burst_bytes {}", preset.page_bytes,
                       preset.burst_bytes);
  return std::nullopt;
}

std::optional<std::string> timingProblem(const DramPreset& preset) {
  const DramTiming& t = preset.timing;
  struct AtLeast {
    const char *name, *least_name;
    uint64_t value, least;
  };
  const std::array<AtLeast, 12> order{{
      {"rc", "ras + rp", t.rc, t.ras + t.rp},
      {"ras", "rcd_rd", t.ras, t.rcd_rd},
      {"rp_all", "rp", t.rp_all, t.rp},
      {"ccd_l", "ccd_s", t.ccd_l, t.ccd_s},
      {"ccd_l_wr", "ccd_l", t.ccd_l_wr, t.ccd_l},
      {"rrd_l", "rrd_s", t.rrd_l, t.rrd_s},
      {"faw", "rrd_s", t.faw, t.rrd_s},
      {"wtr_l", "wtr_s", t.wtr_l, t.wtr_s},
      {"burst", "1", t.burst, 1},
      {"rrd_s", "1", t.rrd_s, 1},
      {"cl + burst + rtw_gap", "cwl + 1", t.cl + t.burst + t.rtw_gap, t.cwl + 1},
      {"rcd_wr", "1", t.rcd_wr, 1},
  }};
  for (const AtLeast& pair : order)
    if (pair.value < pair.least)
      return fmt::format("{} is {} nCK, less than {} ({}): no part can be so", pair.name,
                         pair.value, pair.least_name, pair.least);
  if (t.rcd_rd == 0) return std::string("rcd_rd is 0 nCK; at least 1");
  if (t.rfc + t.rc + t.rp_all >= t.refi)
    return fmt::format("rfc {} + rc {} + rp_all {} nCK leave nothing of refi {}", t.rfc, t.rc,
                       t.rp_all, t.refi);
  if (preset.refresh == DramPreset::Refresh::PerBank) {
    if (t.rfc_bank == 0)
      return std::string(
          "refresh is per_bank, but rfc_bank is missing: give it, or write refresh: all_bank");
    if (preset.allBanks() * (t.rfc_bank + t.rp) > t.refi)
      return fmt::format("{} refreshes of rp {} + rfc_bank {} nCK do not fit into refi {}",
                         preset.allBanks(), t.rp, t.rfc_bank, t.refi);
  }
  return std::nullopt;
}

std::optional<std::string> resolveMapping(DramPreset& preset) {
  static constexpr std::array<const char*, 4> kNames{"row", "bank", "group", "column"};
  const std::array<uint32_t, 4> has{0, static_cast<uint32_t>(std::countr_zero(preset.banks)),
                                    static_cast<uint32_t>(std::countr_zero(preset.groups)),
                                    preset.columnBits()};
  std::array<uint32_t, 4> said{}, open{};
  for (const MappingField& field : preset.mapping) {
    said[static_cast<size_t>(field.kind)] += field.bits;
    open[static_cast<size_t>(field.kind)] += field.bits == 0;
  }
  if (preset.mapping.empty() || preset.mapping[0] != MappingField{} || open[0] != 1 || said[0] != 0)
    return std::string("the order begins with row, once and without bits: it takes the rest");
  for (size_t kind = 1; kind < 4; ++kind) {
    if (open[kind] > 1) return fmt::format("{} stands twice without bits", kNames[kind]);
    if (said[kind] > has[kind] || (open[kind] == 0 && said[kind] < has[kind]))
      return fmt::format("{} bits of {} stand in the order, the part has {}", said[kind],
                         kNames[kind], has[kind]);
  }
  for (MappingField& field : preset.mapping)
    if (field.bits == 0 && field.kind != MappingField::Kind::Row)
      field.bits = has[static_cast<size_t>(field.kind)] - said[static_cast<size_t>(field.kind)];
  return std::nullopt;
}

}  // namespace etalon::isa
