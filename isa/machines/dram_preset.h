// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "isa/base/status.h"
#include "isa/machines/machine.h"

namespace etalon::isa {

/// Timing of one DRAM channel in cycles of its own clock (nCK), named as in the JEDEC standards without their `t`.
struct DramTiming {
  uint64_t tck_ps = 0;  // the clock: picoseconds
  uint64_t burst = 0;   // of data on the bus
  uint64_t cl = 0, cwl = 0;
  uint64_t rcd_rd = 0, rcd_wr = 0;
  uint64_t rp = 0, rp_all = 0;  // after PRE of one bank, of all banks
  uint64_t ras = 0, rc = 0;
  uint64_t ccd_s = 0, ccd_l = 0, ccd_l_wr = 0;  // _l: same bank group; _wr: write after write
  uint64_t rrd_s = 0, rrd_l = 0;
  uint64_t faw = 0;
  uint64_t wtr_s = 0, wtr_l = 0;  // from the end of the written data
  uint64_t rtw_gap = 0;           // idle cycles of the data bus between a read and a write
  uint64_t wr = 0, rtp = 0;
  uint64_t rfc = 0;       // of an all-bank refresh
  uint64_t rfc_bank = 0;  // of a refresh of one bank; 0: the part has none
  uint64_t rrefd = 0;     // from a refresh of one bank to an ACT or refresh of another
  uint64_t refi = 0;      // every bank is refreshed once in so long
};

/// One field of an address, from the high bits to the low ones. A field that says no bits takes what is left of its kind.
struct MappingField {
  enum class Kind : uint8_t { Row, Bank, Group, Column };
  Kind kind = Kind::Row;
  uint32_t bits = 0;
  bool operator==(const MappingField&) const = default;
};

/// What one channel of memory is, as `isa/machines/parts/memory/<name>.yaml` says it.
struct DramPreset {
  enum class Kind : uint8_t {
    Dram,   // banks, rows, refresh
    Fixed,  // a latency and a bandwidth
  };
  enum class Refresh : uint8_t { AllBank, PerBank };
  enum class Commands : uint8_t {
    Shared,  // one command a nCK
    Split,   // one row command and one column command a nCK
  };

  std::string name, title;
  Kind kind = Kind::Dram;

  // Kind::Dram
  uint64_t groups = 0, banks = 0;  // bank groups; banks of each group
  uint64_t page_bytes = 0, burst_bytes = 0;
  DramTiming timing;
  Refresh refresh = Refresh::AllBank;
  Commands commands = Commands::Shared;
  std::vector<MappingField> mapping;  // of the number of a burst, high to low; `Row` is first
  bool hash = false;  // bank and group bits are exclusive-ored with the lowest bits of the row

  // Kind::Fixed: one of the two bandwidths, the other is 0
  uint64_t latency_ns = 0;
  uint64_t bytes_per_cycle = 0;  // of the core's clock
  uint64_t megabytes_per_second = 0;

  std::map<std::string, std::string> sources;  // as in Machine

  uint64_t allBanks() const { return groups * banks; }
  /// Bits of column, bank and group in the number of a burst.
  uint32_t columnBits() const;
  /// 10^6 bytes a second while data flows; of Kind::Dram.
  uint64_t peakMegabytesPerSecond() const;
};

/// The numbers of a preset, resolved, for reports.
std::vector<MachineValue> dramValues(const DramPreset& preset);

/// Reads one preset strictly, as loadMachine() does. A time may be given in nCK (`rfc`) or in nanoseconds (`rfc_ns`,
/// rounded up to whole nCK). Refused with file, line and dotted path: unknown, duplicate and missing keys, a number without
/// source, values out of range, times that contradict each other (RC < RAS + RP), a mapping that loses or repeats bits.
Result<DramPreset> loadDramPreset(const std::string& path);

/// Finds a preset by its name, as findPart() does, and loads it.
Result<DramPreset> openDramPreset(std::string_view name, const std::string& beside = {});

/// Every preset of a directory, by name.
Result<std::vector<DramPreset>> listDramPresets(const std::string& directory);

}  // namespace etalon::isa
