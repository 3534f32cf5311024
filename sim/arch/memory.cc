// SPDX-License-Identifier: Apache-2.0
#include "sim/arch/memory.h"

#include <fmt/format.h>

namespace etalon::sim {
namespace {

Result<std::unique_ptr<Region>> makeRegion(uint64_t bytes, uint16_t id, Values values,
                                           const std::string& what) {
  auto backing = Backing::create(bytes, what);
  if (!backing.ok()) return backing.error();
  auto init = InitMap::create(bytes, what);
  if (!init.ok()) return init.error();
  auto region = std::make_unique<Region>();
  region->backing = std::move(*backing);
  region->init = std::move(*init);
  region->id = id;
  if (values == Values::left_out) {
    auto poison = PoisonMap::create(bytes, what);
    if (!poison.ok()) return poison.error();
    region->poison = std::make_unique<PoisonMap>(std::move(*poison));
  }
  return region;
}

}  // namespace

Result<std::unique_ptr<Memory>> Memory::create(const isa::Machine& machine, Values values) {
  std::unique_ptr<Memory> memory(new Memory);
  memory->global_base_ = machine.global_base;
  memory->local_bytes_ = machine.local_bytes;
  auto global = makeRegion(machine.global_bytes, 0, values, "global memory");
  if (!global.ok()) return global.error();
  memory->global_ = std::move(*global);
  for (unsigned core = 0; core < machine.cores; ++core) {
    auto local = makeRegion(machine.local_bytes, static_cast<uint16_t>(1 + core), values,
                            fmt::format("local memory of core {}", core));
    if (!local.ok()) return local.error();
    memory->locals_.push_back(std::move(*local));
  }
  memory->semaphores_.resize(machine.cores);
  memory->interrupts_ = std::make_unique<InterruptRegisters>(machine.cores);
  memory->reservations_.resize(machine.cores);
  return memory;
}

std::optional<std::pair<unsigned, uint64_t>> Memory::window(unsigned core, uint64_t address) const {
  const uint64_t end = local_bytes_ + kDevicePageBytes;
  if (address >= isa::kLocalWindowBase && address - isa::kLocalWindowBase < end)
    return std::pair{core, address - isa::kLocalWindowBase};
  if (address < isa::kCoreWindowBase) return std::nullopt;
  const uint64_t number = (address - isa::kCoreWindowBase) / isa::kCoreWindowStride;
  const uint64_t offset = (address - isa::kCoreWindowBase) % isa::kCoreWindowStride;
  if (number >= locals_.size() || offset >= end) return std::nullopt;
  return std::pair{static_cast<unsigned>(number), offset};
}

std::optional<Place> Memory::find(unsigned core, uint64_t address, uint64_t size) {
  if (const uint64_t offset = address - global_base_;
      address >= global_base_ && offset < global_->size()) {
    if (size > global_->size() - offset) return std::nullopt;
    return Place{global_.get(), offset};
  }
  const auto found = window(core, address);
  if (!found || found->second >= local_bytes_ || size > local_bytes_ - found->second)
    return std::nullopt;
  return Place{locals_[found->first].get(), found->second};
}

bool Memory::inDevicePage(unsigned core, uint64_t address) const {
  const auto found = window(core, address);
  return found && found->second >= local_bytes_;
}

std::optional<DeviceWord> Memory::findDeviceWord(unsigned core, uint64_t address) const {
  const auto found = window(core, address);
  if (!found || found->second < local_bytes_ || address % 4 != 0) return std::nullopt;
  const uint64_t word = (found->second - local_bytes_) / 4;
  if (word >= kSemaphores) return std::nullopt;
  return DeviceWord{found->first, static_cast<unsigned>(word)};
}

uint64_t Memory::canonicalAddress(uint16_t region, uint64_t offset) const {
  if (region == 0) return global_base_ + offset;
  return isa::kCoreWindowBase + (region - 1u) * isa::kCoreWindowStride + offset;
}

std::string Memory::describeMap() const {
  return fmt::format("global memory {:#x}..{:#x}, own local memory {:#x}..{:#x}", global_base_,
                     global_base_ + global_->size() - 1, isa::kLocalWindowBase,
                     isa::kLocalWindowBase + local_bytes_ - 1);
}

void Memory::reserve(unsigned core, const Place& place) {
  if (!reservations_[core].valid) ++reservation_count_;
  reservations_[core] = {true, place.region->id, place.offset / 8};
}

bool Memory::holdsReservation(unsigned core, const Place& place) const {
  const Reservation& r = reservations_[core];
  return r.valid && r.region == place.region->id && r.granule == place.offset / 8;
}

void Memory::dropReservation(unsigned core) {
  if (reservations_[core].valid) --reservation_count_;
  reservations_[core].valid = false;
}

void Memory::breakReservations(unsigned core, const Region& region, uint64_t offset,
                               uint64_t size) {
  for (unsigned other = 0; other < reservations_.size(); ++other) {
    const Reservation& r = reservations_[other];
    if (other == core || !r.valid || r.region != region.id) continue;
    if (r.granule * 8 < offset + size && offset < r.granule * 8 + 8) dropReservation(other);
  }
}

}  // namespace etalon::sim
