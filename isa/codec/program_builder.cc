// SPDX-License-Identifier: Apache-2.0
#include "isa/codec/program_builder.h"

#include <fmt/format.h>

#include "isa/base/bits.h"

namespace etalon::isa {

ProgramBuilder::Label ProgramBuilder::label() {
  labels_.emplace_back();
  return Label{static_cast<uint32_t>(labels_.size() - 1)};
}

void ProgramBuilder::bind(Label label) {
  if (labels_[label.number]) return fail(fmt::format("label {} is bound twice", label.number));
  labels_[label.number] = here();
}

void ProgramBuilder::fail(const std::string& why) {
  if (!error_) error_ = Error{fmt::format("instruction {}: {}", words_.size(), why)};
}

int64_t ProgramBuilder::use(const Target& target) {
  pending_ = target.label;
  return target.offset;
}

void ProgramBuilder::emit(InstructionId id, std::initializer_list<int64_t> operands) {
  const Result<uint32_t> word = encode(id, std::span(operands.begin(), operands.size()));
  if (!word.ok()) fail(word.error().message);
  if (pending_) {
    const auto infos = instructionInfo(id).operands();
    size_t operand = 0;
    while (infos[operand].kind != OperandKind::offset) ++operand;
    fixups_.push_back({words_.size(), id, operands, operand, *pending_, false});
    pending_.reset();
  }
  words_.push_back(word.ok() ? *word : 0);
}

void ProgramBuilder::li(X rd, int64_t value) {
  if (value >= -2048 && value < 2048) return addi(rd, X{0}, value);
  const int64_t low = signExtend(static_cast<uint64_t>(value), 12);
  if (value == signExtend(static_cast<uint64_t>(value), 32)) {
    lui(rd, static_cast<int64_t>(
                bits(static_cast<uint64_t>(value) - static_cast<uint64_t>(low), 31, 12)));
    if (low != 0) addiw(rd, rd, low);
    return;
  }
  // Build the upper part first, shift it up, add the low 12 bits: at most eight instructions.
  li(rd, static_cast<int64_t>(static_cast<uint64_t>(value) - static_cast<uint64_t>(low)) >> 12);
  slli(rd, rd, 12);
  if (low != 0) addi(rd, rd, low);
}

void ProgramBuilder::la(X rd, Label label) {
  fixups_.push_back({words_.size(), InstructionId::auipc, {rd.number}, 0, label, true});
  auipc(rd, 0);
  addi(rd, rd, 0);
}

Result<std::vector<uint32_t>> ProgramBuilder::finish() {
  for (Fixup& fixup : fixups_) {
    if (!labels_[fixup.label.number])
      fail(fmt::format("label {} is never bound", fixup.label.number));
    if (error_) break;
    const int64_t distance =
        static_cast<int64_t>(*labels_[fixup.label.number]) - static_cast<int64_t>(fixup.at * 4);
    if (fixup.address) {
      const int64_t low = signExtend(static_cast<uint64_t>(distance), 12);
      words_[fixup.at] |=
          static_cast<uint32_t>(bits(static_cast<uint64_t>(distance - low), 31, 12) << 12);
      words_[fixup.at + 1] |= static_cast<uint32_t>(bits(static_cast<uint64_t>(low), 11, 0) << 20);
      continue;
    }
    fixup.operands[fixup.operand] = distance;
    const Result<uint32_t> word = encode(fixup.id, fixup.operands);
    if (!word.ok()) return word.error();
    words_[fixup.at] = *word;
  }
  fixups_.clear();
  if (error_) return *error_;
  return words_;
}

}  // namespace etalon::isa
