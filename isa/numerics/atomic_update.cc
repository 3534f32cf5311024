// SPDX-License-Identifier: Apache-2.0
#include "isa/numerics/atomic_update.h"

#include <cstdint>

#include "isa/base/bits.h"
#include "isa/numerics/contract_lanes.h"
#include "isa/numerics/elementwise.h"

namespace etalon::numerics {
namespace {

LaneFunction laneOf(ElementwiseOp op, ElementType type, const VectorContract* contract) {
  if (contract != nullptr && type == ElementType::f32)
    if (const LaneFunction declared = contractLane(*contract, op)) return declared;
  return laneTable(HostIsa::Generic)[static_cast<size_t>(op)][static_cast<size_t>(laneClass(type))];
}

}  // namespace

void updateRun(ElementwiseOp op, ElementType type, const std::byte* from, ptrdiff_t from_stride,
               std::byte* to, ptrdiff_t to_stride, size_t n, const VectorContract* contract) {
  const LaneFunction lane = laneOf(op, type, contract);
  for (size_t i = 0; i < n; ++i, from += from_stride, to += to_stride) {
    const auto element = loadBytes<uint32_t>(to), value = loadBytes<uint32_t>(from);
    uint32_t updated = 0;
    lane({&updated, &element, &value, nullptr, 1, 0, 0, op, contract});
    storeBytes(to, updated);
  }
}

}  // namespace etalon::numerics
