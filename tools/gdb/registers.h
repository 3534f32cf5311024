// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "sim/arch/core.h"

namespace etalon::tools::gdb {

// Numbers of registers as the target description gives them: x0 to x31, pc,
// then every CSR by its own number.
inline constexpr uint64_t kPcNumber = 32;
inline constexpr uint64_t kFirstCsrNumber = 65;
/// Registers that `g` and `G` hold, in order: x0 to x31 and pc.
inline constexpr uint64_t kGeneralRegisters = 33;

/// The description that a debugger asks for: riscv:rv64 with the registers
/// above.
const std::string& targetDescription();

/// The value of a register; nothing if there is none of the number.
std::optional<uint64_t> readRegister(const sim::Core& core, uint64_t number);

/// False if there is no such register, it is read-only, counts by itself, or
/// cannot hold the value (a pc that is odd).
bool writeRegister(sim::Core& core, uint64_t number, uint64_t value);

}  // namespace etalon::tools::gdb
