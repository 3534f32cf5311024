// SPDX-License-Identifier: Apache-2.0
#include "sim/arch/memory.h"

#include <fmt/format.h>

#include <algorithm>

#include "sim/arch/race_report.h"

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

Result<std::unique_ptr<Memory>> Memory::create(const isa::Machine& machine, Values values,
                                               unsigned devices) {
  const bool joined = machine.hasProfile(isa::kNetProfile);
  if (devices < 1 || devices > isa::kMaxDevices)
    return Error{
        fmt::format("{} devices asked for; a cluster has 1 to {}", devices, isa::kMaxDevices)};
  if (devices > 1 && !joined)
    return Error{
        fmt::format("{} devices asked for; machine '{}' has no links to others (profile {}): "
                    "choose one that has, or one device",
                    devices, machine.displayName(), isa::kNetProfile)};
  std::unique_ptr<Memory> memory(new Memory);
  const Cluster cluster{devices, static_cast<unsigned>(machine.cores)};
  memory->cluster_ = cluster;
  memory->named_devices_ = joined ? devices : 0;
  memory->global_base_ = machine.global_base;
  memory->local_bytes_ = machine.local_bytes;
  const auto add = [&](auto& regions, uint64_t bytes, MemoryRegion region,
                       const std::string& what) {
    auto made = makeRegion(bytes, static_cast<uint16_t>(region.index), values, what);
    if (!made.ok()) return Status(made.error());
    (*made)->device = static_cast<uint16_t>(region.device(cluster));
    regions.push_back(std::move(*made));
    return Status();
  };
  for (unsigned device = 0; device < devices; ++device)
    ETALON_RETURN_IF_ERROR(add(memory->globals_, machine.global_bytes,
                               MemoryRegion::global(cluster, device),
                               "global memory" + cluster.deviceSuffix(device)));
  for (unsigned agent = 0; agent < cluster.agents(); ++agent)
    ETALON_RETURN_IF_ERROR(add(memory->locals_, machine.local_bytes,
                               MemoryRegion::local(static_cast<uint16_t>(agent)),
                               "local memory of " + cluster.coreName(agent)));
  for (unsigned device = 0; device < devices; ++device)
    memory->interrupts_.push_back(std::make_unique<InterruptRegisters>(cluster.cores));
  memory->windows_.resize(cluster.agents());
  memory->semaphores_.resize(cluster.agents());
  memory->reservations_.resize(cluster.agents());
  return memory;
}

std::optional<Memory::Target> Memory::target(unsigned agent, uint64_t address) const {
  const uint64_t id = address >> isa::kDeviceShift;
  if (id == 0) return Target{cluster_.device(agent), address};
  if (id > named_devices_) return std::nullopt;
  return Target{static_cast<unsigned>(id - 1), address - (id << isa::kDeviceShift)};
}

std::optional<std::pair<unsigned, uint64_t>> Memory::window(unsigned agent,
                                                            uint64_t address) const {
  const auto found = target(agent, address);
  return found ? window(agent, *found) : std::nullopt;
}

std::optional<std::pair<unsigned, uint64_t>> Memory::window(unsigned agent,
                                                            const Target& target) const {
  const uint64_t end = local_bytes_ + kDevicePageBytes;
  const uint64_t address = target.address;
  if (address >= isa::kLocalWindowBase && address - isa::kLocalWindowBase < end) {
    // There is no own core in another device.
    if (target.device != cluster_.device(agent)) return std::nullopt;
    return std::pair{agent, address - isa::kLocalWindowBase};
  }
  if (address < isa::kCoreWindowBase) return std::nullopt;
  const uint64_t number = (address - isa::kCoreWindowBase) / isa::kCoreWindowStride;
  const uint64_t offset = (address - isa::kCoreWindowBase) % isa::kCoreWindowStride;
  if (number >= cluster_.cores || offset >= end) return std::nullopt;
  return std::pair{cluster_.agent(target.device, static_cast<unsigned>(number)), offset};
}

