// SPDX-License-Identifier: Apache-2.0
#include "isa/numerics/elementwise.h"

#include "isa/base/check.h"
#include "isa/numerics/lane_tables.h"

namespace etalon::numerics {
namespace {

struct Generic {};
constexpr LaneTable kGeneric = makeLaneTable<Generic>();

}  // namespace

uint32_t evaluateElementwise(ElementwiseOp op, ElementType compute, ElementType result, uint32_t a,
                             uint32_t b, uint32_t c) {
  const LaneFunction function =
      kGeneric[static_cast<size_t>(op)][static_cast<size_t>(laneClass(compute))];
  ETALON_CHECK(function != nullptr, "the operation does not take this class; decoders refuse it");
  const SaturationRange range = isInteger(result) ? saturationRange(result) : SaturationRange{0, 0};
  uint32_t out = 0;
  function({&out, &a, &b, &c, 1, range.low, range.high});
  return out;
}

const LaneTable& laneTable(HostIsa isa) {
#if defined(__x86_64__)
  if (isa == HostIsa::V4) return laneTableV4();
  if (isa == HostIsa::V3) return laneTableV3();
#endif
  return kGeneric;
}

}  // namespace etalon::numerics
