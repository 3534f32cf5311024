// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>

#include "validation/fuzz/program.h"

namespace etalon::fuzz {

/// True for programs that still show what is looked for.
using Predicate = std::function<bool(const Program&)>;

struct Shrunk {
  Program program;
  uint64_t runs = 0;  // of the predicate
  bool finished =
      false;  // no change of those that shrink() knows keeps the predicate; false: most_runs were over
};

/// A smaller program for which `fails` is true, as it is for the given one: fewer cores, steps and registers set up, loops
/// and branches unwound, smaller extents, dense tiles at round places, small values. Deterministic: the same program and
/// predicate give the same result.
Shrunk shrink(const Program& program, const Predicate& fails, uint64_t most_runs = 3000);

}  // namespace etalon::fuzz
