// SPDX-License-Identifier: Apache-2.0
#include "tools/assembler/runtime_files.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdlib>
#include <filesystem>
#include <optional>
#include <system_error>

#include "isa/base/share_folder.h"

namespace etalon::tools {
namespace {

std::vector<std::string> candidates() {
  if (const char* chosen = std::getenv("ETALON_RUNTIME"); chosen && *chosen) return {chosen};
  std::vector<std::string> folders;
  if (const std::optional<std::string> share = installedShare())
    folders.push_back(*share + "/runtime");
  folders.push_back(ETALON_RUNTIME_SOURCE_DIR);
  return folders;
}

}  // namespace

Result<RuntimeFiles> findRuntimeFiles() {
  const std::vector<std::string> folders = candidates();
  for (const std::string& folder : folders) {
    RuntimeFiles files{folder, {folder + "/include", ETALON_RUNTIME_GENERATED_INCLUDE}};
    std::error_code ignored;
    if (std::filesystem::exists(files.script(), ignored)) return files;
  }
  return Error{
      fmt::format("the device runtime (etalon.ld) is not in '{}'; set ETALON_RUNTIME to the "
                  "folder tools/runtime of the Etalon sources",
                  fmt::join(folders, "', '"))};
}

}  // namespace etalon::tools
