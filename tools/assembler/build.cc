// SPDX-License-Identifier: Apache-2.0
#include "tools/assembler/build.h"

#include <fmt/format.h>

#include <filesystem>

#include "isa/base/file.h"
#include "tools/assembler/assembler.h"
#include "tools/assembler/linker.h"
#include "tools/assembler/object_symbols.h"
#include "tools/assembler/runtime_files.h"

namespace etalon::tools {
namespace {

Result<CompiledObject> assembleFile(const std::string& path, const XetEncoder& xet) {
  const Result<std::string> source = readFile(path);
  if (!source.ok()) return source.error();
  Result<std::vector<std::byte>> object = assemble(*source, path, xet);
  if (!object.ok()) return object.error();
  return CompiledObject{std::move(*object), ""};
}

Result<CompiledObject> translate(const std::string& path, const BuildOptions& options) {
  const std::string extension = std::filesystem::path(path).extension().string();
  if (extension == ".s") return assembleFile(path, options.xet);
  if (extension == ".c" || extension == ".cc" || extension == ".cpp")
    return compileC(path, options.compile);
  if (extension != ".S")
    return Error{fmt::format("{}: do not know how to build '{}' files; known are .s .S .c .cc .cpp",
                             path, extension)};
  const Result<std::string> text = preprocess(path, options.compile);
  if (!text.ok()) return text.error();
  Result<std::vector<std::byte>> object = assemble(*text, path, options.xet);
  if (!object.ok()) return object.error();
  return CompiledObject{std::move(*object), ""};
}

/// The objects that call `main` and that it may call.
Result<std::vector<ObjectFile>> buildRuntime(const RuntimeFiles& runtime,
                                             const BuildOptions& options) {
  Result<CompiledObject> startup = assembleFile(runtime.startup(), options.xet);
  if (!startup.ok()) return startup.error();
  CompileOptions compile = options.compile;
  // The user's flags are for his program. Without -fno-builtin memcpy would be compiled to a call
  // of memcpy.
  compile.flags = {"-fno-builtin"};
  Result<CompiledObject> library = compileC(runtime.library(), compile);
  if (!library.ok()) return library.error();
  return std::vector<ObjectFile>{{"crt0.s", std::move(startup->object)},
                                 {"runtime.c", std::move(library->object)}};
}

}  // namespace

Result<Image> buildProgram(const std::string& path, const BuildOptions& options) {
  const Result<RuntimeFiles> runtime = findRuntimeFiles();
  if (!runtime.ok()) return runtime.error();
  BuildOptions full = options;
  full.compile.include_dirs.insert(full.compile.include_dirs.end(), runtime->include_dirs.begin(),
                                   runtime->include_dirs.end());
  Result<CompiledObject> program = translate(path, full);
  if (!program.ok()) return program.error();

  const Result<bool> has_start = definesGlobal(program->object, "_start");
  if (!has_start.ok()) return has_start.error();
  const Result<bool> has_main = definesGlobal(program->object, "main");
  if (!has_main.ok()) return has_main.error();
  if (!*has_start && !*has_main)
    return Error{
        fmt::format("{}: defines neither '_start' (started as it is) nor 'main' (gets the "
                    "runtime) as a global symbol; in C++ include <etalon/runtime.h>, "
                    "without which main is no C function",
                    path)};
  std::vector<ObjectFile> objects;
  if (!*has_start) {
    Result<std::vector<ObjectFile>> own = buildRuntime(*runtime, full);
    if (!own.ok()) return own.error();
    objects = std::move(*own);
  }
  objects.push_back({path, std::move(program->object)});
  Result<std::vector<std::byte>> image = link(objects, {.script = runtime->script()});
  if (!image.ok()) return Error{path + ": " + image.error().message};
  return Image{std::move(*image), std::move(program->warnings)};
}

}  // namespace etalon::tools
