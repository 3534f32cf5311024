// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "isa/base/status.h"

namespace etalon::tools {

/// Where the device runtime's files are.
struct RuntimeFiles {
  std::string folder;  ///< holds crt0.s, runtime.c, etalon.ld
  std::vector<std::string>
      include_dirs;  ///< for `#include <etalon/runtime.h>` and `<etalon/xet.h>`

  std::string script() const { return folder + "/etalon.ld"; }
  std::string startup() const { return folder + "/crt0.s"; }
  std::string library() const { return folder + "/runtime.c"; }
};

/// Looks in the folder that the environment variable ETALON_RUNTIME names (then nowhere else), in
/// `runtime` of the installation it runs from (isa/base/share_folder.h), in the source tree the
/// program was built from. The first with an etalon.ld is taken.
///
/// The intrinsics header `etalon/xet.h` is generated: in an installed runtime it stands in its
/// include folder, else in the build tree's.
/// Errors: none has it; all places looked at are named.
Result<RuntimeFiles> findRuntimeFiles();

}  // namespace etalon::tools
