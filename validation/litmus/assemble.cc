// SPDX-License-Identifier: Apache-2.0
// Programs of litmus tests: instructions as isa/codec reads them, labels, and the names of the test.
#include "validation/litmus/assemble.h"

#include <fmt/format.h>

#include <map>

#include "isa/base/bits.h"
#include "isa/base/number.h"
#include "isa/base/text.h"
#include "isa/codec/program_builder.h"
#include "isa/machines/address_map.h"
#include "isa/state/tile_register.h"
#include "isa/state/view_descriptor.h"
#include "sim/arch/memory.h"

namespace etalon::validation {
namespace {

using isa::X;

constexpr uint64_t kEntry = 0x8000'0000;
constexpr uint64_t kData = 0x8008'0000;
constexpr uint64_t kViewArea = isa::kViewRegisters * isa::kViewImageBytes;
constexpr uint64_t kLocationArea = 4096;
constexpr uint64_t kTileStride = 64;
constexpr uint64_t kLocalArea = isa::kTileRegisters * kTileStride;
constexpr int kMeeting = 63;  // the semaphore by which cores of several devices meet

uint64_t deviceOf(unsigned core) { return uint64_t{core + 1} << isa::kDeviceShift; }
uint64_t windowOf(uint64_t core, Placement placement) {
  return placement == Placement::apart
             ? deviceOf(static_cast<unsigned>(core)) + isa::kCoreWindowBase
             : isa::kCoreWindowBase + core * isa::kCoreWindowStride;
}

bool isWordCharacter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '.';
}

/// Calls f with each word of the text; what f returns stands in its place.
template <class F>
std::string withWords(std::string_view text, F f) {
  std::string out;
  for (size_t at = 0; at < text.size();) {
    size_t end = at;
    while (end < text.size() && isWordCharacter(text[end])) ++end;
    if (end == at) {
      out += text[at++];
      continue;
    }
    out += f(text.substr(at, end - at));
    at = end;
  }
  return out;
}

isa::TileRegister tileRegister(unsigned number, ElementType type) {
  isa::TileRegister tile;
  tile.base = static_cast<uint32_t>(tileOffset(number));
  tile.outer = tile.inner = tile.cols = 1;
  tile.istride = static_cast<uint32_t>(tile.ostride = 4);
  tile.type = static_cast<uint8_t>(type);
  return tile;
}

isa::ViewDescriptor viewOf(const Location& location, Placement placement) {
  isa::ViewDescriptor view;
  view.base = addressOf(location, placement);
  view.type = static_cast<uint8_t>(location.type);
  view.naxes = view.nbox = view.ncol = 1;
  view.axes[0] = {.dim = 1, .stride = 4, .origin = 0};
  view.box[0] = {.extent = 1, .axis = 0, .step = 1};
  return view;
}

class Assembler {
 public:
  Assembler(const LitmusTest& test, uint64_t local_bytes, Placement placement)
      : test_(test), local_bytes_(local_bytes), placement_(placement) {}

  Result<LitmusImage> image() {
    findTiles();
    LitmusImage image;
    image.entry = kEntry;
    image.data = kData;
    image.data_bytes.resize(kViewArea + kLocationArea);
    for (size_t i = 0; i < test_.locations.size(); ++i) {
      const Location& location = test_.locations[i];
      std::byte* view = image.data_bytes.data() + i * isa::kViewImageBytes;
      isa::storeViewImage(viewOf(location, placement_),
                          std::span<std::byte, isa::kViewImageBytes>(view, isa::kViewImageBytes));
      if (!location.core)
        storeBytes(image.data_bytes.data() + kViewArea + location.offset, location.initial);
    }
    for (unsigned core = 0; core < test_.cores.size(); ++core) {
      const auto next = builder_.label();
      if (placement_ == Placement::apart)
        builder_.addi(X{31}, X{13}, -1);
      else
        builder_.csrrs(X{31}, 0xf14, X{0});
      builder_.li(X{30}, core);
      builder_.beq(X{31}, X{30}, 8);
      builder_.jal(X{0}, next);
      ETALON_RETURN_IF_ERROR(emitCore(core));
      builder_.bind(next);
    }
    builder_.et_halt();  // on a device that the test does not know
    Result<std::vector<uint32_t>> words = builder_.finish();
    if (!words.ok()) return Error{fmt::format("{}: {}", test_.name, words.error().message)};
    image.words = *std::move(words);
    return image;
  }

