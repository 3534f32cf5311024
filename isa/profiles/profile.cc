// SPDX-License-Identifier: Apache-2.0
#include "isa/profiles/profile.h"

#include <fmt/format.h>

#include <algorithm>

#include "isa/base/file.h"
#include "isa/base/text.h"
#include "isa/base/yaml.h"

namespace etalon::isa {
namespace {

constexpr uint64_t kMostBit = 63;

Result<Profile> readProfile(const std::string& path) {
  Result<YamlDocument> document = YamlDocument::load(path);
  if (!document.ok()) return document.error();
  const YamlValue root = document->root();
  ETALON_RETURN_IF_ERROR(root.allowKeys({"name", "bit", "status", "meaning"}));
  Profile profile;
  Result<YamlValue> bit = root.at("bit");
  if (!bit.ok()) return bit.error();
  Result<uint64_t> number = bit->asUnsigned(0, kMostBit);
  if (!number.ok()) return number.error();
  profile.bit = static_cast<int>(*number);
  std::string status;
  for (const auto& [key, target] : {std::pair{"name", &profile.name}, std::pair{"status", &status},
                                    std::pair{"meaning", &profile.meaning}}) {
    Result<YamlValue> value = root.at(key);
    if (!value.ok()) return value.error();
    Result<std::string> text = value->asString();
    if (!text.ok()) return text.error();
    *target = *text;
  }
  if (status != "implemented" && status != "reserved")
    return root.at("status")->error(
        fmt::format("{} is neither implemented nor reserved", quote(status)));
  profile.implemented = status == "implemented";
  if (!profile.name.starts_with("Et-"))
    return root.at("name")->error(fmt::format("{} does not begin with Et-", quote(profile.name)));
  return profile;
}

}  // namespace

Result<std::vector<Profile>> loadProfiles(const std::string& directory) {
  Result<std::vector<std::string>> files = listFiles(directory, ".yaml");
  if (!files.ok()) return files.error();
  std::vector<Profile> profiles;
  for (const std::string& path : *files) {
    Result<Profile> profile = readProfile(path);
    if (!profile.ok()) return profile.error();
    for (const Profile& other : profiles)
      if (other.name == profile->name || other.bit == profile->bit)
        return Error{fmt::format("{}: {} (bit {}) collides with {} (bit {})", path, profile->name,
                                 profile->bit, other.name, other.bit)};
    profiles.push_back(*std::move(profile));
  }
  std::sort(profiles.begin(), profiles.end(),
            [](const Profile& a, const Profile& b) { return a.bit < b.bit; });
  if (findProfile(profiles, "Et-base") == nullptr)
    return Error{fmt::format("{}: no profile Et-base among {} files", directory, files->size())};
  return profiles;
}

const Profile* findProfile(const std::vector<Profile>& profiles, std::string_view name) {
  for (const Profile& profile : profiles)
    if (profile.name == name) return &profile;
  return nullptr;
}

std::vector<std::string> profileNames(const std::vector<Profile>& profiles, bool implemented_only) {
  std::vector<std::string> names;
  for (const Profile& profile : profiles)
    if (profile.implemented || !implemented_only) names.push_back(profile.name);
  return names;
}

}  // namespace etalon::isa
