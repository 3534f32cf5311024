// SPDX-License-Identifier: Apache-2.0
#include "isa/state/tile_operands.h"

#include <fmt/format.h>

#include <algorithm>
#include <new>
#include <span>

#include "isa/base/check.h"
#include "isa/codec/instruction_info.h"
#include "isa/machines/address_map.h"
#include "isa/state/legal_types.h"

namespace etalon::isa {
namespace {

std::string typeName(uint8_t code) {
  return code < kElementTypes ? std::string(kElementInfo[code].name)
                              : fmt::format("reserved code {}", code);
}

std::string describe(const TileRegister& t) {
  return fmt::format("{} x {} {} at {:#x}", t.storedRows(), t.cols, typeName(t.type), t.base);
}

constexpr uint8_t kTileClass = 1, kViewClass = 2;

}  // namespace

std::string_view operandName(InstructionId id, int i) {
  for (const OperandInfo& info : instructionInfo(id).operands()) {
    const bool counts = info.kind == OperandKind::tile || info.kind == OperandKind::view ||
                        info.kind == OperandKind::chain;
    if (counts && i-- == 0) return info.name;
  }
  return "linked tile";
}

ByteInterval TileOperands::Operand::hull() const {
  ByteInterval interval = tile.hull();
  if (!displaced()) return interval;
  const auto [low, high] =
      std::minmax_element(displacements.begin(), displacements.begin() + displacement_count);
  interval.lo += *low;
  interval.hi += *high;
  return interval;
}

const TileRegister& TileOperands::tile(uint8_t reg, const TileRegister& value, Role role,
                                       Label label) {
  ETALON_CHECK(count_ < kMost, "more operands than any instruction has");
  Operand& operand = *new (&slots_[count_].operand) Operand(value);
  operand.role = role;
  operand.reg = reg;
  operand.number = static_cast<uint8_t>(label.number < 0 ? count_ : label.number);
  operand.name = label.name.empty() ? operandName(in_.id, operand.number) : label.name;
  ++count_;
  return operand.tile;
}

void TileOperands::displace(int i, std::span<const int32_t> bytes) {
  ETALON_CHECK(bytes.size() <= kMostDisplacements, "more displacements than a chain has constants");
  Operand& operand = slots_[i].operand;
  std::copy(bytes.begin(), bytes.end(), operand.displacements.begin());
  operand.displacement_count = static_cast<uint8_t>(bytes.size());
}

bool TileOperands::leavesOutValues() const {
  for (int i = 0; i < count_; ++i)
    if (const uint8_t type = slots_[i].operand.type();
        type < kElementTypes && isFloat(static_cast<ElementType>(type)))
      return true;
  return leaves_out_values_;
}

void TileOperands::needProfile(std::string_view profile) {
  const size_t at = profiles_.find(profile), end = at + profile.size();
  if (at != std::string::npos && (end == profiles_.size() || profiles_[end] == ' ')) return;
  if (!profiles_.empty()) profiles_ += ' ';
  profiles_ += profile;
}

const ViewDescriptor& TileOperands::view(uint8_t reg, const ViewDescriptor& value, Role role,
                                         int named_axis) {
  ETALON_CHECK(count_ < kMost, "more operands than any instruction has");
  Operand& operand = *new (&slots_[count_++].operand) Operand(value);
  operand.role = role;
  operand.reg = reg;
  operand.number = static_cast<uint8_t>(count_ - 1);
  operand.named_axis = named_axis;
  operand.name = operandName(in_.id, operand.number);
  return operand.view;
}

void TileOperands::raise(Cause cause, Rule rule, int operand, std::string detail,
                         std::string hint) {
  if (fault_) return;
  const Operand& o = slots_[operand].operand;
  Fault fault;
  fault.cause = cause;
  fault.rule = rule;
  fault.value = tileTrapValue(in_.raw, o.reg, o.is_view ? kViewClass : kTileClass, o.number, rule);
  fault.operand = fmt::format("{} ({}{})", o.name, o.is_view ? "vr" : "tr", o.reg);
  fault.detail = std::move(detail);
  fault.hint = std::move(hint);
  fault_ = std::move(fault);
}

void TileOperands::checkRegisters() {
  for (int i = 0; i < count_; ++i) {
    const Operand& o = slots_[i].operand;
    if (const uint8_t type = o.type(); type >= kElementTypes)
      raise(Cause::malformed, Rule::tile_type, i,
            fmt::format("element type code {} is reserved", type));
    if (!o.is_view) continue;
    if (const auto problem = checkViewPosition(o.view, o.named_axis))
      raise(Cause::malformed, Rule::view_position, i, problem->field + ": " + problem->text);
  }
  for (int i = 0; i < count_; ++i)
    if (!slots_[i].operand.is_view) checkFlags(i);
}

void TileOperands::checkFlags(int i) {
  const Operand& o = slots_[i].operand;
  const bool linked = o.role == Role::linked;
  const bool may_transpose = rules_.transposes && o.role == Role::source;
  if (o.tile.transpose && !may_transpose)
    raise(Cause::shape, Rule::tile_transpose, i,
          "the transpose flag is set; only matrix sources may be transposed",
          linked ? "what a link names is stored like its operand, without a flag"
                 : "clear it with et.tflags, or transpose with et.transpose");
  const bool step_fits = o.tile.step == 1 || rules_.any_step || (linked && o.tile.step == 0);
  if (!step_fits)
    raise(Cause::shape, Rule::tile_step, i,
          fmt::format("column step is {}, {}", o.tile.step,
                      linked ? "tiles that a link names need 0 or 1" : "matrix operands need 1"));
  if (o.tile.link_valid && !o.may_link)
    raise(Cause::shape, Rule::tile_link, i,
          fmt::format("links to tr{}, but this operand takes no link", o.tile.link),
          "clear it with et.tlink");
}

void TileOperands::checkTypes() {
  if (fault_) return;
  // What links name follows the operands of the syntax and has rules of its own.
  std::array<uint8_t, kMost> types{};
  int listed = 0;
  for (; listed < count_ && slots_[listed].operand.role != Role::linked; ++listed)
    types[listed] = slots_[listed].operand.type();
  const std::span<const uint8_t> of_syntax(types.data(), static_cast<size_t>(listed));
  if (const LegalTypes* row = findLegalTypes(in_.id, of_syntax)) {
    profiles_ = row->profiles;
    return;
  }
  std::string found;
  for (int i = 0; i < listed; ++i)
    found += fmt::format("{}{} {}", i ? ", " : "", slots_[i].operand.name,
                         typeName(slots_[i].operand.type()));
  raise(Cause::shape, Rule::op_types, 0,
        fmt::format("{} has no form with {}", instructionInfo(in_.id).name, found),
        fmt::format("`etalon isa {}` lists the legal types", instructionInfo(in_.id).name));
}

void TileOperands::checkProfiles() {
  const std::string_view missing = missingProfile(profiles_, limits_.profiles);
  if (missing.empty()) return;
  const std::string has = limits_.profiles.substr(0, limits_.profiles.find_last_not_of(' ') + 1);
  raise(Cause::unsupported, Rule::op_unsupported, 0,
        fmt::format("these types need profile {}; the machine has{}", missing, has),
        "`etalon machines` lists machines with their profiles, --machine chooses one");
}

bool MachineLimits::ownPages(uint64_t address, uint64_t bytes) const {
  const uint64_t at = address - ownDevice(address), own = local_bytes + kDevicePageBytes;
  for (const uint64_t window : {kLocalWindowBase, core_window})
    if (at - window < own && bytes <= own - (at - window)) return true;
  return false;
}

std::optional<ViewDescriptor> MachineLimits::translate(const ViewDescriptor& view, int named_axis,
                                                       uint8_t rights) const {
  const ByteInterval hull = boxHull(view, named_axis);
  if (hull.empty()) return view;
  const auto begin = static_cast<uint64_t>(hull.lo);
  const auto meant = translate(begin, static_cast<uint64_t>(hull.hi - hull.lo), rights);
  if (!meant) return std::nullopt;
  ViewDescriptor translated = view;
  translated.base += *meant - begin;
  return translated;
}

uint8_t TileOperands::rights(int i) const {
  const Role role = slots_[i].operand.role;
  if (rules_.updates) return right::read | right::write;
  return static_cast<uint8_t>((reads(role) ? right::read : 0) | (writes(role) ? right::write : 0));
}

void TileOperands::translateViews() {
  if (fault_ || !limits_.windows || !limits_.windows->inForce()) return;
  for (int i = 0; i < count_; ++i) {
    Operand& o = slots_[i].operand;
    if (!o.is_view) continue;
    if (const auto translated = limits_.translate(o.view, o.named_axis, rights(i)))
      o.view = *translated;
    else
      o.outside_windows = true;
  }
}

void TileOperands::checkPlacement() {
  translateViews();
  checkProfiles();
  checkAliasing();
}

bool TileOperands::overlap(const Operand& a, const Operand& b) const {
  if (a.outside_windows || b.outside_windows) return false;
  if (a.is_view && b.is_view) return mayOverlap(a.view, b.view, a.named_axis, b.named_axis);
  if (!a.is_view && !b.is_view) {
    // Only sources are displaced, and two sources are never asked.
    if (a.displaced()) return mayOverlap(b.tile, a.hull());
    if (b.displaced()) return mayOverlap(a.tile, b.hull());
    return mayOverlap(a.tile, b.tile);
  }
  const Operand& tile = a.is_view ? b : a;
  const Operand& view = a.is_view ? a : b;
  // Views reach local memory through its two windows; anything else shares no byte with a tile.
  ByteInterval interval = boxHull(view.view, view.named_axis);
  const uint64_t own = limits_.ownDevice(static_cast<uint64_t>(interval.lo));
  interval.lo -= own;
  interval.hi -= own;
  for (const uint64_t window : {kLocalWindowBase, limits_.core_window}) {
    if (interval.lo < window || interval.lo >= window + limits_.local_bytes) continue;
    interval.lo -= window;
    interval.hi -= window;
    return mayOverlap(tile.tile, interval);
  }
  return false;
}

void TileOperands::checkPair(int i, int j) {
  const Operand& a = slots_[i].operand;
  const Operand& b = slots_[j].operand;
  if (!writes(a.role) && !writes(b.role)) return;
  if (a.empty() || b.empty() || !overlap(a, b)) return;
  const bool exclusive = a.role == Role::inout || b.role == Role::inout ||
                         a.role == Role::second_destination || b.role == Role::second_destination;
  const bool both_tiles = !a.is_view && !b.is_view;
  const bool displaced = a.displaced() || b.displaced();
  if (!exclusive && rules_.in_place && both_tiles && !displaced && sameElements(a.tile, b.tile))
    return;
  const int written = writes(a.role) ? i : j, other = written == i ? j : i;
  const std::string text =
      fmt::format("may overlap {}{}", slots_[other].operand.name,
                  both_tiles ? fmt::format(": {} and {}", describe(slots_[written].operand.tile),
                                           describe(slots_[other].operand.tile))
                             : "");
  raise(Cause::aliasing,
        exclusive                  ? Rule::alias_inout
        : (a.is_view || b.is_view) ? Rule::alias_view
                                   : Rule::alias_overlap,
        written, text,
        rules_.in_place && displaced ? "a displaced source cannot be changed in place"
        : rules_.in_place && !exclusive
            ? "in place needs the same base, shape, strides and element size, not transposed"
            : "use another tile");
}

void TileOperands::checkAliasing() {
  for (int i = 0; i < count_ && !fault_; ++i) {
    const Operand& o = slots_[i].operand;
    if (!writes(o.role) || o.empty()) continue;
    if (o.is_view && rules_.updates) continue;
    if (o.is_view ? selfOverlaps(o.view, o.named_axis) : selfOverlaps(o.tile))
      raise(Cause::aliasing, o.is_view ? Rule::dma_store_overlap : Rule::alias_self, i,
            "the destination may write a byte twice",
            "give it strides that keep its elements apart");
  }
  for (int i = 0; i < count_; ++i)
    for (int j = i + 1; j < count_ && !fault_; ++j) checkPair(i, j);
}

void TileOperands::checkBounds(int i) {
  if (fault_) return;
  const Operand& o = slots_[i].operand;
  if (o.is_view) {
    if (const auto problem = checkViewAlignment(o.view))
      raise(Cause::global_access, Rule::view_align, i, problem->field + ": " + problem->text);
    return;
  }
  if (const auto problem = etalon::isa::checkTile(o.tile))
    return raise(Cause::local_bounds, Rule::tile_align, i, problem->field + ": " + problem->text);
  for (int k = 0; k < o.displacement_count; ++k)
    if (o.displacements[k] % static_cast<int32_t>(o.tile.elementBytes()) != 0)
      return raise(Cause::local_bounds, Rule::chain_displacement, i,
                   fmt::format("the displacement {} is no multiple of {}, the bytes of {}",
                               o.displacements[k], o.tile.elementBytes(), typeName(o.tile.type)));
  if (o.tile.empty()) return;
  const ByteInterval hull = o.hull();
  if (hull.lo < 0 || hull.hi > limits_.local_bytes)
    raise(Cause::local_bounds, Rule::tile_bounds, i,
          fmt::format("{}{} takes bytes {} to {}; local memory has {:#x} bytes", describe(o.tile),
                      o.displaced() ? ", displaced," : "", static_cast<int64_t>(hull.lo),
                      static_cast<int64_t>(hull.hi) - 1, limits_.local_bytes));
}

void TileOperands::checkLimits() {
  const auto check = [&](uint64_t amount, int log2, const char* what) {
    if (amount > uint64_t{1} << log2)
      raise(Cause::work_cap, Rule::op_work_cap, 0,
            fmt::format("{} {} are more than 2^{} allow in one instruction", amount, what, log2),
            "split the tile");
  };
  check(work_.macs, limits_.macs_log2, "multiply-accumulates");
  check(work_.elements, limits_.elements_log2, "elements");
  check(work_.bytes, limits_.bytes_log2, "bytes");
}

}  // namespace etalon::isa
