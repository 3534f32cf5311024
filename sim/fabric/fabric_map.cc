// SPDX-License-Identifier: Apache-2.0
#include "sim/fabric/fabric_map.h"

#include <algorithm>

#include "isa/base/check.h"

namespace etalon::sim {

FabricMap::FabricMap(const isa::Timing& timing, uint64_t cores, uint64_t global_base)
    : channels_(static_cast<uint32_t>(timing.memory.channels)),
      cores_(static_cast<uint32_t>(cores)),
      ports_(static_cast<uint32_t>(timing.network.ports)),
      doors_(static_cast<uint32_t>(timing.links.count)),
      spread_(std::max(ports_ / channels_, 1u)),
      burst_bytes_(timing.dma.burst_bytes),
      request_bytes_(std::min({timing.memory.interleave_bytes,
                               kRequestBursts * timing.dma.burst_bytes, kRequestBytes})),
      global_base_(global_base),
      interleave_(timing.memory.channels, timing.memory.interleave_bytes) {
  ETALON_CHECK(timing.network.ports <= 64, "checked by the machine loader");
}

void FabricMap::placeWindow(FabricRequest& request, uint64_t address) const {
  if (const uint64_t device = address >> isa::kDeviceShift; device != 0) {
    ETALON_CHECK(doors_ != 0, "a machine with other devices has links");
    request.device = static_cast<uint8_t>(device);
    request.address = address - (device << isa::kDeviceShift);
    // One block after the other by one door after the other.
    request.endpoint =
        static_cast<uint16_t>(firstDoor() + request.address / request_bytes_ % doors_);
    return;
  }
  const uint64_t offset = address - isa::kCoreWindowBase;
  request.endpoint = static_cast<uint16_t>(window(offset / isa::kCoreWindowStride));
  request.address = offset % isa::kCoreWindowStride;
}

}  // namespace etalon::sim
