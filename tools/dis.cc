// SPDX-License-Identifier: Apache-2.0
// etalon dis: assembly text of an image or of single words.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "isa/base/bits.h"
#include "isa/base/number.h"
#include "isa/base/text.h"
#include "isa/codec/codec.h"
#include "tools/command.h"
#include "tools/program/program.h"
#include "tools/program/source_lines.h"

namespace etalon::tools {
namespace {

constexpr const char* kFooter = R"(Examples:
  etalon dis gemm.elf
  etalon dis gemm.elf --words    only the instructions, as `etalon asm` takes them
  etalon dis 0x0020812b 0x00500093)";

struct DisOptions {
  std::vector<std::string> what;
  bool words = false;
};

/// A word with its text; branches and jumps also get the place they go to.
std::string instructionLine(const sim::ElfImage& image, uint64_t pc, uint32_t word) {
  std::string text = isa::disassemble(word);
  const isa::Instruction in = isa::decode(word);
  if (in.id == isa::InstructionId::illegal) return text;
  const isa::InstructionInfo& info = isa::instructionInfo(in.id);
  const std::vector<int64_t> values = isa::operandValues(info, word);
  for (size_t i = 0; i < values.size(); ++i)
    if (info.operands()[i].kind == isa::OperandKind::offset) {
      const uint64_t target = pc + static_cast<uint64_t>(values[i]);
      text += fmt::format("  # {:#x} {}", target, image.symbolAt(target));
    }
  return text;
}

std::string disassembleSegment(const sim::ElfImage& image, const sim::Segment& segment,
                               SourceLines& lines) {
  std::string text, last_place;
  for (uint64_t at = 0; at + 4 <= segment.bytes.size(); at += 4) {
    const uint64_t pc = segment.address + at;
    SourcePlace place = lines.at(pc);
    if (!place.symbol.empty() && place.symbol.find('+') == std::string::npos)
      text += fmt::format("\n{}:\n", place.symbol);
    place.symbol.clear();
    if (std::string now = place.text(); !now.empty() && now != last_place) {
      text += fmt::format("; {}\n", now);
      last_place = std::move(now);
    }
    const auto word = loadBytes<uint32_t>(segment.bytes.data() + at);
    text += fmt::format("  {:#x}  {:08x}  {}\n", pc, word, instructionLine(image, pc, word));
  }
  return text;
}

int disassembleImage(const std::string& path, bool words) {
  const Result<Program> program = openProgram(path);
  if (!program.ok()) return complain("dis", program.error());
  SourceLines lines(program->image);
  for (const sim::Segment& segment : program->image.segments()) {
    if (!segment.executable) continue;
    if (words) {
      for (uint64_t at = 0; at + 4 <= segment.bytes.size(); at += 4)
        printOut(isa::disassemble(loadBytes<uint32_t>(segment.bytes.data() + at)) + "\n");
    } else {
      printOut(disassembleSegment(program->image, segment, lines));
    }
  }
  return kSuccess;
}

int disassembleWords(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) {
    const Result<uint64_t> value = parseUnsigned(word);
    if (!value.ok() || *value > 0xffffffffu)
      return complain("dis",
                      Error{fmt::format("{} is neither a file nor a 32-bit word such as 0x00500093",
                                        quote(word))});
    text += isa::disassemble(static_cast<uint32_t>(*value)) + "\n";
  }
  printOut(text);
  return kSuccess;
}

int dis(const DisOptions& options) {
  std::error_code ignored;
  const std::string& first = options.what.front();
  // A word is never taken for a file, nor a file for a word.
  if (parseUnsigned(first).ok() && !std::filesystem::exists(first, ignored))
    return disassembleWords(options.what);
  if (!std::filesystem::exists(first, ignored) && first.find_first_of("./") == std::string::npos)
    return disassembleWords(options.what);
  if (options.what.size() > 1) return complain("dis", Error{"give one image, or words"});
  return disassembleImage(first, options.words);
}

}  // namespace

void addDis(CLI::App& app, int& exit_status) {
  auto options = std::make_shared<DisOptions>();
  CLI::App* sub = app.add_subcommand("dis", "Disassemble an image or words");
  sub->add_option("IMAGE|WORD", options->what,
                  "An ELF image (or a source, built first), or 32-bit words")
      ->required()
      ->type_name("FILE");
  sub->add_flag("--words", options->words,
                "Only instructions, one a line: what the assembler reads back");
  sub->footer(kFooter);
  sub->callback([options, &exit_status] { exit_status = dis(*options); });
}

}  // namespace etalon::tools
