// SPDX-License-Identifier: Apache-2.0
#include "tools/command.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

#include "isa/base/file.h"

namespace etalon::tools {

std::string commandLine() {
  const Result<std::string> arguments = readFile("/proc/self/cmdline");  // each ends in a zero
  if (!arguments.ok()) return "";
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./=:,+@%";
  std::string line;
  for (size_t begin = 0; begin < arguments->size();) {
    const size_t end = std::min(arguments->find('\0', begin), arguments->size());
    const std::string_view word = std::string_view(*arguments).substr(begin, end - begin);
    begin = end + 1;
    if (!line.empty()) line += ' ';
    if (!word.empty() && word.find_first_not_of(kPlain) == std::string_view::npos) {
      line += word;
      continue;
    }
    line += '\'';
    for (const char c : word) line += c == '\'' ? std::string("'\\''") : std::string(1, c);
    line += '\'';
  }
  return line;
}

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
