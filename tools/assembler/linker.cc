// SPDX-License-Identifier: Apache-2.0
#include "tools/assembler/linker.h"

#include <fmt/format.h>
#include <lld/Common/Driver.h>
#include <llvm/Support/ErrorHandling.h>
#include <llvm/Support/raw_ostream.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "isa/base/file.h"
#include "tools/assembler/sandbox.h"

LLD_HAS_DRIVER(elf)

namespace etalon::tools {
namespace {

/// Files that live in memory only, for a linker that wants paths. They end with the process.
class MemoryFiles {
 public:
  /// Path of a new file with this content.
  Result<std::string> add(const std::string& name, const void* data, size_t size) {
    const int fd = ::memfd_create("etalon", 0);
    if (fd < 0)
      return Error{fmt::format("cannot hold '{}' in memory: {}", name, std::strerror(errno))};
    for (size_t done = 0; done < size;) {
      const ssize_t n = ::write(fd, static_cast<const char*>(data) + done, size - done);
      if (n <= 0)
        return Error{fmt::format("cannot hold '{}' in memory: {}", name, std::strerror(errno))};
      done += static_cast<size_t>(n);
    }
    std::string path = fmt::format("/proc/self/fd/{}", fd);
    names_.emplace_back(path, name);
    return path;
  }

  /// `text` with the names in place of the paths.
  std::string withNames(std::string text) const {
    // Backwards: /proc/self/fd/1 is the beginning of /proc/self/fd/10, and later ones are longer.
    for (auto file = names_.rbegin(); file != names_.rend(); ++file)
      for (size_t at = 0; (at = text.find(file->first, at)) != std::string::npos;
           at += file->second.size())
        text.replace(at, file->first.size(), file->second);
    return text;
  }

 private:
  std::vector<std::pair<std::string, std::string>> names_;  // path, name
};

/// Everything that has been written to a descriptor's file.
Result<Bytes> contentOf(int fd) {
  struct stat about{};
  if (::fstat(fd, &about) != 0) return Error{"cannot read the linked image back"};
  Bytes content(static_cast<size_t>(about.st_size));
  for (size_t done = 0; done < content.size();) {
    const ssize_t n =
        ::pread(fd, content.data() + done, content.size() - done, static_cast<off_t>(done));
    if (n <= 0) return Error{"cannot read the linked image back"};
    done += static_cast<size_t>(n);
  }
  return content;
}

void outOfMemory(void*, const char*, bool) { exitOutOfMemory(); }

/// lld's text without its own name in front of every line.
std::string readable(std::string text) {
  for (const std::string_view noise : {"ld.lld: error: ", "ld.lld: "})
    for (size_t at = 0; (at = text.find(noise, at)) != std::string::npos;)
      text.erase(at, noise.size());
  while (!text.empty() && text.back() == '\n') text.pop_back();
  return text;
}

Result<Bytes> linkHere(const std::vector<ObjectFile>& objects, const std::string& script,
                       const LinkOptions& options) {
  llvm::install_bad_alloc_error_handler(outOfMemory);
  MemoryFiles files;
  std::vector<std::string> arguments = {"ld.lld",
                                        "-m",
                                        "elf64lriscv",
                                        "-static",
                                        "--no-relax",
                                        "--threads=1",
                                        "--build-id=none",
                                        "-z",
                                        "max-page-size=4096",
                                        "--entry=" + options.entry,
                                        "--error-limit=20",
                                        "--fatal-warnings",
                                        "-z",
                                        "norelro"};
  const Result<std::string> script_path = files.add(options.script, script.data(), script.size());
  if (!script_path.ok()) return script_path.error();
  arguments.insert(arguments.end(), {"-T", *script_path});
  for (const ObjectFile& object : objects) {
    const Result<std::string> path =
        files.add(object.name, object.bytes.data(), object.bytes.size());
    if (!path.ok()) return path.error();
    arguments.push_back(*path);
  }
  // "-" is lld's way to keep the image off the file system; it then goes to descriptor 1.
  arguments.insert(arguments.end(), {"-o", "-"});
  const int image = ::memfd_create("etalon", 0);
  if (image < 0 || ::dup2(image, STDOUT_FILENO) < 0)
    return Error{fmt::format("cannot hold the image in memory: {}", std::strerror(errno))};

  std::vector<const char*> argv;
  for (const std::string& argument : arguments) argv.push_back(argument.c_str());
  std::string messages;
  llvm::raw_string_ostream message_stream(messages);
  const lld::DriverDef drivers[] = {{lld::Gnu, &lld::elf::link}};
  const lld::Result status = lld::lldMain(argv, message_stream, message_stream, drivers);
  llvm::outs().flush();
  if (status.retCode != 0) return Error{"linking failed:\n" + readable(files.withNames(messages))};
  return contentOf(image);
}

}  // namespace

Result<std::vector<std::byte>> link(const std::vector<ObjectFile>& objects,
                                    const LinkOptions& options) {
  if (objects.empty()) return Error{"linking failed: there is no object to link"};
  constexpr std::string_view kMagic = "\177ELF";
  for (const ObjectFile& object : objects)  // lld would take other files for linker scripts
    if (object.bytes.size() < kMagic.size() ||
        std::memcmp(object.bytes.data(), kMagic.data(), kMagic.size()) != 0)
      return Error{fmt::format("linking failed: '{}' is not an ELF object", object.name)};
  const Result<std::string> script = readFile(options.script);
  if (!script.ok()) return script.error();
  return runSandboxed("linking '" + objects.front().name + "'",
                      [&] { return linkHere(objects, *script, options); });
}

}  // namespace etalon::tools
