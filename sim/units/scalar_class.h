// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "isa/codec/instruction.h"

namespace etalon::sim {

/// How the scalar core times an instruction (docs/spec/microarchitecture.md, section 2).
enum class ScalarClass : uint8_t {
  simple,  // a cycle, result forwarded
  branch,  // also jumps
  multiply,
  divide,
  divide_word,
  fp,
  fp_divide,
  load,
  store,
  atomic,  // load-reserved and store-conditional too
  fence,   // of RISC-V
  csr,     // also et.ctr and et.semr: what they read depends on time
  flush,   // fence.i, traps and returns: the pipeline starts anew
  descriptor_load,
  descriptor_store,
  tile,  // goes to a unit
  signal,
  tile_fence,  // et.fence, et.fence.t, et.fence.v
  wait,
  barrier,
  sleep,  // wfi
  halt,
};

/// What the scalar core has to know of an instruction before it executes it.
struct ScalarInfo {
  ScalarClass scalar_class = ScalarClass::simple;
  isa::Unit unit = isa::Unit::scalar;
  uint16_t access_bytes = 0;  // of loads, stores, atomics and descriptors
  // Which register slots are x registers that it reads; whether it writes rd.
  bool reads_rd = false, reads_rs1 = false, reads_rs2 = false, reads_rs3 = false;
  bool writes_rd = false;
};

/// Of a decoded instruction, `illegal` included.
const ScalarInfo& scalarInfo(isa::InstructionId id);

}  // namespace etalon::sim
