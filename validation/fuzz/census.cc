// SPDX-License-Identifier: Apache-2.0
#include "validation/fuzz/census.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <optional>

#include "isa/base/check.h"
#include "isa/codec/codec.h"
#include "isa/machines/address_map.h"
#include "isa/state/overlap.h"
#include "validation/fuzz/layout.h"
#include "validation/fuzz/operand_shapes.h"

namespace etalon::fuzz {
namespace {

constexpr std::array<std::string_view, kOverlaps> kOverlapNames = {
    "in place",      "sources",          "partial",           "between",
    "self",          "view self",        "window on operand", "window apart",
    "remote window", "read after write", "write after read",  "write after write"};

/// A tile operand as a step sets it up.
struct Used {
  isa::TileRegister tile;
  bool written = false;
};

/// Tile operands of a step that it sets up itself and that are well formed.
std::vector<Used> usedTiles(const Step& step) {
  std::vector<Used> used;
  const isa::InstructionId id = isa::decode(step.word).id;
  if (id == isa::InstructionId::illegal || step.kind != Step::Kind::instruction) return used;
  const isa::InstructionInfo& info = isa::instructionInfo(id);
  if (info.unit == isa::Unit::setup) return used;  // it names the register, not the tile
  const auto values = isa::operandValues(info, step.word);
  for (size_t i = 0; i < values.size(); ++i) {
    if (info.operand_infos[i].kind != isa::OperandKind::tile) continue;
    for (const Step::Tile& t : step.tiles)
      if (t.reg == values[i] && !isa::checkTile(t.value) && !t.value.empty())
        used.push_back({t.value, isWritten(info.operand_infos[i].name)});
  }
  return used;
}

bool hullsMeet(const isa::TileRegister& a, const isa::TileRegister& b) {
  return a.hull().intersects(b.hull());
}

/// The core whose window an address is in as `core` sees it, and the offset there.
std::optional<std::pair<unsigned, uint64_t>> window(uint64_t address, unsigned core) {
  if (address - isa::kLocalWindowBase < kLocalBytes)
    return std::pair{core, address - isa::kLocalWindowBase};
  const uint64_t offset = address - isa::kCoreWindowBase;
  if (offset / isa::kCoreWindowStride < kMostCores && offset % isa::kCoreWindowStride < kLocalBytes)
    return std::pair{static_cast<unsigned>(offset / isa::kCoreWindowStride),
                     offset % isa::kCoreWindowStride};
  return std::nullopt;
}

/// Counts the overlaps of the steps of one core.
class OverlapCounter {
 public:
  OverlapCounter(unsigned core, std::array<uint64_t, kOverlaps>& counts)
      : core_(core), counts_(counts) {}

  void add(const Step& step) {
    const std::vector<Used> used = usedTiles(step);
    for (size_t i = 0; i < used.size(); ++i) {
      if (used[i].written && isa::selfOverlaps(used[i].tile)) note(Overlap::self);
      for (size_t j = 0; j < i; ++j) addPair(used[i], used[j]);
    }
    for (const Step::View& view : step.views) addView(step, view.value, used);
    for (const auto& [reg, value] : step.x)
      if (const auto in = window(value, core_); in && in->first != core_)
        note(Overlap::remote_window);
    for (const Used& now : used)
      for (const Used& before : before_) addHazard(before, now);
    if (!used.empty()) before_ = used;
  }

 private:
  void note(Overlap overlap) { ++counts_[static_cast<size_t>(overlap)]; }

  void addPair(const Used& a, const Used& b) {
    const bool overlap = isa::mayOverlap(a.tile, b.tile);
    if (!a.written && !b.written) {
      if (overlap) note(Overlap::sources);
    } else if (!overlap) {
      if (hullsMeet(a.tile, b.tile)) note(Overlap::between);
    } else {
      note(isa::sameElements(a.tile, b.tile) ? Overlap::in_place : Overlap::partial);
    }
  }

