// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "isa/machines/address_map.h"
#include "isa/machines/timing.h"
#include "sim/fabric/address_interleave.h"
#include "sim/fabric/fabric_request.h"

namespace etalon::sim {

/// Where an address is on the chip. Endpoints of the network are numbered: memory channels from 0, then one window a core,
/// then the doors of the gateway to other chips, one a link. Who asks is numbered, too: cores from 0, then the doors, through
/// which requests of other chips come. A core has `network.ports` ports, a door one.
class FabricMap {
 public:
  /// `global_base`: address of the first byte of global memory. Sizes are powers of two.
  FabricMap(const isa::Timing& timing, uint64_t cores, uint64_t global_base);

  uint32_t channels() const { return channels_; }
  uint32_t cores() const { return cores_; }
  uint32_t ports() const { return ports_; }
  uint32_t window(uint64_t core) const { return channels_ + static_cast<uint32_t>(core); }
  uint32_t doors() const { return doors_; }
  uint32_t firstDoor() const { return channels_ + cores_; }
  bool isDoor(uint32_t endpoint) const { return endpoint >= firstDoor(); }
  uint32_t endpoints() const { return firstDoor() + doors_; }
  /// Ports of all who ask.
  uint32_t allPorts() const { return cores_ * ports_ + doors_; }
  uint32_t portNumber(uint32_t core, uint32_t port) const {
    return core < cores_ ? core * ports_ + port : cores_ * ports_ + (core - cores_);
  }
  uint64_t burstBytes() const { return burst_bytes_; }
  /// No request crosses a multiple of this: the least of an interleave block, kRequestBursts bursts, kRequestBytes.
  uint64_t requestBytes() const { return request_bytes_; }

  /// Sets endpoint, port and address in the endpoint for a canonical address (own device: bits 55:48 are 0, own memory by
  /// the core's window); of another device, the device and the address in it. The request's bytes do not cross a multiple of
  /// requestBytes().
  void place(FabricRequest& request, uint64_t address) const {
    if (address >= isa::kCoreWindowBase) [[unlikely]] {
      placeWindow(request, address);
    } else {
      const AddressInterleave::Place place = interleave_.place(address - global_base_);
      request.endpoint = static_cast<uint16_t>(place.channel);
      request.address = place.address;
    }
    request.port = static_cast<uint8_t>(
        (request.endpoint * spread_ + request.address / request_bytes_ % spread_) % ports_);
  }

 private:
  void placeWindow(FabricRequest& request, uint64_t address) const;

  uint32_t channels_, cores_, ports_, doors_;
  uint32_t
      spread_;  // ports that share the requests of an endpoint, where there are more ports than channels
  uint64_t burst_bytes_, request_bytes_, global_base_;
  AddressInterleave interleave_;
};

}  // namespace etalon::sim
