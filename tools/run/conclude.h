// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>

#include "isa/base/status.h"
#include "tools/run/launch.h"
#include "tools/run/report.h"
#include "tools/run/request.h"

namespace etalon::tools {

/// Asked before a run: --check without an operator in the launch note, or without a reference for it, is an error.
Status checkReference(const RunRequest& request, const PreparedLaunch& launch);

/// Writes the outputs of a run that finished, and judges them if --check is asked for.
/// Errors: a file that cannot be written; a check whose operands do not fit its operator.
Status concludeRun(const RunRequest& request, const PreparedLaunch& launch, RunReport& report);

/// Scalars and symbols by name, as inputs and attributes of an operator may use them.
std::map<std::string, double> scalarsOf(const abi::Binding& binding);

}  // namespace etalon::tools
