// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "isa/instruction_id.h"
#include "sim/functional/functional_device.h"
#include "validation/fuzz/outcome.h"
#include "validation/fuzz/program.h"

namespace etalon::fuzz {

/// How operands lie to each other, within an instruction and between one and the next of a core.
enum class Overlap : uint8_t {
  in_place,           // td and a source are the same elements
  sources,            // two sources share bytes
  partial,            // a destination and another operand may share bytes
  between,            // a destination and another operand lie between each other and share none
  self,               // a destination may write a byte twice
  view_self,          // a store's view may write a byte twice
  window_on_operand,  // a view of the own local memory meets a tile operand
  window_apart,       // a view of the own local memory does not
  remote_window,      // a view, or a scalar access, of another core's local memory
  read_after_write,
  write_after_read,
  write_after_write,
};
inline constexpr int kOverlaps = 12;
std::string_view overlapName(Overlap overlap);

/// Counts what random programs are made of and what becomes of them.
class Census {
 public:
  void addProgram(const Program& program);
  void addRetired(const isa::Instruction& in) { ++retired_[static_cast<size_t>(in.id)]; }
  /// After a run on the model.
  void addRun(const sim::FunctionalDevice& device, const Outcome& outcome);
  void add(const Census& other);

  uint64_t programs() const { return programs_; }
  uint64_t steps() const { return steps_; }
  uint64_t made(isa::InstructionId id) const { return made_[static_cast<size_t>(id)]; }
  uint64_t retired(isa::InstructionId id) const { return retired_[static_cast<size_t>(id)]; }
  uint64_t ends(etalon_end end) const { return ends_[static_cast<size_t>(end)]; }
  uint64_t faults(isa::Cause cause) const { return faults_[static_cast<size_t>(cause)]; }
  uint64_t overlaps(Overlap overlap) const { return overlaps_[static_cast<size_t>(overlap)]; }
  /// Instructions retired of a unit's, and trapped over all.
  uint64_t retiredOf(isa::Unit unit) const;
  uint64_t trapped() const;

  /// A table for people.
  std::string report() const;

 private:
  static constexpr size_t kInstructions = 1024, kCauses = 32, kEnds = 6;

  uint64_t programs_ = 0, steps_ = 0, racing_ = 0;
  std::array<uint64_t, kInstructions> made_{}, retired_{};
  std::array<uint64_t, kEnds> ends_{};
  std::array<uint64_t, kCauses> faults_{};
  std::array<uint64_t, kOverlaps> overlaps_{};
};

}  // namespace etalon::fuzz
