// SPDX-License-Identifier: Apache-2.0
#include "isa/numerics/mma_exact.h"

#include "isa/base/bits.h"
#include "isa/numerics/convert.h"
#include "isa/numerics/mma_kernels.h"

namespace etalon::numerics {

void multiplyExactly(const ExactBlock& block) {
  for (size_t r = 0; r < block.m; ++r) {
    const double* a = block.a + r * block.a_row;
    const uint8_t* positions = block.positions ? block.positions + r * kMmaBlockUnits : nullptr;
    for (size_t c = 0; c < block.n; ++c) {
      std::byte* place = block.acc[r] + c * sizeof(float);
      float acc = block.accumulate ? loadBytes<float>(place) : 0.0f;
      for (size_t t = 0; t < block.terms; ++t) {
        const size_t k = positions ? positions[t] : t;
        acc = fmaToF32(a[t * block.a_term], block.b[k * block.b_k + c * block.b_column], acc);
      }
      storeBytes(place, std::isnan(acc) ? kNanF32 : std::bit_cast<uint32_t>(acc));
    }
  }
}

}  // namespace etalon::numerics
