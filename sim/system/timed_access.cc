// SPDX-License-Identifier: Apache-2.0
// Scalar loads, stores and atomics in time.
#include "isa/machines/address_map.h"
#include "sim/system/timed_core.h"

namespace etalon::sim {

void TimedCore::request(const ScalarAccess& access) {
  ++(access.write ? writes_pending_ : reads_pending_);
  uplink_.access(core_.number(), access, scalar_time_);
}

void TimedCore::scalarReply(bool write) {
  if (write) {
    --writes_pending_;
    return;
  }
  reads_served_ = --reads_pending_ == 0;
}

bool TimedCore::hits(CacheModel& cache, uint64_t address, uint64_t bytes) {
  for (uint64_t line = cache.line(address); line < address + bytes; line += cache.lineBytes())
    if (!cache.hit(line)) return false;
  return true;
}

bool TimedCore::filled(CacheModel& cache, uint64_t address, uint64_t bytes) {
  if (reads_pending_ != 0) return false;
  for (uint64_t line = cache.line(address); line < address + bytes; line += cache.lineBytes()) {
    if (cache.hit(line)) continue;
    if (reads_served_)
      cache.fill(line);
    else
      request({line, static_cast<uint32_t>(cache.lineBytes()), false});
  }
  reads_served_ = false;
  return reads_pending_ == 0;
}

std::optional<ByteSpan> TimedCore::ownLocal(uint64_t address, uint64_t bytes) const {
  for (const uint64_t window : {isa::kLocalWindowBase, core_.limits().core_window}) {
    const uint64_t offset = address - window;
    if (offset < core_.limits().local_bytes && bytes <= core_.limits().local_bytes - offset)
      return ByteSpan{offset, offset + bytes};
  }
  return std::nullopt;
}

namespace {

uint8_t rightsOf(const isa::Instruction& in, const ScalarInfo& info) {
  switch (info.scalar_class) {
    case ScalarClass::load:
    case ScalarClass::descriptor_load: return isa::right::read;
    case ScalarClass::store:
    case ScalarClass::descriptor_store: return isa::right::write;
    default: break;
  }
  const bool reserves = in.id == isa::InstructionId::lr_w || in.id == isa::InstructionId::lr_d;
  return reserves ? isa::right::read : isa::right::read | isa::right::write;
}

}  // namespace

TimedCore::Attempt TimedCore::issueAccess(const isa::Instruction& in, const ScalarInfo& info,
                                          Cycles now) {
  const bool has_offset =
      info.scalar_class == ScalarClass::load || info.scalar_class == ScalarClass::store;
  const uint64_t written =
      core_.x(in.rs1) + (has_offset ? static_cast<uint64_t>(int64_t{in.imm}) : 0);
  const bool loads =
      info.scalar_class == ScalarClass::load || info.scalar_class == ScalarClass::descriptor_load;
  const auto meant = core_.resolve(written, info.access_bytes, rightsOf(in, info));
  if (!meant) {
    if (scalar_time_ > now) return Attempt::later;
    execute(in, info);  // traps
    return Attempt::issued;
  }
  const uint64_t address = *meant - core_.limits().ownDevice(*meant);
  Memory& memory = device_.memory();
  const bool global = address >= memory.globalBase() &&
                      address - memory.globalBase() < memory.globalBytes() &&
                      info.access_bytes <= memory.globalBytes() - (address - memory.globalBase());
  // A descriptor comes a line a cycle.
  const Cycles cycles =
      (info.access_bytes + timing_.scalar.line_bytes - 1) / timing_.scalar.line_bytes;
  if (loads && global) {
    if (!hits(dcache_, address, info.access_bytes)) {
      if (scalar_time_ > now) return Attempt::later;
      if (!filled(dcache_, address, info.access_bytes)) return hold(Activity::cache_miss);
    }
    execute(in, info, cycles, cycles + timing_.scalar.load_use);
    return Attempt::issued;
  }
  if (scalar_time_ > now) return Attempt::later;
  if (const auto local = ownLocal(address, info.access_bytes)) return issueLocal(in, info, *local);
  if (core_.ownRegister(address)) return issueRegister(in, info);
  const bool elsewhere = memory.find(core_.agent(), address, info.access_bytes).has_value() ||
                         memory.inDevicePage(core_.agent(), address);
  if (!global && !elsewhere) {
    execute(in, info);  // traps
    return Attempt::issued;
  }
  if (!loads && info.scalar_class != ScalarClass::atomic) return issueStore(in, info, address);
  return issueUncached(in, info, address);
}

TimedCore::Attempt TimedCore::issueLocal(const isa::Instruction& in, const ScalarInfo& info,
                                         const ByteSpan& bytes) {
  const bool writes =
      info.scalar_class != ScalarClass::load && info.scalar_class != ScalarClass::descriptor_load;
  bool held = false;
  window_.forEach([&](const DispatchWindow::Entry& entry) {
    const Hazard hazard = hazardOfLocalAccess(entry.token, bytes, writes);
    held |= hazard == Hazard::after_write ||
            (hazard == Hazard::write_after_read && entry.read_done > scalar_time_);
  });
  if (held) return hold(Activity::local);
  const Cycles cycles =
      (bytes.hi - bytes.lo + timing_.scalar.line_bytes - 1) / timing_.scalar.line_bytes;
  execute(in, info, cycles, cycles - 1 + timing_.scalar.local);
  return Attempt::issued;
}

TimedCore::Attempt TimedCore::issueStore(const isa::Instruction& in, const ScalarInfo& info,
                                         uint64_t address) {
  if (writes_pending_ >= timing_.scalar.store_buffer) return hold(Activity::memory);
  const Cycles now = scalar_time_;
  if (execute(in, info).trapped) return Attempt::issued;
  ++writes_pending_;
  uplink_.access(core_.number(), {address, info.access_bytes, true}, now);
  return Attempt::issued;
}

TimedCore::Attempt TimedCore::issueRegister(const isa::Instruction& in, const ScalarInfo& info) {
  const uint64_t pc = core_.pc();
  const Cycles now = scalar_time_;
  if (execute(in, info, 1, timing_.scalar.local).trapped) return Attempt::issued;
  if (info.scalar_class == ScalarClass::store)
    stallUntil(Activity::memory, uplink_.registerWritten(core_.number(), now), pc);
  return Attempt::issued;
}

TimedCore::Attempt TimedCore::issueUncached(const isa::Instruction& in, const ScalarInfo& info,
                                            uint64_t address) {
  if (writes_pending_ != 0) return hold(Activity::fence);
  if (!reads_served_) {
    if (reads_pending_ == 0) request({address, info.access_bytes, false});
    return hold(Activity::memory);
  }
  reads_served_ = false;
  if (info.scalar_class == ScalarClass::atomic) dcache_.clear();  // it may acquire
  execute(in, info);
  return Attempt::issued;
}

}  // namespace etalon::sim
