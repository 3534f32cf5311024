// SPDX-License-Identifier: Apache-2.0
#include "sim/functional/example_runner.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "isa/base/bits.h"
#include "isa/base/file.h"
#include "isa/codec/codec.h"
#include "isa/csr.h"
#include "sim/functional/example_state.h"
#include "sim/functional/interpreter.h"

namespace etalon::sim {
namespace {

using nlohmann::json;
namespace csr = isa::csr;

/// Numbers of the CSRs that an instruction changes only if it says so: all but counters.
std::vector<uint32_t> steadyCsrs() {
  std::vector<uint32_t> numbers;
  for (uint32_t n = 0; n < 0x1000; ++n) {
    const bool counts = (n >= csr::kCounterBase && n < csr::kCounterBase + isa::kCounterSlots) ||
                        n == csr::kMcycle || n == csr::kMinstret || n == csr::kCycle ||
                        n == csr::kInstret;
    if (!counts && isa::csrNumbered(n)) numbers.push_back(n);
  }
  return numbers;
}

/// A core with memory of its own, put into a state, stepped, and read back.
class ExampleMachine {
 public:
  static Result<std::unique_ptr<ExampleMachine>> create(const isa::Machine& machine) {
    auto memory = Memory::create(machine);
    if (!memory.ok()) return memory.error();
    auto launch = LaunchState::create(1, **memory);
    if (!launch.ok()) return launch.error();
    return std::unique_ptr<ExampleMachine>(
        new ExampleMachine(machine, std::move(*memory), std::move(*launch)));
  }

  Status write(const ExampleState& state) {
    for (int i = 1; i < 32; ++i) core_.setX(i, state.x[i]);
    for (size_t i = 0; i < state.tiles.size(); ++i)
      core_.tile(static_cast<int>(i)) = state.tiles[i];
    for (size_t i = 0; i < state.views.size(); ++i)
      core_.view(static_cast<int>(i)) = state.views[i];
    for (size_t i = 0; i < state.chains.size(); ++i)
      core_.chain(static_cast<int>(i)) = state.chains[i];
    for (const auto& [number, value] : state.csrs) core_.writeCsr(number, value);
    memory_->semaphores(0) = state.semaphores;
    std::ranges::copy(state.local, memory_->local(0).data());
    for (const auto& [offset, bytes] : state.written)
      memory_->local(0).init.setRange(offset, bytes);
    for (const auto& [address, byte] : state.memory) {
      const auto place = memory_->find(0, address, 1);
      if (!place) return Error{fmt::format("mem: {:#x} is not memory", address)};
      *place->data() = byte;
      place->region->init.setRange(place->offset, 1);
    }
    return {};
  }

  /// Into a state whose `memory` names the bytes wanted.
  void read(ExampleState& state) {
    for (int i = 0; i < 32; ++i) state.x[i] = core_.x(i);
    for (size_t i = 0; i < state.tiles.size(); ++i)
      state.tiles[i] = core_.tile(static_cast<int>(i));
    for (size_t i = 0; i < state.views.size(); ++i)
      state.views[i] = core_.view(static_cast<int>(i));
    for (size_t i = 0; i < state.chains.size(); ++i)
      state.chains[i] = core_.chain(static_cast<int>(i));
    static const std::vector<uint32_t> numbers = steadyCsrs();
    for (uint32_t number : numbers) state.csrs[number] = core_.readCsr(number);
    state.semaphores = memory_->semaphores(0);
    std::copy_n(memory_->local(0).data(), state.local.size(), state.local.begin());
    for (auto& [address, byte] : state.memory)
      if (const auto place = memory_->find(0, address, 1)) byte = *place->data();
    state.pc = static_cast<int64_t>(core_.pc() - kExamplePc);
    state.halted = core_.state() == CoreState::halted;
  }

  void step(uint32_t word) {
    const Place place = *memory_->find(0, kExamplePc, 4);
    storeBytes(place.data(), word);
    place.region->init.setRange(place.offset, 4);
    runCore(core_, cache_, 1, nullptr);
  }
  void start() { core_.start(kExamplePc, *launch_); }

