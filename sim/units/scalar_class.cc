// SPDX-License-Identifier: Apache-2.0
#include "sim/units/scalar_class.h"

#include <array>
#include <string_view>

#include "isa/codec/instruction_info.h"
#include "isa/state/chain_descriptor.h"
#include "isa/state/tile_register.h"
#include "isa/state/view_descriptor.h"

namespace etalon::sim {
namespace {

using isa::InstructionId;

ScalarClass classOf(const isa::InstructionInfo& info) {
  switch (info.id) {
    case InstructionId::jal:
    case InstructionId::jalr:
    case InstructionId::beq:
    case InstructionId::bne:
    case InstructionId::blt:
    case InstructionId::bge:
    case InstructionId::bltu:
    case InstructionId::bgeu: return ScalarClass::branch;
    case InstructionId::mul:
    case InstructionId::mulh:
    case InstructionId::mulhsu:
    case InstructionId::mulhu:
    case InstructionId::mulw: return ScalarClass::multiply;
    case InstructionId::div:
    case InstructionId::divu:
    case InstructionId::rem:
    case InstructionId::remu: return ScalarClass::divide;
    case InstructionId::divw:
    case InstructionId::divuw:
    case InstructionId::remw:
    case InstructionId::remuw: return ScalarClass::divide_word;
    case InstructionId::fdiv_s:
    case InstructionId::fsqrt_s: return ScalarClass::fp_divide;
    case InstructionId::fsgnj_s:
    case InstructionId::fsgnjn_s:
    case InstructionId::fsgnjx_s: return ScalarClass::simple;
    case InstructionId::lb:
    case InstructionId::lh:
    case InstructionId::lw:
    case InstructionId::ld:
    case InstructionId::lbu:
    case InstructionId::lhu:
    case InstructionId::lwu: return ScalarClass::load;
    case InstructionId::sb:
    case InstructionId::sh:
    case InstructionId::sw:
    case InstructionId::sd: return ScalarClass::store;
    case InstructionId::fence: return ScalarClass::fence;
    case InstructionId::fence_i:
    case InstructionId::ecall:
    case InstructionId::ebreak:
    case InstructionId::mret: return ScalarClass::flush;
    case InstructionId::wfi: return ScalarClass::sleep;
    case InstructionId::et_tld:
    case InstructionId::et_vld:
    case InstructionId::et_cld: return ScalarClass::descriptor_load;
    case InstructionId::et_tst:
    case InstructionId::et_vst:
    case InstructionId::et_cst: return ScalarClass::descriptor_store;
    case InstructionId::et_fence:
    case InstructionId::et_fence_t:
    case InstructionId::et_fence_v: return ScalarClass::tile_fence;
    case InstructionId::et_sig: return ScalarClass::signal;
    case InstructionId::et_wait:
    case InstructionId::et_waitsub: return ScalarClass::wait;
    case InstructionId::et_barrier: return ScalarClass::barrier;
    case InstructionId::et_halt: return ScalarClass::halt;
    case InstructionId::et_semr:
    case InstructionId::et_ctr: return ScalarClass::csr;
    default: break;
  }
  if (info.unit == isa::Unit::matrix || info.unit == isa::Unit::vector ||
      info.unit == isa::Unit::load || info.unit == isa::Unit::store)
    return ScalarClass::tile;
  if (info.group == "zfinx") return ScalarClass::fp;
  if (info.group == "rv64a") return ScalarClass::atomic;
  if (info.group == "zicsr") return ScalarClass::csr;
  return ScalarClass::simple;
}

uint16_t accessBytes(InstructionId id, std::string_view name) {
  switch (id) {
    case InstructionId::lb:
    case InstructionId::lbu:
    case InstructionId::sb: return 1;
    case InstructionId::lh:
    case InstructionId::lhu:
    case InstructionId::sh: return 2;
    case InstructionId::lw:
    case InstructionId::lwu:
    case InstructionId::sw: return 4;
    case InstructionId::ld:
    case InstructionId::sd: return 8;
    case InstructionId::et_tld:
    case InstructionId::et_tst: return isa::kTileImageBytes;
    case InstructionId::et_vld:
    case InstructionId::et_vst: return isa::kViewImageBytes;
    case InstructionId::et_cld:
    case InstructionId::et_cst: return isa::kChainImageBytes;
    default: break;
  }
  return name.ends_with(".w") ? 4 : 8;
}

std::array<ScalarInfo, isa::kInstructions> makeTable() {
  constexpr unsigned kRd = 7, kRs1 = 15, kRs2 = 20, kRs3 = 27;  // lowest bits of the slots
  std::array<ScalarInfo, isa::kInstructions> table{};
  // An illegal instruction traps.
  table[static_cast<size_t>(InstructionId::illegal)].scalar_class = ScalarClass::flush;
  for (const isa::InstructionInfo& info : isa::instructionTable()) {
    ScalarInfo& row = table[static_cast<size_t>(info.id)];
    row.scalar_class = classOf(info);
    row.unit = info.unit;
    row.writes_rd = isa::writesX(info.id);
    switch (row.scalar_class) {
      case ScalarClass::load:
      case ScalarClass::store:
      case ScalarClass::atomic:
      case ScalarClass::descriptor_load:
      case ScalarClass::descriptor_store: row.access_bytes = accessBytes(info.id, info.name); break;
      default: break;
    }
    for (const isa::OperandInfo& operand : info.operands()) {
      if (operand.kind != isa::OperandKind::x || operand.piece_count == 0) continue;
      switch (operand.pieces[0].insn_low) {
        case kRd: row.reads_rd = !row.writes_rd; break;
        case kRs1: row.reads_rs1 = true; break;
        case kRs2: row.reads_rs2 = true; break;
        case kRs3: row.reads_rs3 = true; break;
        default: break;
      }
    }
  }
  return table;
}

}  // namespace

const ScalarInfo& scalarInfo(isa::InstructionId id) {
  static const std::array<ScalarInfo, isa::kInstructions> kTable = makeTable();
  return kTable[static_cast<size_t>(id)];
}

}  // namespace etalon::sim
