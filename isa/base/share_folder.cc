// SPDX-License-Identifier: Apache-2.0
#include "isa/base/share_folder.h"

#include <dlfcn.h>

#include <cstdlib>
#include <filesystem>
#include <system_error>

namespace etalon {
namespace {

using std::filesystem::path;

bool isFolder(const path& folder) {
  std::error_code ignored;
  return std::filesystem::is_directory(folder, ignored);
}

/// The shared library that holds this function, or an empty path if the program itself does.
path ownLibrary() {
  Dl_info info{};
  if (dladdr(reinterpret_cast<const void*>(&installedShare), &info) == 0) return {};
  const path file = info.dli_fname;  // of the program: whatever it was called by
  return file.extension() == ".so" && file.is_absolute() ? file : path();
}

}  // namespace

std::optional<std::string> installedShare() {
  if (const char* chosen = std::getenv("ETALON_SHARE"); chosen != nullptr && *chosen != '\0')
    return chosen;
  std::error_code error;
  const path program = std::filesystem::read_symlink("/proc/self/exe", error);
  for (const path& prefix :
       {ownLibrary().parent_path() / "../../..", program.parent_path() / ".."}) {
    const path folder = (prefix / "share/etalon").lexically_normal();
    if (prefix.is_absolute() && isFolder(folder)) return folder.string();
  }
  return std::nullopt;
}

std::string isaFolder() {
  if (const std::optional<std::string> share = installedShare()) return *share + "/isa";
  return isFolder(ETALON_ISA_SOURCE "/machines") ? ETALON_ISA_SOURCE : ETALON_ISA_INSTALLED;
}

}  // namespace etalon
