// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "isa/base/status.h"

namespace etalon::tools {

/// Whether makePage() can work here. Errors: what is missing, and how to get it.
Status checkPlots();

/// Plots and page of the results in a folder: reads results.json, writes index.html and plots beside it.
/// By scripts/plots/sweep_plots.py, which is also there for results of elsewhere. Errors: what the script says.
Status makePage(const std::string& folder);

}  // namespace etalon::tools
