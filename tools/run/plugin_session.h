// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "isa/base/status.h"
#include "tools/run/session.h"

namespace etalon::tools {

/// runProgram() on the plug-in of the request, which runs in a worker process.
///
/// The image runs if the plug-in can run images. Else the operator that the launch note names does, on the same tensors; the
/// report says which. A program may also be a `.spec` file, the text of a launch note without an image.
Result<RunReport> runOnPlugin(const RunRequest& request, const RunHooks& hooks);

}  // namespace etalon::tools
