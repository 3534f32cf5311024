// SPDX-License-Identifier: Apache-2.0
// Included before every C++ file of a woven build. Needs no header itself.
#pragma once

namespace etalon_mutants {
extern int active;               // number of the mutant that is chosen; 0: none
extern unsigned char reached[];  // by number: 1 if the place was executed
}  // namespace etalon_mutants

/// True where mutant `number` is chosen. The compiler evaluates the original.
[[gnu::always_inline]] constexpr bool etalonMutant(int number) {
  if (__builtin_is_constant_evaluated()) return false;
  etalon_mutants::reached[number] = 1;
  return etalon_mutants::active == number;
}
