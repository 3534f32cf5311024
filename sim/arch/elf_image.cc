// SPDX-License-Identifier: Apache-2.0
#include "sim/arch/elf_image.h"

#include <elf.h>
#include <fmt/format.h>

#include <cstring>

#include "isa/base/bits.h"

namespace etalon::sim {
namespace {

/// Headers beyond this are hostile, not large: real images have tens.
constexpr uint64_t kMaxHeaders = 65535;

/// NUL-terminated text at `offset` of a string table; empty if it runs off the end.
std::string_view textAt(std::span<const std::byte> strings, uint64_t offset) {
  if (offset >= strings.size()) return {};
  const char* begin = reinterpret_cast<const char*>(strings.data()) + offset;
  const void* end = std::memchr(begin, 0, strings.size() - offset);
  return end ? std::string_view(begin, static_cast<const char*>(end)) : std::string_view{};
}

}  // namespace

Result<ElfImage> ElfImage::parse(std::vector<std::byte> file, std::string name) {
  ElfImage image;
  image.name_ = std::move(name);
  image.file_ = std::move(file);
  ETALON_RETURN_IF_ERROR(image.parseHeader());
  ETALON_RETURN_IF_ERROR(image.parseSegments());
  ETALON_RETURN_IF_ERROR(image.parseSections());
  return image;
}

Result<std::span<const std::byte>> ElfImage::slice(uint64_t offset, uint64_t length,
                                                   const std::string& what) const {
  if (offset > file_.size() || length > file_.size() - offset)
    return Error{
        fmt::format("{}: {} at offset {:#x}, {} bytes, reaches past the end of the file ({} bytes)",
                    name_, what, offset, length, file_.size())};
  return std::span(file_).subspan(offset, length);
}

Status ElfImage::parseHeader() {
  if (file_.size() < sizeof(Elf64_Ehdr) || std::memcmp(file_.data(), ELFMAG, SELFMAG) != 0)
    return Error{fmt::format("{}: not an ELF file (it has no ELF header)", name_)};
  const auto header = loadBytes<Elf64_Ehdr>(file_.data());
  if (header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_ident[EI_DATA] != ELFDATA2LSB)
    return Error{fmt::format("{}: must be a 64-bit little-endian ELF file", name_)};
  if (header.e_machine != EM_RISCV)
    return Error{fmt::format("{}: is for machine {}, must be RISC-V ({})", name_, header.e_machine,
                             EM_RISCV)};
  if (header.e_type != ET_EXEC && header.e_type != ET_DYN)
    return Error{fmt::format("{}: ELF type is {}, must be an executable; link it first", name_,
                             header.e_type)};
  if (header.e_flags & EF_RISCV_RVC)
    return Error{fmt::format(
        "{}: uses compressed instructions; build it for rv64ima_zicsr_zifencei_zfinx", name_)};
  entry_ = header.e_entry;
  return {};
}

Status ElfImage::parseSegments() {
  const auto header = loadBytes<Elf64_Ehdr>(file_.data());
  if (header.e_phnum == 0 || header.e_phentsize != sizeof(Elf64_Phdr))
    return Error{fmt::format("{}: has {} program headers of {} bytes, needs at least one of {}",
                             name_, header.e_phnum, header.e_phentsize, sizeof(Elf64_Phdr))};
  const auto table =
      slice(header.e_phoff, uint64_t{header.e_phnum} * sizeof(Elf64_Phdr), "program header table");
  if (!table.ok()) return table.error();
  for (int i = 0; i < header.e_phnum; ++i) {
    const auto ph = loadBytes<Elf64_Phdr>(table->data() + i * sizeof(Elf64_Phdr));
    if (ph.p_type != PT_LOAD || ph.p_memsz == 0) continue;
    if (ph.p_filesz > ph.p_memsz)
      return Error{fmt::format("{}: segment {} has {} bytes in the file but {} in memory", name_, i,
                               ph.p_filesz, ph.p_memsz)};
    if (ph.p_paddr + ph.p_memsz < ph.p_paddr)
      return Error{fmt::format("{}: segment {} at {:#x} of {} bytes wraps around the address space",
                               name_, i, ph.p_paddr, ph.p_memsz)};
    const auto bytes = slice(ph.p_offset, ph.p_filesz, fmt::format("segment {}", i));
    if (!bytes.ok()) return bytes.error();
    segments_.push_back({ph.p_paddr, ph.p_memsz, *bytes, (ph.p_flags & PF_X) != 0});
  }
  if (segments_.empty())
    return Error{fmt::format("{}: nothing to load (no PT_LOAD segment)", name_)};
  return {};
}

Status ElfImage::parseSections() {
  const auto header = loadBytes<Elf64_Ehdr>(file_.data());
  if (header.e_shnum == 0) return {};
  if (header.e_shentsize != sizeof(Elf64_Shdr) || header.e_shnum > kMaxHeaders ||
      header.e_shstrndx >= header.e_shnum)
    return Error{
        fmt::format("{}: section headers are malformed ({} of {} bytes, names in section {})",
                    name_, header.e_shnum, header.e_shentsize, header.e_shstrndx)};
  const auto table =
      slice(header.e_shoff, uint64_t{header.e_shnum} * sizeof(Elf64_Shdr), "section header table");
  if (!table.ok()) return table.error();
  const auto at = [&](uint64_t i) {
    return loadBytes<Elf64_Shdr>(table->data() + i * sizeof(Elf64_Shdr));
  };
  const auto content = [&](const Elf64_Shdr& sh, const std::string& what) {
    return slice(sh.sh_offset, sh.sh_size, what);
  };
  const auto names = content(at(header.e_shstrndx), "section name table");
  if (!names.ok()) return names.error();
  for (uint64_t i = 0; i < header.e_shnum; ++i) {
    const Elf64_Shdr sh = at(i);
    if (sh.sh_type == SHT_NOBITS || sh.sh_type == SHT_NULL) continue;
    const auto bytes = content(sh, fmt::format("section {}", i));
    if (!bytes.ok()) return bytes.error();
    sections_.emplace(textAt(*names, sh.sh_name), *bytes);
    if (sh.sh_type != SHT_SYMTAB) continue;
    if (sh.sh_link >= header.e_shnum)
      return Error{fmt::format("{}: section {} links to section {}, there are {}", name_, i,
                               sh.sh_link, header.e_shnum)};
    const auto strings = content(at(sh.sh_link), "symbol name table");
    if (!strings.ok()) return strings.error();
    ETALON_RETURN_IF_ERROR(parseSymbols(*bytes, *strings));
  }
  return {};
}

Status ElfImage::parseSymbols(std::span<const std::byte> symbols,
                              std::span<const std::byte> strings) {
  for (uint64_t at = 0; at + sizeof(Elf64_Sym) <= symbols.size(); at += sizeof(Elf64_Sym)) {
    const auto symbol = loadBytes<Elf64_Sym>(symbols.data() + at);
    const std::string_view name = textAt(strings, symbol.st_name);
    if (name.empty() || symbol.st_shndx == SHN_UNDEF) continue;
    symbols_.emplace(name, symbol.st_value);
    const int type = ELF64_ST_TYPE(symbol.st_info);
    if (type == STT_FUNC ||
        (type == STT_NOTYPE && !name.starts_with("$") && !name.starts_with(".L")))
      symbols_by_address_.emplace(symbol.st_value, name);
  }
  return {};
}

std::optional<uint64_t> ElfImage::symbol(std::string_view name) const {
  const auto found = symbols_.find(name);
  if (found == symbols_.end()) return std::nullopt;
  return found->second;
}

std::string ElfImage::symbolAt(uint64_t address) const {
  auto next = symbols_by_address_.upper_bound(address);
  if (next == symbols_by_address_.begin()) return {};
  --next;
  return address == next->first ? next->second
                                : fmt::format("{}+{:#x}", next->second, address - next->first);
}

std::optional<std::span<const std::byte>> ElfImage::section(std::string_view name) const {
  const auto found = sections_.find(name);
  if (found == sections_.end()) return std::nullopt;
  return found->second;
}

}  // namespace etalon::sim