 private:
  /// The tiles of the test: those declared, those an instruction names and those an outcome asks for.
  void findTiles() {
    tiles_ = test_.tiles;
    const auto use = [&](unsigned tile) {
      if (!tiles_[tile]) tiles_[tile] = Tile{ElementType::i32, tile};
    };
    for (const CoreProgram& core : test_.cores)
      for (const ProgramLine& line : core.lines)
        withWords(line.text, [&](std::string_view word) {
          if (word.starts_with("tr"))
            if (const auto number = parseUnsigned(word.substr(2));
                number.ok() && *number < isa::kTileRegisters)
              use(static_cast<unsigned>(*number));
          return "";
        });
    for (const Outcome& outcome : test_.outcomes)
      for (const Term& term : outcome.terms)
        if (term.what == Term::What::tile) use(term.index);
  }

  Status emitCore(unsigned core) {
    const auto word = [&](uint64_t offset, uint32_t value) {
      builder_.li(X{28}, static_cast<int64_t>(isa::kLocalWindowBase + offset));
      builder_.li(X{29}, static_cast<int32_t>(value));
      builder_.sw(X{29}, 0, X{28});
    };
    for (unsigned i = 0; i < isa::kTileRegisters; ++i) {
      if (!tiles_[i]) continue;
      const isa::TileWords words = isa::packTile(tileRegister(i, tiles_[i]->type));
      for (uint8_t k = 0; k < 3; ++k)
        builder_.li(X{static_cast<uint8_t>(28 + k)}, static_cast<int64_t>(words[k]));
      builder_.et_tset(isa::Tile{static_cast<uint8_t>(i)}, X{28}, X{29}, X{30});
      word(tileOffset(i), tiles_[i]->initial);
    }
    for (unsigned i = 0; i < test_.locations.size(); ++i) {
      builder_.li(X{28}, static_cast<int64_t>(kData + i * uint64_t{isa::kViewImageBytes}));
      builder_.et_vld(isa::View{static_cast<uint8_t>(i)}, X{28});
      if (test_.locations[i].core == core)
        word(localOffset(test_.locations[i]), test_.locations[i].initial);
    }
    for (const auto& [number, text] : test_.cores[core].registers) {
      const auto value = valueOf(text);
      if (!value)
        return Error{fmt::format(
            "{}: core {}: x{} = {} is no number, location, own.LOCATION, tile.N or semC.N",
            test_.name, core, number, quote(text))};
      builder_.li(X{static_cast<uint8_t>(number)}, *value);
    }
    meet(core);
    ETALON_RETURN_IF_ERROR(emitLines(test_.cores[core].lines));
    builder_.et_halt();
    return {};
  }

  void meet(unsigned core) {
    if (placement_ == Placement::together) {
      builder_.li(X{28}, -1);
      builder_.et_barrier(X{28}, X{28});
      return;
    }
    builder_.li(X{29}, 1);
    for (unsigned other = 0; other < test_.cores.size(); ++other) {
      if (other == core) continue;
      builder_.li(X{28}, semaphore(other, kMeeting));
      builder_.et_sig(X{28}, X{29});
    }
    builder_.li(X{28}, static_cast<int64_t>(test_.cores.size()) - 1);
    builder_.et_waitsub(X{0}, kMeeting, X{28});
  }

  int64_t semaphore(uint64_t core, uint64_t number) const {
    return static_cast<int64_t>(windowOf(core, placement_) + local_bytes_ + 4 * number);
  }

  std::optional<int64_t> valueOf(std::string_view text) const {
    if (const auto number = parseSigned(text); number.ok()) return *number;
    if (const auto number = parseUnsigned(text); number.ok()) return static_cast<int64_t>(*number);
    const bool own = text.starts_with("own.");
    for (const Location& location : test_.locations)
      if (location.name == (own ? text.substr(4) : text) && (!own || location.core))
        return static_cast<int64_t>(own ? isa::kLocalWindowBase + localOffset(location)
                                        : addressOf(location, placement_));
    if (text.starts_with("tile.")) {
      const auto tile = parseUnsigned(text.substr(5));
      if (!tile.ok() || *tile >= isa::kTileRegisters) return std::nullopt;
      return isa::kLocalWindowBase + tileOffset(static_cast<unsigned>(*tile));
    }
    if (!text.starts_with("sem")) return std::nullopt;
    const size_t dot = std::min(text.find('.'), text.size() - 1);
    const auto core = parseUnsigned(text.substr(3, dot - 3));
    const auto semaphore = parseUnsigned(text.substr(dot + 1));
    if (!core.ok() || !semaphore.ok() || *semaphore >= sim::kSemaphores) return std::nullopt;
    return this->semaphore(*core, *semaphore);
  }

