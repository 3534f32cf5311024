// SPDX-License-Identifier: Apache-2.0
// Control and status registers of a core (isa/instructions/csrs.yaml, counters.yaml).
#include <fmt/format.h>

#include "isa/codec/instruction_info.h"
#include "isa/csr.h"
#include "isa/interrupt.h"
#include "sim/arch/core.h"

namespace etalon::sim {
namespace {

constexpr uint64_t kMisa =
    uint64_t{2} << 62 | 1u << ('I' - 'A') | 1u << ('M' - 'A') | 1u << ('A' - 'A');
constexpr uint64_t kMachineMode = uint64_t{3} << 11;  // mstatus.MPP, the only mode there is
constexpr uint64_t kInterruptBits = [] {
  uint64_t all = 0;
  for (const isa::InterruptInfo& info : isa::kInterrupts) all |= isa::interruptBit(info.interrupt);
  return all;
}();
constexpr uint64_t kIsaVersion = 1;

/// mhpmcounter3..31 and mhpmevent3..31 exist and are zero.
bool isHardwiredZero(uint32_t number) {
  return (number >= 0xb03 && number <= 0xb1f) || (number >= 0x323 && number <= 0x33f) ||
         number == isa::csr::kMcountinhibit;
}
bool csrExists(uint32_t number) {
  return isHardwiredZero(number) || isa::csrNumbered(number) != nullptr;
}
bool isCounter(uint32_t number) {
  return number >= isa::csr::kCounterBase && number < isa::csr::kCounterBase + isa::kCounterSlots;
}

}  // namespace

bool Core::csrWritable(uint32_t number) {
  const bool read_only = bits(number, 11, 10) == 3 || isCounter(number);
  return csrExists(number) && !read_only;
}

bool Core::csrAccessible(uint32_t number, bool writes) {
  const bool exists = csrExists(number);
  if (writes ? csrWritable(number) : exists) return true;
  trapWith({.cause = isa::Cause::illegal,
            .rule = isa::Rule::csr_access,
            .value = raw_,
            .operand = "csr",
            .detail = exists ? fmt::format("CSR {:#x} is read-only", number)
                             : fmt::format("there is no CSR {:#x}", number)});
  return false;
}

uint64_t Core::readCsr(uint32_t number) const {
  namespace csr = isa::csr;
  switch (number) {
    case csr::kFflags: return bits(fcsr_, 4, 0);
    case csr::kFrm: return bits(fcsr_, 7, 5);
    case csr::kFcsr: return fcsr_;
    case csr::kMstatus: return kMachineMode | uint64_t{mie_bit_} << 3 | uint64_t{mpie_bit_} << 7;
    case csr::kMisa: return kMisa;
    case csr::kMie: return mie_;
    case csr::kMip: return pendingInterrupts();
    case csr::kMtvec: return mtvec_;
    case csr::kMscratch: return mscratch_;
    case csr::kMepc: return mepc_;
    case csr::kMcause: return mcause_;
    case csr::kMtval: return mtval_;
    case csr::kEtstatus: return etstatus_;
    case csr::kEtbar: return etbar_;
    case csr::kEtseed: return etseed_;
    case csr::kEtstream: return etstream_;
    case csr::kMcycle:
    case csr::kCycle: return cycles_.value_or(retired_) + static_cast<uint64_t>(cycle_offset_);
    case csr::kMinstret:
    case csr::kInstret: return retired_ + static_cast<uint64_t>(instret_offset_);
    case csr::kMhartid: return number_;
    case csr::kEtversion: return kIsaVersion;
    case csr::kEtprofiles: return machine_.profile_bits;
    case csr::kEtlocalbytes: return machine_.local_bytes;
    case csr::kEtlocalbase: return isa::kLocalWindowBase;
    case csr::kEtself: return uint64_t{Cluster::id(device_)} << 16 | number_;
    case csr::kEtcontract: return contract_ != nullptr ? contract_->hash : 0;
    case csr::kEtworkcap:
      return machine_.macs_log2 | machine_.elements_log2 << 8 | machine_.bytes_log2 << 16;
    default: break;
  }
  if (number >= csr::kEtindexld && number <= csr::kEtindexv)
    return index_pc_[number - csr::kEtindexld];
  if (number >= csr::kEterrmx && number <= csr::kEterrst)
    return unit_errors_[number - csr::kEterrmx];
  if (isCounter(number)) {
    const auto counter = static_cast<isa::Counter>(number - csr::kCounterBase);
    return counter == isa::Counter::retired_scalar ? retiredScalar() : this->counter(counter);
  }
  return 0;
}

void Core::writeCsr(uint32_t number, uint64_t value) {
  namespace csr = isa::csr;
  switch (number) {
    case csr::kFflags: fcsr_ = (fcsr_ & ~uint64_t{0x1f}) | (value & 0x1f); break;
    case csr::kFrm: fcsr_ = (fcsr_ & 0x1f) | (value & 7) << 5; break;
    case csr::kFcsr: fcsr_ = value & 0xff; break;
    case csr::kMstatus:
      mie_bit_ = bits(value, 3, 3);
      mpie_bit_ = bits(value, 7, 7);
      break;
    case csr::kMie: mie_ = value & kInterruptBits; break;
    case csr::kMtvec:
      mtvec_ = value & ~uint64_t{2};
      trap_vector_written_ = true;
      break;
    case csr::kMscratch: mscratch_ = value; break;
    case csr::kMepc: mepc_ = value & ~uint64_t{3}; break;
    case csr::kMcause: mcause_ = value; break;
    case csr::kMtval: mtval_ = value; break;
    case csr::kEtstatus: etstatus_ = value & 1; break;
    case csr::kEtbar: etbar_ = value & ~uint64_t{3}; break;
    case csr::kEtseed: etseed_ = value; break;
    case csr::kEtstream: etstream_ = value; break;
    // A write suppresses this instruction's own increment, so that the next one reads the value written.
    case csr::kMcycle:
      cycle_offset_ = static_cast<int64_t>(value - cycles_.value_or(retired_ + 1));
      break;
    case csr::kMinstret: instret_offset_ = static_cast<int64_t>(value - (retired_ + 1)); break;
    default: break;
  }
  if (number >= csr::kEtindexld && number <= csr::kEtindexv)
    index_pc_[number - csr::kEtindexld] = value;
  if (number >= csr::kEterrmx && number <= csr::kEterrst)
    unit_errors_[number - csr::kEterrmx] = value;
  noteInterrupts();
}

uint64_t Core::retiredScalar() const {
  uint64_t others = 0;
  for (auto c = isa::Counter::retired_setup; c <= isa::Counter::retired_sync;
       c = static_cast<isa::Counter>(static_cast<int>(c) + 1))
    others += counter(c);
  return retired_ - others;
}

}  // namespace etalon::sim
