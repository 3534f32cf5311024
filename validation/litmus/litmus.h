// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "isa/base/status.h"
#include "isa/element_type.h"
#include "isa/rule.h"

namespace etalon::validation {

/// A 32-bit word of memory that a test names. Words of one line of the file are neighbours, lines stand 64 bytes apart.
struct Location {
  std::string name;
  ElementType type = ElementType::i32;
  uint32_t initial = 0;          // bits
  std::optional<unsigned> core;  // in the local memory of this core; none: in global memory
  uint64_t offset = 0;           // from the begin of the area for locations of its memory
};

/// A tile register that holds one element of a type and value on every core as the test begins.
struct Tile {
  ElementType type = ElementType::i32;
  uint32_t initial = 0;  // bits
};

struct ProgramLine {
  int number = 0;  // in the file
  std::string text;
};

/// What one core does: registers set before the start, then the lines.
struct CoreProgram {
  std::vector<std::pair<unsigned, std::string>> registers;  // x register, number or symbol
  std::vector<ProgramLine> lines;
};

/// `1:x5=3`, `1:tr2=0`, `data=1`, `sem1.3=2`: a 32-bit value after the run.
struct Term {
  enum class What : uint8_t { x, tile, location, semaphore };
  What what = What::x;
  unsigned core = 0;
  unsigned index = 0;  // of the register, location or semaphore
  uint32_t value = 0;  // bits
};

enum class OutcomeKind : uint8_t {
  allowed,          // reachable, and then nothing is reported
  race,             // reachable, and then a race is reported on `location`
  order_dependent,  // reachable, and then it is reported as order-dependent, on `location`
  deadlock,         // reachable: every core waits
  fault,            // reachable: the run ends by a fault of `rule`
  forbidden,        // never seen
  weaker,  // the rules allow it; a model that performs accesses in program order never shows it
};
std::string_view outcomeKindName(OutcomeKind kind);

/// All executions of a kind in which every term holds.
struct Outcome {
  OutcomeKind kind = OutcomeKind::allowed;
  std::optional<unsigned> location;  // of race and order_dependent
  isa::Rule rule = isa::Rule::none;  // of fault
  std::vector<Term> terms;           // none: `any`
  std::string text;                  // the line of the file
  int line = 0;
};

/// One litmus test: programs of cores, and what may and may not come of them.
///
/// Every execution must be one of the outcomes other than forbidden and weaker, and each of those must be reachable.
struct LitmusTest {
  std::string name;  // of the file
  std::string title;
  std::vector<isa::Rule> rules;
  std::vector<Location> locations;
  std::vector<std::optional<Tile>> tiles;  // of each tile register that the test uses
  std::vector<CoreProgram> cores;
  std::vector<Outcome> outcomes;
};

/// Reads the text of a .litmus file; its format is in docs/spec/10-litmus-tests.md. Errors name file and line.
Result<LitmusTest> parseLitmus(std::string_view name, std::string_view text);

}  // namespace etalon::validation
