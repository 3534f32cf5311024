// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "isa/state/fault.h"

namespace etalon::sim {

/// A read of bytes that nothing ever wrote. Reported once an instruction address and core.
struct UninitialisedRead {
  uint16_t core = 0;  // agent
  uint64_t pc = 0;
  uint32_t instruction = 0;
  uint64_t address = 0;  // first unwritten byte, as every core can write it
  uint64_t size = 0;     // bytes the access wanted

  template <class Archive, class Self>
  static void transfer(Archive& archive, Self& self);
};

/// Where a run without values ended, because it went on to depend on one.
struct PoisonStop {
  uint16_t core = 0;  // agent
  uint64_t pc = 0;
  uint32_t instruction = 0;  // 0 where it is the instruction itself that is poisoned
  std::string operand;       // `rs1`, `ti (tr5)`
  std::string use;           // `a scalar load`, `an index`
  uint64_t address = 0;      // of the first poisoned byte, as every core can write it
};

/// What a run found wrong with the simulated program, in the order it happened. Lists are bounded, counts are not.
class Findings {
 public:
  static constexpr size_t kKept = 100;

  void add(isa::Fault fault) {
    ++fault_count_;
    if (faults_.size() < kKept) faults_.push_back(std::move(fault));
  }
  void add(const UninitialisedRead& read) {
    if (!seen_reads_.insert({read.core, read.pc}).second) return;
    ++uninitialised_count_;
    if (uninitialised_.size() < kKept) uninitialised_.push_back(read);
  }

  void add(PoisonStop stop) { poison_stop_ = std::move(stop); }

  const std::vector<isa::Fault>& faults() const { return faults_; }
  uint64_t faultCount() const { return fault_count_; }
  const std::vector<UninitialisedRead>& uninitialised() const { return uninitialised_; }
  uint64_t uninitialisedCount() const { return uninitialised_count_; }
  const std::optional<PoisonStop>& poisonStop() const { return poison_stop_; }

  /// Snapshots; there are none of a run without values.
  template <class Archive, class Self>
  static void transfer(Archive& archive, Self& self);

 private:
  std::vector<isa::Fault> faults_;
  uint64_t fault_count_ = 0;
  std::vector<UninitialisedRead> uninitialised_;
  uint64_t uninitialised_count_ = 0;
  std::optional<PoisonStop> poison_stop_;
  std::set<std::pair<uint16_t, uint64_t>> seen_reads_;
};

}  // namespace etalon::sim