  const Core& core() const { return core_; }
  const Findings& findings() const { return findings_; }
  bool raced() const { return !launch_->races().reports().empty(); }

 private:
  ExampleMachine(const isa::Machine& machine, std::unique_ptr<Memory> memory,
                 std::unique_ptr<LaunchState> launch)
      : machine_(machine), memory_(std::move(memory)), launch_(std::move(launch)) {}

  isa::Machine machine_;
  std::unique_ptr<Memory> memory_;
  std::unique_ptr<LaunchState> launch_;
  Findings findings_;
  Core core_{0, machine_, *memory_, findings_};
  DecodeCache cache_{*memory_};
};

/// What is wrong with how the instruction ended: its fault, or that there is one.
std::vector<std::string> endProblems(const ExampleMachine& machine, const std::string& fault) {
  std::vector<std::string> lines;
  const auto& faults = machine.findings().faults();
  if (fault.empty()) {
    for (const isa::Fault& f : faults)
      lines.push_back(fmt::format("trapped: {} {} {}: {}", isa::causeName(f.cause),
                                  f.rule == isa::Rule::none ? "" : isa::ruleInfo(f.rule)->name,
                                  f.operand, f.detail));
    if (faults.empty() && machine.core().retired() != 1)
      lines.push_back("did not retire: " + machine.core().waitingFor());
  } else if (faults.empty()) {
    lines.push_back("did not trap with " + fault);
  } else {
    const isa::Fault& f = faults[0];
    const std::string_view rule = f.rule == isa::Rule::none ? "" : isa::ruleInfo(f.rule)->name;
    if (fault != rule && fault != isa::causeName(f.cause))
      lines.push_back(fmt::format("trapped with {} ({}), not {}: {} {}", rule,
                                  isa::causeName(f.cause), fault, f.operand, f.detail));
  }
  for (const UninitialisedRead& read : machine.findings().uninitialised())
    lines.push_back(
        fmt::format("read {} bytes at {:#x} that `in` does not give", read.size, read.address));
  if (machine.raced()) lines.push_back("is a race with itself");
  return lines;
}

/// What is missing or wrong in a fault's diagnostic, whatever the fault: place, mtval, and for tile instructions the rule.
void diagnosticProblems(const isa::Fault& fault, uint32_t word, const ExampleState& found,
                        std::vector<std::string>& lines) {
  const auto expect = [&](bool holds, const char* what) {
    if (!holds) lines.push_back(fmt::format("the fault's {}", what));
  };
  expect(fault.pc == kExamplePc && found.csrs.at(csr::kMepc) == kExamplePc,
         "pc is not the instruction's");
  expect(found.csrs.at(csr::kMcause) == static_cast<uint64_t>(fault.cause),
         "cause is not in mcause");
  expect(found.csrs.at(csr::kMtval) == fault.value, "value is not in mtval");
  expect(fault.instruction == word, "instruction is another");
  expect(fault.rule != isa::Rule::none, "rule is missing");
  if (fault.cause == isa::Cause::illegal) expect(fault.value == word, "mtval is not the word");
  if (fault.cause < isa::Cause::unsupported) return;
  expect(fault.value >> 32 == word, "mtval does not hold the word");
  expect((fault.value & 0xffff) == static_cast<uint64_t>(fault.rule),
         "mtval does not hold the rule");
  expect(!fault.operand.empty() && !fault.detail.empty(), "text is missing");
}

/// Everything that comes of one step from a state.
struct Stepped {
  std::vector<isa::Fault> faults;
  std::vector<std::string> lines;
};

/// Steps a word from a state. `out` makes the expected state of the one before; without it only a fault is judged: it
/// leaves the state as it was.
Result<Stepped> step(ExampleMachine& m, ExampleState before, uint32_t word,
                     const std::function<Status(ExampleState&)>& out) {
  ETALON_RETURN_IF_ERROR(m.write(before));
  m.start();
  m.read(before);
  ExampleState expected = before;
  expected.pc = 4;
  if (out) ETALON_RETURN_IF_ERROR(out(expected));
  m.step(word);
  Stepped result{m.findings().faults(), {}};
  if (!out && result.faults.empty()) return result;
  ExampleState found = expected;
  m.read(found);
  if (!result.faults.empty()) {
    diagnosticProblems(result.faults[0], word, found, result.lines);
    expected.pc = found.pc;
    for (uint32_t number : {csr::kMcause, csr::kMepc, csr::kMtval})
      expected.csrs[number] = found.csrs[number];
  }
  std::ranges::move(differences(expected, found), std::back_inserter(result.lines));
  return result;
}

/// The word of an example, and the state that its `in` section makes of a fresh core's.
Result<ExampleStart> startParsed(ExampleMachine& m, const json& example) {
  const auto assembled = isa::assembleInstruction(example.at("asm").get<std::string>());
  if (!assembled.ok()) return assembled.error();
  ExampleStart start{*assembled, {}};
  m.read(start.before);
  std::ranges::fill(start.before.local, ExampleState::kUnwritten);
  ETALON_RETURN_IF_ERROR(applySection(example.value("in", json::object()), start.before));
  return start;
}

Result<std::vector<std::string>> runParsed(const isa::Machine& machine, const json& example) {
  const auto fault = example.value("fault", std::string{});
  if (!fault.empty() && example.contains("out"))
    return Error{"an example with `fault` changes nothing and has no `out`"};
  if (fault.empty() && !example.contains("out")) return Error{"neither `out` nor `fault`"};
  auto m = ExampleMachine::create(machine);
  if (!m.ok()) return m.error();
  const auto start = startParsed(**m, example);
  if (!start.ok()) return start.error();
  const auto stepped = step(**m, start->before, start->word, [&](ExampleState& expected) {
    return applySection(example.value("out", json::object()), expected);
  });
  if (!stepped.ok()) return stepped.error();
  std::vector<std::string> lines = endProblems(**m, fault);
  lines.insert(lines.end(), stepped->lines.begin(), stepped->lines.end());
  return lines;
}

}  // namespace

Result<std::vector<DescribedInstruction>> loadExamples(const std::string& path) {
  const auto text = readFile(path);
  if (!text.ok()) return text.error();
  const json rows = json::parse(*text, nullptr, false);
  if (!rows.is_array()) return Error{path + ": no JSON array"};
  std::vector<DescribedInstruction> instructions;
  for (const json& row : rows) {
    DescribedInstruction d{row["name"], row["group"], row["faults"], {}};
    std::string prefix = d.name;
    std::ranges::replace(prefix, '.', '_');
    for (const json& example : row["examples"])
      d.examples.push_back({fmt::format("{}_{}", prefix, d.examples.size()), d.name,
                            example.value("fault", std::string{}), example.dump()});
    instructions.push_back(std::move(d));
  }
  return instructions;
}

std::vector<std::string> runExample(const isa::Machine& machine, const std::string& text) {
  try {
    const auto lines = runParsed(machine, json::parse(text));
    if (lines.ok()) return *lines;
    return {lines.error().message};
  } catch (const std::exception&
               error) {  // nlohmann-json and std::array::at throw on what the format does not have
    return {fmt::format("malformed example: {}", error.what())};
  }
}

Result<ExampleStart> startOf(const isa::Machine& machine, const std::string& text) {
  auto m = ExampleMachine::create(machine);
  if (!m.ok()) return m.error();
  return startParsed(**m, json::parse(text));
}

Result<Provoked> stepFrom(const isa::Machine& machine, const ExampleState& before, uint32_t word) {
  auto m = ExampleMachine::create(machine);
  if (!m.ok()) return m.error();
  const auto stepped = step(**m, before, word, {});
  if (!stepped.ok()) return stepped.error();
  Provoked provoked;
  if (!stepped->faults.empty()) provoked.fault = stepped->faults[0];
  provoked.problems = stepped->lines;
  return provoked;
}

}  // namespace etalon::sim
