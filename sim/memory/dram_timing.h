// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include "isa/machines/dram_preset.h"
#include "sim/memory/dram_command.h"

namespace etalon::sim {

/// Distances between commands, from the times of a preset. Each from the first command's nCK to the second's.
struct DramTimes {
  explicit DramTimes(const isa::DramTiming& t)
      : rc(t.rc),
        act_rd(t.rcd_rd),
        act_wr(t.rcd_wr),
        ras(t.ras),
        rp(t.rp),
        rp_all(t.rp_all),
        rrd_s(t.rrd_s),
        rrd_l(t.rrd_l),
        faw(t.faw),
        rd_rd_s(std::max(t.ccd_s, t.burst)),
        rd_rd_l(std::max(t.ccd_l, t.burst)),
        wr_wr_l(std::max(t.ccd_l_wr, t.burst)),
        rd_wr(t.cl + t.burst + t.rtw_gap - t.cwl),
        wr_rd_s(t.cwl + t.burst + t.wtr_s),
        wr_rd_l(t.cwl + t.burst + t.wtr_l),
        column_gap(std::min({rd_rd_s, rd_wr, wr_rd_s})),
        rd_pre(t.rtp),
        wr_pre(t.cwl + t.burst + t.wr),
        read_latency(t.cl + t.burst),
        write_latency(t.cwl + t.burst),
        rfc(t.rfc),
        rfc_bank(t.rfc_bank),
        rrefd(t.rrefd),
        refi(t.refi) {}

  Nck rc, act_rd, act_wr, ras, rp, rp_all;
  Nck rrd_s, rrd_l, faw;  // ACT to ACT of any bank, of the same group, to the fourth after
  Nck rd_rd_s, rd_rd_l,
      wr_wr_l;                  // read to read and write to write; writes of other groups as reads
  Nck rd_wr, wr_rd_s, wr_rd_l;  // turns of the data bus
  Nck column_gap;               // the least of any column command to any other
  Nck rd_pre, wr_pre;
  Nck read_latency, write_latency;  // command to the end of its data
  Nck rfc, rfc_bank, rrefd, refi;
};

}  // namespace etalon::sim
