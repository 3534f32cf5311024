// SPDX-License-Identifier: Apache-2.0
#include "isa/base/check.h"

#include <cstdio>
#include <cstdlib>

namespace etalon {

void checkFailed(const char* file, int line, const char* condition, const char* why) {
  std::fprintf(stderr, "etalon: internal error at %s:%d: %s (%s)\n", file, line, why, condition);
  std::abort();
}

}  // namespace etalon
