// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "isa/base/status.h"

namespace etalon::tools {

/// One relocatable ELF object; the name stands for it in messages.
struct ObjectFile {
  std::string name;
  std::vector<std::byte> bytes;
};

struct LinkOptions {
  std::string script;            ///< path of the linker script
  std::string entry = "_start";  ///< symbol the cores start at
};

/// Links objects to an executable RISC-V ELF image, with lld in a sandboxed child process.
///
/// Memory layout is the script's. The result depends on the bytes and names of the objects and the
/// script only. Errors: a script that cannot be read; everything lld complains about, undefined and
/// duplicate symbols with the source lines that name them, in one Error.
Result<std::vector<std::byte>> link(const std::vector<ObjectFile>& objects,
                                    const LinkOptions& options);

}  // namespace etalon::tools
