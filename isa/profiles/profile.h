// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "isa/base/status.h"

namespace etalon::isa {

/// A named subset of the instruction set that a chip may claim (isa.md section 6).
struct Profile {
  std::string name;          // `Et-base`
  int bit = 0;               // in CSR FC1
  bool implemented = false;  // false: the name is reserved, no model executes it yet
  std::string meaning;       // one line
};

/// Every `*.yaml` of a directory, by ascending bit. Refuses two profiles of one name or one bit,
/// and a set without `Et-base`, which every chip has.
Result<std::vector<Profile>> loadProfiles(const std::string& directory);

/// nullptr if there is none of this name.
const Profile* findProfile(const std::vector<Profile>& profiles, std::string_view name);

/// Names only, for messages and lists.
std::vector<std::string> profileNames(const std::vector<Profile>& profiles, bool implemented_only);

}  // namespace etalon::isa
