// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sim/observe/timed_report.h"

namespace etalon::tools {

// Pieces of the page of report_html.h.

/// The style sheet.
std::string_view reportStyle();

/// Text as HTML.
std::string escaped(std::string_view text);

/// Shares of the units' time over the run, a strip a unit; empty without a timeline.
std::string timelineSvg(const sim::TimedReport& report);

/// Compute and memory roof with the run's point; empty unless both bounds are there.
std::string rooflineSvg(const sim::TimedReport& report);

/// A bar of `whole` cycles, a part an activity in the order of the list.
std::string activityBar(const sim::ActivityCycles& cycles, Cycles whole);
/// A small bar of one colour.
std::string plainBar(uint64_t part, uint64_t whole);
/// The activities that appear in any of these, with their colours.
std::string activityLegend(const std::vector<sim::ActivityCycles>& ledgers);

/// A table in a box that scrolls sideways on a narrow screen. Cells are HTML; those of columns from `numbers_from` on are
/// numbers and stand on the right.
std::string table(const std::vector<std::string>& head,
                  const std::vector<std::vector<std::string>>& rows, size_t numbers_from);

}  // namespace etalon::tools
