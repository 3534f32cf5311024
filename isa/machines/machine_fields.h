// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "isa/machines/address_map.h"
#include "isa/machines/machine.h"

namespace etalon::isa {

enum class FieldKind { Count, Size, Address };

/// One number of a machine: where it lives, what it may be. The one list that reading, overriding
/// and printing share.
struct MachineField {
  std::string_view group;  // map the key stands in, empty for the top level
  std::string_view key;
  uint64_t Machine::* member;
  FieldKind kind;
  uint64_t least, most, multiple;
};

inline constexpr uint64_t kPage = 4096;
inline constexpr std::array<MachineField, 7> kMachineFields{{
    {"", "cores", &Machine::cores, FieldKind::Count, 1, 64, 1},
    {"", "local_bytes", &Machine::local_bytes, FieldKind::Size, 64 << 10, 64 << 20, kPage},
    {"work_cap", "macs_log2", &Machine::macs_log2, FieldKind::Count, 30, 63, 1},
    {"work_cap", "elements_log2", &Machine::elements_log2, FieldKind::Count, 24, 48, 1},
    {"work_cap", "bytes_log2", &Machine::bytes_log2, FieldKind::Count, 26, 48, 1},
    {"address_map", "global_base", &Machine::global_base, FieldKind::Address, kGlobalRegionBase,
     kGlobalRegionEnd - kPage, kPage},
    {"address_map", "global_bytes", &Machine::global_bytes, FieldKind::Size, 1 << 20,
     kGlobalRegionEnd - kGlobalRegionBase, kPage},
}};

}  // namespace etalon::isa
