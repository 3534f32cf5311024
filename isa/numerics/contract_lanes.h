// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "isa/numerics/contract.h"
#include "isa/numerics/elementwise_lanes.h"

namespace etalon::numerics {

/// The loop that computes a floating operation under a declared contract, nullptr where the contract
/// leaves the operation as it is. The loop finds the contract in LaneRun.
LaneFunction contractLane(const VectorContract& contract, ElementwiseOp op);

}  // namespace etalon::numerics
