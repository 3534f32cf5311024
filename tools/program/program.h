// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "isa/base/status.h"
#include "sim/arch/elf_image.h"

namespace etalon::tools {

/// A program as tools take it: the parsed image and what the compiler remarked on the way.
struct Program {
  sim::ElfImage image;
  std::string warnings;
};

/// Opens what a user names: an ELF image (told by its content, whatever its name), or a source file (`.s`, `.S`, `.c`,
/// `.cc`, `.cpp`) that is built first.
///
/// Errors: the file cannot be read, is no image and no known source, does not build; in a build without LLVM, a source
/// file, with the preset and packages that can build it.
Result<Program> openProgram(const std::string& path);

/// The bytes of the image that openProgram() would parse, for `etalon asm`.
struct BuiltImage {
  std::vector<std::byte> elf;
  std::string warnings;
};
Result<BuiltImage> buildSource(const std::string& path);

}  // namespace etalon::tools
