// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

namespace etalon::sim {

/// Bytes whose accesses stop a core, as addresses of the map. Those of the own local window mean every core's own local
/// memory, as that core sees it; a certain core's is watched by its window above.
struct Watchpoint {
  uint64_t address = 0;
  uint64_t size = 0;
  bool reads = false;
  bool writes = false;

  bool operator==(const Watchpoint&) const = default;
};

/// The first access of an instruction to watched bytes.
struct WatchHit {
  Watchpoint watchpoint;
  uint64_t address = 0;  // first byte of both, as the watchpoint names it
  bool write = false;
};

}  // namespace etalon::sim
