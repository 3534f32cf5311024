// SPDX-License-Identifier: Apache-2.0
#include "sim/arch/elf_writer.h"

#include <elf.h>

#include <cstring>

namespace etalon::sim {
namespace {

constexpr size_t kSymbolNames = 2;  // section of the symbols' names, after theirs

template <class T>
void append(std::vector<std::byte>& out, const T& value) {
  const auto* bytes = reinterpret_cast<const std::byte*>(&value);
  out.insert(out.end(), bytes, bytes + sizeof(T));
}

std::vector<std::byte> bytesOf(const std::string& text) {
  const auto* bytes = reinterpret_cast<const std::byte*>(text.data());
  return {bytes, bytes + text.size()};
}

/// The contents of sections, one behind the other, and their headers.
struct Sections {
  std::vector<std::byte>& out;
  std::vector<Elf64_Shdr> headers{Elf64_Shdr{}};
  std::string names = std::string(1, '\0');

  void name(const std::string& text, uint32_t type) {
    Elf64_Shdr header{};
    header.sh_name = static_cast<Elf64_Word>(names.size());
    header.sh_type = type;
    header.sh_addralign = 1;
    headers.push_back(header);
    names.append(text).append(1, '\0');
  }
  void fill(const std::vector<std::byte>& bytes) {
    headers.back().sh_offset = out.size();
    headers.back().sh_size = bytes.size();
    out.insert(out.end(), bytes.begin(), bytes.end());
  }
};

}  // namespace

std::vector<std::byte> writeElf(uint64_t address, std::span<const uint32_t> words,
                                const std::vector<std::pair<std::string, uint64_t>>& symbols,
                                const std::vector<ElfSection>& extra) {
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
  // File: header, program header, code, contents of sections, section headers.
  std::vector<std::byte> out(sizeof(Elf64_Ehdr) + sizeof(Elf64_Phdr));
  const uint64_t code_at = out.size(), code_bytes = words.size_bytes();
  for (const uint32_t word : words) append(out, word);
  Sections sections{out};
  sections.name(".symtab", SHT_SYMTAB);
  sections.fill(table);
  sections.headers.back().sh_link = kSymbolNames;
  sections.headers.back().sh_info = 1;
  sections.headers.back().sh_addralign = 8;
  sections.headers.back().sh_entsize = sizeof(Elf64_Sym);
  sections.name(".strtab", SHT_STRTAB);
  sections.fill(bytesOf(strings));
  for (const ElfSection& section : extra) {
    sections.name(section.name, SHT_PROGBITS);
    sections.fill(section.bytes);
  }
  sections.name(".shstrtab", SHT_STRTAB);
  sections.fill(bytesOf(sections.names));

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
  header.e_shoff = out.size();
  header.e_ehsize = sizeof(Elf64_Ehdr);
  header.e_phentsize = sizeof(Elf64_Phdr);
  header.e_phnum = 1;
  header.e_shentsize = sizeof(Elf64_Shdr);
  header.e_shnum = static_cast<Elf64_Half>(sections.headers.size());
  header.e_shstrndx = static_cast<Elf64_Half>(sections.headers.size() - 1);
  const Elf64_Phdr segment{PT_LOAD, PF_R | PF_W | PF_X, code_at,    address,
                           address, code_bytes,         code_bytes, 4};
  std::memcpy(out.data(), &header, sizeof header);
  std::memcpy(out.data() + sizeof header, &segment, sizeof segment);
  for (const Elf64_Shdr& section : sections.headers) append(out, section);
  return out;
}

}  // namespace etalon::sim
