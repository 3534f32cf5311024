// SPDX-License-Identifier: Apache-2.0
#include "validation/fuzz/generator.h"

#include <algorithm>
#include <set>

#include "isa/base/check.h"
#include "isa/codec/codec.h"
#include "sim/functional/garbage_state.h"
#include "validation/fuzz/mutation.h"
#include "validation/fuzz/step_maker.h"

namespace etalon::fuzz {
namespace {

using isa::InstructionInfo;

uint32_t encoded(std::string_view mnemonic, std::vector<int64_t> operands) {
  const auto word = isa::encode(isa::instructionNamed(mnemonic)->id, operands);
  ETALON_CHECK(word.ok(), "operands within their ranges");
  return *word;
}

bool hasOffset(const InstructionInfo& info) {
  return std::ranges::any_of(info.operands(), [](const isa::OperandInfo& operand) {
    return operand.kind == isa::OperandKind::offset;
  });
}

/// Instructions that end, block or divert a core: they come as control flow and synchronisation, or as illegal steps.
bool diverts(const InstructionInfo& info) {
  static const std::set<std::string_view> kNames = {
      "ecall", "ebreak", "mret", "wfi", "jalr", "et.halt", "et.wait", "et.waitsub", "et.barrier"};
  return kNames.contains(info.name) || hasOffset(info);
}

/// For causes that hardly anything else has: ecall, ebreak, misaligned jumps, work caps.
constexpr std::array<std::string_view, 6> kRareFaults{"ecall", "ebreak", "mret",
                                                      "jalr",  "et.mm",  "lr.d"};

/// A group of the description, and its part of the sum of weights.
struct Group {
  std::vector<const InstructionInfo*> instructions;
  unsigned weight = 0;
};

std::vector<Group> groupsOf(const ProgramOptions& options) {
  std::map<std::string_view, Group> by_name;
  for (const InstructionInfo& info : isa::instructionTable()) {
    Group& group = by_name[info.group];
    const auto weight = options.weights.find(info.group);
    group.weight = weight == options.weights.end() ? ProgramOptions::kOtherWeight : weight->second;
    group.instructions.push_back(&info);
  }
  std::vector<Group> groups;
  for (auto& [name, group] : by_name)
    if (group.weight != 0) groups.push_back(std::move(group));
  ETALON_CHECK(!groups.empty(), "some group has a weight");
  return groups;
}

/// Makes one program.
class ProgramMaker {
 public:
  ProgramMaker(const ProgramOptions& options, uint64_t index)
      : options_(options), random_(options.seed, index), groups_(groupsOf(options)) {
    for (const Group& group : groups_) weights_ += group.weight;
    program_.seed = options.seed;
    program_.index = index;
  }

  Program make() {
    Program& p = program_;
    p.reduced = random_.percent(options_.reduced);
    p.handles_traps = random_.percent(options_.trap_handlers);
    faulty_ = random_.percent(options_.faulty);
    p.race_free = !faulty_ && random_.percent(options_.race_free);
    p.exits = random_.oneIn(8);
    p.fills_local = !random_.percent(options_.unwritten);
    p.values = random_.pick({Values::small, Values::mixed, Values::mixed});
    p.cores.resize(1 + random_.below(options_.most_cores));
    const isa::Machine& machine = randomProgramMachine(p.reduced);
    sim::Garbage garbage(random_.word(), machine);
    garbage_ = &garbage;
    for (size_t i = 0; i < p.cores.size(); ++i)
      makers_.emplace_back(random_, machine, options_.most_elements, !faulty_);
    if (random_.percent(options_.garbage))
      makeGarbage();
    else
      makePhases();
    if (p.cores.size() > 1 && random_.percent(options_.deadlocks)) addDeadlock();
    if (random_.percent(options_.endless)) addEndlessLoop();
    garbage_ = nullptr;
    return std::move(program_);
  }

 private:
  unsigned cores() const { return static_cast<unsigned>(program_.cores.size()); }

  void makeGarbage() {
    program_.race_free = false;
    const bool shaped = !random_.oneIn(4);
    for (std::vector<Step>& steps : program_.cores) {
      steps.resize(8 + random_.below(200));
      for (Step& step : steps)
        step.word = shaped ? garbage_->instruction() : static_cast<uint32_t>(random_.word());
    }
  }

