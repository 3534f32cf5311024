// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "tools/shell/command_tree.h"

namespace etalon::tools {

struct ExitStatus {
  int status = 0;
  std::string_view meaning;
};

/// "etalon-run" of `etalon run`: the page's name, in section 1.
std::string manPageName(const CommandInfo& command);

/// The page of a command in the man macros of troff. It refers to those of its own subcommands, and to that of `program`.
std::string manPage(const CommandInfo& command, const CommandInfo& program,
                    std::string_view version, std::span<const ExitStatus> statuses);

}  // namespace etalon::tools
