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
  kTileAtomic,     ///< atomic update by a tile instruction: integer add, any max or min
  kTileFloatAdd,   ///< floating add by a tile instruction, atomic, too
};
inline constexpr uint32_t kAccessKinds = 10;

constexpr bool isTile(AccessKind kind) { return kind >= AccessKind::kTileRead; }
constexpr bool isRead(AccessKind kind) {
  return kind <= AccessKind::kLoadAcquire || kind == AccessKind::kTileRead;
}
constexpr bool isWrite(AccessKind kind) { return !isRead(kind); }
/// Accesses that may meet on one element without a race. LR belongs here: an LR/SC pair is how a
/// core performs an atomic that has no AMO.
constexpr bool isAtomic(AccessKind kind) {
  return kind >= AccessKind::kTileAtomic ||
         (kind >= AccessKind::kLoadReserved && kind <= AccessKind::kAtomicAcquire &&
          kind != AccessKind::kStore);
}
/// True if the value that two accesses of one element leave depends on which comes first although both are atomic: one
/// adds floats, whose sum rounds at every step.
constexpr bool orderDependent(AccessKind a, AccessKind b) {
  return isAtomic(a) && isAtomic(b) && isWrite(a) && isWrite(b) &&
         (a == AccessKind::kTileFloatAdd || b == AccessKind::kTileFloatAdd);
}
/// "scalar load", "tile write", ...: as reports say it.
const char* accessKindName(AccessKind kind);

}  // namespace etalon::sim
