// SPDX-License-Identifier: Apache-2.0
#include "tools/assembler/object_symbols.h"

#include <llvm/Object/ELFObjectFile.h>
#include <llvm/Support/MemoryBuffer.h>

namespace etalon::tools {

Result<bool> definesGlobal(const std::vector<std::byte>& object, std::string_view symbol) {
  const llvm::StringRef bytes(reinterpret_cast<const char*>(object.data()), object.size());
  auto file = llvm::object::ObjectFile::createELFObjectFile(llvm::MemoryBufferRef(bytes, "object"));
  if (!file) return Error{"not an ELF object: " + llvm::toString(file.takeError())};
  for (const llvm::object::SymbolRef& candidate : (*file)->symbols()) {
    llvm::Expected<llvm::StringRef> name = candidate.getName();
    llvm::Expected<uint32_t> flags = candidate.getFlags();
    if (!name || !flags) {
      llvm::consumeError(name.takeError());
      llvm::consumeError(flags.takeError());
      continue;
    }
    const bool defined = (*flags & llvm::object::BasicSymbolRef::SF_Undefined) == 0;
    const bool global = (*flags & llvm::object::BasicSymbolRef::SF_Global) != 0;
    if (*name == llvm::StringRef(symbol) && defined && global) return true;
  }
  return false;
}

}  // namespace etalon::tools
