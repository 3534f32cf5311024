// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <set>
#include <utility>
#include <vector>

#include "sim/arch/race_detector.h"

namespace etalon::sim {

/// One step of a trace for the race detector and its oracle.
struct TraceEvent {
  enum class Type : uint8_t {
    kAccess,      ///< region, offset, size, kind, aq (by kind), rl
    kFence,       ///< et.fence
    kRangeFence,  ///< region, offset, size
    kSignal,      ///< semaphore
    kWait,        ///< semaphore
    kBarrier,     ///< mask of cores
    kRiscvFence,  ///< pred_succ, tso
  };
  Type type = Type::kAccess;
  uint16_t core = 0;
  uint64_t pc = 0;
  AccessKind kind = AccessKind::kLoad;
  bool rl = false;
  uint32_t region = 0;
  uint64_t offset = 0;
  uint32_t size = 1;
  uint32_t semaphore = 0;
  uint32_t mask = 0;
  uint8_t pred_succ = 0;
  bool tso = false;
};

/// Feeds the trace to a detector.
void replay(const std::vector<TraceEvent>& trace, uint32_t cores, RaceDetector& detector);

/// A finding on two events (indices into the trace) and one byte.
struct OraclePair {
  size_t first;
  size_t second;
  uint32_t region;
  uint64_t offset;
  auto operator<=>(const OraclePair&) const = default;
};
struct OracleFindings {
  std::set<OraclePair> races;
  std::set<OraclePair> order_dependences;
};

/// All findings of a trace, from the definition: for every byte a graph with an edge for each ordering
/// rule, and reachability in it. Shares neither clocks nor states with the detector.
OracleFindings findingsByDefinition(const std::vector<TraceEvent>& trace);

}  // namespace etalon::sim
