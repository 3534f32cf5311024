// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <ostream>
#include <string>
#include <vector>

#include "isa/base/status.h"
#include "isa/machines/machine.h"

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
};

/// Reads the generated file of all examples.
Result<std::vector<DescribedInstruction>> loadExamples(const std::string& path);

/// Where an example's instruction stands.
inline constexpr uint64_t kExamplePc = 0x80000000;

/// Executes the example on a fresh core of `machine` and says what did not come out as written, a line each: every
/// register, CSR, semaphore, named memory byte and local byte that the example does not give stays as it was.
std::vector<std::string> runExample(const isa::Machine& machine, const std::string& text);

}  // namespace etalon::sim
