// SPDX-License-Identifier: Apache-2.0
// For tests: what hosts launch.
#pragma once

#include "isa/codec/program_builder.h"

namespace etalon::sim {

/// Each core stores to the argument block, behind its first word, that word plus its index in the launch; halts.
inline void addIndex(isa::ProgramBuilder& p) {
  p.csrrs(isa::X{5}, 0xf14, isa::X{0});
  p.sub(isa::X{5}, isa::X{5}, isa::X{14});
  p.ld(isa::X{6}, 0, isa::X{10});
  p.add(isa::X{6}, isa::X{6}, isa::X{5});
  p.slli(isa::X{5}, isa::X{5}, 3);
  p.add(isa::X{5}, isa::X{5}, isa::X{10});
  p.sd(isa::X{6}, 8, isa::X{5});
  p.et_halt();
}

inline void forever(isa::ProgramBuilder& p) {
  const auto loop = p.label();
  p.bind(loop);
  p.jal(isa::X{0}, loop);
}

}  // namespace etalon::sim
