// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "isa/machines/machine.h"

namespace etalon::fuzz {

// Where things are in the memory of a random program. Small, so that accesses meet and a final state is soon compared.
inline constexpr unsigned kMostCores = 4;
inline constexpr uint64_t kLocalBytes = 64 << 10;
inline constexpr uint64_t kGlobalBase = 0x80000000;
inline constexpr uint64_t kGlobalBytes = 1 << 20;

/// Upper end of local memory that is used through the windows of other cores, too.
inline constexpr uint64_t kExchange = 48 << 10, kExchangeBytes = kLocalBytes - kExchange;

inline constexpr uint64_t kEntry = kGlobalBase;  // a jump to kCode
inline constexpr uint64_t kTohost = kGlobalBase + 64;
/// For scalar accesses, an area for each core: images of tile, view and chain registers, then free words.
inline constexpr uint64_t kScalarAreas = kGlobalBase + 0x1000, kScalarAreaBytes = 0x1000;
inline constexpr uint64_t kTileImages = 0, kViewImages = 0x200, kChainImages = 0x600,
                          kFreeWords = 0x800;  // offsets in an area
/// For views, an area for each core.
inline constexpr uint64_t kTileAreas = kScalarAreas + kMostCores * kScalarAreaBytes,
                          kTileAreaBytes = 16 << 10;
/// Values that nobody overwrites on purpose.
inline constexpr uint64_t kValues = kTileAreas + kMostCores * kTileAreaBytes, kValueBytes = 4096;
inline constexpr uint64_t kCode = kValues + kValueBytes;

/// The instructions over all cores after which a program is ended.
inline constexpr uint64_t kInstructionLimit = 20'000;

/// What the machine of random programs has else than `functional64`: kMostCores cores, small memories, the least caps;
/// `reduced`: only some profiles.
std::vector<std::string> machineOverrides(bool reduced);
const isa::Machine& randomProgramMachine(bool reduced);
/// The same as a configuration of libetalon_functional.so.
std::string deviceConfiguration(bool reduced);

}  // namespace etalon::fuzz
