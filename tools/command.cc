// SPDX-License-Identifier: Apache-2.0
#include "tools/command.h"

#include <fmt/format.h>

#include <cstdio>

#include "isa/base/file.h"

namespace etalon::tools {

void printOut(std::string_view text) { std::fwrite(text.data(), 1, text.size(), stdout); }

int complain(std::string_view command, const Error& error) {
  std::fflush(stdout);
  fmt::print(stderr, "etalon {}: {}\n", command, error.message);
  return kBadInput;
}

Status printTo(const std::string& path, std::string_view text) {
  if (!path.empty() && path != "-") return writeFile(path, text);
  printOut(text);
  return {};
}

}  // namespace etalon::tools
