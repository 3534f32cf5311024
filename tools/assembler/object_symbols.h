// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "isa/base/status.h"

namespace etalon::tools {

/// Whether an ELF object that assemble() or compileC() made defines a global symbol.
/// Errors: not an ELF object.
Result<bool> definesGlobal(const std::vector<std::byte>& object, std::string_view symbol);

}  // namespace etalon::tools
