// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "isa/base/status.h"
#include "isa/base/yaml.h"
#include "isa/profiles/profile.h"
#include "tools/sweep/study.h"

namespace etalon::tools {

// Parts of loadStudy(), which calls them in this order. Each reads one key of the study and adds to it.
Status readAxes(const YamlValue& root, const std::vector<isa::Profile>& profiles, Study& study);
Status readConstraints(const YamlValue& root, Study& study);
Status readWorkloads(const YamlValue& root, Study& study);
Status readMetrics(const YamlValue& root, Study& study);
Status readLedgers(const YamlValue& root, Study& study);
Status readPlots(const YamlValue& root, Study& study);

/// A scalar as it would stand on a command line: whole numbers in decimal, else text.
Result<std::string> readText(const YamlValue& value);
/// The text of a key of a map, or `otherwise` if it is not there.
Result<std::string> textOr(const YamlValue& map, std::string_view key, std::string otherwise);
/// The text of a key that must be there.
Result<std::string> textAt(const YamlValue& map, std::string_view key);
/// The items of a list that must be there and not empty; `wanted` says what one is.
Result<std::vector<YamlValue>> itemsAt(const YamlValue& map, std::string_view key,
                                       std::string_view wanted);
/// A name of a workload, metric or ledger: a letter, then letters, digits, `_`, `-` (not in metrics, which expressions
/// name).
Result<std::string> nameAt(const YamlValue& map, bool hyphens);
/// Path of a file as the study names it, from where the program runs.
std::string inFolder(const Study& study, const std::string& path);
/// The file that an input's text names, without what is taken out of it: `w.safetensors:layer.0` is w.safetensors.
std::string inputFile(const std::string& text);
/// The axis that has this key; nullptr if none has.
const Axis* findAxis(const Study& study, std::string_view key);

}  // namespace etalon::tools
