// SPDX-License-Identifier: Apache-2.0
#include "validation/fuzz/campaign.h"

#include <fmt/format.h>

#include "validation/fuzz/image.h"

namespace etalon::fuzz {
namespace {

/// What differs, without the digests.
std::string_view partOf(const std::string& what) {
  return std::string_view(what).substr(0, what.find(": "));
}

/// Without races and unwritten reads if `before` is: these make results that differ and are no defects.
bool isAsClean(const Outcome& now, const Outcome& before) {
  for (const char* name : {"races", "order-dependent results", "unwritten reads"}) {
    const auto count = [&](const Outcome& outcome) {
      const auto part = outcome.parts.find(name);
      return part == outcome.parts.end() ? 0 : part->second;
    };
    if (count(before) == 0 && count(now) != 0) return false;
  }
  return true;
}

}  // namespace

std::optional<Failure> Campaign::compare(const Program& program, Outcome* expected) {
  const auto image = makeImage(program);
  if (!image.ok()) return Failure{program, "image", image.error().message, {}, {}};
  const RunRequest request{*image, &program};
  Result<Outcome> first = targets_[0]->run(request);
  if (!first.ok()) return Failure{program, targets_[0]->name(), first.error().message, {}, {}};
  if (expected) *expected = *first;
  const auto races = first->parts.find("races");
  if (program.race_free && races != first->parts.end() && races->second != 0)
    return Failure{program, targets_[0]->name(),
                   fmt::format("{} data races in a program made without", races->second), *first,
                   first->text};
  for (size_t i = 1; i < targets_.size(); ++i) {
    const Result<Outcome> other = targets_[i]->run(request);
    if (!other.ok())
      return Failure{program, targets_[i]->name(), other.error().message, *first, {}};
    if (const auto different = difference(*first, *other))
      return Failure{program, targets_[i]->name(), *different, *first, other->text};
  }
  return std::nullopt;
}

std::optional<Failure> Campaign::check(const Program& program) {
  Outcome expected;
  auto failure = compare(program, &expected);
  ++programs_;
  // A sum does not depend on the order; the number keeps two programs from changing places.
  Digest digest;
  digest.add(program.index);
  digest.add(expected.digest());
  digest_ += digest.value();
  return failure;
}

Shrunk Campaign::shrinkFailure(const Failure& failure, uint64_t most_runs) {
  const Predicate fails = [&](const Program& program) {
    // What is dropped may be what kept cores apart.
    Program plain = program;
    plain.race_free = failure.target == targets_[0]->name() && program.race_free;
    const auto found = compare(plain, nullptr);
    return found && found->target == failure.target &&
           partOf(found->what) == partOf(failure.what) &&
           found->expected.end == failure.expected.end &&
           isAsClean(found->expected, failure.expected);
  };
  return shrink(failure.program, fails, most_runs);
}

}  // namespace etalon::fuzz
