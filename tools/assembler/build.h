// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "isa/base/status.h"
#include "tools/assembler/compile.h"
#include "tools/assembler/xet_rewriter.h"

namespace etalon::tools {

/// A program ready to be loaded.
struct Image {
  std::vector<std::byte> elf;
  std::string warnings;  ///< of the compiler; empty if it had nothing to say
};

struct BuildOptions {
  XetEncoder xet = {};          ///< encodes `et.*` statements, those of the runtime included
  CompileOptions compile = {};  ///< include_dirs of the runtime are added
};

/// Builds a program from one source file, by its extension: `.s` (assembly), `.S` (assembly behind
/// the C preprocessor), `.c`, `.cc`, `.cpp`.
///
/// A program that defines `_start` is linked alone; one that defines `main`
/// (`int main(void* args, unsigned long core, unsigned long cores)`, called on every core) gets the
/// runtime (tools/runtime). Image layout: tools/runtime/etalon.ld.
/// Errors: file and extension; neither `_start` nor `main`; those of assemble(), compileC(),
/// link().
Result<Image> buildProgram(const std::string& path, const BuildOptions& options);

}  // namespace etalon::tools
