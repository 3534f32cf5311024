// SPDX-License-Identifier: Apache-2.0
#include "validation/mutants/runtime.h"

#include <cstdlib>

namespace etalon_mutants {

int active = 0;
unsigned char reached[1 << 16];

namespace {

// Before the initialisers of other files, which may execute mutants.
[[gnu::constructor(101)]] void choose() {
  if (const char* text = std::getenv("ETALON_MUTANT")) active = std::atoi(text);
}

}  // namespace
}  // namespace etalon_mutants
