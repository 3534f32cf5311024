// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "tools/gdb/target.h"
#include "tools/program/source_lines.h"

namespace etalon::tools::gdb {

/// The commands behind `monitor` in a debugger: what it has no words for.
class Monitor {
 public:
  Monitor(Target& target, SourceLines& lines) : target_(target), lines_(lines) {}

  /// The answer, in lines. `core`: which one is meant where the command does
  /// not say.
  std::string answer(std::string_view command, unsigned core);
  /// What a launch came to that ended by a fault, with the source line; empty
  /// if it did not.
  std::string faultText();

 private:
  std::string dump(const std::string& target, unsigned core);
  std::string semaphores();
  std::string findings();

  Target& target_;
  SourceLines& lines_;
};

}  // namespace etalon::tools::gdb
