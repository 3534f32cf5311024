// SPDX-License-Identifier: Apache-2.0
#include "isa/numerics/atomic_update.h"

#include <cstdint>

#include "isa/base/bits.h"
#include "isa/numerics/elementwise.h"

namespace etalon::numerics {

void updateRun(ElementwiseOp op, ElementType type, const std::byte* from, ptrdiff_t from_stride,
               std::byte* to, ptrdiff_t to_stride, size_t n) {
  for (size_t i = 0; i < n; ++i, from += from_stride, to += to_stride)
    storeBytes(to, evaluateElementwise(op, type, type, loadBytes<uint32_t>(to),
                                       loadBytes<uint32_t>(from)));
}

}  // namespace etalon::numerics
