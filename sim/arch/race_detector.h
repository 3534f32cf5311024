// SPDX-License-Identifier: Apache-2.0
#pragma once
// interface draft, filled in by the next commit
#include "sim/arch/happens_before.h"
#include "sim/arch/race_report.h"
