// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "isa/numerics/convert_lanes.h"
#include "isa/numerics/elementwise_lanes.h"
#include "isa/numerics/reduce_lanes.h"

namespace etalon::numerics {

/// convert_lanes.h, elementwise_lanes.h and reduce_lanes.h compiled for x86-64-v3 (AVX2, FMA, F16C)
/// and x86-64-v4 (AVX-512). Call only where hostIsa() says the host has it.
const LaneTable& laneTableV3();
const LaneTable& laneTableV4();
const ReduceTable& reduceTableV3();
const ReduceTable& reduceTableV4();
const ConvertTable& convertTableV3();
const ConvertTable& convertTableV4();

}  // namespace etalon::numerics