  void addView(const Step& step, const isa::ViewDescriptor& view, const std::vector<Used>& used) {
    if (isa::checkView(view) || isa::checkViewPosition(view) || view.empty()) return;
    const isa::InstructionId id = isa::decode(step.word).id;
    if (id == isa::InstructionId::illegal) return;
    if (isa::instructionInfo(id).unit == isa::Unit::store && isa::selfOverlaps(view))
      note(Overlap::view_self);
    const isa::ByteInterval hull = isa::boxHull(view);
    if (hull.empty()) return;
    const auto in = window(static_cast<uint64_t>(hull.lo), core_);
    if (!in) return;
    if (in->first != core_) return note(Overlap::remote_window);
    const isa::ByteInterval local{in->second, in->second + (hull.hi - hull.lo)};
    const bool meets =
        std::ranges::any_of(used, [&](const Used& u) { return isa::mayOverlap(u.tile, local); });
    note(meets ? Overlap::window_on_operand : Overlap::window_apart);
  }

  void addHazard(const Used& before, const Used& now) {
    if (!isa::mayOverlap(before.tile, now.tile)) return;
    if (before.written)
      note(now.written ? Overlap::write_after_write : Overlap::read_after_write);
    else if (now.written)
      note(Overlap::write_after_read);
  }

  unsigned core_;
  std::array<uint64_t, kOverlaps>& counts_;
  std::vector<Used> before_;
};

}  // namespace

std::string_view overlapName(Overlap overlap) {
  return kOverlapNames[static_cast<size_t>(overlap)];
}

void Census::addProgram(const Program& program) {
  ++programs_;
  for (unsigned core = 0; core < program.cores.size(); ++core) {
    OverlapCounter overlaps(core, overlaps_);
    forEachStep(program.cores[core], [&](const Step& step) {
      ++steps_;
      if (step.kind != Step::Kind::loop) ++made_[static_cast<size_t>(isa::decode(step.word).id)];
      if (step.kind == Step::Kind::instruction) overlaps.add(step);
    });
  }
}

void Census::addRun(const sim::FunctionalDevice& device, const Outcome& outcome) {
  ++ends_[outcome.end];
  racing_ += device.races().raceCount() != 0 ? 1 : 0;
  for (const isa::Fault& fault : device.findings().faults())
    ++faults_[static_cast<size_t>(fault.cause)];
}

void Census::add(const Census& other) {
  programs_ += other.programs_;
  steps_ += other.steps_;
  racing_ += other.racing_;
  const auto sum = [](auto& into, const auto& from) {
    std::ranges::transform(into, from, into.begin(), std::plus());
  };
  sum(made_, other.made_);
  sum(retired_, other.retired_);
  sum(ends_, other.ends_);
  sum(faults_, other.faults_);
  sum(overlaps_, other.overlaps_);
}

uint64_t Census::retiredOf(isa::Unit unit) const {
  uint64_t sum = 0;
  for (const isa::InstructionInfo& info : isa::instructionTable())
    if (info.unit == unit) sum += retired(info.id);
  return sum;
}

uint64_t Census::trapped() const {
  return std::accumulate(faults_.begin(), faults_.end(), uint64_t{0});
}

std::string Census::report() const {
  std::string text = fmt::format("{} programs, {} steps, {} programs with a data race\n", programs_,
                                 steps_, racing_);
  const double percent = 100.0 / static_cast<double>(std::max<uint64_t>(programs_, 1));
  for (size_t end = 0; end < kEnds; ++end)
    if (ends_[end] != 0)
      text +=
          fmt::format("  ended by {:<20} {:>8} {:6.2f} %\n", endName(static_cast<etalon_end>(end)),
                      ends_[end], static_cast<double>(ends_[end]) * percent);
  for (size_t cause = 0; cause < kCauses; ++cause)
    if (faults_[cause] != 0)
      text += fmt::format("  fault {:<24} {:>8}\n", isa::causeName(static_cast<isa::Cause>(cause)),
                          faults_[cause]);
  for (size_t i = 0; i < kOverlaps; ++i)
    text += fmt::format("  operands {:<21} {:>8}\n", kOverlapNames[i], overlaps_[i]);
  uint64_t made = 0, retired = 0;
  std::string missing;
  for (const isa::InstructionInfo& info : isa::instructionTable()) {
    made += made_[static_cast<size_t>(info.id)] != 0 ? 1 : 0;
    if (retired_[static_cast<size_t>(info.id)] != 0)
      ++retired;
    else
      missing += fmt::format(" {}", info.name);
  }
  text += fmt::format("  {} instructions of {} made, {} retired; not retired:{}\n", made,
                      isa::instructionTable().size(), retired, missing.empty() ? " none" : missing);
  return text;
}

}  // namespace etalon::fuzz
