// SPDX-License-Identifier: Apache-2.0
#include "tools/assembler/mc.h"

#include <llvm-c/Target.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/MC/MCAsmBackend.h>
#include <llvm/MC/MCAsmInfo.h>
#include <llvm/MC/MCCodeEmitter.h>
#include <llvm/MC/MCContext.h>
#include <llvm/MC/MCInstrInfo.h>
#include <llvm/MC/MCObjectFileInfo.h>
#include <llvm/MC/MCObjectWriter.h>
#include <llvm/MC/MCParser/MCAsmParser.h>
#include <llvm/MC/MCParser/MCTargetAsmParser.h>
#include <llvm/MC/MCRegisterInfo.h>
#include <llvm/MC/MCStreamer.h>
#include <llvm/MC/MCSubtargetInfo.h>
#include <llvm/MC/MCTargetOptions.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Support/ErrorHandling.h>
#include <llvm/Support/SourceMgr.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/TargetParser/Triple.h>

#include <memory>

#include "tools/assembler/sandbox.h"

namespace etalon::tools {
namespace {

constexpr char kTriple[] = "riscv64-unknown-elf";
constexpr char kCpu[] = "generic-rv64";
constexpr char kFeatures[] = "+m,+a,+zicsr,+zifencei,+zfinx";
/// Past this many the rest is noise, and a hostile text could make millions.
constexpr size_t kMostDiagnostics = 1000;

void outOfMemory(void*, const char*, bool) { exitOutOfMemory(); }

void collectDiagnostic(const llvm::SMDiagnostic& diagnostic, void* context) {
  auto& all = *static_cast<std::vector<SourceDiagnostic>*>(context);
  if (diagnostic.getKind() == llvm::SourceMgr::DK_Warning || all.size() >= kMostDiagnostics) return;
  SourceDiagnostic found;
  found.message = diagnostic.getMessage().str();
  const llvm::SourceMgr* manager = diagnostic.getSourceMgr();
  const llvm::SMLoc location = diagnostic.getLoc();
  // The position comes from the location: the parser has already rewritten the line number by the
  // latest line marker, which is the wrong one for what it finds at the end of the text.
  if (const unsigned buffer =
          manager && location.isValid() ? manager->FindBufferContainingLoc(location) : 0) {
    const auto [line, column] = manager->getLineAndColumn(location, buffer);
    found.column = static_cast<int>(column);
    if (buffer == manager->getMainFileID()) {
      found.line = static_cast<int>(line);
    } else {
      found.file = manager->getMemoryBuffer(buffer)->getBufferIdentifier().str();
      found.line = static_cast<int>(line);
      found.source_line = diagnostic.getLineContents().str();
    }
  }
  // The layout runs several times and repeats what it finds.
  if (!all.empty() && all.back().line == found.line && all.back().column == found.column &&
      all.back().message == found.message)
    return;
  all.push_back(std::move(found));
}

const llvm::Target* riscvTarget() {
  LLVMInitializeRISCVTargetInfo();
  LLVMInitializeRISCVTargetMC();
  LLVMInitializeRISCVAsmParser();
  std::string error;
  const llvm::Target* target = llvm::TargetRegistry::lookupTarget(kTriple, error);
  ETALON_CHECK(target != nullptr, "LLVM was built without RISC-V");
  return target;
}

void setUpDebugLines(llvm::MCContext& context, const std::vector<std::string>& files) {
  context.setGenDwarfForAssembly(true);
  context.setDwarfVersion(5);
  context.setDwarfDebugProducer("etalon");
  context.setCompilationDir(".");
  context.setMainFileName(files.front());
  // The root file (0) is never used: with its number the parser would rename it to the file of the
  // first line marker. A checksum tells it apart from file 1, which has the same name.
  context.setMCLineTableRootFile(0, ".", files.front(), llvm::MD5::MD5Result(), std::nullopt);
  for (size_t i = 0; i < files.size(); i++) {
    llvm::Expected<unsigned> number = context.getDwarfFile("", files[i], /*FileNumber=*/0,
                                                           std::nullopt, std::nullopt, /*CUID=*/0);
    ETALON_CHECK(number && *number == i + 1, "each file has its own number");
  }
  context.setGenDwarfFileNumber(1);
}

}  // namespace

McResult runMc(const std::string& text, const std::vector<std::string>& files) {
  llvm::install_bad_alloc_error_handler(outOfMemory);
  McResult result;
  const llvm::Target* target = riscvTarget();
  const llvm::Triple triple(kTriple);
  llvm::MCTargetOptions options;
  options.ABIName = "lp64";
  llvm::SourceMgr manager;
  manager.AddNewSourceBuffer(llvm::MemoryBuffer::getMemBuffer(text, files.front()), llvm::SMLoc());
  manager.setDiagHandler(collectDiagnostic, &result.diagnostics);

  const std::unique_ptr<llvm::MCRegisterInfo> registers(target->createMCRegInfo(kTriple));
  const std::unique_ptr<llvm::MCAsmInfo> info(
      target->createMCAsmInfo(*registers, kTriple, options));
  const std::unique_ptr<llvm::MCSubtargetInfo> subtarget(
      target->createMCSubtargetInfo(kTriple, kCpu, kFeatures));
  const std::unique_ptr<llvm::MCInstrInfo> instructions(target->createMCInstrInfo());
  llvm::MCContext context(triple, info.get(), registers.get(), subtarget.get(), &manager, &options);
  const std::unique_ptr<llvm::MCObjectFileInfo> object_info(
      target->createMCObjectFileInfo(context, /*PIC=*/false));
  context.setObjectFileInfo(object_info.get());
  // What is found while the object is laid out comes this way, not through the parser.
  context.setDiagnosticHandler([&result](const llvm::SMDiagnostic& diagnostic, bool,
                                         const llvm::SourceMgr&,
                                         std::vector<const llvm::MDNode*>&) {
    collectDiagnostic(diagnostic, &result.diagnostics);
  });
  setUpDebugLines(context, files);

  llvm::SmallVector<char, 0> object;
  llvm::raw_svector_ostream stream(object);
  std::unique_ptr<llvm::MCAsmBackend> backend(
      target->createMCAsmBackend(*subtarget, *registers, options));
  std::unique_ptr<llvm::MCObjectWriter> writer = backend->createObjectWriter(stream);
  std::unique_ptr<llvm::MCCodeEmitter> emitter(target->createMCCodeEmitter(*instructions, context));
  const std::unique_ptr<llvm::MCStreamer> streamer(target->createMCObjectStreamer(
      triple, context, std::move(backend), std::move(writer), std::move(emitter), *subtarget));
  streamer->initSections(/*NoExecStack=*/false, *subtarget);
  const std::unique_ptr<llvm::MCAsmParser> parser(
      llvm::createMCAsmParser(manager, context, *streamer, *info));
  const std::unique_ptr<llvm::MCTargetAsmParser> target_parser(
      target->createMCAsmParser(*subtarget, *parser, *instructions, options));
  parser->setTargetParser(*target_parser);
  const bool failed = parser->Run(/*NoInitialTextSection=*/false);
  if (failed || context.hadError()) {
    if (result.diagnostics.empty())
      result.diagnostics.push_back({"", 0, 0, "the assembler gave up without saying why", ""});
    return result;
  }
  const auto* bytes = reinterpret_cast<const std::byte*>(object.data());
  result.object.assign(bytes, bytes + object.size());
  result.diagnostics.clear();
  return result;
}

}  // namespace etalon::tools
