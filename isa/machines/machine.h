// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "isa/base/status.h"
#include "isa/machines/timing.h"
#include "isa/profiles/profile.h"

namespace etalon::isa {

/// One machine configuration, as `isa/machines/<name>.yaml` says it, with overrides applied.
struct Machine {
  std::string name;    // of the file it came from; see displayName()
  std::string title;   // one line
  std::string folder;  // of that file: its own parts are looked for there first, see findPart()

  uint64_t cores = 0;        // 1..64
  uint64_t local_bytes = 0;  // of each core: 64 KiB..64 MiB, a multiple of 4 KiB
  std::vector<std::string> profiles;
  uint64_t profile_bits = 0;  // the same as CSR FC1 gives it

  // Work cap of one instruction, log2 of the most: multiply-accumulates, elements, bytes (CSR FC6).
  uint64_t macs_log2 = 0;      // 30..63
  uint64_t elements_log2 = 0;  // 24..48
  uint64_t bytes_log2 = 0;     // 26..48

  // Global memory, inside the region of address_map.h; base and size are multiples of 4 KiB.
  uint64_t global_base = 0;
  uint64_t global_bytes = 0;

  /// When things happen; none for a machine that only says what programs compute.
  std::optional<Timing> timing;

  /// Dotted key of each number -> where the number comes from (a document, a measurement,
  /// "override").
  std::map<std::string, std::string> sources;
  /// Dotted key -> value as given, of what differs from the file.
  std::map<std::string, std::string> overrides;

  bool hasProfile(std::string_view name) const {
    return std::find(profiles.begin(), profiles.end(), name) != profiles.end();
  }
  /// A machine that no file pins: its results belong to no published name.
  bool derived() const { return !overrides.empty(); }
  /// `base`, or `base+cores=2+local_bytes=4 MiB` (keys in alphabetical order) when derived.
  std::string displayName() const;
};

/// One value of a machine for reports and `etalon machines`.
struct MachineValue {
  std::string key;    // dotted
  std::string value;  // decimal, a size with its unit, a hexadecimal address, a ratio, a name
  std::string source;
  std::string section = {};  // empty for what stands at the top of the file
  std::string unit = {};     // of a number that is not a plain count
  bool timing = false;       // decides when things happen, never what a program computes
};
std::vector<MachineValue> machineValues(const Machine& machine);

/// Reads one machine file strictly: unknown and missing keys, a number without `source`, values out
/// of range, values that do not go together, some but not all sections of timing, unknown and reserved profiles, a name
/// that is not the file's are errors with file, line and dotted path.
Result<Machine> loadMachine(const std::string& path, const std::vector<Profile>& profiles);

/// Applies `key=value` (`cores=2`, `work_cap.macs_log2=40`, `profiles=Et-base,Et-f16`) and marks
/// the machine derived. An unknown key lists the known ones, a value out of range names the limit;
/// on error the machine is unchanged. Rules between values are checked by checkMachine(), once all
/// overrides are in.
Status applyOverride(Machine& machine, std::string_view assignment,
                     const std::vector<Profile>& profiles);

/// What no single value can break, such as global memory that must end inside its region. The message begins with the key.
Status checkMachine(const Machine& machine);

/// Every machine file of a directory, by name.
Result<std::vector<Machine>> listMachines(const std::string& directory,
                                          const std::vector<Profile>& profiles);

}  // namespace etalon::isa
