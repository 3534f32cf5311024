// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "isa/base/status.h"

namespace etalon::tools {

struct CompileOptions {
  std::string clang = "clang-19";  ///< program; a name without slash is looked for in PATH
  std::vector<std::string> include_dirs = {};  ///< searched after the folder of the source
  std::vector<std::string> flags = {};  ///< passed on as they are, after ours: `-DN=5`, `-O0`
};

/// An object and what the compiler remarked while it made it.
struct CompiledObject {
  std::vector<std::byte> object;
  std::string warnings;
};

/// Compiles C (`.c`, C17) or C++ (`.cc`, `.cpp`, C++20) for a core (rv64ima_zicsr_zifencei_zfinx,
/// lp64, freestanding) with clang-19 in a child process, no shell between.
///
/// Always `-O2 -g`, no exceptions, no RTTI. `-ffp-contract=off`: numbers are specified to the bit,
/// so the compiler fuses nothing that the source does not spell as fma; `-fno-math-errno` lets it
/// turn
/// `__builtin_fmaf` into the one instruction. Globals with constructors are an error, since every
/// core enters the program and none could run them for all. The compilation directory is recorded
/// as `.`. `double` compiles but has no library to call: the linker then names the missing
/// function.
///
/// Errors: the file cannot be read; unknown extension; clang is missing (with the package to
/// install); clang's own diagnostics, all of them.
Result<CompiledObject> compileC(const std::string& path, const CompileOptions& options);

/// Runs the C preprocessor over an assembly file (`.S`). Its line markers keep the places.
Result<std::string> preprocess(const std::string& path, const CompileOptions& options);

}  // namespace etalon::tools
