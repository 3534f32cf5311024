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
#include "sim/arch/backing.h"
#include "sim/arch/init_map.h"
#include "sim/arch/interrupt_registers.h"
#include "sim/arch/poison_map.h"

namespace etalon::sim {

inline constexpr int kSemaphores = 64;
inline constexpr uint64_t kDevicePageBytes = 4096;
/// In place of a core's number: the host, a debugger.
inline constexpr unsigned kNoCore = ~0u;

/// Whether the results of tile instructions on floats are computed, or left out and their bytes poisoned.
enum class Values : uint8_t { computed, left_out };

/// One flat memory: global memory, or the local memory of a core.
struct Region {
  Backing backing;
  InitMap init;
  std::unique_ptr<PoisonMap> poison;  // none where values are computed
  uint16_t id = 0;                    // 0 global, 1 + c local memory of core c

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
  unsigned core = 0;
  unsigned semaphore = 0;
};

/// All memory of one device and the address map over it (isa.md section 2).
class Memory {
 public:
  static Result<std::unique_ptr<Memory>> create(const isa::Machine& machine,
                                                Values values = Values::computed);

  Region& global() { return *global_; }
  Region& local(unsigned core) { return *locals_[core]; }
  unsigned cores() const { return static_cast<unsigned>(locals_.size()); }
  uint64_t globalBase() const { return global_base_; }
  uint64_t globalBytes() const { return global_->size(); }
  uint64_t localBytes() const { return local_bytes_; }
  Values values() const { return global_->poison ? Values::left_out : Values::computed; }

  /// Where [address, address + size) lies as `core` sees it; nothing if a byte of it is not memory.
  std::optional<Place> find(unsigned core, uint64_t address, uint64_t size);
  /// The device-page word at an address; nothing if it is none. The address is 4-byte aligned.
  std::optional<DeviceWord> findDeviceWord(unsigned core, uint64_t address) const;
  /// True if the address lies in some core's device page.
  bool inDevicePage(unsigned core, uint64_t address) const;
  /// Address of a place as every core can write it (reports).
  uint64_t canonicalAddress(uint16_t region, uint64_t offset) const;
  /// What the address map has, for error texts.
  std::string describeMap() const;

  std::array<uint32_t, kSemaphores>& semaphores(unsigned core) { return semaphores_[core]; }
  InterruptRegisters& interrupts() { return *interrupts_; }

  // Load-reserved: one reservation a core, of an aligned 8-byte granule; broken by any store of another agent.
  void reserve(unsigned core, const Place& place);
  bool holdsReservation(unsigned core, const Place& place) const;
  void dropReservation(unsigned core);
  bool anyReservation() const { return reservation_count_ != 0; }
  /// A store by `core` (or by its tile instructions) to the bytes.
  void breakReservations(unsigned core, const Region& region, uint64_t offset, uint64_t size);

  /// Snapshots (core_snapshot.cc): reads into a memory that nobody has touched.
  template <class Archive, class Self>
  static void transfer(Archive& archive, Self& self);

 private:
  Memory() = default;
  /// Splits an address into core window and offset; nothing outside the windows.
  std::optional<std::pair<unsigned, uint64_t>> window(unsigned core, uint64_t address) const;

  struct Reservation {
    bool valid = false;
    uint16_t region = 0;
    uint64_t granule = 0;

    template <class Archive, class Self>
    static void transfer(Archive& archive, Self& self);
  };

  uint64_t global_base_ = 0;
  uint64_t local_bytes_ = 0;
  std::unique_ptr<Region> global_;
  std::vector<std::unique_ptr<Region>> locals_;
  std::vector<std::array<uint32_t, kSemaphores>> semaphores_;
  std::unique_ptr<InterruptRegisters> interrupts_;
  std::vector<Reservation> reservations_;
  unsigned reservation_count_ = 0;
};

}  // namespace etalon::sim
