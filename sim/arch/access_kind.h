// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace etalon::sim {

/// What kind of access touched a byte. Order between accesses differs by kind (isa.md section 4).
enum class AccessKind : uint8_t {
  kLoad,           ///< scalar load
  kLoadReserved,   ///< LR without .aq
  kLoadAcquire,    ///< LR.aq
  kStore,          ///< scalar store
  kAtomic,         ///< AMO or successful SC without .aq
  kAtomicAcquire,  ///< AMO or SC with .aq
  kTileRead,       ///< read by a tile instruction
  kTileWrite,      ///< write by a tile instruction
  kTileAtomic,     ///< et.st.add/.max/.min and their scatter forms
};
inline constexpr uint32_t kAccessKinds = 9;

constexpr bool isTile(AccessKind kind) { return kind >= AccessKind::kTileRead; }
constexpr bool isRead(AccessKind kind) {
  return kind <= AccessKind::kLoadAcquire || kind == AccessKind::kTileRead;
}
constexpr bool isWrite(AccessKind kind) { return !isRead(kind); }
/// Accesses that may meet on one element without a race. LR belongs here: an LR/SC pair is how a
/// core performs an atomic that has no AMO.
constexpr bool isAtomic(AccessKind kind) {
  return kind == AccessKind::kTileAtomic ||
         (kind >= AccessKind::kLoadReserved && kind <= AccessKind::kAtomicAcquire &&
          kind != AccessKind::kStore);
}
/// "scalar load", "tile write", ...: as reports say it.
const char* accessKindName(AccessKind kind);

}  // namespace etalon::sim
