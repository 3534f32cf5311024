// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>

#include "isa/base/number.h"
#include "isa/base/text.h"
#include "isa/state/tile_register.h"
#include "isa/state/view_descriptor.h"
#include "sim/arch/memory.h"
#include "validation/litmus/litmus.h"

namespace etalon::validation {
namespace {

constexpr unsigned kMostCores = 4;
constexpr uint64_t kLineBytes = 64;
constexpr uint64_t kWordBytes = 4;

constexpr std::array<std::string_view, 7> kKindNames{
    "allowed", "race", "order-dependent", "deadlock", "fault", "forbidden", "weaker"};

std::string_view trim(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

/// Parts between separators, trimmed; none of an empty text.
std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (!trim(text).empty()) {
    const size_t end = std::min(text.find(separator), text.size());
    if (const std::string_view part = trim(text.substr(0, end)); !part.empty())
      parts.push_back(part);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return parts;
}

std::pair<std::string_view, std::string_view> cut(std::string_view text, char separator) {
  const size_t at = text.find(separator);
  if (at == std::string_view::npos) return {trim(text), {}};
  return {trim(text.substr(0, at)), trim(text.substr(at + 1))};
}

bool isName(std::string_view text) {
  return !text.empty() && text.front() >= 'a' && text.front() <= 'z' &&
         std::ranges::all_of(text, [](char c) {
           return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
         });
}

/// The number behind a prefix, as in `tr7`, if it is below `limit`.
std::optional<unsigned> numbered(std::string_view text, std::string_view prefix, unsigned limit) {
  if (!text.starts_with(prefix)) return std::nullopt;
  const Result<uint64_t> number = parseUnsigned(text.substr(prefix.size()));
  if (!number.ok() || *number >= limit) return std::nullopt;
  return static_cast<unsigned>(*number);
}

Result<uint32_t> parseBits(ElementType type, std::string_view text) {
  if (type == ElementType::f32) {
    const Result<float> value = parseFloat(text);
    if (!value.ok()) return value.error();
    return std::bit_cast<uint32_t>(*value);
  }
  const Result<int64_t> value = parseSigned(text);
  if (!value.ok()) return value.error();
  if (*value < INT32_MIN || *value > UINT32_MAX)
    return Error{fmt::format("{} does not fit into 32 bits", quote(text))};
  return static_cast<uint32_t>(*value);
}

class Parser {
 public:
  explicit Parser(std::string_view name) {
    test_.name = name;
    test_.tiles.resize(isa::kTileRegisters);
  }

  Result<LitmusTest> parse(std::string_view text) {
    while (!text.empty()) {
      const size_t end = std::min(text.find('\n'), text.size());
      ++line_;
      if (const Status status = readLine(text.substr(0, end)); !status.ok())
        return Error{fmt::format("{}:{}: {}", test_.name, line_, status.error().message)};
      text.remove_prefix(std::min(end + 1, text.size()));
    }
    if (test_.title.empty() || test_.rules.empty() || test_.cores.empty() || test_.outcomes.empty())
      return Error{fmt::format("{}: a test has a title, rules, cores and outcomes", test_.name)};
    return std::move(test_);
  }

 private:
  Status readLine(std::string_view line) {
    line = line.substr(0, line.find('#'));
    if (trim(line).empty()) return {};
    if (line.front() == ' ') {
      if (!in_core_) return Error{"an instruction stands outside of a core"};
      test_.cores.back().lines.push_back({line_, std::string(trim(line))});
      return {};
    }
    in_core_ = false;
    const auto [key, value] = cut(line, ':');
    const auto [word, argument] = cut(key, ' ');
    if (word == "title") return setTitle(value);
    if (word == "rules") return addRules(value);
    if (word == "memory") return addLocations(std::nullopt, value);
    if (word == "local") {
      const auto core = numbered(argument, "", kMostCores);
      return core ? addLocations(core, value) : Error{"local 0 to local 3, the core's number"};
    }
    if (word == "tiles") return addTiles(value);
    if (word == "core") return addCore(argument, value);
    for (size_t kind = 0; kind < kKindNames.size(); ++kind)
      if (word == kKindNames[kind])
        return addOutcome(static_cast<OutcomeKind>(kind), argument, value, trim(line));
    return Error{fmt::format("{} is none of title, rules, memory, local, tiles, core, {}",
                             quote(word), fmt::join(kKindNames, ", "))};
  }

  Status setTitle(std::string_view value) {
    test_.title = value;
    return {};
  }

  Status addRules(std::string_view value) {
    for (const std::string_view name : split(value, ' ')) {
      const Result<isa::Rule> rule = ruleNamed(name);
      if (!rule.ok()) return rule.error();
      test_.rules.push_back(*rule);
    }
    return {};
  }

  static Result<isa::Rule> ruleNamed(std::string_view name) {
    for (const isa::RuleInfo& info : isa::kRules)
      if (info.name == name) return info.rule;
    return Error{fmt::format("docs/spec has no rule {}", quote(name))};
  }

  /// `NAME = VALUE` or `TYPE NAME = VALUE`.
  struct Declared {
    std::string_view name;
    ElementType type = ElementType::i32;
    uint32_t bits = 0;
  };
  static Result<Declared> parseDeclared(std::string_view text) {
    const auto [left, value] = cut(text, '=');
    const auto [first, second] = cut(left, ' ');
    Declared declared{second.empty() ? first : second};
    if (!second.empty()) {
      if (first != "i32" && first != "f32")
        return Error{fmt::format("{}: the type is i32 or f32", quote(text))};
      if (first == "f32") declared.type = ElementType::f32;
    }
    const Result<uint32_t> bits = parseBits(declared.type, value);
    if (!bits.ok())
      return Error{fmt::format("{}: must be NAME = VALUE: {}", quote(text), bits.error().message)};
    declared.bits = *bits;
    return declared;
  }

  Status addLocations(std::optional<unsigned> core, std::string_view value) {
    uint64_t& area = areas_[core ? 1 + *core : 0];
    for (const std::string_view text : split(value, ',')) {
      const Result<Declared> declared = parseDeclared(text);
      if (!declared.ok()) return declared.error();
      if (!isName(declared->name))
        return Error{
            fmt::format("{}: a name is of small letters, digits and _", quote(declared->name))};
      if (location(declared->name))
        return Error{fmt::format("{} is declared twice", quote(declared->name))};
      if (test_.locations.size() == isa::kViewRegisters)
        return Error{fmt::format("at most {} locations: each has a view register of its own",
                                 isa::kViewRegisters)};
      test_.locations.push_back(
          {std::string(declared->name), declared->type, declared->bits, core, area});
      area += kWordBytes;
    }
    area = (area + kLineBytes - 1) / kLineBytes * kLineBytes;
    return {};
  }

  Status addTiles(std::string_view value) {
    for (const std::string_view text : split(value, ',')) {
      const Result<Declared> declared = parseDeclared(text);
      if (!declared.ok()) return declared.error();
      const auto number = numbered(declared->name, "tr", isa::kTileRegisters);
      if (!number) return Error{fmt::format("{} is no tile register", quote(declared->name))};
      test_.tiles[*number] = Tile{declared->type, declared->bits};
    }
    return {};
  }

  Status addCore(std::string_view argument, std::string_view value) {
    const auto number = numbered(argument, "", kMostCores);
    if (!number || *number != test_.cores.size())
      return Error{fmt::format("cores are numbered 0 to {}, in order", kMostCores - 1)};
    CoreProgram& core = test_.cores.emplace_back();
    in_core_ = true;
    for (const std::string_view text : split(value, ',')) {
      const auto [name, symbol] = cut(text, '=');
      const auto x = numbered(name, "x", 28);
      if (!x || *x == 0 || symbol.empty())
        return Error{fmt::format(
            "{}: must be xN = VALUE, with x1 to x27: the start uses x28 to x31", quote(text))};
      core.registers.emplace_back(*x, symbol);
    }
    return {};
  }

  std::optional<unsigned> location(std::string_view name) const {
    for (unsigned i = 0; i < test_.locations.size(); ++i)
      if (test_.locations[i].name == name) return i;
    return std::nullopt;
  }

  Status addOutcome(OutcomeKind kind, std::string_view argument, std::string_view value,
                    std::string_view line) {
    Outcome outcome;
    outcome.kind = kind;
    outcome.text = line;
    outcome.line = line_;
    if (kind == OutcomeKind::race || kind == OutcomeKind::order_dependent) {
      outcome.location = location(argument);
      if (!outcome.location)
        return Error{fmt::format("{}: must name the location, as in `race data: any`",
                                 kKindNames[static_cast<size_t>(kind)])};
    } else if (kind == OutcomeKind::fault) {
      const Result<isa::Rule> rule = ruleNamed(argument);
      if (!rule.ok()) return rule.error();
      outcome.rule = *rule;
    } else if (!argument.empty()) {
      return Error{fmt::format("{} is not understood", quote(argument))};
    }
    const std::vector<std::string_view> terms = split(value, ' ');
    if (terms.empty()) return Error{"which executions: `any`, or terms as `1:x5=0 data=1`"};
    if (value != "any")
      for (const std::string_view text : terms) {
        Result<Term> term = parseTerm(text);
        if (!term.ok()) return Error{fmt::format("{}: {}", quote(text), term.error().message)};
        outcome.terms.push_back(*term);
      }
    test_.outcomes.push_back(std::move(outcome));
    return {};
  }

  Result<Term> parseTerm(std::string_view text) const {
    const auto [name, value] = cut(text, '=');
    const auto [core, reg] = cut(name, ':');
    Term term;
    ElementType type = ElementType::i32;
    if (!reg.empty()) {
      const auto number = numbered(core, "", static_cast<unsigned>(test_.cores.size()));
      if (!number) return Error{"no such core"};
      term.core = *number;
      if (const auto x = numbered(reg, "x", 28)) {
        term.index = *x;
      } else if (const auto tile = numbered(reg, "tr", isa::kTileRegisters)) {
        term.what = Term::What::tile;
        term.index = *tile;
        if (test_.tiles[*tile]) type = test_.tiles[*tile]->type;
      } else {
        return Error{"must be CORE:xN or CORE:trN, x1 to x27"};
      }
    } else if (name.starts_with("sem")) {
      const auto [of, semaphore] = cut(name.substr(3), '.');
      const auto number = numbered(of, "", kMostCores);
      const auto index = numbered(semaphore, "", sim::kSemaphores);
      if (!number || !index) return Error{"a semaphore is semCORE.NUMBER"};
      term = {Term::What::semaphore, *number, *index, 0};
    } else if (const auto index = location(name)) {
      term = {Term::What::location, 0, *index, 0};
      type = test_.locations[*index].type;
    } else {
      return Error{"no register, location or semaphore"};
    }
    const Result<uint32_t> bits = parseBits(type, value);
    if (!bits.ok()) return bits.error();
    term.value = *bits;
    return term;
  }

  LitmusTest test_;
  int line_ = 0;
  bool in_core_ = false;
  std::array<uint64_t, 1 + kMostCores> areas_{};  // bytes used: of global memory, then of each core
};

}  // namespace

std::string_view outcomeKindName(OutcomeKind kind) { return kKindNames[static_cast<size_t>(kind)]; }

Result<LitmusTest> parseLitmus(std::string_view name, std::string_view text) {
  return Parser(name).parse(text);
}

}  // namespace etalon::validation
