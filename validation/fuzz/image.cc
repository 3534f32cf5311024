// SPDX-License-Identifier: Apache-2.0
#include "validation/fuzz/image.h"

#include <fmt/format.h>

#include <array>
#include <cstring>

#include "isa/base/bits.h"
#include "isa/codec/program_builder.h"
#include "isa/csr.h"
#include "sim/arch/elf_writer.h"
#include "validation/fuzz/image_values.h"
#include "validation/fuzz/layout.h"

namespace etalon::fuzz {
namespace {

using isa::X;

// Registers that no step of the generator names: set-up, loop counters of two depths, what trap handlers keep.
constexpr X kScratch[3] = {{29}, {30}, {31}};
constexpr X kLoop[2] = {{27}, {28}};
constexpr X kTrapsLeft{26}, kTrapDigest{25};
constexpr int kMostTraps = 64;

/// Writes the code of one program: the cores' bodies, then the descriptors they load.
class ImageMaker {
 public:
  explicit ImageMaker(const Program& program) : program_(program) {}

  Result<std::vector<uint32_t>> make() {
    std::vector<isa::ProgramBuilder::Label> starts;
    for (size_t i = 0; i < program_.cores.size(); ++i) starts.push_back(p_.label());
    p_.csrrs(kScratch[0], isa::csr::kMhartid, X{0});
    for (size_t i = 0; i < starts.size(); ++i) {
      p_.li(kScratch[1], static_cast<int64_t>(i));
      p_.bne(kScratch[0], kScratch[1], 8);
      p_.jal(X{0}, starts[i]);
    }
    p_.et_halt();
    for (size_t i = 0; i < starts.size(); ++i) {
      p_.bind(starts[i]);
      writeCore(i);
    }
    if (handler_) writeHandler();
    writePool();
    auto words = p_.finish();
    if (!words.ok()) return words;
    for (const auto& [at, word] : patches_) (*words)[at] = word;
    return words;
  }

 private:
  using Label = isa::ProgramBuilder::Label;

  void writeCore(size_t core) {
    if (program_.handles_traps) {
      if (!handler_) handler_ = p_.label();
      p_.la(kScratch[0], *handler_);
      p_.csrrw(X{0}, isa::csr::kMtvec, kScratch[0]);
      p_.li(kTrapsLeft, kMostTraps);
    }
    if (program_.fills_local) fillLocal();
    writeSteps(program_.cores[core], 0);
    if (core == 0 && program_.exits) {
      p_.li(kScratch[0], static_cast<int64_t>(kTohost));
      p_.li(kScratch[1], 1);
      p_.sd(kScratch[1], 0, kScratch[0]);
    }
    p_.et_halt();
  }

  /// Local memory becomes copies of the values.
  void fillLocal() {
    isa::TileRegister tile;
    tile.type = static_cast<uint8_t>(ElementType::u8);
    tile.outer = 1;
    tile.inner = kLocalBytes / kValueBytes;
    tile.cols = tile.istride = kValueBytes;
    isa::ViewDescriptor view;
    view.type = tile.type;
    view.base = kValues;
    view.naxes = view.ncol = 1;
    view.nbox = 2;
    view.axes[0] = {.dim = kValueBytes, .stride = 1, .origin = 0};
    view.box[0] = {.extent = tile.inner, .axis = 0, .step = 0};
    view.box[1] = {.extent = tile.cols, .axis = 0, .step = 1};
    setTile({0, tile, false});
    setView({0, view});
    p_.et_ld(isa::Tile{0}, isa::View{0}, 0);
  }

  void setTile(const Step::Tile& tile) {
    if (tile.by_words) {
      const isa::TileWords words = isa::packTile(tile.value);
      for (size_t i = 0; i < words.size(); ++i) p_.li(kScratch[i], static_cast<int64_t>(words[i]));
      p_.et_tset(isa::Tile{tile.reg}, kScratch[0], kScratch[1], kScratch[2]);
      return;
    }
    std::array<std::byte, isa::kTileImageBytes> image{};
    isa::storeTileImage(tile.value, image);
    p_.la(kScratch[2], pooled(image));
    p_.et_tld(isa::Tile{tile.reg}, kScratch[2]);
  }
  void setView(const Step::View& view) {
    std::array<std::byte, isa::kViewImageBytes> image{};
    isa::storeViewImage(view.value, image);
    p_.la(kScratch[2], pooled(image));
    p_.et_vld(isa::View{view.reg}, kScratch[2]);
  }
  void setChain(const Step::Chain& chain) {
    std::array<std::byte, isa::kChainImageBytes> image{};
    isa::storeChainImage(chain.value, image);
    p_.la(kScratch[2], pooled(image));
    p_.et_cld(isa::Chain{chain.reg}, kScratch[2]);
  }

  Label pooled(std::span<const std::byte> image) {
    pool_.push_back({p_.label(), {image.begin(), image.end()}});
    return pool_.back().first;
  }

