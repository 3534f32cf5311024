// SPDX-License-Identifier: Apache-2.0
#include "sim/arch/core.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "isa/machines/address_map.h"

namespace etalon::sim {

using isa::Cause;
using isa::Rule;

Core::Core(unsigned agent, const isa::Machine& machine, Memory& memory, Findings& findings,
           const numerics::Contract* contract)
    : agent_(agent),
      number_(memory.cluster().core(agent)),
      device_(memory.cluster().device(agent)),
      machine_(machine),
      contract_(contract),
      memory_(memory),
      findings_(findings),
      interrupts_(memory.interrupts(device_)),
      global_(memory.global(device_)),
      global_region_{global_.id},
      global_base_(memory.globalBase()) {
  limits_.windows = &memory.windows(agent);
  watch(nullptr);
  limits_.local_bytes = machine.local_bytes;
  limits_.core_window = isa::kCoreWindowBase + number_ * isa::kCoreWindowStride;
  if (machine.hasProfile(isa::kNetProfile)) limits_.device_id = Cluster::id(device_);
  limits_.macs_log2 = static_cast<int>(machine.macs_log2);
  limits_.elements_log2 = static_cast<int>(machine.elements_log2);
  limits_.bytes_log2 = static_cast<int>(machine.bytes_log2);
  limits_.profiles = " ";
  for (const std::string& profile : machine.profiles) limits_.profiles += profile + " ";
}

void Core::start(uint64_t entry, LaunchState& launch) {
  launch_ = &launch;
  pc_ = entry;
  state_ = CoreState::running;
}

void Core::trapWith(isa::Fault fault) {
  fault.core = static_cast<uint16_t>(agent_);
  fault.pc = pc_;
  fault.instruction = raw_;
  mepc_ = pc_;
  mcause_ = static_cast<uint64_t>(fault.cause);
  mtval_ = fault.value;
  findings_.add(std::move(fault));
  events_ |= event::trapped;
  if (!trap_vector_written_) return setState(CoreState::faulted);
  mpie_bit_ = mie_bit_;
  mie_bit_ = false;
  next_pc_ = mtvec_ & ~uint64_t{3};  // vectored mode moves interrupts only
}

void Core::orderScalar(uint64_t predecessors, uint64_t successors) {
  launch_->races().riscvFence(static_cast<uint16_t>(agent_),
                              static_cast<uint8_t>(predecessors << 4 | successors));
}

void Core::returnFromTrap() {
  mie_bit_ = mpie_bit_;
  mpie_bit_ = true;
  next_pc_ = mepc_;
  noteInterrupts();
}

bool Core::accessFault(Cause cause, uint64_t address, unsigned size) {
  trapWith({.cause = cause,
            .rule = Rule::mem_scalar_bounds,
            .value = address,
            .operand = "rs1",
            .detail = fmt::format("{} bytes at {:#x} are not inside any memory: {}", size, address,
                                  memory_.describeMiss(address))});
  return false;
}

bool Core::registerFault(Cause cause, uint64_t address, unsigned size) {
  trapWith({.cause = cause,
            .rule = Rule::mem_scalar_bounds,
            .value = address,
            .operand = "rs1",
            .detail = fmt::format("{} bytes at {:#x} are no device register that a core may {}",
                                  size, address, cause == Cause::load_access ? "read" : "write"),
            .hint = fmt::format("8 bytes at {:#x} are mtime, read only, at {:#x} the own mtimecmp; "
                                "4 bytes at {:#x} + 4 * c are msip of core c",
                                kTimeRegister, kTimeCompareRegisters + 8 * number_,
                                kSoftwareInterrupts)});
  return false;
}

bool Core::loadElsewhere(uint64_t written, unsigned size, uint64_t& value) {
  const auto resolved = resolve(written, size, isa::right::read);
  if (!resolved) return windowFault(Cause::load_access, written, size, isa::right::read);
  const uint64_t address = *resolved;
  if (const auto place = memory_.find(agent_, address, size)) {
    if (!noteRead(*place, size, "a scalar load")) return false;
    launch_->races().scalarLoad(site(), MemoryRegion{place->region->id}, place->offset, size);
    std::memcpy(&value, place->data(), size);
    return true;
  }
  if (const auto at = ownRegister(address)) {
    const auto word = interrupts_.load(number_, *at, size);
    if (!word) return registerFault(Cause::load_access, written, size);
    value = *word;
    return true;
  }
  if (!memory_.inDevicePage(agent_, address)) return accessFault(Cause::load_access, written, size);
  if (address % size != 0) {
    trap(Cause::load_misaligned, written, Rule::mem_scalar_misaligned);
    return false;
  }
  const auto word = memory_.findDeviceWord(agent_, address);
  if (!word || size != 4) return accessFault(Cause::load_access, written, size);
  value = memory_.semaphores(word->agent)[word->semaphore];
  return true;
}

bool Core::storeElsewhere(uint64_t written, unsigned size, uint64_t value) {
  const auto resolved = resolve(written, size, isa::right::write);
  if (!resolved) return windowFault(Cause::store_access, written, size, isa::right::write);
  const uint64_t address = *resolved;
  if (const auto place = memory_.find(agent_, address, size)) {
    std::memcpy(place->data(), &value, size);
    launch_->races().scalarStore(site(), MemoryRegion{place->region->id}, place->offset, size);
    finishStore(*place, size);
    return true;
  }
  if (const auto at = ownRegister(address)) {
    if (!interrupts_.store(number_, *at, size, value))
      return registerFault(Cause::store_access, written, size);
    noteInterrupts();
    return true;
  }
  if (!memory_.inDevicePage(agent_, address))
    return accessFault(Cause::store_access, written, size);
  if (address % size != 0) {
    trap(Cause::store_misaligned, written, Rule::mem_scalar_misaligned);
    return false;
  }
  const auto word = memory_.findDeviceWord(agent_, address);
  if (!word || size != 4) return accessFault(Cause::store_access, written, size);
  memory_.semaphores(word->agent)[word->semaphore] = static_cast<uint32_t>(value);
  return true;
}

std::optional<Place> Core::atomicPlace(uint64_t written, unsigned size, Cause misaligned,
                                       Cause access) {
  const uint8_t rights =
      access == Cause::load_access ? isa::right::read : isa::right::read | isa::right::write;
  const auto address = resolve(written, size, rights);
  if (!address) {
    windowFault(access, written, size, rights);
    return std::nullopt;
  }
  if (*address % size != 0) {
    trapWith({.cause = misaligned,
              .rule = Rule::mem_amo_align,
              .value = written,
              .operand = "rs1",
              .detail = fmt::format("address {:#x} is not a multiple of {}", *address, size)});
    return std::nullopt;
  }
  const auto place = memory_.find(agent_, *address, size);
  if (!place && memory_.inDevicePage(agent_, *address))
    trap(access, written, Rule::mem_amo_region);
  else if (!place)
    accessFault(access, written, size);
  return place;
}

bool Core::noteRead(const Place& place, unsigned size, std::string_view use) {
  if (place.region->poisoned(place.offset, size)) [[unlikely]]
    return stopAtPoison("rs1", use, *place.region,
                        *place.region->poison->first(place.offset, size));
  if (watchpoints_) noteWatched(*place.region, place.offset, size, false);
  if (!place.region->init.allSet(place.offset, size))
    noteUninitialised(*place.region, place.offset, size);
  return true;
}

void Core::finishAtomic(const Place& place, unsigned size, bool acquire, bool release) {
  launch_->races().atomic(site(), MemoryRegion{place.region->id}, place.offset, size,
                          {acquire, release});
  finishStore(place, size);
}

void Core::finishStore(const Place& place, unsigned size) {
  place.region->noteWritten(place.offset, size);
  if (watchpoints_) noteWatched(*place.region, place.offset, size, true);
  if (memory_.anyReservation())
    memory_.breakReservations(agent_, *place.region, place.offset, size);
  const bool global = place.region == &memory_.global(place.region->device);
  if (global && global_base_ + place.offset - tohost_ < 8) noteTohost(place.region->device);
}

void Core::noteUninitialised(Region& region, uint64_t offset, uint64_t size) {
  if (!launch_->observes()) return;
  const uint64_t first = region.init.firstUnset(offset, size).value_or(offset);
  findings_.add(UninitialisedRead{static_cast<uint16_t>(agent_), pc_, raw_,
                                  memory_.canonicalAddress(region.id, first), size});
}

void Core::watch(const std::vector<Watchpoint>* watchpoints) {
  watchpoints_ = watchpoints && !watchpoints->empty() ? watchpoints : nullptr;
  constexpr uint64_t kWidest = sizeof(uint64_t);
  const bool each = watchpoints_ || windowed() || memory_.values() == Values::left_out;
  direct_bytes_ = each ? 0 : memory_.globalBytes() - (kWidest - 1);
}

void Core::noteWatched(const Region& region, uint64_t offset, uint64_t size, bool write) {
  if (events_ & event::watched) return;
  // Every name that the core has for the bytes.
  const uint64_t canonical = memory_.canonicalAddress(region.id, offset);
  const bool own_device = region.device == device_;
  const bool own_local = MemoryRegion{region.id}.isLocalOf(static_cast<uint16_t>(agent_));
  const uint64_t names[] = {canonical, canonical - limits_.ownDevice(canonical),
                            isa::kLocalWindowBase + offset};
  for (const Watchpoint& watchpoint : *watchpoints_) {
    if (!(write ? watchpoint.writes : watchpoint.reads)) continue;
    for (const uint64_t address : std::span(names, own_local ? 3 : own_device ? 2 : 1)) {
      // Ends may wrap for hostile watchpoints: distances do not.
      if (watchpoint.address - address >= size && address - watchpoint.address >= watchpoint.size)
        continue;
      watch_hit_ = {watchpoint, std::max(address, watchpoint.address), write};
      events_ |= event::watched;
      return;
    }
  }
}

}  // namespace etalon::sim
