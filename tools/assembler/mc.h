// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "tools/assembler/diagnostic.h"

namespace etalon::tools {

/// What LLVM's assembler makes of a text: an object, or diagnostics (never both).
struct McResult {
  std::vector<std::byte> object;
  std::vector<SourceDiagnostic> diagnostics;  ///< `file` is empty: lines are those of the text
};

/// Runs LLVM's RISC-V assembler over `text`. To be called in a sandbox: it aborts when memory runs
/// out.
///
/// Inputs   files: names that `.loc N LINE` may use, N counting from 1, the main file
McResult runMc(const std::string& text, const std::vector<std::string>& files);

}  // namespace etalon::tools
