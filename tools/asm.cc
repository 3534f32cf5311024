// SPDX-License-Identifier: Apache-2.0
// etalon asm: builds an image out of a source, or encodes single instructions.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <vector>

#include "isa/base/file.h"
#include "isa/codec/codec.h"
#include "tools/command.h"
#include "tools/program/program.h"

namespace etalon::tools {
namespace {

constexpr const char* kFooter = R"(Examples:
  etalon asm gemm.s -o gemm.elf
  etalon asm gemm.c -o gemm.elf
  etalon asm --instruction 'et.mm tr0, tr1, tr2' --instruction 'addi x1, x0, 5')";

struct AsmOptions {
  std::string source, output;
  std::vector<std::string> instructions;
};

/// One word a line, for instructions without labels; needs no LLVM.
int encodeInstructions(const AsmOptions& options) {
  std::string text;
  for (const std::string& instruction : options.instructions) {
    const Result<uint32_t> word = isa::assembleInstruction(instruction);
    if (!word.ok()) return complain("asm", word.error());
    text += fmt::format("{:#010x}\n", *word);
  }
  const Status status = printTo(options.output, text);
  return status.ok() ? kSuccess : complain("asm", status.error());
}

int assembleProgram(const AsmOptions& options) {
  if (!options.instructions.empty()) {
    if (!options.source.empty())
      return complain("asm", Error{"give a source file or --instruction, not both"});
    return encodeInstructions(options);
  }
  if (options.source.empty())
    return complain("asm", Error{"give a source file, or --instruction TEXT"});
  if (options.output.empty()) return complain("asm", Error{"give the image to write: -o FILE.elf"});
  const Result<BuiltImage> image = buildSource(options.source);
  if (!image.ok()) return complain("asm", image.error());
  fmt::print(stderr, "{}", image->warnings);
  const Status status = writeFile(
      options.output, {reinterpret_cast<const char*>(image->elf.data()), image->elf.size()});
  return status.ok() ? kSuccess : complain("asm", status.error());
}

}  // namespace

void addAsm(CLI::App& app, int& exit_status) {
  auto options = std::make_shared<AsmOptions>();
  CLI::App* sub = app.add_subcommand("asm", "Build an ELF image from assembly, C or C++");
  sub->add_option("SOURCE", options->source, "A .s, .S, .c, .cc or .cpp file")->type_name("FILE");
  sub->add_option("-o,--output", options->output, "The image to write; needed with SOURCE")
      ->type_name("FILE");
  sub->add_option("-i,--instruction", options->instructions,
                  "Encode one instruction and print its word")
      ->allow_extra_args(false)
      ->type_name("TEXT");
  sub->footer(kFooter);
  sub->callback([options, &exit_status] { exit_status = assembleProgram(*options); });
}

}  // namespace etalon::tools
