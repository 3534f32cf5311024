// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace etalon {

/// Prints where and why to stderr and aborts: our own bug, never bad input.
[[noreturn]] void checkFailed(const char* file, int line, const char* condition, const char* why);

}  // namespace etalon

/// An invariant of ours. On in every build type.
#define ETALON_CHECK(condition, why)                              \
  do {                                                            \
    if (!(condition)) [[unlikely]]                                \
      ::etalon::checkFailed(__FILE__, __LINE__, #condition, why); \
  } while (false)
