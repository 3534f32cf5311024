// SPDX-License-Identifier: Apache-2.0
#include "sim/arch/elf_writer.h"

#include <elf.h>

#include <cstring>

namespace etalon::sim {
namespace {

template <class T>
void append(std::vector<std::byte>& out, const T& value) {
  const auto* bytes = reinterpret_cast<const std::byte*>(&value);
  out.insert(out.end(), bytes, bytes + sizeof(T));
}

}  // namespace

std::vector<std::byte> writeElf(uint64_t address, std::span<const uint32_t> words,
                                const std::vector<std::pair<std::string, uint64_t>>& symbols) {
  // File: header, program header, code, symbols, symbol names, section names, section headers.
  std::string strings(1, '\0');
  std::vector<std::byte> table;
  append(table, Elf64_Sym{});
  for (const auto& [name, value] : symbols) {
    Elf64_Sym symbol{};
    symbol.st_name = static_cast<Elf64_Word>(strings.size());
    symbol.st_info = ELF64_ST_INFO(STB_GLOBAL, STT_NOTYPE);
    symbol.st_shndx = SHN_ABS;
    symbol.st_value = value;
    append(table, symbol);
    strings += name;
    strings += '\0';
  }
  const std::string section_names("\0.symtab\0.strtab\0.shstrtab\0", 27);
  const uint64_t code_at = sizeof(Elf64_Ehdr) + sizeof(Elf64_Phdr), code_bytes = words.size_bytes();
  const uint64_t table_at = code_at + code_bytes, strings_at = table_at + table.size();
  const uint64_t names_at = strings_at + strings.size(),
                 sections_at = names_at + section_names.size();

  Elf64_Ehdr header{};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = ELFCLASS64;
  header.e_ident[EI_DATA] = ELFDATA2LSB;
  header.e_ident[EI_VERSION] = EV_CURRENT;
  header.e_type = ET_EXEC;
  header.e_machine = EM_RISCV;
  header.e_version = EV_CURRENT;
  header.e_entry = address;
  header.e_phoff = sizeof(Elf64_Ehdr);
  header.e_shoff = sections_at;
  header.e_ehsize = sizeof(Elf64_Ehdr);
  header.e_phentsize = sizeof(Elf64_Phdr);
  header.e_phnum = 1;
  header.e_shentsize = sizeof(Elf64_Shdr);
  header.e_shnum = 4;
  header.e_shstrndx = 3;
  const Elf64_Phdr segment{PT_LOAD, PF_R | PF_W | PF_X, code_at,    address,
                           address, code_bytes,         code_bytes, 4};
  const Elf64_Shdr symtab{1, SHT_SYMTAB, 0, 0, table_at, table.size(), 2, 1, 8, sizeof(Elf64_Sym)};
  const Elf64_Shdr strtab{9, SHT_STRTAB, 0, 0, strings_at, strings.size(), 0, 0, 1, 0};
  const Elf64_Shdr shstrtab{17, SHT_STRTAB, 0, 0, names_at, section_names.size(), 0, 0, 1, 0};

  std::vector<std::byte> out;
  append(out, header);
  append(out, segment);
  for (uint32_t word : words) append(out, word);
  out.insert(out.end(), table.begin(), table.end());
  for (const std::string& text : {strings, section_names})
    out.insert(out.end(), reinterpret_cast<const std::byte*>(text.data()),
               reinterpret_cast<const std::byte*>(text.data() + text.size()));
  append(out, Elf64_Shdr{});
  append(out, symtab);
  append(out, strtab);
  append(out, shstrtab);
  return out;
}

}  // namespace etalon::sim
