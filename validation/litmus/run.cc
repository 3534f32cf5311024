// SPDX-License-Identifier: Apache-2.0
#include "validation/litmus/run.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "isa/base/bits.h"
#include "isa/machines/address_map.h"
#include "isa/machines/find_machine.h"
#include "sim/arch/elf_writer.h"

namespace etalon::validation {
namespace {

constexpr uint64_t kMostInstructions = 100'000;
constexpr uint64_t kWordBytes = 4;

bool mustBeSeen(OutcomeKind kind) {
  return kind != OutcomeKind::forbidden && kind != OutcomeKind::weaker;
}

/// True if the execution is of the outcome's kind, whatever its values.
bool sameKind(const Outcome& outcome, const Execution& execution) {
  return outcome.kind == execution.kind && outcome.rule == execution.rule &&
         (!outcome.location || execution.reported.contains(*outcome.location));
}

std::string termName(const LitmusTest& test, const Term& term) {
  switch (term.what) {
    case Term::What::x: return fmt::format("{}:x{}", term.core, term.index);
    case Term::What::tile: return fmt::format("{}:tr{}", term.core, term.index);
    case Term::What::semaphore: return fmt::format("sem{}.{}", term.core, term.index);
    case Term::What::location: break;
  }
  return test.locations[term.index].name;
}

bool isFloat(const LitmusTest& test, const Term& term) {
  if (term.what == Term::What::location) return test.locations[term.index].type == ElementType::f32;
  return term.what == Term::What::tile && test.tiles[term.index] &&
         test.tiles[term.index]->type == ElementType::f32;
}

}  // namespace

Result<LitmusRunner> LitmusRunner::create(const LitmusTest& test, Placement placement) {
  // Every profile, as small as machines can be, and one core more than a test uses: an idle one. Or one device more.
  const auto more = static_cast<unsigned>(test.cores.size() + 1);
  const bool apart = placement == Placement::apart;
  const Result<isa::Machine> machine =
      isa::openMachine("functional64", {fmt::format("cores={}", apart ? 2 : more),
                                        "local_bytes=64 KiB", "address_map.global_bytes=1 MiB"});
  if (!machine.ok()) return machine.error();
  Result<LitmusImage> image = assembleLitmus(test, machine->local_bytes, placement);
  if (!image.ok()) return image.error();
  auto device =
      sim::FunctionalDevice::create(*machine, {}, sim::Values::computed, apart ? more : 1);
  if (!device.ok()) return device.error();
  const auto elf = sim::ElfImage::parse(sim::writeElf(image->entry, image->words, {}), test.name);
  if (!elf.ok()) return elf.error();
  ETALON_RETURN_IF_ERROR((*device)->load(*elf));
  return LitmusRunner(test, placement, *std::move(image), *std::move(device));
}

Execution LitmusRunner::run(uint64_t seed) {
  Execution execution;
  sim::LaunchOptions options;
  options.cores = placement_ == Placement::apart ? 1 : static_cast<unsigned>(test_.cores.size());
  options.instruction_limit = kMostInstructions;
  options.seed = seed;
  const unsigned devices = device_->cluster().devices;
  Status written;
  for (uint64_t device = 0; device < devices && written.ok(); ++device) {
    const uint64_t field = devices == 1 ? 0 : (device + 1) << isa::kDeviceShift;
    written = device_->write(field | image_.data, image_.data_bytes);
  }
  const Result<sim::RunResult> result =
      written.ok() ? device_->launch(options) : Result<sim::RunResult>(written.error());
  if (!result.ok()) {
    execution.mistakes.push_back(result.error().message);
    return execution;
  }
  const sim::Findings& findings = device_->findings();
  const sim::RaceDetector& races = device_->races();
  if (result->status == sim::RunStatus::fault) {
    execution.kind = OutcomeKind::fault;
    execution.rule = findings.faults().back().rule;
  } else if (result->status == sim::RunStatus::deadlock) {
    execution.kind = OutcomeKind::deadlock;
  } else if (races.raceCount() != 0) {
    execution.kind = OutcomeKind::race;
    addReports(races.reports(), execution);
  } else if (races.orderDependenceCount() != 0) {
    execution.kind = OutcomeKind::order_dependent;
    addReports(races.orderDependences(), execution);
  }
  if (result->status == sim::RunStatus::instruction_limit)
    execution.mistakes.push_back(
        fmt::format("it does not end within {} instructions", kMostInstructions));
  if (findings.uninitialisedCount() != 0)
    execution.mistakes.push_back("it reads memory that nobody wrote");
  if (races.raceCount() != 0 && execution.kind != OutcomeKind::race)
    execution.mistakes.push_back("races are reported beside a fault or deadlock");
  execution.text = describe(execution);
  return execution;
}

void LitmusRunner::addReports(const std::vector<sim::RaceReport>& reports,
                              Execution& execution) const {
  for (const sim::RaceReport& report : reports) {
    const uint64_t address = device_->memory().canonicalAddress(
        static_cast<uint16_t>(report.region.index), report.offset);
    const auto found = std::ranges::find_if(test_.locations, [&](const Location& location) {
      return address - addressOf(location, placement_) < kWordBytes;
    });
    if (found == test_.locations.end())
      execution.mistakes.push_back("a finding on no location of the test: " + report.text);
    else
      execution.reported.insert(static_cast<unsigned>(found - test_.locations.begin()));
  }
}

uint32_t LitmusRunner::valueOf(const Term& term) const {
  sim::Memory& memory = device_->memory();
  const auto word = [&](uint64_t address) {
    const auto place = memory.find(0, address, kWordBytes);
    ETALON_CHECK(place.has_value(), "tiles and locations are memory");
    return loadBytes<uint32_t>(place->data());
  };
  switch (term.what) {
    case Term::What::x:
      return static_cast<uint32_t>(device_->core(agent(term.core)).x(static_cast<int>(term.index)));
    case Term::What::semaphore: return memory.semaphores(agent(term.core))[term.index];
    case Term::What::location: return word(addressOf(test_.locations[term.index], placement_));
    case Term::What::tile: break;
  }
  return word(memory.canonicalAddress(memory.local(agent(term.core)).id, tileOffset(term.index)));
}

bool LitmusRunner::holds(const Outcome& outcome) const {
  return std::ranges::all_of(outcome.terms,
                             [&](const Term& term) { return valueOf(term) == term.value; });
}

std::string LitmusRunner::describe(const Execution& execution) const {
  std::string text(outcomeKindName(execution.kind));
  if (const isa::RuleInfo* rule = isa::ruleInfo(execution.rule))
    text += fmt::format(" {}", rule->name);
  for (const unsigned location : execution.reported)
    text += fmt::format(" {}", test_.locations[location].name);
  text += ":";
  std::set<std::string> named;
  for (const Outcome& outcome : test_.outcomes)
    for (const Term& term : outcome.terms) {
      const std::string name = termName(test_, term);
      if (!named.insert(name).second) continue;
      const uint32_t value = valueOf(term);
      text += isFloat(test_, term) ? fmt::format(" {}={}", name, std::bit_cast<float>(value))
                                   : fmt::format(" {}={}", name, static_cast<int32_t>(value));
    }
  return text;
}

Verdict judgeLitmus(const LitmusTest& test, uint64_t least, uint64_t most, Placement placement) {
  Verdict verdict;
  verdict.first_seeds.resize(test.outcomes.size());
  Result<LitmusRunner> runner = LitmusRunner::create(test, placement);
  if (!runner.ok()) {
    verdict.errors.push_back(runner.error().message);
    return verdict;
  }
  const auto missing = [&](size_t i) {
    return mustBeSeen(test.outcomes[i].kind) && !verdict.first_seeds[i];
  };
  const auto any_missing = [&] {
    for (size_t i = 0; i < test.outcomes.size(); ++i)
      if (missing(i)) return true;
    return false;
  };
  for (; verdict.seeds < most && verdict.errors.empty(); ++verdict.seeds) {
    const uint64_t seed = verdict.seeds;
    if (seed >= least && !any_missing()) break;
    const Execution execution = runner->run(seed);
    for (const std::string& mistake : execution.mistakes)
      verdict.errors.push_back(fmt::format("{}: seed {}: {}", test.name, seed, mistake));
    bool listed = false;
    for (size_t i = 0; i < test.outcomes.size(); ++i) {
      const Outcome& outcome = test.outcomes[i];
      if (!runner->holds(outcome)) continue;
      if (!mustBeSeen(outcome.kind)) {
        verdict.errors.push_back(fmt::format("{}:{}: `{}`, but seed {} gives {}", test.name,
                                             outcome.line, outcome.text, seed, execution.text));
      } else if (sameKind(outcome, execution)) {
        listed = true;
        if (!verdict.first_seeds[i]) verdict.first_seeds[i] = seed;
      }
    }
    if (!listed && verdict.errors.empty())
      verdict.errors.push_back(fmt::format("{}: seed {} gives {}, which no outcome lists",
                                           test.name, seed, execution.text));
  }
  if (!verdict.errors.empty()) return verdict;
  for (size_t i = 0; i < test.outcomes.size(); ++i)
    if (missing(i))
      verdict.errors.push_back(fmt::format("{}:{}: `{}` was not seen in {} seeds", test.name,
                                           test.outcomes[i].line, test.outcomes[i].text,
                                           verdict.seeds));
  return verdict;
}

}  // namespace etalon::validation
