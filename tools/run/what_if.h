// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "isa/base/status.h"
#include "isa/machines/machine.h"
#include "sim/observe/timed_report.h"
#include "tools/run/request.h"

namespace etalon::tools {

/// What the run would take if one resource after the other cost next to nothing: the same request on a machine with other
/// numbers, each in a process of its own, as many at once as the host has cores. To be called before a device of the
/// request is made; `machine` is that of the request, with timing.
///
/// Errors: a run that does not end by itself; a process that cannot be started.
Result<std::vector<sim::WhatIf>> whatIf(const RunRequest& request, const isa::Machine& machine);

}  // namespace etalon::tools
