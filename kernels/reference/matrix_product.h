// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/reference/call.h"

namespace etalon::kernels {

/// Judges a matrix product (operators/matmul.cc), its sums finished as DotFinish says.
Result<CheckReport> checkMatrixProduct(const Call& call, bool requantising);

}  // namespace etalon::kernels
