// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

#include "isa/base/status.h"
#include "sim/functional/functional_device.h"
#include "tools/program/source_lines.h"

namespace etalon::tools::gdb {

struct ServerOptions {
  uint16_t port = 0;                          // of 127.0.0.1; 0: one that is free
  std::function<void(std::string_view)> say;  // where it listens and who came, in lines
  std::function<bool()> keep_going;           // asked often; false ends the launch
};

/// Waits for one debugger (GDB remote serial protocol over TCP on this host)
/// and lets it run the launch that `device` has started, until the launch is
/// over, the debugger detaches (then it goes on alone to its end), kills it or
/// is gone (then it is interrupted). Errors: the port cannot be had.
Result<sim::RunResult> runUnderDebugger(sim::FunctionalDevice& device, SourceLines& lines,
                                        const ServerOptions& options);

}  // namespace etalon::tools::gdb
