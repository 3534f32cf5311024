// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "kernels/reference/verdict.h"

namespace etalon::kernels {

/// The bound of one row of a softmax, as operators/softmax.cc derives it. `out` has the row's length.
void boundSoftmax(std::span<const double> row, double rescales, std::span<BoundedValue> out);

}  // namespace etalon::kernels
