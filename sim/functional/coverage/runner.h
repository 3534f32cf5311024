// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/arch/core.h"
#include "sim/functional/coverage/family.h"

namespace etalon::sim::coverage {

/// Executes cases on a core of the functional model and on the reference, and compares every byte
/// of local memory, the global memory of views, and the status an index outside leaves.
class Runner {
 public:
  /// A core of `functional64` with small memories.
  static Result<std::unique_ptr<Runner>> create();

  const isa::Machine& machine() const { return machine_; }
  /// What differs, nothing if all agrees. Both memories are the same again afterwards.
  std::optional<std::string> run(const Case& c, const Family& family);

 private:
  explicit Runner(isa::Machine machine) : machine_(std::move(machine)) {}
  /// The word of the call, its registers set; tiles and views in registers that `random` picks.
  uint32_t load(const Case& c, const reference::Call& call, Random& random);
  /// Puts a tile of the call, and what its link names (see Call), into free registers; the number.
  int loadTile(const reference::Call& call, std::string_view name, std::vector<uint8_t>& free);
  std::optional<std::string> compare(const Case& c, const reference::Call& call, uint32_t word);
  std::string differenceAt(const reference::Call& call, uint64_t offset) const;

  isa::Machine machine_;
  std::unique_ptr<Memory> memory_;
  Findings findings_;
  std::unique_ptr<LaunchState> launch_;
  std::unique_ptr<Core> core_;
  reference::Memory expected_;
};

/// All cases of an instruction, numbered from `first`; dimension 0 of the space are the tuples.
std::vector<Case> casesOf(const isa::InstructionInfo& info, const Space& space,
                          const std::vector<TypeTuple>& tuples, uint64_t first);

}  // namespace etalon::sim::coverage