  Status emitLines(const std::vector<ProgramLine>& lines) {
    std::map<std::string, isa::ProgramBuilder::Label, std::less<>> labels;
    std::map<std::string, int64_t, std::less<>> places;  // in words from the first line
    int64_t at = 0;
    for (const ProgramLine& line : lines) {
      if (line.text.ends_with(':')) {
        const std::string name = line.text.substr(0, line.text.size() - 1);
        labels[name] = builder_.label();
        places[name] = at;
      } else {
        at += line.text.starts_with("la ") ? 2 : 1;
      }
    }
    at = 0;
    for (const ProgramLine& line : lines) {
      if (line.text.ends_with(':')) {
        builder_.bind(labels.find(line.text.substr(0, line.text.size() - 1))->second);
        continue;
      }
      if (line.text.starts_with("la ")) {
        const size_t comma = std::min(line.text.find(','), line.text.size() - 1);
        const auto target = labels.find(std::string_view(line.text).substr(
            std::min(line.text.find_first_not_of(' ', comma + 1), line.text.size())));
        const auto rd = parseUnsigned(std::string_view(line.text).substr(4, comma - 4));
        if (target == labels.end() || !rd.ok() || *rd > 27)
          return lineError(line, "must be `la xN, LABEL`");
        builder_.la(X{static_cast<uint8_t>(*rd)}, target->second);
        at += 2;
        continue;
      }
      const std::string_view whole = line.text;
      const size_t mnemonic = std::min(whole.find(' '), whole.size());
      const auto named = [&](std::string_view word) -> std::string {
        for (size_t i = 0; i < test_.locations.size(); ++i)
          if (test_.locations[i].name == word) return fmt::format("vr{}", i);
        const auto place = places.find(word);
        return place == places.end() ? std::string(word)
                                     : fmt::format("{}", 4 * (place->second - at));
      };
      const std::string text =
          std::string(whole.substr(0, mnemonic)) + withWords(whole.substr(mnemonic), named);
      const Result<uint32_t> instruction = isa::assembleInstruction(fencesAsNumbers(text));
      if (!instruction.ok()) return lineError(line, instruction.error().message);
      builder_.word(*instruction);
      ++at;
    }
    return {};
  }

  /// `fence rw, w` with its sets as numbers, and the operands that the codec wants beside them.
  static std::string fencesAsNumbers(const std::string& text) {
    if (!text.starts_with("fence ") || text.find('x') != std::string::npos) return text;
    const std::string sets = withWords(text.substr(6), [](std::string_view word) {
      unsigned set = 0;
      for (size_t i = 0; i < 4; ++i)
        if (word.find("wroi"[i]) != std::string_view::npos) set |= 1u << i;
      return fmt::format("{}", set);
    });
    return fmt::format("fence {}, x0, x0", sets);
  }

  Error lineError(const ProgramLine& line, std::string_view what) const {
    return Error{fmt::format("{}:{}: {}: {}", test_.name, line.number, quote(line.text), what)};
  }

  const LitmusTest& test_;
  uint64_t local_bytes_;
  Placement placement_;
  std::vector<std::optional<Tile>> tiles_;
  isa::ProgramBuilder builder_;
};

}  // namespace

uint64_t tileOffset(unsigned tile) { return tile * kTileStride; }
uint64_t localOffset(const Location& location) { return kLocalArea + location.offset; }
uint64_t addressOf(const Location& location, Placement placement) {
  if (location.core) return windowOf(*location.core, placement) + localOffset(location);
  const uint64_t device = placement == Placement::apart ? deviceOf(0) : 0;
  return device + kData + kViewArea + location.offset;
}

Result<LitmusImage> assembleLitmus(const LitmusTest& test, uint64_t local_bytes,
                                   Placement placement) {
  return Assembler(test, local_bytes, placement).image();
}

}  // namespace etalon::validation