  /// Phases between which all cores meet, or only some, or none.
  void makePhases() {
    const uint64_t phases = 1 + random_.below(3);
    const uint64_t steps = 1 + random_.below(options_.most_steps);
    for (uint64_t phase = 0; phase < phases; ++phase) {
      for (unsigned core = 0; core < cores(); ++core) {
        makers_[core].enter(territory(core, phase));
        addSteps(makers_[core], program_.cores[core], 1 + random_.below(1 + steps / phases), 0);
      }
      if (cores() == 1 || phase + 1 == phases) continue;
      if (program_.race_free || random_.oneIn(2))
        addBarrier();
      else
        addSignal();
    }
  }

  /// Free of races: areas of one's own, others after each barrier. Else any.
  Territory territory(unsigned core, uint64_t phase) {
    if (!program_.race_free)
      return {core, static_cast<unsigned>(random_.below(2) * core),
              static_cast<unsigned>(random_.below(kMostCores)), false};
    const auto other = static_cast<unsigned>((core + phase) % cores());
    return {core, other, other, true};
  }

  void addSteps(StepMaker& maker, std::vector<Step>& into, uint64_t count, int depth) {
    for (uint64_t i = 0; i < count; ++i) {
      if (depth < 2 && random_.oneIn(14))
        addLoop(maker, into, depth);
      else if (depth < 3 && random_.oneIn(14))
        addSkip(maker, into, depth);
      else
        addInstruction(maker, into);
    }
  }

  void addLoop(StepMaker& maker, std::vector<Step>& into, int depth) {
    Step loop;
    loop.kind = Step::Kind::loop;
    loop.trips = static_cast<uint32_t>(1 + random_.below(4));
    maker.forgetRegisters();  // the body comes again after what it sets up itself
    addSteps(maker, loop.body, 1 + random_.below(4), depth + 1);
    into.push_back(std::move(loop));
    maker.forgetRegisters();
  }

  /// A branch, or a jump, over some steps.
  void addSkip(StepMaker& maker, std::vector<Step>& into, int depth) {
    std::vector<const InstructionInfo*> choices{isa::instructionNamed("jalr")};
    for (const InstructionInfo& info : isa::instructionTable())
      if (hasOffset(info)) choices.push_back(&info);
    const InstructionInfo& info = *random_.pick(choices);
    Step skip;
    skip.kind = Step::Kind::skip;
    std::vector<int64_t> operands;
    for (const isa::OperandInfo& operand : info.operands())
      operands.push_back(operand.kind == isa::OperandKind::x
                             ? static_cast<int64_t>(random_.below(StepMaker::kMostX + 1))
                             : 0);
    skip.word = *isa::encode(info.id, operands);
    addSteps(maker, skip.body, 1 + random_.below(3), depth + 1);
    into.push_back(std::move(skip));
    maker.forgetRegisters();
  }

  const InstructionInfo& anyInstruction() {
    uint64_t at = random_.below(weights_);
    for (const Group& group : groups_) {
      if (at < group.weight) return *random_.pick(group.instructions);
      at -= group.weight;
    }
    ETALON_CHECK(false, "weights add up");
  }

  void addInstruction(StepMaker& maker, std::vector<Step>& into) {
    const bool illegal = faulty_ && random_.percent(options_.illegal);
    if (illegal && random_.oneIn(6)) return addGarbage(maker, into);
    const InstructionInfo* info = &anyInstruction();
    if (illegal && random_.oneIn(10)) info = isa::instructionNamed(random_.pick(kRareFaults));
    while (!illegal && (diverts(*info) || !maker.isSupported(*info))) info = &anyInstruction();
    std::vector<Step> made = maker.make(*info);
    if (illegal && (!diverts(*info) || random_.oneIn(2))) {
      breakStep(random_, made.back());
      maker.forgetRegisters();
    }
    std::ranges::move(made, std::back_inserter(into));
  }

