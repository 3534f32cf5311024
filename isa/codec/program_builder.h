// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <vector>

#include "isa/base/status.h"
#include "isa/codec/codec.h"

namespace etalon::isa {

/// Register operands, one type a register file, so that a tile never stands where a scalar belongs.
struct X {
  uint8_t number;
};
struct Tile {
  uint8_t number;
};
struct View {
  uint8_t number;
};
struct Chain {
  uint8_t number;
};

/// Builds programs without an assembler: one typed method an instruction, labels, data.
///
///   ProgramBuilder p;
///   auto loop = p.label();
///   p.bind(loop);
///   p.addi(X{5}, X{5}, -1);
///   p.bne(X{5}, X{0}, loop);
///   Result<std::vector<uint32_t>> words = p.finish();
///
/// Operands out of range and unbound labels are collected and reported by finish().
class ProgramBuilder {
 public:
  /// A place in the program; made by label(), placed by bind().
  struct Label {
    uint32_t number;
  };
  /// What a branch or jump goes to: a label, or a byte offset from the instruction.
  struct Target {
    Target(Label label) : label(label) {}
    Target(int64_t offset) : offset(offset) {}
    std::optional<Label> label;
    int64_t offset = 0;
  };

  Label label();
  void bind(Label label);
  /// Byte offset of the next instruction.
  uint64_t here() const { return words_.size() * 4; }
  /// A raw word, legal or not.
  void word(uint32_t value) { words_.push_back(value); }
  /// Shortest sequence that puts a 64-bit constant into a register.
  void li(X rd, int64_t value);
  /// The address of a label, by auipc and addi.
  void la(X rd, Label label);

  /// The words, labels resolved; or the first error.
  Result<std::vector<uint32_t>> finish();

#include "isa/builder.inc"

 private:
  struct Fixup {
    uint64_t at;  // word index
    InstructionId id;
    std::vector<int64_t> operands;
    size_t operand;
    Label label;
    bool address;  // an auipc-addi pair rather than an offset
  };

  int64_t use(const Target& target);
  void emit(InstructionId id, std::initializer_list<int64_t> operands);
  void fail(const std::string& why);

  std::vector<uint32_t> words_;
  std::vector<std::optional<uint64_t>> labels_;  // byte offsets
  std::vector<Fixup> fixups_;
  std::optional<Label> pending_;
  std::optional<Error> error_;
};

}  // namespace etalon::isa
