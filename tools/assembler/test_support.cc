// SPDX-License-Identifier: Apache-2.0
#include "tools/assembler/test_support.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <llvm/DebugInfo/DWARF/DWARFContext.h>
#include <llvm/Object/ELFObjectFile.h>

#include <cstring>
#include <filesystem>

#include "isa/base/file.h"

namespace etalon::tools {
namespace {

using ElfFile = llvm::object::ELF64LEObjectFile;

/// The file keeps looking at `elf`, which must live longer.
std::unique_ptr<llvm::object::ObjectFile> open(const std::vector<std::byte>& elf) {
  const llvm::StringRef bytes(reinterpret_cast<const char*>(elf.data()), elf.size());
  auto file = llvm::object::ObjectFile::createELFObjectFile(llvm::MemoryBufferRef(bytes, "elf"));
  if (!file) {
    ADD_FAILURE() << llvm::toString(file.takeError());
    return nullptr;
  }
  return std::move(*file);
}

std::variant<std::string, XetError> encodeToy(const XetStatement& statement) {
  if (statement.mnemonic == "et.halt") {
    if (!statement.operands.empty()) return XetError{0, "et.halt takes no operand"};
    return ".insn r 0x0b, 0, 0x7f, x0, x0, x0";
  }
  if (statement.mnemonic != "et.mm")
    return XetError{-1, fmt::format("unknown instruction '{}'", statement.mnemonic)};
  if (statement.operands.size() != 3)
    return XetError{-1, fmt::format("et.mm takes 3 operands, not {}", statement.operands.size())};
  for (int i = 0; i < 3; i++) {
    const std::string_view operand = statement.operands[static_cast<size_t>(i)];
    if (!operand.starts_with('x')) return XetError{i, fmt::format("'{}' is no register", operand)};
  }
  return fmt::format(".insn r 0x2b, 2, 0, {}, {}, {}", statement.operands[0], statement.operands[1],
                     statement.operands[2]);
}

}  // namespace

XetEncoder toyEncoder() { return encodeToy; }

TemporaryFolder::TemporaryFolder() {
  std::string pattern = (std::filesystem::temp_directory_path() / "etalonXXXXXX").string();
  if (::mkdtemp(pattern.data()) == nullptr) ADD_FAILURE() << "no temporary folder";
  folder_ = pattern;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
}

std::string TemporaryFolder::write(const std::string& name, std::string_view content) const {
  const Status status = writeFile(path(name), content);
  EXPECT_TRUE(status.ok());
  return path(name);
}

std::vector<uint32_t> ElfView::words(const std::string& section) const {
  const auto found = sections.find(section);
  if (found == sections.end()) return {};
  std::vector<uint32_t> words(found->second.content.size() / 4);
  if (!words.empty()) std::memcpy(words.data(), found->second.content.data(), words.size() * 4);
  return words;
}

ElfView inspect(const std::vector<std::byte>& elf) {
  ElfView view;
  const auto object = open(elf);
  const auto* file = llvm::dyn_cast_or_null<ElfFile>(object.get());
  if (!file) {
    ADD_FAILURE() << "not a 64-bit little-endian ELF file";
    return view;
  }
  const auto& header = file->getELFFile().getHeader();
  EXPECT_EQ(header.e_machine, llvm::ELF::EM_RISCV);
  view.executable = header.e_type == llvm::ELF::ET_EXEC;
  view.entry = header.e_entry;
  view.flags = header.e_flags;
  for (const auto& symbol : file->symbols()) {
    if (llvm::cantFail(symbol.getFlags()) & llvm::object::BasicSymbolRef::SF_Undefined) continue;
    view.symbols[llvm::cantFail(symbol.getName()).str()] = llvm::cantFail(symbol.getValue());
  }
  for (const llvm::object::ELFSectionRef section : file->sections()) {
    ElfView::Section found{section.getAddress(),
                           section.getSize(),
                           section.getAlignment().value(),
                           (section.getFlags() & llvm::ELF::SHF_ALLOC) != 0,
                           section.getType() == llvm::ELF::SHT_NOBITS,
                           {}};
    if (!found.nobits) {
      const llvm::StringRef content = llvm::cantFail(section.getContents());
      const auto* bytes = reinterpret_cast<const std::byte*>(content.data());
      found.content.assign(bytes, bytes + content.size());
    }
    view.sections[llvm::cantFail(section.getName()).str()] = std::move(found);
  }
  for (const auto& segment : llvm::cantFail(file->getELFFile().program_headers()))
    if (segment.p_type == llvm::ELF::PT_LOAD)
      view.loads.push_back({segment.p_vaddr, segment.p_filesz, segment.p_memsz, segment.p_flags});
  return view;
}

std::optional<std::string> lineOf(const std::vector<std::byte>& elf, uint64_t address,
                                  const std::string& section) {
  const auto object = open(elf);
  if (!object) return std::nullopt;
  uint64_t index = 0;
  for (const auto& candidate : object->sections())
    if (llvm::cantFail(candidate.getName()) == section) index = candidate.getIndex();
  const auto context = llvm::DWARFContext::create(*object);
  const auto* elf_file = llvm::dyn_cast<ElfFile>(object.get());
  const bool executable =
      elf_file && elf_file->getELFFile().getHeader().e_type == llvm::ELF::ET_EXEC;
  const llvm::DILineInfo line = context->getLineInfoForAddress(
      {address, executable ? llvm::object::SectionedAddress::UndefSection : index},
      {llvm::DILineInfoSpecifier::FileLineInfoKind::RelativeFilePath,
       llvm::DILineInfoSpecifier::FunctionNameKind::None});
  if (line.Line == 0) return std::nullopt;
  return fmt::format("{}:{}", line.FileName, line.Line);
}

}  // namespace etalon::tools
