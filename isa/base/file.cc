// SPDX-License-Identifier: Apache-2.0
#include "isa/base/file.h"

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>
#include <system_error>

namespace etalon {
namespace {

struct Close {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, Close>;

Error systemError(const char* what, const std::string& path) {
  return Error{std::string(what) + " '" + path + "': " + std::strerror(errno)};
}

}  // namespace

Result<std::string> readFile(const std::string& path) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored))
    return Error{"cannot read '" + path + "': it is a directory"};
  File file(std::fopen(path.c_str(), "rb"));
  if (!file) return systemError("cannot read", path);
  std::string content;
  char buffer[1 << 16];
  while (size_t n = std::fread(buffer, 1, sizeof buffer, file.get())) content.append(buffer, n);
  if (std::ferror(file.get())) return systemError("cannot read", path);
  return content;
}

Status writeFile(const std::string& path, std::string_view content) {
  std::error_code ignored;
  // Pipes and devices (/dev/stdout) cannot be replaced by a rename.
  const bool special =
      std::filesystem::exists(path, ignored) && !std::filesystem::is_regular_file(path, ignored);
  const std::string target = special ? path : path + ".tmp" + std::to_string(::getpid());
  File file(std::fopen(target.c_str(), "wb"));
  if (!file) return systemError("cannot write", path);
  const bool written =
      std::fwrite(content.data(), 1, content.size(), file.get()) == content.size() &&
      std::fflush(file.get()) == 0;
  if (!written) return systemError("cannot write", path);
  file.reset();
  if (!special && std::rename(target.c_str(), path.c_str()) != 0)
    return systemError("cannot write", path);
  return {};
}

}  // namespace etalon