std::optional<Place> Memory::find(unsigned agent, uint64_t address, uint64_t size) {
  const auto found = target(agent, address);
  if (!found) return std::nullopt;
  Region& global = *globals_[found->device];
  if (const uint64_t offset = found->address - global_base_;
      found->address >= global_base_ && offset < global.size()) {
    if (size > global.size() - offset) return std::nullopt;
    return Place{&global, offset};
  }
  const auto local = window(agent, *found);
  if (!local || local->second >= local_bytes_ || size > local_bytes_ - local->second)
    return std::nullopt;
  return Place{locals_[local->first].get(), local->second};
}

bool Memory::inDevicePage(unsigned agent, uint64_t address) const {
  const auto found = window(agent, address);
  return found && found->second >= local_bytes_;
}

std::optional<DeviceWord> Memory::findDeviceWord(unsigned agent, uint64_t address) const {
  const auto found = window(agent, address);
  if (!found || found->second < local_bytes_ || address % 4 != 0) return std::nullopt;
  const uint64_t word = (found->second - local_bytes_) / 4;
  if (word >= kSemaphores) return std::nullopt;
  return DeviceWord{found->first, static_cast<unsigned>(word)};
}

void Memory::setWindow(unsigned agent, unsigned index, const isa::Window& window) {
  windows_[agent].set(index, window);
  windows_in_force_ = std::ranges::any_of(windows_, &isa::Windows::inForce);
}

std::optional<unsigned> Memory::refusedBy(unsigned agent, uint64_t address, uint64_t size,
                                          uint8_t rights) const {
  if (!windows_in_force_) return std::nullopt;
  const auto found = window(agent, address);
  if (!found || found->first == agent || !windows_[found->first].inForce()) return std::nullopt;
  const uint64_t canonical =
      isa::kCoreWindowBase + cluster_.core(found->first) * isa::kCoreWindowStride + found->second;
  if (windows_[found->first].translate(canonical, size, rights)) return std::nullopt;
  return found->first;
}

uint64_t Memory::canonicalAddress(uint16_t region, uint64_t offset) const {
  const MemoryRegion where{region};
  const unsigned device = where.device(cluster_);
  const uint64_t field =
      cluster_.devices == 1 ? 0 : uint64_t{Cluster::id(device)} << isa::kDeviceShift;
  if (where.isGlobalOfAny(cluster_)) return field + global_base_ + offset;
  return field + isa::kCoreWindowBase + cluster_.core(region - 1u) * isa::kCoreWindowStride +
         offset;
}

std::string Memory::describeMap() const {
  return fmt::format("global memory {:#x}..{:#x}, own local memory {:#x}..{:#x}", global_base_,
                     global_base_ + globalBytes() - 1, isa::kLocalWindowBase,
                     isa::kLocalWindowBase + local_bytes_ - 1);
}

std::string Memory::describeMiss(uint64_t address) const {
  const uint64_t id = address >> isa::kDeviceShift;
  if (id <= named_devices_) return describeMap();
  if (named_devices_ == 0)
    return fmt::format("bits 63:48 are {}: they name a device only on a machine with profile {}",
                       id, isa::kNetProfile);
  return fmt::format("bits 63:48 are {}: there are devices 1 to {}, and 0 is the own one", id,
                     named_devices_);
}

void Memory::reserve(unsigned agent, const Place& place) {
  if (!reservations_[agent].valid) ++reservation_count_;
  reservations_[agent] = {true, place.region->id, place.offset / 8};
}

bool Memory::holdsReservation(unsigned agent, const Place& place) const {
  const Reservation& r = reservations_[agent];
  return r.valid && r.region == place.region->id && r.granule == place.offset / 8;
}

void Memory::dropReservation(unsigned agent) {
  if (reservations_[agent].valid) --reservation_count_;
  reservations_[agent].valid = false;
}

void Memory::breakReservations(unsigned agent, const Region& region, uint64_t offset,
                               uint64_t size) {
  for (unsigned other = 0; other < reservations_.size(); ++other) {
    const Reservation& r = reservations_[other];
    if (other == agent || !r.valid || r.region != region.id) continue;
    if (r.granule * 8 < offset + size && offset < r.granule * 8 + 8) dropReservation(other);
  }
}

}  // namespace etalon::sim
