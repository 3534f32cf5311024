// SPDX-License-Identifier: Apache-2.0
#include "tools/run/commit_line.h"

#include <fmt/format.h>

#include "isa/codec/codec.h"
#include "isa/codec/instruction_info.h"

namespace etalon::tools {

std::string commitLine(const sim::Core& core, const sim::Commit& commit) {
  const isa::Instruction& in = commit.instruction;
  std::string line =
      fmt::format("{} {:#x} {:#010x} {}", commit.core, commit.pc, in.raw, isa::disassemble(in.raw));
  if (in.rd != 0 && isa::writesX(in.id)) line += fmt::format(" ; x{}={:#x}", in.rd, core.x(in.rd));
  return line + "\n";
}

}  // namespace etalon::tools
