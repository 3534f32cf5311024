// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "isa/base/status.h"
#include "tools/assembler/xet_rewriter.h"

namespace etalon::tools {

/// Assembles RISC-V text (rv64ima_zicsr_zifencei_zfinx, lp64) to a relocatable ELF object, with
/// LLVM's assembler in a sandboxed child process (sandbox.h), so that no input can take the caller
/// down, fill its memory or write to its stderr.
///
/// Debug lines: every instruction is mapped to its file and line, `et.*` statements too (an `et.*`
/// statement in a macro to its line in the macro's body, other instructions to the macro's use).
/// Line markers of the C preprocessor are honoured. The compilation directory is recorded as `.`:
/// the same text gives the same bytes anywhere.
///
/// Inputs   source: at most 1 MiB, empty is fine; file_name: for messages and debug lines;
/// `.include`
///          is relative to the including file, `.incbin` to the directory of file_name.
///          xet: encodes `et.*` statements; an empty function refuses them all.
/// Errors   one Error with every diagnostic, each `file:line:col: message` and the source line;
///          limits of time and memory by name.
Result<std::vector<std::byte>> assemble(std::string_view source, const std::string& file_name,
                                        const XetEncoder& xet);

}  // namespace etalon::tools
