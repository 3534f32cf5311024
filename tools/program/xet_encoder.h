// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tools/assembler/xet_rewriter.h"

namespace etalon::tools {

/// Encodes `et.*` statements by the ISA description, as `.4byte 0x...`. Operands are registers, integers and names of
/// modes; symbols and expressions are refused, because the assembler never sees the statement.
XetEncoder xetEncoder();

}  // namespace etalon::tools
