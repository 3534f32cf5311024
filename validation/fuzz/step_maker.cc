// SPDX-License-Identifier: Apache-2.0
#include "validation/fuzz/step_maker.h"

#include <algorithm>

#include "isa/base/bits.h"
#include "isa/base/check.h"
#include "isa/codec/codec.h"
#include "isa/csr.h"
#include "isa/machines/address_map.h"
#include "isa/state/legal_types.h"
#include "isa/state/overlap.h"
#include "validation/fuzz/csr_numbers.h"
#include "validation/fuzz/layout.h"

namespace etalon::fuzz {
namespace {

using isa::OperandKind;

constexpr uint32_t kReadOnlyCsrs = 0xbc0;
/// For operands whose type nobody asks for: those whose rows begin on bytes whatever the shape.
constexpr std::array kWholeTypes{ElementType::i8,   ElementType::u8,  ElementType::i16,
                                 ElementType::u32,  ElementType::i64, ElementType::f8e4m3,
                                 ElementType::bf16, ElementType::f32};

bool hasType(const isa::OperandInfo& operand) {
  return operand.kind == OperandKind::tile || operand.kind == OperandKind::view;
}

std::string profileList(const isa::Machine& machine) {
  std::string list = " ";
  for (const std::string& profile : machine.profiles) list += profile + " ";
  return list;
}

}  // namespace

uint64_t StepMaker::scalarAddress(uint64_t bytes) {
  const uint64_t align = random_.oneIn(8) ? 1 : bytes;
  const auto inside = [&](uint64_t room) {
    return random_.below(room - bytes + 1) / align * align;
  };
  switch (random_.below(6)) {
    case 0: return isa::kLocalWindowBase + inside(kLocalBytes);
    case 1:
      // Scalar stores through a window are ordered with nothing else without a fence.
      if (territory_.alone && territory_.exchange != territory_.core) break;
      return isa::kCoreWindowBase + territory_.exchange * isa::kCoreWindowStride + kExchange +
             inside(kExchangeBytes);
    default: break;
  }
  return kScalarAreas + territory_.area * kScalarAreaBytes + kFreeWords +
         inside(kScalarAreaBytes - kFreeWords);
}

uint64_t StepMaker::semaphoreAddress(unsigned core, unsigned semaphore) {
  const bool own = core == territory_.core && random_.oneIn(2);
  const uint64_t window =
      own ? isa::kLocalWindowBase : isa::kCoreWindowBase + core * isa::kCoreWindowStride;
  return window + kLocalBytes + 4 * uint64_t{semaphore};
}

bool StepMaker::hasProfile(std::string_view name) const {
  return std::ranges::find(machine_.profiles, name) != machine_.profiles.end();
}

bool StepMaker::isSupported(const isa::InstructionInfo& info) const {
  const std::string profiles = profileList(machine_);
  const auto rows = isa::legalTypes(info.id);
  const auto has = [&](const isa::LegalTypes& row) {
    return isa::missingProfile(row.profiles, profiles).empty();
  };
  return isa::missingProfile(info.profile, profiles).empty() &&
         (rows.empty() || std::ranges::any_of(rows, has));
}

std::vector<ElementType> StepMaker::pickTypes(isa::InstructionId id) {
  std::vector<const isa::LegalTypes*> rows;
  const std::string profiles = profileList(machine_);
  // What the machine lacks is tried now and then.
  const bool any = accident(30);
  for (const isa::LegalTypes& row : isa::legalTypes(id))
    if (any || isa::missingProfile(row.profiles, profiles).empty()) rows.push_back(&row);
  std::vector<ElementType> types;
  if (rows.empty()) {
    const auto all = isa::legalTypes(id);
    if (all.empty()) return types;
    rows.push_back(&all[random_.below(all.size())]);
  }
  const isa::LegalTypes& row = *random_.pick(rows);
  for (int i = 0; i < row.count; ++i) {
    std::vector<ElementType> choices;
    for (int code = 0; code < kElementTypes; ++code)
      if (row.masks[static_cast<size_t>(i)] >> code & 1)
        choices.push_back(static_cast<ElementType>(code));
    types.push_back(random_.pick(choices));
  }
  return types;
}

uint8_t StepMaker::freeTile(const Step& step) {
  for (;;) {
    const auto reg = static_cast<uint8_t>(random_.below(isa::kTileRegisters));
    if (std::ranges::none_of(step.tiles, [&](const Step::Tile& t) { return t.reg == reg; }))
      return reg;
  }
}

int64_t StepMaker::setTile(const isa::TileRegister& tile, Step& step) {
  const uint8_t reg = freeTile(step);
  step.tiles.push_back({reg, tile, random_.oneIn(4)});
  known_[reg] = tile;
  return reg;
}

int64_t StepMaker::setView(const isa::ViewDescriptor& view, Step& step) {
  const auto reg = static_cast<uint8_t>(random_.below(isa::kViewRegisters));
  step.views.push_back({reg, view});
  return reg;
}

/// A register that an earlier step left a fitting tile in.
std::optional<uint8_t> StepMaker::knownTile(const TileNeed& need, const Step& step) {
  for (uint8_t reg = 0; reg < isa::kTileRegisters; ++reg) {
    const auto& tile = known_[reg];
    if (!tile || tile->type != static_cast<uint8_t>(need.type) || tile->rows() != need.rows ||
        tile->columns() != need.columns || tile->link_valid ||
        (tile->transpose && !need.transposable) || (tile->step != 1 && !need.steps) ||
        (need.written && isa::selfOverlaps(*tile)) || !placer_.fits(*tile, need.written))
      continue;
    if (std::ranges::none_of(step.tiles, [&](const Step::Tile& t) { return t.reg == reg; }))
      return reg;
  }
  return std::nullopt;
}

int64_t StepMaker::tileOperand(const TileNeed& need, Step& step) {
  if (random_.oneIn(3)) {
    if (const auto reg = knownTile(need, step)) {
      placer_.add(*known_[*reg], need.written);
      return *reg;
    }
  }
  return setTile(placer_.place(need), step);
}

/// An element-wise destination in place of a source set up before; false if it takes none.
bool StepMaker::placeInPlace(Operands& o, const TileNeed& need, Step& step, int64_t& reg) {
  const bool elementwise = o.info.group == "elementwise" || o.info.group == "chain";
  if (!elementwise || !need.written || step.tiles.empty() || !random_.oneIn(3)) return false;
  isa::TileRegister tile = random_.pick(step.tiles).value;
  const bool repeats = tile.step == 0 || tile.istride == 0 || tile.ostride == 0;
  if (repeats || elementInfo(tile.elementType()).bits != elementInfo(need.type).bits) return false;
  tile.type = static_cast<uint8_t>(need.type);
  if (!placer_.fitsInPlace(tile)) return false;
  placer_.add(tile, true);
  reg = setTile(tile, step);
  return true;
}

/// A view that lies beside the tile operands if it is of the own local memory.
int64_t StepMaker::viewOperand(const std::function<isa::ViewDescriptor(const Area&)>& make,
                               Step& step) {
  constexpr int kTries = 4;
  for (int i = 0;; ++i) {
    const Area area = i < kTries ? viewArea() : globalArea();
    const isa::ViewDescriptor view = make(area);
    if (i >= kTries || area.local < 0) return setView(view, step);
    if (isa::checkView(view) || isa::checkViewPosition(view)) continue;
    const isa::ByteInterval hull = isa::boxHull(view, isa::kNoNamedAxis);
    const isa::Int128 window = static_cast<isa::Int128>(area.address) - area.local;
    if (!placer_.meets({hull.lo - window, hull.hi - window})) return setView(view, step);
  }
}

Area StepMaker::globalArea() const {
  return {kTileAreas + territory_.area * kTileAreaBytes, kTileAreaBytes};
}

Area StepMaker::viewArea() {
  const uint64_t exchange =
      isa::kCoreWindowBase + territory_.exchange * isa::kCoreWindowStride + kExchange;
  const uint64_t own = random_.oneIn(2)
                           ? isa::kLocalWindowBase
                           : isa::kCoreWindowBase + territory_.core * isa::kCoreWindowStride;
  switch (random_.below(8)) {
    case 0: return {own, kExchange, 0};
    case 1:
    case 2:
      return {exchange, kExchangeBytes,
              territory_.exchange == territory_.core ? int64_t{kExchange} : -1};
    default: return globalArea();
  }
}

/// Value for an x register whose meaning the operand's name or the instruction tells.
uint64_t StepMaker::scalarValue(const isa::InstructionInfo& info, std::string_view operand,
                                const Step& step) {
  if (info.name == "et.tbase") return random_.below(kExchange / 64) * 64;
  if (info.name == "et.tadv") return (random_.below(33) - 16) * 64;
  if (info.name == "et.cap")
    return isa::instructionTable()[random_.below(isa::instructionTable().size())].match;
  if (info.name == "et.ttype")
    return operand == "rs2" ? random_.pick<uint64_t>({0, 1, 2, 4}) : random_.below(kElementTypes);
  if (info.name == "et.tlink") return random_.below(33) - 1;
  if (info.name == "et.tflags") return random_.below(2);
  if (info.name == "et.tset" && !step.tiles.empty())
    return isa::packTile(step.tiles[0].value)[static_cast<size_t>(operand.back() - '1')];
  if (info.name == "et.sig" && operand == "rs1") {
    const auto core = static_cast<unsigned>(random_.below(kMostCores));
    return semaphoreAddress(core, kFreeSemaphores + static_cast<unsigned>(random_.below(32)));
  }
  if (info.unit == isa::Unit::setup) return random_.below(24);
  if (random_.oneIn(4)) return random_.word();
  if (random_.oneIn(3)) return random_.below(0x100) << 23;  // powers of two as f32
  return random_.below(64);
}

/// One that a program may write and still be followed: no trap vector, no place to return to, no barrier's arrival, nothing
/// that interrupts it or ends its waits.
int64_t StepMaker::csrOperand(const isa::InstructionInfo& info) {
  for (;;) {
    const uint16_t number = random_.pick(csrNumbers());
    if (number == isa::csr::kMtvec || number == isa::csr::kEtbar || number == isa::csr::kMepc ||
        number == isa::csr::kMie || (number >= isa::csr::kEterrmx && number <= isa::csr::kEterrst))
      continue;
    // Counters and what stands behind them can only be read, which takes an instruction that may leave the CSR alone.
    if (number >= kReadOnlyCsrs && !accident(2) && info.name.starts_with("csrrw")) continue;
    return number;
  }
}

int64_t StepMaker::scalarOperand(const isa::InstructionInfo& info, const isa::OperandInfo& operand,
                                 Step& step) {
  const uint64_t values = uint64_t{1} << operand.width;
  switch (operand.kind) {
    case OperandKind::x: {
      if (operand.name == "rd")
        return random_.oneIn(16) ? 0 : static_cast<int64_t>(1 + random_.below(kMostX));
      const auto reg = static_cast<uint8_t>(random_.below(kMostX + 1));
      const bool matters = info.unit != isa::Unit::scalar;
      if (reg != 0 && (matters || random_.oneIn(4))) {
        if (std::ranges::none_of(step.x, [&](const auto& set) { return set.first == reg; }))
          step.x.emplace_back(reg, scalarValue(info, operand.name, step));
      }
      return reg;
    }
    case OperandKind::csr: return csrOperand(info);
    case OperandKind::rm: return random_.pick<int64_t>({0, 1, 2, 3, 4, 7, 7});
    case OperandKind::imm:
      // Axis, box dim and word numbers are small; what is beyond faults.
      if (info.unit == isa::Unit::setup && operand.name != "ctr" && !accident(16))
        return static_cast<int64_t>(
            random_.below(std::min<uint64_t>(values, operand.name == "word" ? 3 : 2)));
      [[fallthrough]];
    default: {
      const auto value =
          random_.oneIn(2) ? random_.below(values) : random_.below(std::min<uint64_t>(values, 16));
      const uint64_t aligned = value >> operand.zero_bits << operand.zero_bits;
      return operand.is_signed ? signExtend(aligned, operand.width) : static_cast<int64_t>(aligned);
    }
  }
}

uint64_t StepMaker::memoryAddress(const isa::InstructionInfo& info) {
  const uint64_t area = kScalarAreas + territory_.area * kScalarAreaBytes;
  const auto image = [&](uint64_t begin, uint64_t end, uint64_t bytes) {
    return area + begin + random_.below((end - begin) / bytes) * bytes;
  };
  for (const isa::OperandInfo& operand : info.operands()) {
    if (operand.kind == OperandKind::tile)
      return image(kTileImages, kViewImages, isa::kTileImageBytes);
    if (operand.kind == OperandKind::view)
      return image(kViewImages, kChainImages, isa::kViewImageBytes);
    if (operand.kind == OperandKind::chain)
      return image(kChainImages, kFreeWords, isa::kChainImageBytes);
  }
  // Atomics trap when they are misaligned, others do not: rarely both.
  const uint64_t address = scalarAddress(8);
  return info.group == "rv64a" && !accident(24) ? address & ~uint64_t{7} : address;
}

/// An operand `imm(rs1)` or `(rs1)`: the register gets an address.
void StepMaker::setMemoryOperand(Operands& o, Step& step) {
  if (o.info.syntax.find("(rs1)") == std::string_view::npos) return;
  int64_t displacement = 0;
  size_t base = 0;
  for (size_t i = 0; i < o.values.size(); ++i) {
    const isa::OperandInfo& operand = o.info.operand_infos[i];
    if (operand.kind == OperandKind::imm)
      displacement = o.values[i] = static_cast<int64_t>(random_.below(64)) - 32;
    if (operand.name == "rs1") base = i;
  }
  const auto reg = static_cast<uint8_t>(1 + random_.below(kMostX));
  o.values[base] = reg;
  std::erase_if(step.x, [&](const auto& set) { return set.first == reg; });
  step.x.emplace_back(reg, memoryAddress(o.info) - static_cast<uint64_t>(displacement));
}

void StepMaker::setOperands(Operands& o, Step& step) {
  o.values.assign(o.info.operands().size(), 0);
  const bool matrix = o.info.unit == isa::Unit::matrix;
  size_t typed = 0;
  std::vector<std::pair<size_t, TileNeed>> tiles;
  std::vector<std::tuple<size_t, ElementType, Shape>> views;
  for (size_t i = 0; i < o.values.size(); ++i) {
    const isa::OperandInfo& operand = o.info.operand_infos[i];
    if (!hasType(operand)) continue;
    const ElementType type = typed < o.types.size() ? o.types[typed] : random_.pick(kWholeTypes);
    const Shape shape = o.shapes[typed++];
    if (operand.kind == OperandKind::tile) {
      const bool written = isWritten(operand.name);
      tiles.push_back({i, {type, shape.rows, shape.columns, written, !matrix, matrix && !written}});
    } else {
      views.push_back({i, type, shape});
    }
  }
  // Sources first, so that a destination can go in place of one.
  for (const bool written : {false, true})
    for (const auto& [i, need] : tiles)
      if (need.written == written && !placeInPlace(o, need, step, o.values[i]))
        o.values[i] = tileOperand(need, step);
  const bool repeats = o.info.unit != isa::Unit::store || o.info.profile == "Et-atomic";
  for (const auto& [i, type, shape] : views)
    o.values[i] = viewOperand(
        [&](const Area& area) {
          return makeView(random_, type, shape.rows, shape.columns, area, repeats);
        },
        step);
  for (size_t i = 0; i < o.values.size(); ++i)
    if (!hasType(o.info.operand_infos[i]) && o.info.operand_infos[i].kind != OperandKind::chain)
      o.values[i] = scalarOperand(o.info, o.info.operand_infos[i], step);
    else if (o.info.operand_infos[i].kind == OperandKind::chain)
      o.values[i] = static_cast<int64_t>(random_.below(isa::kChainRegisters));
}

/// Boxes of 4-bit views have even columns.
void StepMaker::roundColumns(Operands& o) {
  size_t typed = 0;
  bool rounds = false;
  for (const isa::OperandInfo& operand : o.info.operands())
    if (hasType(operand) && typed < o.types.size())
      rounds |= elementInfo(o.types[typed++]).bits == 4 && operand.kind == OperandKind::view;
  if (!rounds || accident(4)) return;
  for (Shape& shape : o.shapes) shape.columns += shape.columns & 1;
}

std::vector<Step> StepMaker::make(const isa::InstructionInfo& info) {
  Step step;
  before_.clear();
  placer_.beginStep();
  Operands o{info, pickTypes(info.id), operandShapes(info, random_, elements_, accident(10)), {}};
  roundColumns(o);
  const auto has = [&](OperandKind kind) {
    return std::ranges::any_of(info.operands(),
                               [&](const auto& operand) { return operand.kind == kind; });
  };
  const bool indexed = has(OperandKind::view) && info.syntax.find("ti") != std::string_view::npos;
  if (info.unit == isa::Unit::vector && has(OperandKind::chain))
    makeChain(o, step);
  else if (indexed)
    makeIndexed(o, step);
  else
    setOperands(o, step);
  if (info.unit == isa::Unit::matrix) addLinks(o, step);
  setMemoryOperand(o, step);
  for (size_t i = 0; i + 1 < o.values.size(); ++i)  // read-only CSRs: nothing to write
    if (info.operand_infos[i].kind == OperandKind::csr && o.values[i] >= kReadOnlyCsrs &&
        !accident(2))
      o.values[i + 1] = 0;
  const auto word = isa::encode(info.id, o.values);
  ETALON_CHECK(word.ok(), "operands are made within the ranges of the table");
  step.word = *word;
  if (info.unit == isa::Unit::setup) forgetRegisters();
  before_.push_back(std::move(step));
  return std::move(before_);
}

}  // namespace etalon::fuzz
