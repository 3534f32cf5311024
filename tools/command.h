// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "isa/base/status.h"
#include "tools/shell/man_page.h"

namespace CLI {
class App;
}

namespace etalon::tools {

/// Exit statuses of every subcommand.
inline constexpr int kSuccess = 0;
inline constexpr int kFailed = 1;
inline constexpr int kBadInput = 2;
inline constexpr int kInterrupted = 130;  // as shells report an end by Ctrl-C
inline constexpr std::array<ExitStatus, 4> kExitStatuses{{
    {kSuccess, "it did what was asked, and nothing was found wrong"},
    {kFailed, "the program failed, or something about it: a fault, a race, a deadlock, a check"},
    {kBadInput, "usage or an input is wrong: nothing was run, or its result could not be kept"},
    {kInterrupted, "ended by Ctrl-C"},
}};

// Each adds one subcommand, which sets `exit_status` when it runs.
void addRun(CLI::App& app, int& exit_status);
void addSweep(CLI::App& app, int& exit_status);
void addAsm(CLI::App& app, int& exit_status);
void addDis(CLI::App& app, int& exit_status);
void addIsa(CLI::App& app, int& exit_status);
void addMachines(CLI::App& app, int& exit_status);
void addDiff(CLI::App& app, int& exit_status);
void addDevices(CLI::App& app, int& exit_status);
void addCompletion(CLI::App& app, int& exit_status);
void addMan(CLI::App& app, int& exit_status);

/// The machines that `--machine` takes by name.
Result<std::vector<std::string>> machineNames();

/// The command line of this process as a shell takes it; empty where the system does not tell.
std::string commandLine();

/// Writes to stdout, all of it.
void printOut(std::string_view text);
/// Writes `etalon COMMAND: message` to stderr and returns kBadInput.
int complain(std::string_view command, const Error& error);
/// Writes a result to a file, or to stdout if the path is `-` or empty.
Status printTo(const std::string& path, std::string_view text);

}  // namespace etalon::tools
