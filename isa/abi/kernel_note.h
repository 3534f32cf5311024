// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "isa/abi/kernel_spec.h"
#include "isa/base/status.h"

namespace etalon::abi {

/// The launch note of a program image: the ELF note `Etalon`, type 1, in section `.note.etalon`.
///
/// Layout, little endian: u32 name size = 7, u32 descriptor size, u32 type = 1, "Etalon\0\0", then
/// the descriptor: u32 version = 1, u32 bytes of the argument block, the spec (kernel_spec.h) as
/// NUL-terminated UTF-8; zeros to 4 bytes.
inline constexpr std::string_view kNoteSection = ".note.etalon";
inline constexpr std::string_view kNoteName = "Etalon";
inline constexpr uint32_t kNoteType = 1;
inline constexpr uint32_t kNoteVersion = 1;

/// Finds and parses the launch note among the notes of a section (others are skipped); nullopt if
/// there is none.
///
/// Errors: notes that are cut short, two launch notes, an unknown version, a spec without its NUL
/// or that does not parse, a size of the argument block that is not the spec's: the struct in the
/// program and the spec would disagree.
Result<std::optional<KernelSpec>> parseKernelNote(std::span<const std::byte> section);

/// The section's bytes for a spec, for program builders; `args_bytes` goes in as given.
std::vector<std::byte> encodeKernelNote(std::string_view spec, uint32_t args_bytes);

}  // namespace etalon::abi
