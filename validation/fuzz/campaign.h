// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "validation/fuzz/generator.h"
#include "validation/fuzz/shrink.h"
#include "validation/fuzz/target.h"

namespace etalon::fuzz {

/// A program that does not end as it should.
struct Failure {
  Program program;
  std::string target;  // what ran it
  std::string what;    // in what it differs from the first target, or what else is wrong
  Outcome expected;    // of the first target
  std::string found;   // Outcome::text of the other
};

/// Runs programs on several targets, which must end in the same state as the first.
class Campaign {
 public:
  Campaign(ProgramOptions options, std::vector<std::unique_ptr<Target>> targets)
      : generator_(std::move(options)), targets_(std::move(targets)) {}

  const Generator& generator() const { return generator_; }
  /// Runs a program everywhere; what is wrong, or nothing.
  std::optional<Failure> check(const Program& program);
  /// The same; it does not count.
  std::optional<Failure> recheck(const Program& program) { return compare(program, nullptr); }
  /// A smaller program that fails on the same target in the same way: in the same part of the state, with the same end, and
  /// without data races and unwritten reads if it had none.
  Shrunk shrinkFailure(const Failure& failure, uint64_t most_runs = 3000);

  /// Programs checked by number, and a digest over what the first target said, whatever their order: equal on all hosts.
  uint64_t programs() const { return programs_; }
  uint64_t digest() const { return digest_; }

 private:
  std::optional<Failure> compare(const Program& program, Outcome* expected);

  Generator generator_;
  std::vector<std::unique_ptr<Target>> targets_;
  uint64_t programs_ = 0, digest_ = 0;
};

}  // namespace etalon::fuzz
