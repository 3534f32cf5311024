// SPDX-License-Identifier: Apache-2.0
#include "tools/assembler/runtime_files.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdlib>
#include <filesystem>
#include <system_error>

namespace etalon::tools {
namespace {

std::vector<std::string> candidates() {
  if (const char* chosen = std::getenv("ETALON_RUNTIME"); chosen && *chosen) return {chosen};
  std::vector<std::string> folders;
  std::error_code error;
  const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", error);
  if (!error)
    folders.push_back((self.parent_path().parent_path() / "share/etalon/runtime").string());
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
