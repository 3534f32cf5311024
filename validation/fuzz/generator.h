// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>

#include "validation/fuzz/layout.h"
#include "validation/fuzz/program.h"

namespace etalon::fuzz {

/// What random programs are like. Shares are percent.
struct ProgramOptions {
  uint64_t seed = 1;
  unsigned most_cores = kMostCores;  // 1 to kMostCores
  unsigned most_steps = 40;          // of a core, beside those of loops and synchronisation
  uint64_t most_elements = 256;      // of a tile, mostly
  /// How often instructions of a group of the description (`matrix`, `rv64a`) come, relative to each other; groups that are
  /// not here have kOtherWeight, 0 leaves a group out.
  std::map<std::string, unsigned, std::less<>> weights = {
      {"chain", 8},        {"dma", 10},
      {"elementwise", 10}, {"matrix", 8},
      {"movement", 5},     {"random", 1},
      {"reductions", 6},   {"rv64a", 4},
      {"rv64i", 8},        {"rv64m", 2},
      {"scans", 5},        {"selection", 2},
      {"setup", 5},        {"synchronisation", 2},
      {"zfinx", 3},        {"zicsr", 2}};
  static constexpr unsigned kOtherWeight = 5;
  unsigned garbage = 4;     // programs that are any words, mostly instructions with any operands
  unsigned unwritten = 12;  // programs that find local memory as nobody wrote it
  unsigned reduced = 8;     // programs for the machine that lacks profiles
  unsigned race_free = 50;  // programs that are free of races, if nothing in them faults
  unsigned faulty = 50;     // programs with illegal steps
  unsigned illegal = 6;     // illegal steps of those
  unsigned trap_handlers = 50;  // programs that skip what traps
  unsigned deadlocks = 3;       // programs of several cores that wait for what does not come
  unsigned endless = 1;         // programs that do not end
};

/// Makes random programs out of the ISA description's tables.
class Generator {
 public:
  explicit Generator(ProgramOptions options) : options_(std::move(options)) {}

  const ProgramOptions& options() const { return options_; }
  /// Program number `index`; the same one in every process and on every host.
  Program make(uint64_t index) const;

 private:
  ProgramOptions options_;
};

}  // namespace etalon::fuzz
