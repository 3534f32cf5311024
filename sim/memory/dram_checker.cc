// SPDX-License-Identifier: Apache-2.0
#include "sim/memory/dram_checker.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace etalon::sim {
namespace {

using Kind = DramCommand::Kind;
using isa::DramPreset;

constexpr size_t kKinds = 7;
constexpr std::array<const char*, kKinds> kKindNames{
    "Activate", "Precharge", "PrechargeAll", "Read", "Write", "RefreshAll", "RefreshBank"};

enum class Reach : uint8_t { Bank, Group, Channel };

struct Rule {
  const char* name;
  Kind before, after;
  Reach reach;
  uint64_t least;
};

std::vector<Rule> rulesOf(const DramPreset& preset) {
  const isa::DramTiming& t = preset.timing;
  const uint64_t written = t.cwl + t.burst;  // from WR to the end of its data
  return {
      {"tRC", Kind::Activate, Kind::Activate, Reach::Bank, t.rc},
      {"tRCD_RD", Kind::Activate, Kind::Read, Reach::Bank, t.rcd_rd},
      {"tRCD_WR", Kind::Activate, Kind::Write, Reach::Bank, t.rcd_wr},
      {"tRAS", Kind::Activate, Kind::Precharge, Reach::Bank, t.ras},
      {"tRAS all", Kind::Activate, Kind::PrechargeAll, Reach::Channel, t.ras},
      {"tRP", Kind::Precharge, Kind::Activate, Reach::Bank, t.rp},
      {"tRP all", Kind::PrechargeAll, Kind::Activate, Reach::Channel, t.rp_all},
      {"tRTP", Kind::Read, Kind::Precharge, Reach::Bank, t.rtp},
      {"tRTP all", Kind::Read, Kind::PrechargeAll, Reach::Channel, t.rtp},
      {"tWR", Kind::Write, Kind::Precharge, Reach::Bank, written + t.wr},
      {"tWR all", Kind::Write, Kind::PrechargeAll, Reach::Channel, written + t.wr},
      {"tRRD_L", Kind::Activate, Kind::Activate, Reach::Group, t.rrd_l},
      {"tRRD_S", Kind::Activate, Kind::Activate, Reach::Channel, t.rrd_s},
      {"tCCD_L", Kind::Read, Kind::Read, Reach::Group, t.ccd_l},
      {"tCCD_S", Kind::Read, Kind::Read, Reach::Channel, t.ccd_s},
      {"tCCD_L_WR", Kind::Write, Kind::Write, Reach::Group, t.ccd_l_wr},
      {"tCCD_S_WR", Kind::Write, Kind::Write, Reach::Channel, t.ccd_s},
      {"tWTR_L", Kind::Write, Kind::Read, Reach::Group, written + t.wtr_l},
      {"tWTR_S", Kind::Write, Kind::Read, Reach::Channel, written + t.wtr_s},
      {"tRFC", Kind::RefreshAll, Kind::Activate, Reach::Channel, t.rfc},
      {"tRFC refresh", Kind::RefreshAll, Kind::RefreshAll, Reach::Channel, t.rfc},
      {"tRP refresh", Kind::Precharge, Kind::RefreshAll, Reach::Channel, t.rp},
      {"tRP all refresh", Kind::PrechargeAll, Kind::RefreshAll, Reach::Channel, t.rp_all},
      {"tRC refresh", Kind::Activate, Kind::RefreshAll, Reach::Channel, t.rc},
      {"tRFC bank", Kind::RefreshBank, Kind::Activate, Reach::Bank, t.rfc_bank},
      {"tRFC bank refresh", Kind::RefreshBank, Kind::RefreshBank, Reach::Bank, t.rfc_bank},
      {"tRP bank refresh", Kind::Precharge, Kind::RefreshBank, Reach::Bank, t.rp},
      {"tRC bank refresh", Kind::Activate, Kind::RefreshBank, Reach::Bank, t.rc},
      {"tRREFD", Kind::RefreshBank, Kind::RefreshBank, Reach::Channel, t.rrefd},
      {"tRREFD activate", Kind::RefreshBank, Kind::Activate, Reach::Channel, t.rrefd},
      {"tRRD_S refresh", Kind::Activate, Kind::RefreshBank, Reach::Channel, t.rrd_s},
  };
}

class Checker {
 public:
  Checker(const DramPreset& preset, const std::vector<DramCommand>& commands)
      : preset_(preset), commands_(commands), open_(preset.allBanks(), kNone) {
    for (const Rule& rule : rulesOf(preset)) {
      rules_[index(rule.before)][index(rule.after)].push_back(rule);
      farthest_ = std::max(farthest_, rule.least);
    }
    farthest_ = std::max({farthest_, preset.timing.faw,
                          preset.timing.cl + preset.timing.burst + preset.timing.rtw_gap});
  }

  std::optional<std::string> run() {
    for (size_t i = 0; i < commands_.size(); ++i) {
      std::optional<std::string> problem = row(i);
      if (!problem) problem = distances(i);
      if (!problem) problem = fourActivates(i);
      if (!problem) problem = commandBus(i);
      if (!problem) problem = dataBus(i);
      if (!problem) problem = refresh(i);
      if (problem)
        return fmt::format("command {} ({} of bank {} at {}): {}", i, name(commands_[i]),
                           commands_[i].bank, commands_[i].time, *problem);
    }
    return std::nullopt;
  }

 private:
  static constexpr int64_t kNone = -1;
  static size_t index(Kind kind) { return static_cast<size_t>(kind); }
  static const char* name(const DramCommand& command) { return kKindNames[index(command.kind)]; }

