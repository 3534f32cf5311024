// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "sim/functional/interpreter.h"

namespace etalon::tools {

/// One line of a commit log: core, pc, word, text, and the scalar register it wrote with its new value:
///   `0 0x80000004 0x06400593 addi x11, x0, 100 ; x11=0x64`
/// Of several devices, the core is `2.0`, device and number.
std::string commitLine(const sim::Cluster& cluster, const sim::Core& core,
                       const sim::Commit& commit);

}  // namespace etalon::tools
