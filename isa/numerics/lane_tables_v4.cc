// SPDX-License-Identifier: Apache-2.0
// Compiled with -march=x86-64-v4: nothing here but the tagged templates.
#include "isa/numerics/lane_tables.h"

namespace etalon::numerics {
namespace {

struct V4 {};
constexpr LaneTable kTable = makeLaneTable<V4>();
constexpr ReduceTable kReduce = makeReduceTable<V4>();
constexpr ConvertTable kConvert = makeConvertTable<V4>();

}  // namespace

const LaneTable& laneTableV4() { return kTable; }
const ReduceTable& reduceTableV4() { return kReduce; }
const ConvertTable& convertTableV4() { return kConvert; }

}  // namespace etalon::numerics
