// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "isa/base/status.h"
#include "validation/fuzz/program.h"

namespace etalon::fuzz {

/// The program as an ELF image for `cores.size()` cores of randomProgramMachine(): code, descriptors, values. The same
/// bytes for the same program. Errors: more code than global memory has room for.
Result<std::vector<std::byte>> makeImage(const Program& program);

/// For people: the steps of every core as assembly text, with the registers they set up.
std::string listing(const Program& program);

}  // namespace etalon::fuzz
