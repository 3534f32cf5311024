// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "isa/machines/machine.h"

namespace etalon::isa {

struct MachineProblem {
  std::string key;  // dotted, of the value to change
  std::string what;
};

/// The first of the rules between values that a machine breaks.
std::optional<MachineProblem> machineProblem(const Machine& machine);

}  // namespace etalon::isa