  void writeSteps(const std::vector<Step>& steps, size_t depth) {
    for (const Step& step : steps) {
      for (const Step::Tile& tile : step.tiles) setTile(tile);
      for (const Step::View& view : step.views) setView(view);
      for (const Step::Chain& chain : step.chains) setChain(chain);
      for (const auto& [reg, value] : step.x) p_.li(X{reg}, static_cast<int64_t>(value));
      switch (step.kind) {
        case Step::Kind::instruction: p_.word(step.word); break;
        case Step::Kind::skip: writeSkip(step, depth); break;
        case Step::Kind::loop: writeLoop(step, depth); break;
      }
    }
  }

  void writeLoop(const Step& step, size_t depth) {
    // Deeper ones go once.
    if (depth >= std::size(kLoop)) return writeSteps(step.body, depth);
    const X counter = kLoop[depth];
    p_.li(counter, step.trips);
    const Label begin = p_.label(), end = p_.label();
    p_.bind(begin);
    writeSteps(step.body, depth + 1);
    p_.addi(counter, counter, -1);
    // A jump reaches further than a branch.
    p_.bge(X{0}, counter, end);
    p_.jal(X{0}, begin);
    p_.bind(end);
  }

  /// The body behind the step's branch, or behind a jump; a jump through a register needs the address.
  void writeSkip(const Step& step, size_t depth) {
    const isa::InstructionId id = isa::decode(step.word).id;
    const Label end = p_.label();
    if (id == isa::InstructionId::jalr) p_.la(kScratch[2], end);
    const uint64_t at = p_.here();
    p_.word(step.word);
    writeSteps(step.body, depth);
    p_.bind(end);
    const auto distance = static_cast<int64_t>(p_.here() - at);
    if (id == isa::InstructionId::jalr) {
      const int64_t operands[3] = {step.word >> 7 & 31, 0, kScratch[2].number};
      patches_.emplace_back(at / 4, *isa::encode(id, operands));
      return;
    }
    const isa::InstructionInfo& info = isa::instructionInfo(id);
    std::vector<int64_t> operands = isa::operandValues(info, step.word);
    for (size_t i = 0; i < operands.size(); ++i)
      if (info.operand_infos[i].kind == isa::OperandKind::offset) operands[i] = distance;
    // A branch that does not reach falls through.
    const auto word = isa::encode(id, operands);
    patches_.emplace_back(at / 4, word.ok() ? *word : kNop);
  }

  /// Skips what trapped, a bounded number of times, and keeps a digest of why in a register.
  void writeHandler() {
    p_.bind(*handler_);
    p_.csrrw(kScratch[0], isa::csr::kMscratch, kScratch[0]);
    p_.slli(kTrapDigest, kTrapDigest, 1);
    p_.csrrs(kScratch[0], isa::csr::kMcause, X{0});
    p_.add(kTrapDigest, kTrapDigest, kScratch[0]);
    p_.csrrs(kScratch[0], isa::csr::kMtval, X{0});
    p_.xor_(kTrapDigest, kTrapDigest, kScratch[0]);
    p_.csrrs(kScratch[0], isa::csr::kMepc, X{0});
    p_.xor_(kTrapDigest, kTrapDigest, kScratch[0]);
    p_.addi(kScratch[0], kScratch[0], 4);
    p_.csrrw(X{0}, isa::csr::kMepc, kScratch[0]);
    p_.csrrw(kScratch[0], isa::csr::kMscratch, kScratch[0]);
    p_.addi(kTrapsLeft, kTrapsLeft, -1);
    const Label stop = p_.label();
    p_.bge(X{0}, kTrapsLeft, stop);
    p_.mret();
    p_.bind(stop);
    p_.et_halt();
  }

  void writePool() {
    while (p_.here() % 8 != 0) p_.word(0);
    for (const auto& [label, image] : pool_) {
      p_.bind(label);
      for (size_t i = 0; i < image.size(); i += 4) p_.word(loadBytes<uint32_t>(image.data() + i));
    }
  }

  static constexpr uint32_t kNop = 0x13;

  const Program& program_;
  isa::ProgramBuilder p_;
  std::optional<Label> handler_;
  std::vector<std::pair<Label, std::vector<std::byte>>> pool_;
  std::vector<std::pair<uint64_t, uint32_t>> patches_;  // words that are known after their body
};

}  // namespace

Result<std::vector<std::byte>> makeImage(const Program& program) {
  auto code = ImageMaker(program).make();
  if (!code.ok()) return code.error();
  std::vector<uint32_t> words((kCode - kEntry) / 4);
  const int64_t jump[2] = {0, static_cast<int64_t>(kCode - kEntry)};
  words[0] = *isa::encode(isa::InstructionId::jal, jump);
  const auto bytes = std::as_writable_bytes(std::span(words));
  fillAreas(program, bytes.subspan(kScalarAreas - kEntry));
  words.insert(words.end(), code->begin(), code->end());
  if (words.size() * 4 > kGlobalBytes)
    return Error{fmt::format("{}: image of {} bytes, global memory has {}", program.name(),
                             words.size() * 4, kGlobalBytes)};
  return sim::writeElf(kEntry, words, {{"_start", kEntry}, {"tohost", kTohost}});
}

}  // namespace etalon::fuzz
