// SPDX-License-Identifier: Apache-2.0
#include "isa/numerics/random.h"

#include <algorithm>
#include <bit>

#include "isa/base/check.h"
#include "isa/numerics/element_stream.h"
#include "isa/numerics/philox.h"

namespace etalon::numerics {
namespace {

constexpr size_t kBlock = 512;

uint32_t element(Distribution distribution, uint32_t word) {
  if (distribution == Distribution::Bits) return word;
  return std::bit_cast<uint32_t>(static_cast<float>(word >> 8) * 0x1p-24f);
}

}  // namespace

void randomTile(Distribution distribution, const TileRef& td, uint64_t base, uint64_t pitch,
                uint64_t seed, uint64_t stream) {
  const ElementType type = distribution == Distribution::Bits ? ElementType::u32 : ElementType::f32;
  ETALON_CHECK(td.type == type, "random bits are u32, uniform numbers f32");
  RandomWords words(seed, stream);
  ElementStream out(td);
  uint32_t block[kBlock];
  for (uint64_t r = 0; r < td.storedRows(); ++r)
    for (uint64_t c = 0; c < td.cols; c += kBlock) {
      const size_t n = static_cast<size_t>(std::min<uint64_t>(kBlock, td.cols - c));
      for (size_t k = 0; k < n; ++k)
        block[k] = element(distribution, words(base + r * pitch + c + k));
      out.write(block, n, type, {});
    }
}

}  // namespace etalon::numerics
