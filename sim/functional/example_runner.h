// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "isa/base/status.h"
#include "isa/machines/machine.h"
#include "isa/state/fault.h"
#include "sim/functional/example_state.h"

namespace etalon::sim {

/// One worked example of the description.
struct ExampleCase {
  std::string name;         // et_mm_0: the instruction and its number
  std::string instruction;  // et.mm
  std::string fault;        // rule or cause the example says, or empty
  std::string text;         // the example as JSON

  friend void PrintTo(const ExampleCase& example, std::ostream* out) { *out << example.name; }
};

/// What the description says about one instruction's examples.
struct DescribedInstruction {
  std::string name;
  std::string group;
  std::vector<std::string> faults;  // rules whose violation traps
  std::vector<ExampleCase> examples;

  friend void PrintTo(const DescribedInstruction& d, std::ostream* out) { *out << d.name; }
};

/// Reads the generated file of all examples.
Result<std::vector<DescribedInstruction>> loadExamples(const std::string& path);

/// Where an example's instruction stands.
inline constexpr uint64_t kExamplePc = 0x80000000;

/// Executes the example on a fresh core of `machine` and says what did not come out as written, a line each: every
/// register, CSR, semaphore, named memory byte and local byte that the example does not give stays as it was.
std::vector<std::string> runExample(const isa::Machine& machine, const std::string& text);

/// Where an example begins.
struct ExampleStart {
  uint32_t word;
  ExampleState before;
};
Result<ExampleStart> startOf(const isa::Machine& machine, const std::string& text);

/// What came of a word that no example is about.
struct Provoked {
  std::optional<isa::Fault> fault;
  std::vector<std::string>
      problems;  // of a fault: state it changed, parts of its diagnostic that are wrong
};
/// Executes a word on a fresh core of `machine`.
Result<Provoked> stepFrom(const isa::Machine& machine, const ExampleState& before, uint32_t word);

}  // namespace etalon::sim
