// SPDX-License-Identifier: Apache-2.0
#include "tools/program/program.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <filesystem>

#include "isa/base/file.h"
#include "isa/base/text.h"
#ifdef ETALON_WITH_LLVM
#include "tools/assembler/build.h"
#include "tools/program/xet_encoder.h"
#endif

namespace etalon::tools {
namespace {

constexpr std::array<std::string_view, 5> kSources = {".s", ".S", ".c", ".cc", ".cpp"};

bool isSource(const std::string& path) {
  return std::ranges::find(kSources, std::filesystem::path(path).extension().string()) !=
         kSources.end();
}

}  // namespace

Result<BuiltImage> buildSource(const std::string& path) {
  if (!isSource(path))
    return Error{fmt::format("{}: is no source file; known are .s .S .c .cc .cpp", path)};
#ifdef ETALON_WITH_LLVM
  Result<Image> image = buildProgram(path, {.xet = xetEncoder()});
  if (!image.ok()) return image.error();
  return BuiltImage{std::move(image->elf), std::move(image->warnings)};
#else
  if (const Result<std::string> content = readFile(path); !content.ok()) return content.error();
  return Error{
      fmt::format("{}: this build of etalon has no assembler and no C compiler. Either give an ELF "
                  "image, or use a build "
                  "with LLVM 19: `scripts/setup`, then `cmake --preset dev && cmake --build "
                  "--preset dev` (packages: "
                  "clang-19 lld-19 llvm-19-dev liblld-19-dev)",
                  path)};
#endif
}

Result<Program> openProgram(const std::string& path) {
  BuiltImage built;
  if (isSource(path)) {
    Result<BuiltImage> image = buildSource(path);
    if (!image.ok()) return image.error();
    built = *std::move(image);
  } else {
    const Result<std::string> content = readFile(path);
    if (!content.ok()) return content.error();
    if (!content->starts_with("\177ELF"))
      return Error{fmt::format(
          "{}: is neither an ELF image nor a source file (.s .S .c .cc .cpp){}", path,
          path.ends_with(".spec") ? "; a .spec names an operator, which plug-ins alone run" : "")};
    built.elf.resize(content->size());
    std::memcpy(built.elf.data(), content->data(), content->size());
  }
  Result<sim::ElfImage> image = sim::ElfImage::parse(std::move(built.elf), path);
  if (!image.ok()) return image.error();
  return Program{*std::move(image), std::move(built.warnings)};
}

}  // namespace etalon::tools
