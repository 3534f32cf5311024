// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include "sim/memory/local_memory.h"
#include "sim/units/local_port.h"

namespace etalon::sim {

/// A port of local memory whose accesses share the banks with those of other ports.
class BankedPort final : public LocalPort {
 public:
  /// `local` outlives the port, which moves `port_bytes` a cycle in pieces of a burst, each of any access.
  BankedPort(LocalMemory& local, Bytes port_bytes, Bytes burst_bytes)
      : local_(local), port_(port_bytes, burst_bytes) {}

  Cycles access(uint64_t offset, Bytes bytes, Cycles from) override {
    const Cycles end = port_.access(offset, bytes, from);
    return std::max(end, local_.book(end - 1, 1, bytes));
  }

 private:
  LocalMemory& local_;
  FreePort port_;
};

}  // namespace etalon::sim
