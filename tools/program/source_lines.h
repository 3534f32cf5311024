// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "sim/arch/elf_image.h"

namespace etalon::tools {

/// Where an instruction comes from, as far as the image knows.
struct SourcePlace {
  std::string file;    // as the debug information spells it; empty if unknown
  int line = 0;        // from 1; 0 if unknown
  std::string symbol;  // `gemm+0x1c`; empty if unknown

  /// `gemm.c:31 (gemm+0x1c)`, less what is unknown; empty if nothing is.
  std::string text() const;
};

/// Source places of an image's instructions: symbols from the symbol table, lines from DWARF through libdw.
///
/// The line table is read at the first question. Without libdw at build time, without or with malformed debug
/// information, places have symbols only: a missing line never spoils a report.
class SourceLines {
 public:
  /// `image` must outlive this.
  explicit SourceLines(const sim::ElfImage& image) : image_(image) {}

  SourcePlace at(uint64_t pc);
  /// True if etalon was built with libdw.
  static bool available();

 private:
  struct Row {
    std::string file;
    int line = 0;  // 0: the end of a sequence, nothing here
  };
  void read();

  const sim::ElfImage& image_;
  bool read_ = false;
  std::map<uint64_t, Row> rows_;  // by first address
};

}  // namespace etalon::tools
