// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdlib>

namespace etalon {

/// True in builds with sanitizers, which look for errors of memory, not of values: tests over many values take fewer.
#ifdef __SANITIZE_ADDRESS__
inline constexpr bool kSanitized = true;
#else
inline constexpr bool kSanitized = false;
#endif

/// ETALON_FUZZ_SCALE, a positive number that multiplies the size of random tests. If unset 1, or less in a sanitized build.
/// For tests only.
inline double fuzzScale() {
  const char* text = std::getenv("ETALON_FUZZ_SCALE");
  const double scale = text ? std::strtod(text, nullptr) : 0;
  return scale > 0 ? scale : kSanitized ? 0.2 : 1;
}

}  // namespace etalon
