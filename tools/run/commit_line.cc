// SPDX-License-Identifier: Apache-2.0
#include "tools/run/commit_line.h"

#include <fmt/format.h>

#include "isa/codec/codec.h"
#include "isa/codec/instruction_info.h"

namespace etalon::tools {

std::string commitLine(const sim::Cluster& cluster, const sim::Core& core,
                       const sim::Commit& commit) {
  std::string number = fmt::format("{}", core.number());
  if (cluster.devices > 1) number = fmt::format("{}.{}", sim::Cluster::id(core.device()), number);
  const isa::Instruction& in = commit.instruction;
  std::string line =
      fmt::format("{} {:#x} {:#010x} {}", number, commit.pc, in.raw, isa::disassemble(in.raw));
  if (in.rd != 0 && isa::writesX(in.id)) line += fmt::format(" ; x{}={:#x}", in.rd, core.x(in.rd));
  return line + "\n";
}

}  // namespace etalon::tools
