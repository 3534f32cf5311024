// SPDX-License-Identifier: Apache-2.0
// Compiled with -march=x86-64-v3: nothing here but the tagged templates.
#include "isa/numerics/lane_tables.h"

namespace etalon::numerics {
namespace {

struct V3 {};
constexpr LaneTable kTable = makeLaneTable<V3>();
constexpr ReduceTable kReduce = makeReduceTable<V3>();
constexpr ConvertTable kConvert = makeConvertTable<V3>();

}  // namespace

const LaneTable& laneTableV3() { return kTable; }
const ReduceTable& reduceTableV3() { return kReduce; }
const ConvertTable& convertTableV3() { return kConvert; }

}  // namespace etalon::numerics
