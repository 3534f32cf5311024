// SPDX-License-Identifier: Apache-2.0
#include "tools/assembler/compile.h"

#include <fmt/format.h>

#include <filesystem>

#include "isa/base/file.h"
#include "tools/assembler/child_process.h"

namespace etalon::tools {
namespace {

constexpr int kCompileSeconds = 300;

std::vector<std::string> targetFlags() {
  return {"--target=riscv64-unknown-elf", "-march=rv64ima_zicsr_zifencei_zfinx", "-mabi=lp64",
          "-mcmodel=medany", "-mno-relax"};
}

std::vector<std::string> languageFlags(bool cpp) {
  std::vector<std::string> flags = {"-ffreestanding",
                                    "-nostdlib",
                                    "-O2",
                                    "-g",
                                    "-fno-math-errno",
                                    "-ffp-contract=off",
                                    "-fno-asynchronous-unwind-tables",
                                    "-fdebug-compilation-dir=.",
                                    "-Wall"};
  if (cpp)
    flags.insert(flags.end(), {"-x", "c++", "-std=c++20", "-fno-exceptions", "-fno-rtti",
                               "-Werror=global-constructors"});
  else
    flags.insert(flags.end(), {"-x", "c", "-std=c17"});
  return flags;
}

Result<ProgramOutput> runClang(const std::string& path, const std::vector<std::string>& mode_flags,
                               const CompileOptions& options) {
  if (const Result<std::string> source = readFile(path); !source.ok()) return source.error();
  std::vector<std::string> argv = {options.clang};
  const std::vector<std::string> target = targetFlags();
  argv.insert(argv.end(), target.begin(), target.end());
  argv.insert(argv.end(), mode_flags.begin(), mode_flags.end());
  for (const std::string& folder : options.include_dirs) argv.push_back("-I" + folder);
  argv.insert(argv.end(), options.flags.begin(), options.flags.end());
  // A path that begins with a dash would be read as a flag.
  argv.insert(argv.end(), {"-o", "-", path.starts_with('-') ? "./" + path : path});
  Result<ProgramOutput> output = runProgram(
      argv, kCompileSeconds, "C programs need the package clang-19 (apt-get install clang-19)");
  if (!output.ok()) return Error{path + ": " + output.error().message};
  if (output->exit_status == 0) return output;
  while (!output->err.empty() && output->err.back() == '\n') output->err.pop_back();
  if (output->err.empty())
    return Error{fmt::format("{}: {} ended with status {} and said nothing", path, options.clang,
                             output->exit_status)};
  return Error{std::move(output->err)};
}

}  // namespace

Result<CompiledObject> compileC(const std::string& path, const CompileOptions& options) {
  const std::string extension = std::filesystem::path(path).extension().string();
  const bool cpp = extension == ".cc" || extension == ".cpp";
  if (!cpp && extension != ".c")
    return Error{
        fmt::format("{}: extension '{}' is not C (.c) or C++ (.cc, .cpp)", path, extension)};
  std::vector<std::string> flags = languageFlags(cpp);
  flags.push_back("-c");
  Result<ProgramOutput> output = runClang(path, flags, options);
  if (!output.ok()) return output.error();
  const auto* bytes = reinterpret_cast<const std::byte*>(output->out.data());
  return CompiledObject{{bytes, bytes + output->out.size()}, std::move(output->err)};
}

Result<std::string> preprocess(const std::string& path, const CompileOptions& options) {
  Result<ProgramOutput> output = runClang(path, {"-E", "-x", "assembler-with-cpp"}, options);
  if (!output.ok()) return output.error();
  return std::move(output->out);
}

}  // namespace etalon::tools
