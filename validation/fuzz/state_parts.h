// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string_view>

#include "isa/base/status.h"
#include "validation/fuzz/outcome.h"

namespace etalon::fuzz {

/// The final state of a target, read as the device interface names it.
class StateReader {
 public:
  virtual ~StateReader() = default;
  virtual Status global(uint64_t address, std::span<std::byte> into) = 0;
  virtual Status peek(unsigned core, etalon_space space, uint64_t index,
                      std::span<std::byte> into) = 0;
};

/// What of the state counts.
struct StateScope {
  unsigned cores = 1;     // that ran
  bool local = true;      // local memory of all kMostCores cores
  bool registers = true;  // of the cores that ran
};

/// Adds what random programs have of global memory, and what the scope says, to the parts.
Status addState(StateReader& state, const StateScope& scope, Outcome& outcome);

/// What retired, in order.
class CommitDigest {
 public:
  void add(unsigned core, uint64_t pc, uint32_t word, unsigned x_register, uint64_t x_value);
  uint64_t value() const { return digest_.value(); }

 private:
  Digest digest_;
};

uint64_t faultDigest(unsigned core, uint64_t pc, uint64_t cause, uint64_t value, uint32_t word);
void addCounter(Digest& digest, std::string_view name, uint64_t value);

}  // namespace etalon::fuzz
