// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "isa/base/status.h"

namespace CLI {
class App;
}

namespace etalon::tools {

/// Exit statuses of every subcommand.
inline constexpr int kSuccess = 0;  // it did what was asked, and the answer is yes
inline constexpr int kFailed = 1;   // the program or the check failed
inline constexpr int kBadInput =
    2;  // usage or an input is wrong; nothing was run, or its result could not be kept
inline constexpr int kInterrupted = 130;  // as shells report an end by Ctrl-C

// Each adds one subcommand, which sets `exit_status` when it runs.
void addRun(CLI::App& app, int& exit_status);
void addAsm(CLI::App& app, int& exit_status);
void addDis(CLI::App& app, int& exit_status);
void addIsa(CLI::App& app, int& exit_status);
void addMachines(CLI::App& app, int& exit_status);
void addDevices(CLI::App& app, int& exit_status);

/// Writes to stdout, all of it.
void printOut(std::string_view text);
/// Writes `etalon COMMAND: message` to stderr and returns kBadInput.
int complain(std::string_view command, const Error& error);
/// Writes a result to a file, or to stdout if the path is `-` or empty.
Status printTo(const std::string& path, std::string_view text);

}  // namespace etalon::tools
