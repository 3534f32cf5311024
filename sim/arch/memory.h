// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "isa/machines/address_map.h"
#include "isa/machines/machine.h"
#include "isa/state/window.h"
#include "sim/arch/backing.h"
#include "sim/arch/cluster.h"
#include "sim/arch/init_map.h"
#include "sim/arch/interrupt_registers.h"
#include "sim/arch/poison_map.h"

namespace etalon::sim {

inline constexpr int kSemaphores = 64;
using isa::kDevicePageBytes;
/// In place of a core's number: the host, a debugger.
inline constexpr unsigned kNoCore = ~0u;

/// Whether the results of tile instructions on floats are computed, or left out and their bytes poisoned.
enum class Values : uint8_t { computed, left_out };

/// One flat memory: global memory of a device, or the local memory of a core.
struct Region {
  Backing backing;
  InitMap init;
  std::unique_ptr<PoisonMap> poison;  // none where values are computed
  uint16_t id = 0;                    // as MemoryRegion counts
  uint16_t device = 0;                // in which it is

  std::byte* data() { return backing.data(); }
  uint64_t size() const { return backing.size(); }
  /// Somebody else than a tile instruction wrote the bytes.
  void noteWritten(uint64_t offset, uint64_t bytes) {
    init.setRange(offset, bytes);
    if (poison && bytes != 0) poison->clear(offset, bytes);
  }
  bool poisoned(uint64_t offset, uint64_t bytes) const {
    return poison && poison->any(offset, bytes);
  }
};

/// `size` bytes inside one region.
struct Place {
  Region* region = nullptr;
  uint64_t offset = 0;

  std::byte* data() const { return region->data() + offset; }
};

/// A word of a core's device page.
struct DeviceWord {
  unsigned agent = 0;
  unsigned semaphore = 0;
};

/// All memory of a cluster and the address map over it (docs/spec/00-overview.md).
class Memory {
 public:
  /// Errors: the host has not the virtual memory; more than one device of a machine that reaches no other.
  static Result<std::unique_ptr<Memory>> create(const isa::Machine& machine,
                                                Values values = Values::computed,
                                                unsigned devices = 1);

  const Cluster& cluster() const { return cluster_; }
  Region& global(unsigned device = 0) { return *globals_[device]; }
  Region& local(unsigned agent) { return *locals_[agent]; }
  uint64_t globalBase() const { return global_base_; }
  uint64_t globalBytes() const { return globals_[0]->size(); }  // of each device
  uint64_t localBytes() const { return local_bytes_; }
  Values values() const { return globals_[0]->poison ? Values::left_out : Values::computed; }

  /// Where [address, address + size) lies as `agent` sees it; nothing if a byte of it is not memory.
  std::optional<Place> find(unsigned agent, uint64_t address, uint64_t size);
  /// The device-page word at an address; nothing if it is none. The address is 4-byte aligned.
  std::optional<DeviceWord> findDeviceWord(unsigned agent, uint64_t address) const;
  /// True if the address lies in some core's device page.
  bool inDevicePage(unsigned agent, uint64_t address) const;
  /// Address of a place as every core of every device can write it (reports): it names the device if there are several.
  uint64_t canonicalAddress(uint16_t region, uint64_t offset) const;
  /// What the address map has, for error texts.
  std::string describeMap() const;
  /// Why an address belongs to no memory: that its device is none, or what the map has.
  std::string describeMiss(uint64_t address) const;

  std::array<uint32_t, kSemaphores>& semaphores(unsigned agent) { return semaphores_[agent]; }
  const isa::Windows& windows(unsigned agent) const { return windows_[agent]; }
  void setWindow(unsigned agent, unsigned index, const isa::Window& window);
  /// The core whose windows do not let `agent` access these bytes, of its local memory or device page, so; nothing if it may.
  std::optional<unsigned> refusedBy(unsigned agent, uint64_t address, uint64_t size,
                                    uint8_t rights) const;
  InterruptRegisters& interrupts(unsigned device = 0) { return *interrupts_[device]; }

  // Load-reserved: one reservation an agent, of an aligned 8-byte granule; broken by any store of another agent.
  void reserve(unsigned agent, const Place& place);
  bool holdsReservation(unsigned agent, const Place& place) const;
  void dropReservation(unsigned agent);
  bool anyReservation() const { return reservation_count_ != 0; }
  /// A store by `agent` (or by its tile instructions) to the bytes.
  void breakReservations(unsigned agent, const Region& region, uint64_t offset, uint64_t size);

  /// Snapshots (core_snapshot.cc): reads into a memory that nobody has touched.
  template <class Archive, class Self>
  static void transfer(Archive& archive, Self& self);

 private:
  Memory() = default;
  /// An address without its device field, and the device that the field names.
  struct Target {
    unsigned device;
    uint64_t address;
  };
  std::optional<Target> target(unsigned agent, uint64_t address) const;
  /// Splits an address into the agent whose window it is in and the offset; nothing outside the windows.
  std::optional<std::pair<unsigned, uint64_t>> window(unsigned agent, uint64_t address) const;
  std::optional<std::pair<unsigned, uint64_t>> window(unsigned agent, const Target& target) const;

  struct Reservation {
    bool valid = false;
    uint16_t region = 0;
    uint64_t granule = 0;

    template <class Archive, class Self>
    static void transfer(Archive& archive, Self& self);
  };

  Cluster cluster_;
  unsigned named_devices_ = 0;  // ids 1 to this name a device; none without Et-net
  uint64_t global_base_ = 0;
  uint64_t local_bytes_ = 0;
  std::vector<std::unique_ptr<Region>> globals_;
  std::vector<std::unique_ptr<Region>> locals_;
  std::vector<std::array<uint32_t, kSemaphores>> semaphores_;
  std::vector<isa::Windows> windows_;
  bool windows_in_force_ = false;                                // some core's
  std::vector<std::unique_ptr<InterruptRegisters>> interrupts_;  // of each device
  std::vector<Reservation> reservations_;
  unsigned reservation_count_ = 0;
};

}  // namespace etalon::sim
