// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace etalon::sim {

/// A section that is not loaded: a note, debug information.
struct ElfSection {
  std::string name;
  std::vector<std::byte> bytes;
};

/// A minimal RISC-V executable: one segment of `words` at `address` (its entry point), a symbol table and `sections`.
/// For programs built without an assembler (isa::ProgramBuilder) and for tests.
std::vector<std::byte> writeElf(uint64_t address, std::span<const uint32_t> words,
                                const std::vector<std::pair<std::string, uint64_t>>& symbols,
                                const std::vector<ElfSection>& sections = {});

}  // namespace etalon::sim
