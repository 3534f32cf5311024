// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace etalon::sim {

/// A minimal RISC-V executable: one segment of `words` at `address` (its entry point) and a symbol table.
/// For programs built without an assembler (isa::ProgramBuilder) and for tests.
std::vector<std::byte> writeElf(uint64_t address, std::span<const uint32_t> words,
                                const std::vector<std::pair<std::string, uint64_t>>& symbols);

}  // namespace etalon::sim
