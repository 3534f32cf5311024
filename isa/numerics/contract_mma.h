// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "isa/numerics/contract.h"
#include "isa/numerics/mma.h"

namespace etalon::numerics {

/// acc(M x N) = A(M x K) * B(K x N), plus the old acc if `accumulate`, as a declared rule sums it
/// (docs/spec/09-contracts.md). Sources as for multiplyAccumulate, scales and metadata
/// included; the accumulator is f32.
///
/// K = 0   +0, or with `accumulate` acc keeps its bits.
/// Cost    1 to 10 ns a multiply-accumulate, see mma_bench; no host instruction set beyond the base.
void multiplyAccumulateUnder(const ProductRule& rule, const MmaSource& a, const MmaSource& b,
                             const TileRef& acc, bool accumulate);

}  // namespace etalon::numerics
