// SPDX-License-Identifier: Apache-2.0
// For tests of the register page. Offsets and layouts are written out: nothing here comes from the description that the
// page is made of.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <tuple>
#include <vector>

#include "isa/base/bits.h"
#include "sim/arch/host_registers.h"

namespace etalon::sim {

using Kind = HostRequest::Kind;

inline constexpr uint64_t kId = 0x00, kControl = 0x08, kState = 0x10, kInterrupt = 0x18;
inline constexpr uint64_t kRingBase = 0x40, kRingSize = 0x48, kRingHead = 0x50, kDoorbell = 0x58;
inline constexpr uint64_t kCompletionBase = 0x60, kCompletionCount = 0x68, kCompletionRead = 0x70;
inline constexpr uint64_t kMtime = 0x1000, kMtimecmp = 0x1008, kMsip = 0x2000, kWindows = 0x10000;
inline constexpr uint64_t kReset = 1, kStart = 2, kStop = 4, kAbort = 8;
inline constexpr uint64_t kIdle = 0, kRunning = 1, kStopped = 2;
inline constexpr uint64_t kMemory = 0x8000'0000, kMemoryBytes = 1 << 20;
inline constexpr uint64_t kRing = kMemory + 0x1000, kRecords = kMemory + 0x2000;
inline constexpr uint64_t kCode = kMemory + 0x8000;

/// The page, a device that does at once what it is asked, launches apart, and a driver's few words.
class Bench : public CoreRegisters {
 public:
  uint64_t readRegister(const HostRegisterPlace& place) const override {
    const auto found = core_registers.find({place.reg, place.core, place.window});
    return found == core_registers.end() ? 0 : found->second;
  }
  bool writeRegister(const HostRegisterPlace& place, uint64_t value) override {
    core_registers[{place.reg, place.core, place.window}] = value;
    return true;
  }

  HostAnswer write(uint64_t offset, uint64_t value, unsigned bytes = 8) {
    const HostAnswer answer = page.write(offset, bytes, value);
    serve();
    return answer;
  }
  bool takes(uint64_t offset, uint64_t value) { return write(offset, value) == HostAnswer::ok; }
  uint64_t read(uint64_t offset, unsigned bytes = 8) {
    uint64_t value = 0;
    EXPECT_EQ(page.read(offset, bytes, value), HostAnswer::ok) << std::hex << offset;
    return value;
  }

  void serve() {
    for (;;) {
      const HostRequest request = page.next();
      if (request.kind == Kind::none) return;
      requests.push_back(request.kind);
      if (request.kind == Kind::fetch) {
        isa::LaunchDescriptor launch;
        std::memcpy(&launch, memory.data() + (request.address - kMemory), 64);
        page.fetched(launch);
      } else if (request.kind == Kind::record) {
        std::memcpy(memory.data() + (request.address - kMemory), &request.record, 64);
        page.recorded();
      } else if (request.kind == Kind::begin) {
        begun.push_back(request.launch);
      }
    }
  }
  void end(const isa::CompletionRecord& record) {
    page.ended(record);
    serve();
  }

  template <class T>
  void put(uint64_t address, T value) {
    storeBytes(memory.data() + (address - kMemory), value);
  }
  template <class T>
  T get(uint64_t address) const {
    return loadBytes<T>(memory.data() + (address - kMemory));
  }
  /// A descriptor with no defect, in an entry of the ring.
  void describe(uint64_t entry, uint64_t tag) {
    const uint64_t at = kRing + 64 * entry;
    std::fill_n(memory.data() + (at - kMemory), 64, std::byte{0});
    put(at, kCode);
    put(at + 20, uint32_t{1});
    put(at + 24, tag);
  }
  /// Rings of 2^log2 entries, started.
  void open(uint64_t log2) {
    EXPECT_TRUE(takes(kRingBase, kRing) && takes(kRingSize, log2) &&
                takes(kCompletionBase, kRecords) && takes(kControl, kStart));
  }

  HostRegisters page{{.id = 3, .cores = 4, .global_base = kMemory, .global_bytes = kMemoryBytes},
                     *this};
  std::vector<std::byte> memory = std::vector<std::byte>(kMemoryBytes);
  std::vector<Kind> requests;
  std::vector<isa::LaunchDescriptor> begun;
  std::map<std::tuple<isa::HostRegister, unsigned, unsigned>, uint64_t> core_registers;
};

}  // namespace etalon::sim