  std::optional<std::string> row(size_t i) {
    const DramCommand& command = commands_[i];
    if (i > 0 && command.time < commands_[i - 1].time) return "row: the log goes back in time";
    if (command.bank >= open_.size()) return "row: there is no such bank";
    int64_t& open = open_[command.bank];
    switch (command.kind) {
      case Kind::Activate:
        if (open != kNone) return fmt::format("row: {} is open", open);
        open = command.row;
        break;
      case Kind::Read:
      case Kind::Write:
        if (open != command.row) return fmt::format("row: {} is open, not {}", open, command.row);
        break;
      case Kind::Precharge:
        if (open == kNone) return "row: nothing is open";
        open = kNone;
        break;
      case Kind::PrechargeAll: std::fill(open_.begin(), open_.end(), kNone); break;
      case Kind::RefreshAll:
        if (std::any_of(open_.begin(), open_.end(), [](int64_t row) { return row != kNone; }))
          return "row: a bank is open";
        break;
      case Kind::RefreshBank:
        if (open != kNone) return fmt::format("row: {} is open", open);
        break;
    }
    return std::nullopt;
  }

  std::optional<std::string> distances(size_t i) const {
    const DramCommand& after = commands_[i];
    for (size_t j = i; j > 0 && commands_[j - 1].time + farthest_ > after.time; --j) {
      const DramCommand& before = commands_[j - 1];
      for (const Rule& rule : rules_[index(before.kind)][index(after.kind)]) {
        if (rule.reach == Reach::Bank && before.bank != after.bank) continue;
        if (rule.reach == Reach::Group && before.bank / preset_.banks != after.bank / preset_.banks)
          continue;
        if (after.time < before.time + rule.least)
          return fmt::format("{}: {} after {}, at least {}", rule.name, after.time - before.time,
                             name(before), rule.least);
      }
    }
    return std::nullopt;
  }

  std::optional<std::string> fourActivates(size_t i) const {
    if (commands_[i].kind != Kind::Activate) return std::nullopt;
    int within = 1;
    for (size_t j = i; j > 0 && commands_[j - 1].time + preset_.timing.faw > commands_[i].time; --j)
      within += commands_[j - 1].kind == Kind::Activate;
    if (within > 4) return fmt::format("tFAW: {} activates in {}", within, preset_.timing.faw);
    return std::nullopt;
  }

  static bool onColumnBus(Kind kind) { return kind == Kind::Read || kind == Kind::Write; }

  std::optional<std::string> commandBus(size_t i) const {
    for (size_t j = i; j > 0 && commands_[j - 1].time == commands_[i].time; --j)
      if (preset_.commands == DramPreset::Commands::Shared ||
          onColumnBus(commands_[j - 1].kind) == onColumnBus(commands_[i].kind))
        return fmt::format("command bus: {} goes in the same cycle", name(commands_[j - 1]));
    return std::nullopt;
  }

  uint64_t dataBegin(const DramCommand& command) const {
    return command.time + (command.kind == Kind::Read ? preset_.timing.cl : preset_.timing.cwl);
  }

  std::optional<std::string> dataBus(size_t i) const {
    const DramCommand& after = commands_[i];
    if (!onColumnBus(after.kind)) return std::nullopt;
    const uint64_t begin = dataBegin(after), end = begin + preset_.timing.burst;
    for (size_t j = i; j > 0 && commands_[j - 1].time + farthest_ > after.time; --j) {
      const DramCommand& before = commands_[j - 1];
      if (!onColumnBus(before.kind)) continue;
      const bool turns = before.kind == Kind::Read && after.kind == Kind::Write;
      const uint64_t free =
          dataBegin(before) + preset_.timing.burst + (turns ? preset_.timing.rtw_gap : 0);
      if (begin < free && dataBegin(before) < end)
        return fmt::format("data bus: data from {} on, the bus is free from {} on", begin, free);
    }
    return std::nullopt;
  }

  /// A refresh is due at each multiple of tREFI, for each bank somewhere in each tREFI; closing the banks may take as long
  /// as an activate or write just before it asks.
  std::optional<std::string> refresh(size_t i) {
    const isa::DramTiming& t = preset_.timing;
    const DramCommand& command = commands_[i];
    const uint64_t close = t.rcd_rd + t.ras + t.cwl + t.burst + t.wr + t.rp_all;
    const bool per_bank = preset_.refresh == DramPreset::Refresh::PerBank;
    if (refreshed_.empty()) refreshed_.resize(per_bank ? preset_.allBanks() : 1);
    for (size_t b = 0; b < refreshed_.size(); ++b)
      if (command.time > (refreshed_[b] + 1) * t.refi + close)
        return fmt::format("refresh: number {} of bank {} is late", refreshed_[b] + 1, b);
    const Kind kind = per_bank ? Kind::RefreshBank : Kind::RefreshAll;
    if (command.kind == kind) ++refreshed_[per_bank ? command.bank : 0];
    return std::nullopt;
  }

  const DramPreset& preset_;
  const std::vector<DramCommand>& commands_;
  std::array<std::array<std::vector<Rule>, kKinds>, kKinds> rules_;
  uint64_t farthest_ = 0;
  std::vector<int64_t> open_;
  std::vector<uint64_t> refreshed_;
};

}  // namespace

std::optional<std::string> illegalCommand(const DramPreset& preset,
                                          const std::vector<DramCommand>& commands) {
  return Checker(preset, commands).run();
}

}  // namespace etalon::sim
