// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace etalon::tools {

// Dotted paths into the result of `etalon run --json`: `counters.macs`, `timing.units.matrix.cycles.busy`. In a list, a
// number is an index, and a word selects the items that have it as the text of a field (`_` for a blank): all cores' matrix
// units. Numbers of several items add up.

/// The number at a path; an activity that a ledger leaves out is 0. nullopt if there is none.
std::optional<double> numberAt(const nlohmann::ordered_json& result, std::string_view path);

/// The numbers of the object at a path, activities in the order of the ledger; empty if there is no such object.
std::vector<std::pair<std::string, double>> numbersAt(const nlohmann::ordered_json& result,
                                                      std::string_view path);

/// Where a part of a ledger stands among others: activities in the order of docs/spec/microarchitecture.md, then the rest.
int ledgerRank(std::string_view part);

/// What stands where a path breaks off, for messages: "counters has retired_scalar, ..".
std::string whatIsThere(const nlohmann::ordered_json& result, std::string_view path);

}  // namespace etalon::tools
