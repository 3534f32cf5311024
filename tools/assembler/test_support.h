// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tools/assembler/xet_rewriter.h"

namespace etalon::tools {

/// Knows `et.halt` (no operands) and `et.mm xN, xN, xN`; refuses the rest.
XetEncoder toyEncoder();

/// A folder that is removed with its content.
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  std::string path(const std::string& name) const { return folder_ + "/" + name; }
  /// Writes a file and returns its path.
  std::string write(const std::string& name, std::string_view content) const;

 private:
  std::string folder_;
};

/// What LLVM's object library finds in an ELF file.
struct ElfView {
  bool executable = false;
  uint64_t entry = 0;
  unsigned flags = 0;
  std::map<std::string, uint64_t> symbols;  ///< defined ones
  struct Section {
    uint64_t address, size, alignment;
    bool allocated, nobits;
    std::vector<std::byte> content;
  };
  std::map<std::string, Section> sections;
  struct Segment {
    uint64_t address, file_size, memory_size;
    unsigned rights;
  };
  std::vector<Segment> loads;

  std::vector<uint32_t> words(const std::string& section) const;
};
ElfView inspect(const std::vector<std::byte>& elf);

/// `file:line` of an address by the debug lines, none if there is no row for it.
std::optional<std::string> lineOf(const std::vector<std::byte>& elf, uint64_t address,
                                  const std::string& section = ".text");

}  // namespace etalon::tools
