// SPDX-License-Identifier: Apache-2.0
#include "isa/machines/find_machine.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <set>
#include <string_view>

#include "isa/base/file.h"
#include "isa/base/share_folder.h"
#include "isa/base/text.h"

namespace etalon::isa {

std::vector<std::string> machineDirectories() {
  std::vector<std::string> directories;
  if (const char* listed = std::getenv("ETALON_MACHINES")) {
    std::string_view rest = listed;
    while (!rest.empty()) {
      const std::string_view one = rest.substr(0, rest.find(':'));
      if (!one.empty()) directories.emplace_back(one);
      rest.remove_prefix(std::min(one.size() + 1, rest.size()));
    }
  }
  directories.push_back(isaFolder() + "/machines");
  return directories;
}

Result<std::vector<Profile>> shippedProfiles() { return loadProfiles(isaFolder() + "/profiles"); }

Result<std::string> findMachine(const std::string& name_or_path) {
  if (name_or_path.find('/') != std::string::npos || name_or_path.ends_with(".yaml"))
    return name_or_path;
  std::vector<std::string> known;
  for (const std::string& directory : machineDirectories()) {
    Result<std::vector<std::string>> files = listFiles(directory, ".yaml");
    if (!files.ok()) return files.error();
    for (const std::string& path : *files) {
      const std::string stem = std::filesystem::path(path).stem().string();
      if (stem == name_or_path) return path;
      known.push_back(stem);
    }
  }
  return Error{fmt::format("unknown machine {}; known: {} (or give the path of a .yaml file)",
                           quote(name_or_path), joined(known))};
}

Result<std::string> findPart(std::string_view kind, std::string_view name,
                             const std::string& beside) {
  std::vector<std::string> directories = machineDirectories();
  if (!beside.empty()) directories.insert(directories.begin(), beside);
  const bool plain = name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_-") == name.npos;
  const std::string shown = plain ? fmt::format("{}.yaml", name) : quote(name);
  std::set<std::string> known;
  for (const std::string& directory : directories) {
    const Result<std::vector<std::string>> files =
        listFiles(fmt::format("{}/parts/{}", directory, kind), ".yaml");
    if (!files.ok()) continue;  // a folder of machines need not have parts of its own
    for (const std::string& path : *files) {
      const std::string stem = std::filesystem::path(path).stem().string();
      if (stem == name) return path;
      known.insert(stem);
    }
  }
  return Error{
      fmt::format("there is no parts/{}/{}; known: {}", kind, shown, fmt::join(known, ", "))};
}

Result<Machine> openMachine(const std::string& name_or_path,
                            const std::vector<std::string>& overrides) {
  Result<std::vector<Profile>> profiles = shippedProfiles();
  if (!profiles.ok()) return profiles.error();
  Result<std::string> path = findMachine(name_or_path);
  if (!path.ok()) return path.error();
  Result<Machine> machine = loadMachine(*path, *profiles);
  if (!machine.ok()) return machine.error();
  for (const std::string& assignment : overrides)
    ETALON_RETURN_IF_ERROR(applyOverride(*machine, assignment, *profiles));
  ETALON_RETURN_IF_ERROR(checkMachine(*machine));
  return machine;
}

}  // namespace etalon::isa
