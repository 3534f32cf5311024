// SPDX-License-Identifier: Apache-2.0
// RV64I. Each body is the meaning of the instruction of that name in rv64i.yaml; included by an executor.
#include "isa/state/semantics.h"

namespace etalon::isa::semantics {

inline uint64_t word(uint64_t value) { return static_cast<uint64_t>(signExtend(value, 32)); }
inline int64_t asSigned(uint64_t value) { return static_cast<int64_t>(value); }

template <CoreContext Core, class T>
void loadTo(Core& core, const Instruction& in, T) {
  T value;
  if (!core.load(core.x(in.rs1) + in.imm, value)) return;
  if constexpr (std::is_signed_v<T>)
    core.setX(in.rd, static_cast<uint64_t>(int64_t{value}));
  else
    core.setX(in.rd, value);
}

template <CoreContext Core>
void branchIf(Core& core, const Instruction& in, bool taken) {
  if (taken) core.jump(core.pc() + in.imm);
}

SEMANTICS(lui) { core.setX(in.rd, static_cast<uint64_t>(int64_t{in.imm})); }
SEMANTICS(auipc) { core.setX(in.rd, core.pc() + in.imm); }
SEMANTICS(jal) {
  if (core.jump(core.pc() + in.imm)) core.setX(in.rd, core.pc() + 4);
}
SEMANTICS(jalr) {
  if (core.jump((core.x(in.rs1) + in.imm) & ~uint64_t{1})) core.setX(in.rd, core.pc() + 4);
}
SEMANTICS(beq) { branchIf(core, in, core.x(in.rs1) == core.x(in.rs2)); }
SEMANTICS(bne) { branchIf(core, in, core.x(in.rs1) != core.x(in.rs2)); }
SEMANTICS(blt) { branchIf(core, in, asSigned(core.x(in.rs1)) < asSigned(core.x(in.rs2))); }
SEMANTICS(bge) { branchIf(core, in, asSigned(core.x(in.rs1)) >= asSigned(core.x(in.rs2))); }
SEMANTICS(bltu) { branchIf(core, in, core.x(in.rs1) < core.x(in.rs2)); }
SEMANTICS(bgeu) { branchIf(core, in, core.x(in.rs1) >= core.x(in.rs2)); }

SEMANTICS(lb) { loadTo(core, in, int8_t{}); }
SEMANTICS(lh) { loadTo(core, in, int16_t{}); }
SEMANTICS(lw) { loadTo(core, in, int32_t{}); }
SEMANTICS(ld) { loadTo(core, in, uint64_t{}); }
SEMANTICS(lbu) { loadTo(core, in, uint8_t{}); }
SEMANTICS(lhu) { loadTo(core, in, uint16_t{}); }
SEMANTICS(lwu) { loadTo(core, in, uint32_t{}); }
SEMANTICS(sb) { core.store(core.x(in.rs1) + in.imm, static_cast<uint8_t>(core.x(in.rs2))); }
SEMANTICS(sh) { core.store(core.x(in.rs1) + in.imm, static_cast<uint16_t>(core.x(in.rs2))); }
SEMANTICS(sw) { core.store(core.x(in.rs1) + in.imm, static_cast<uint32_t>(core.x(in.rs2))); }
SEMANTICS(sd) { core.store(core.x(in.rs1) + in.imm, core.x(in.rs2)); }

SEMANTICS(addi) { core.setX(in.rd, core.x(in.rs1) + in.imm); }
SEMANTICS(slti) { core.setX(in.rd, asSigned(core.x(in.rs1)) < in.imm); }
SEMANTICS(sltiu) { core.setX(in.rd, core.x(in.rs1) < static_cast<uint64_t>(int64_t{in.imm})); }
SEMANTICS(xori) { core.setX(in.rd, core.x(in.rs1) ^ int64_t{in.imm}); }
SEMANTICS(ori) { core.setX(in.rd, core.x(in.rs1) | int64_t{in.imm}); }
SEMANTICS(andi) { core.setX(in.rd, core.x(in.rs1) & int64_t{in.imm}); }
SEMANTICS(slli) { core.setX(in.rd, core.x(in.rs1) << in.imm); }
SEMANTICS(srli) { core.setX(in.rd, core.x(in.rs1) >> in.imm); }
SEMANTICS(srai) { core.setX(in.rd, static_cast<uint64_t>(asSigned(core.x(in.rs1)) >> in.imm)); }
SEMANTICS(add) { core.setX(in.rd, core.x(in.rs1) + core.x(in.rs2)); }
SEMANTICS(sub) { core.setX(in.rd, core.x(in.rs1) - core.x(in.rs2)); }
SEMANTICS(sll) { core.setX(in.rd, core.x(in.rs1) << (core.x(in.rs2) & 63)); }
SEMANTICS(slt) { core.setX(in.rd, asSigned(core.x(in.rs1)) < asSigned(core.x(in.rs2))); }
SEMANTICS(sltu) { core.setX(in.rd, core.x(in.rs1) < core.x(in.rs2)); }
SEMANTICS(xor_) { core.setX(in.rd, core.x(in.rs1) ^ core.x(in.rs2)); }
SEMANTICS(srl) { core.setX(in.rd, core.x(in.rs1) >> (core.x(in.rs2) & 63)); }
SEMANTICS(sra) {
  core.setX(in.rd, static_cast<uint64_t>(asSigned(core.x(in.rs1)) >> (core.x(in.rs2) & 63)));
}
SEMANTICS(or_) { core.setX(in.rd, core.x(in.rs1) | core.x(in.rs2)); }
SEMANTICS(and_) { core.setX(in.rd, core.x(in.rs1) & core.x(in.rs2)); }

SEMANTICS(addiw) { core.setX(in.rd, word(core.x(in.rs1) + in.imm)); }
SEMANTICS(slliw) { core.setX(in.rd, word(core.x(in.rs1) << in.imm)); }
SEMANTICS(srliw) { core.setX(in.rd, word(static_cast<uint32_t>(core.x(in.rs1)) >> in.imm)); }
SEMANTICS(sraiw) {
  core.setX(in.rd, word(static_cast<uint64_t>(signExtend(core.x(in.rs1), 32) >> in.imm)));
}
SEMANTICS(addw) { core.setX(in.rd, word(core.x(in.rs1) + core.x(in.rs2))); }
SEMANTICS(subw) { core.setX(in.rd, word(core.x(in.rs1) - core.x(in.rs2))); }
SEMANTICS(sllw) { core.setX(in.rd, word(core.x(in.rs1) << (core.x(in.rs2) & 31))); }
SEMANTICS(srlw) {
  core.setX(in.rd, word(static_cast<uint32_t>(core.x(in.rs1)) >> (core.x(in.rs2) & 31)));
}
SEMANTICS(sraw) {
  core.setX(in.rd, static_cast<uint64_t>(signExtend(core.x(in.rs1), 32) >> (core.x(in.rs2) & 31)));
}

SEMANTICS(fence) { core.orderScalar(bits(in.raw, 27, 24), bits(in.raw, 23, 20)); }
SEMANTICS(ecall) { core.trap(Cause::ecall, 0, Rule::scalar_ecall); }
SEMANTICS(ebreak) { core.trap(Cause::breakpoint, core.pc(), Rule::scalar_ebreak); }

}  // namespace etalon::isa::semantics