  /// Any instructions on registers that hold anything.
  void addGarbage(StepMaker& maker, std::vector<Step>& into) {
    garbage_->chooseTheme();
    for (uint64_t n = 1 + random_.below(6); n > 0; --n) {
      Step step;
      step.word = garbage_->instruction();
      for (uint64_t i = random_.below(4); i > 0; --i)
        step.tiles.push_back(
            {static_cast<uint8_t>(random_.below(isa::kTileRegisters)), garbage_->tile(), true});
      if (random_.oneIn(3))
        step.views.push_back(
            {static_cast<uint8_t>(random_.below(isa::kViewRegisters)), garbage_->view()});
      if (random_.oneIn(6))
        step.chains.push_back(
            {static_cast<uint8_t>(random_.below(isa::kChainRegisters)), garbage_->chain()});
      if (random_.oneIn(2))
        step.x.emplace_back(static_cast<uint8_t>(1 + random_.below(StepMaker::kMostX)),
                            garbage_->scalar());
      into.push_back(std::move(step));
    }
    maker.forgetRegisters();
  }

  // Synchronisation: x1 and x2 are free between steps.

  static Step syncStep(uint32_t word, uint32_t together, uint64_t x1 = 0, uint64_t x2 = 0) {
    Step step;
    step.word = word;
    step.together = together;
    step.x = {{1, x1}, {2, x2}};
    return step;
  }

  /// All cores meet, or some where nothing depends on it; with an et.fence first, for what one core stored by scalars is
  /// another's now.
  void addBarrier() {
    const bool all = random_.oneIn(2);
    uint64_t mask = all ? ~uint64_t{0} : (uint64_t{1} << cores()) - 1;
    if (!all && !program_.race_free && random_.oneIn(2))
      mask = uint64_t{1} << random_.below(cores()) | uint64_t{1} << random_.below(cores());
    ++together_;
    for (unsigned core = 0; core < cores(); ++core) {
      if ((mask >> core & 1) == 0) continue;
      std::vector<Step>& steps = program_.cores[core];
      steps.push_back(syncStep(encoded("et.fence", {}), together_));
      steps.push_back(
          syncStep(encoded("et.barrier", {1, 2}), together_, mask, all ? ~uint64_t{0} : 0));
    }
  }

  /// One core waits for the signal of another, which does not wait itself before it sends.
  void addSignal() {
    const auto from = static_cast<unsigned>(random_.below(cores()));
    const auto to = static_cast<unsigned>((from + 1 + random_.below(cores() - 1)) % cores());
    const auto semaphore = static_cast<unsigned>(random_.below(StepMaker::kFreeSemaphores));
    const uint64_t amount = 1 + random_.below(3);
    ++together_;
    program_.cores[from].push_back(syncStep(encoded("et.sig", {1, 2}), together_,
                                            makers_[from].semaphoreAddress(to, semaphore), amount));
    const char* wait = random_.oneIn(2) ? "et.wait" : "et.waitsub";
    program_.cores[to].push_back(syncStep(encoded(wait, {3, semaphore, 1}), together_, amount));
  }

  /// A wait for a signal that nobody sends, or a barrier that not all come to.
  void addDeadlock() {
    // A barrier too many meets the next one, and what that kept apart is together.
    program_.race_free = false;
    auto& steps = program_.cores[random_.below(cores())];
    const auto at = steps.begin() + static_cast<ptrdiff_t>(random_.below(steps.size() + 1));
    const bool barrier = random_.oneIn(2);
    const uint32_t word = barrier ? encoded("et.barrier", {1, 2}) : encoded("et.wait", {3, 63, 1});
    steps.insert(at, syncStep(word, 0, barrier ? ~uint64_t{0} : 1000, ~uint64_t{0}));
  }

  void addEndlessLoop() {
    Step step;
    step.word = encoded("jal", {0, 0});
    program_.cores[random_.below(cores())].push_back(step);
  }

  const ProgramOptions& options_;
  Random random_;
  std::vector<Group> groups_;
  unsigned weights_ = 0;
  Program program_;
  bool faulty_ = false;
  uint32_t together_ = 0;
  sim::Garbage* garbage_ = nullptr;
  std::vector<StepMaker> makers_;
};

}  // namespace

Program Generator::make(uint64_t index) const { return ProgramMaker(options_, index).make(); }

}  // namespace etalon::fuzz
