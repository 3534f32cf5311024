// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "isa/base/units.h"

namespace etalon::sim {

/// What a request does at the place it goes to.
enum class FabricAccess : uint8_t {
  read,
  write,
  update,  // reads, computes an element a cycle, and writes
};

/// Who asks, and whom the answer is for.
enum class FabricClient : uint8_t { load, store, scalar };

/// A request on its way through the network, and its answer on the way back. What moves is a contiguous piece of memory
/// inside one interleave block, or of one core's local memory: at most kRequestBursts bursts.
struct FabricRequest {
  uint64_t tag = 0;      // of whoever asks; comes back with the answer
  uint64_t address = 0;  // in the endpoint: FabricMap
  Cycles sent = 0;     // it is at its port from the next cycle on; the age that arbitration goes by
  uint32_t bytes = 0;  // from the first to past the last that is wanted
  uint32_t useful =
      0;  // of elements that somebody asked for, for the ledger; an element asked for twice counts twice
  uint32_t elements = 0;  // of an update
  uint16_t core = 0;      // that asks; behind them the doors of the gateway: FabricMap
  uint16_t endpoint = 0;  // FabricMap
  uint8_t port = 0;       // of the core, for request and answer
  uint8_t device = 0;     // id of another one that the address is of; 0: the own
  FabricAccess access = FabricAccess::read;
  FabricClient client = FabricClient::load;

  /// The path of data goes to the core for reads and to memory for everything else.
  bool writes() const { return access != FabricAccess::read; }
  /// Goes ahead of DMA at ports and outputs.
  bool urgent() const { return client == FabricClient::scalar; }
};

/// What one request moves at most: so many bursts, and so many bytes, half of what a controller's queue holds. A row of 256
/// bytes in bursts of 64 is one request.
inline constexpr uint64_t kRequestBursts = 4, kRequestBytes = 1024;

/// Aligned pieces of `unit` bytes, a power of two, that [address, address + bytes) touches; at least 1.
constexpr uint32_t piecesTouched(uint64_t address, uint64_t bytes, uint64_t unit) {
  if (bytes == 0) return 1;
  return static_cast<uint32_t>((address + bytes - 1) / unit - address / unit + 1);
}

/// A request that reaches its endpoint, or an answer that reaches its core, complete at `time`.
struct Delivery {
  Cycles time = 0;
  FabricRequest request;
};

}  // namespace etalon::sim
