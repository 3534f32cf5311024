// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "tools/shell/command_tree.h"

namespace etalon::tools {

/// Scripts that complete the program's commands, options and values; to be sourced, or installed where the shell looks.
std::string bashCompletion(const CommandInfo& program, const NameLists& names);
std::string zshCompletion(const CommandInfo& program, const NameLists& names);
std::string fishCompletion(const CommandInfo& program, const NameLists& names);

}  // namespace etalon::tools
