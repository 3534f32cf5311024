// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdlib>

namespace etalon {

/// ETALON_FUZZ_SCALE, a positive number that multiplies the size of random tests; 1 if unset. For tests only.
inline double fuzzScale() {
  const char* text = std::getenv("ETALON_FUZZ_SCALE");
  const double scale = text ? std::strtod(text, nullptr) : 1;
  return scale > 0 ? scale : 1;
}

}  // namespace etalon
