// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "sim/functional/functional_device.h"
#include "validation/litmus/assemble.h"
#include "validation/litmus/litmus.h"

namespace etalon::validation {

/// What one run of a test came to.
struct Execution {
  OutcomeKind kind = OutcomeKind::allowed;  // allowed, race, order_dependent, deadlock or fault
  isa::Rule rule = isa::Rule::none;         // of a fault
  std::set<unsigned> reported;  // locations on which a race or order dependence was found
  std::vector<std::string>
      mistakes;      // what no litmus test may do: read unwritten memory, never end, ...
  std::string text;  // kind and values, for people
};

/// A test on a functional model of its own.
class LitmusRunner {
 public:
  /// Errors: the programs cannot be assembled.
  static Result<LitmusRunner> create(const LitmusTest& test,
                                     Placement placement = Placement::together);

  Execution run(uint64_t seed);
  /// The value of a term after the last run.
  uint32_t valueOf(const Term& term) const;
  bool holds(const Outcome& outcome) const;

 private:
  LitmusRunner(const LitmusTest& test, Placement placement, LitmusImage image,
               std::unique_ptr<sim::FunctionalDevice> device)
      : test_(test), placement_(placement), image_(std::move(image)), device_(std::move(device)) {}
  /// The agent that a core of the test is.
  unsigned agent(unsigned core) const {
    return placement_ == Placement::apart ? device_->cluster().agent(core, 0) : core;
  }
  void addReports(const std::vector<sim::RaceReport>& reports, Execution& execution) const;
  std::string describe(const Execution& execution) const;

  const LitmusTest& test_;
  Placement placement_;
  LitmusImage image_;
  std::unique_ptr<sim::FunctionalDevice> device_;
};

/// What the runs of a test came to.
struct Verdict {
  std::vector<std::string> errors;  // none: the test passed
  std::vector<std::optional<uint64_t>>
      first_seeds;     // of each outcome: the first seed that showed it
  uint64_t seeds = 0;  // tried, from 0 on
};

/// Runs the seeds 0 to `least` - 1, then further ones, up to `most`, until every outcome that must be reachable was seen.
Verdict judgeLitmus(const LitmusTest& test, uint64_t least, uint64_t most,
                    Placement placement = Placement::together);

}  // namespace etalon::validation
