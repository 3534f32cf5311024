// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "isa/base/status.h"

namespace etalon::sim {

/// A loadable piece of an image: `bytes` at `address`, then zeros up to `size`.
struct Segment {
  uint64_t address = 0;
  uint64_t size = 0;
  std::span<const std::byte> bytes;
  bool executable = false;  // as its header says; any byte may be executed
};

/// A RISC-V ELF executable, checked and taken apart. Owns the file's bytes.
class ElfImage {
 public:
  /// Parses a 64-bit little-endian RISC-V executable (ET_EXEC, or ET_DYN linked at its final address).
  /// Every offset, size and count is checked against the file; errors name the field, its value and the limit.
  static Result<ElfImage> parse(std::vector<std::byte> file, std::string name);

  // Segments and sections point into the file: a moved vector keeps its bytes in place, a copied one does not.
  ElfImage(const ElfImage&) = delete;
  ElfImage& operator=(const ElfImage&) = delete;
  ElfImage(ElfImage&&) = default;
  ElfImage& operator=(ElfImage&&) = default;

  const std::string& name() const { return name_; }
  uint64_t entry() const { return entry_; }
  std::span<const Segment> segments() const { return segments_; }
  std::span<const std::byte> file() const { return file_; }
  /// Address of a symbol, if the image has it.
  std::optional<uint64_t> symbol(std::string_view name) const;
  /// Nearest symbol at or below an address, as `name+0x10`; empty if none.
  std::string symbolAt(uint64_t address) const;
  /// Content of a section by name, if the image has it.
  std::optional<std::span<const std::byte>> section(std::string_view name) const;

 private:
  ElfImage() = default;
  Status parseHeader();
  Status parseSegments();
  Status parseSections();
  Status parseSymbols(std::span<const std::byte> symbols, std::span<const std::byte> strings);
  /// `length` bytes at `offset` of the file, or an error that names `what`.
  Result<std::span<const std::byte>> slice(uint64_t offset, uint64_t length,
                                           const std::string& what) const;

  std::string name_;
  std::vector<std::byte> file_;
  uint64_t entry_ = 0;
  std::vector<Segment> segments_;
  std::map<std::string, std::span<const std::byte>, std::less<>> sections_;
  std::map<std::string, uint64_t, std::less<>> symbols_;
  std::map<uint64_t, std::string> symbols_by_address_;
};

}  // namespace etalon::sim
