// SPDX-License-Identifier: Apache-2.0
#include "tools/program/source_lines.h"

#include <fmt/format.h>

#ifdef ETALON_WITH_LIBDW
#include <elfutils/libdw.h>
#endif

namespace etalon::tools {

std::string SourcePlace::text() const {
  std::string out = line == 0 ? "" : fmt::format("{}:{}", file, line);
  if (!symbol.empty()) out += out.empty() ? symbol : fmt::format(" ({})", symbol);
  return out;
}

SourcePlace SourceLines::at(uint64_t pc) {
  if (!read_) read();
  SourcePlace place;
  place.symbol = image_.symbolAt(pc);
  const auto next = rows_.upper_bound(pc);
  if (next == rows_.begin()) return place;
  const Row& row = std::prev(next)->second;
  place.file = row.file;
  place.line = row.line;
  return place;
}

#ifdef ETALON_WITH_LIBDW

bool SourceLines::available() { return true; }

void SourceLines::read() {
  read_ = true;
  // libdw wants writable memory but does not write: the file is opened for reading only.
  const auto file = image_.file();
  Elf* elf = elf_memory(reinterpret_cast<char*>(const_cast<std::byte*>(file.data())), file.size());
  if (elf == nullptr) return;
  if (Dwarf* dwarf = dwarf_begin_elf(elf, DWARF_C_READ, nullptr)) {
    Dwarf_CU* unit = nullptr;
    Dwarf_Die die;
    while (dwarf_get_units(dwarf, unit, &unit, nullptr, nullptr, &die, nullptr) == 0) {
      Dwarf_Lines* lines = nullptr;
      size_t count = 0;
      if (dwarf_getsrclines(&die, &lines, &count) != 0) continue;
      for (size_t i = 0; i < count; ++i) {
        Dwarf_Line* line = dwarf_onesrcline(lines, i);
        Dwarf_Addr address = 0;
        int number = 0;
        bool ends = false;
        if (dwarf_lineaddr(line, &address) != 0 || dwarf_lineno(line, &number) != 0) continue;
        dwarf_lineendsequence(line, &ends);
        const char* name = dwarf_linesrc(line, nullptr, nullptr);
        if (ends)
          rows_.try_emplace(address);  // another sequence may begin where this one ends
        else if (number > 0 && name != nullptr)
          rows_[address] = {name, number};
      }
    }
    dwarf_end(dwarf);
  }
  elf_end(elf);
}

#else

bool SourceLines::available() { return false; }

void SourceLines::read() { read_ = true; }

#endif

}  // namespace etalon::tools
