// SPDX-License-Identifier: Apache-2.0
#include "sim/arch/host_registers.h"

#include <algorithm>
#include <utility>

#include "isa/base/bits.h"
#include "isa/base/check.h"

namespace etalon::sim {
namespace {

using isa::HostRegister;
using isa::HostState;
using isa::LaunchEnd;

constexpr uint64_t kEntryBytes = 64, kMostEntriesLog2 = 16;

constexpr uint64_t put(isa::HostField field, uint64_t value) { return value << field.low; }
constexpr uint64_t take(isa::HostField field, uint64_t word) {
  return bits(word, field.high, field.low);
}

}  // namespace

std::optional<HostRegisters::Found> HostRegisters::find(uint64_t offset) const {
  for (const isa::HostRegisterInfo& info : isa::kHostRegisters) {
    Found found{{info.reg}, offset - info.offset};
    const auto split = [&found](unsigned stride, unsigned count, unsigned& number) {
      if (stride == 0) return true;
      if (found.displacement / stride >= count) return false;
      number = static_cast<unsigned>(found.displacement / stride);
      found.displacement %= stride;
      return true;
    };
    if (split(info.core_stride, device_.cores, found.place.core) &&
        split(info.window_stride, isa::kHostWindows, found.place.window) &&
        found.displacement < info.bytes)
      return found;
  }
  return std::nullopt;
}

HostAnswer HostRegisters::read(uint64_t offset, unsigned bytes, uint64_t& value) const {
  const auto found = find(offset);
  if (!found) return HostAnswer::no_register;
  const isa::HostRegisterInfo& info = isa::hostRegisterInfo(found->place.reg);
  if (found->displacement != 0 || bytes != info.bytes) return HostAnswer::wrong_width;
  if (!info.readable) return HostAnswer::wrong_access;
  value = readRegister(found->place);
  return HostAnswer::ok;
}

HostAnswer HostRegisters::write(uint64_t offset, unsigned bytes, uint64_t value) {
  const auto found = find(offset);
  if (!found) return HostAnswer::no_register;
  const isa::HostRegisterInfo& info = isa::hostRegisterInfo(found->place.reg);
  if (found->displacement != 0 || bytes != info.bytes) return HostAnswer::wrong_width;
  if (!info.writable) return HostAnswer::wrong_access;
  return writeRegister(found->place, value) ? HostAnswer::ok : HostAnswer::wrong_value;
}

uint64_t HostRegisters::readRegister(const HostRegisterPlace& place) const {
  switch (place.reg) {
    case HostRegister::id:
      return put(isa::kHostIdVersion, isa::kHostIdVersionValue) |
             put(isa::kHostIdCores, device_.cores) | put(isa::kHostIdDevice, device_.id);
    case HostRegister::control: break;  // is not read
    case HostRegister::state: return static_cast<uint64_t>(ring_.state);
    case HostRegister::interrupt:
      return put(isa::kHostInterruptPending, ring_.interrupt_pending) |
             put(isa::kHostInterruptEnable, ring_.interrupt_enabled);
    case HostRegister::ring_base: return ring_.base;
    case HostRegister::ring_size: return ring_.size_log2;
    case HostRegister::ring_head: return ring_.head;
    case HostRegister::doorbell: return ring_.doorbell;
    case HostRegister::completion_base: return ring_.completion_base;
    case HostRegister::completion_count: return ring_.completion_count;
    case HostRegister::completion_read: return ring_.completion_read;
    case HostRegister::mtime:
    case HostRegister::mtimecmp:
    case HostRegister::msip:
    case HostRegister::window_base:
    case HostRegister::window_size:
    case HostRegister::window_offset:
    case HostRegister::window_rights: return core_registers_.readRegister(place);
  }
  return 0;
}

bool HostRegisters::writeRegister(const HostRegisterPlace& place, uint64_t value) {
  const auto take_if = [value](bool taken, uint64_t& reg) {
    if (taken) reg = value;
    return taken;
  };
  switch (place.reg) {
    case HostRegister::control: return command(value);
    case HostRegister::interrupt:
      if (take(isa::kHostInterruptPending, value)) ring_.interrupt_pending = false;
      ring_.interrupt_enabled = take(isa::kHostInterruptEnable, value) != 0;
      return true;
    case HostRegister::ring_base:
      return take_if(ring_.atRest() && value % kEntryBytes == 0, ring_.base);
    case HostRegister::ring_size:
      return take_if(ring_.atRest() && value <= kMostEntriesLog2, ring_.size_log2);
    case HostRegister::completion_base:
      return take_if(ring_.atRest() && value % kEntryBytes == 0, ring_.completion_base);
    // Distances from what is behind: counts may wrap.
    case HostRegister::doorbell:
      return take_if(value - ring_.head <= ring_.entries() &&
                         value - ring_.head >= ring_.doorbell - ring_.head,
                     ring_.doorbell);
    case HostRegister::completion_read:
      return take_if(
          value - ring_.completion_read <= ring_.completion_count - ring_.completion_read,
          ring_.completion_read);
    case HostRegister::mtime:
    case HostRegister::mtimecmp:
    case HostRegister::msip: return core_registers_.writeRegister(place, value);
    case HostRegister::window_base:
    case HostRegister::window_size:
    case HostRegister::window_offset:
    case HostRegister::window_rights:
      return ring_.phase != Phase::running && core_registers_.writeRegister(place, value);
    case HostRegister::id:
    case HostRegister::state:
    case HostRegister::ring_head:
    case HostRegister::completion_count: break;  // are not written
  }
  return false;
}

bool HostRegisters::command(uint64_t value) {
  if (value == put(isa::kHostControlStart, 1)) return start();
  if (value == put(isa::kHostControlStop, 1)) {
    ring_.stopping = ring_.state == HostState::running;
    stopIfDue();
    return true;
  }
  if (value == put(isa::kHostControlAbort, 1)) {
    if (ring_.state == HostState::running) abort();
    return true;
  }
  if (value != put(isa::kHostControlReset, 1)) return false;
  ring_ = {};
  reset_due_ = true;
  return true;
}

bool HostRegisters::start() {
  const uint64_t bytes = ring_.entries() * kEntryBytes;
  if (ring_.state == HostState::running || !inGlobalMemory(ring_.base, bytes, kEntryBytes) ||
      !inGlobalMemory(ring_.completion_base, bytes, kEntryBytes))
    return false;
  ring_.state = HostState::running;
  return true;
}

void HostRegisters::abort() {
  ring_.stopping = true;
  if (ring_.phase == Phase::fetching || ring_.phase == Phase::running) ring_.aborting = true;
  if (ring_.phase == Phase::running && !ring_.asked) completeAborted();
  stopIfDue();
}

void HostRegisters::stopIfDue() {
  if (!ring_.stopping || ring_.phase != Phase::none) return;
  ring_.state = HostState::stopped;
  ring_.stopping = false;
}

HostRequest HostRegisters::next() {
  using Kind = HostRequest::Kind;
  if (std::exchange(reset_due_, false)) return {.kind = Kind::reset};
  const uint64_t entry = kEntryBytes * (ring_.entries() - 1);  // mask of an offset in a ring
  const bool room = ring_.completion_count - ring_.completion_read < ring_.entries();
  if (ring_.phase == Phase::none && ring_.state == HostState::running &&
      ring_.doorbell != ring_.head && room) {
    ring_.phase = Phase::fetching;
    ring_.asked = false;
  }
  const bool asked = std::exchange(ring_.asked, true);
  switch (ring_.phase) {
    case Phase::none: break;
    case Phase::fetching:
      if (asked) break;
      return {.kind = Kind::fetch, .address = ring_.base + (kEntryBytes * ring_.head & entry)};
    case Phase::running:
      if (!asked) return {.kind = Kind::begin, .launch = ring_.launch};
      if (ring_.aborting && !std::exchange(ring_.abort_asked, true)) return {.kind = Kind::abort};
      break;
    case Phase::recording:
      if (asked) break;
      return {.kind = Kind::record,
              .address = ring_.completion_base + (kEntryBytes * ring_.completion_count & entry),
              .record = ring_.record};
  }
  return {};
}

void HostRegisters::fetched(const isa::LaunchDescriptor& launch) {
  ETALON_CHECK(ring_.phase == Phase::fetching, "fetched() answers a request to fetch");
  ++ring_.head;
  ring_.launch = launch;
  ring_.phase = Phase::running;
  ring_.asked = false;
  if (ring_.aborting) return completeAborted();
  if (const auto defect = defectOf(launch))
    complete({.end = static_cast<uint32_t>(LaunchEnd::refused),
              .value = static_cast<uint64_t>(*defect)});
}

std::optional<isa::DescriptorDefect> HostRegisters::defectOf(
    const isa::LaunchDescriptor& launch) const {
  using isa::DescriptorDefect;
  if (std::ranges::any_of(launch.zero, [](uint8_t byte) { return byte != 0; }))
    return DescriptorDefect::reserved;
  if (launch.cores == 0 || uint64_t{launch.first_core} + launch.cores > device_.cores)
    return DescriptorDefect::cores;
  if (!inGlobalMemory(launch.entry, 4, 4)) return DescriptorDefect::entry;
  for (const uint64_t word : {launch.tohost, launch.fromhost})
    if (word != 0 && !inGlobalMemory(word, 8, 8)) return DescriptorDefect::tohost;
  return std::nullopt;
}

bool HostRegisters::inGlobalMemory(uint64_t address, uint64_t bytes, uint64_t alignment) const {
  return address % alignment == 0 && address >= device_.global_base &&
         bytes <= device_.global_bytes &&
         address - device_.global_base <= device_.global_bytes - bytes;
}

void HostRegisters::ended(const isa::CompletionRecord& record) {
  const bool began = ring_.phase == Phase::running && ring_.asked;
  ETALON_CHECK(began, "ended() is of a launch that began");
  if (ring_.aborting) return completeAborted();
  complete(record);
}

void HostRegisters::completeAborted() {
  complete({.end = static_cast<uint32_t>(LaunchEnd::aborted)});
}

void HostRegisters::complete(isa::CompletionRecord record) {
  record.tag = ring_.launch.tag;
  ring_.record = record;
  ring_.aborting = ring_.abort_asked = false;
  ring_.phase = Phase::recording;
  ring_.asked = false;
}

void HostRegisters::recorded() {
  ETALON_CHECK(ring_.phase == Phase::recording, "recorded() answers a request to record");
  ++ring_.completion_count;
  ring_.interrupt_pending = true;
  ring_.phase = Phase::none;
  stopIfDue();
}

}  // namespace etalon::sim
