// SPDX-License-Identifier: Apache-2.0
#include "tools/run/commit_line.h"

#include <fmt/format.h>

#include <algorithm>

#include "isa/codec/codec.h"

namespace etalon::tools {
namespace {

bool writesX(isa::InstructionId id) {
  return std::ranges::any_of(isa::instructionInfo(id).operands(), [](const isa::OperandInfo& o) {
    return o.kind == isa::OperandKind::x && o.name == "rd";
  });
}

}  // namespace

std::string commitLine(const sim::Core& core, const sim::Commit& commit) {
  const isa::Instruction& in = commit.instruction;
  std::string line =
      fmt::format("{} {:#x} {:#010x} {}", commit.core, commit.pc, in.raw, isa::disassemble(in.raw));
  if (in.id != isa::InstructionId::illegal && in.rd != 0 && writesX(in.id))
    line += fmt::format(" ; x{}={:#x}", in.rd, core.x(in.rd));
  return line + "\n";
}

}  // namespace etalon::tools
