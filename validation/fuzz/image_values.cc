// SPDX-License-Identifier: Apache-2.0
#include "validation/fuzz/image_values.h"

#include <algorithm>
#include <bit>

#include "isa/base/bits.h"
#include "isa/numerics/convert.h"
#include "sim/functional/garbage_state.h"
#include "sim/functional/random_chain.h"
#include "validation/fuzz/layout.h"
#include "validation/fuzz/random.h"

namespace etalon::fuzz {
namespace {

constexpr size_t kLine = 64;  // bytes of one element type
/// Tells the values of a program from its steps.
constexpr uint64_t kValueStream = uint64_t{1} << 63;

/// -4 to 4 as an element.
uint32_t smallElement(Random& random, ElementType type) {
  const auto number = static_cast<int32_t>(random.below(9)) - 4;
  if (!isFloat(type)) return static_cast<uint32_t>(number);
  const auto bits = std::bit_cast<uint32_t>(static_cast<float>(number));
  if (type == ElementType::f32) return bits;
  return static_cast<uint32_t>(numerics::convertElement(ElementType::f32, bits, type,
                                                        numerics::Rounding::NearestEven, false));
}

void fillLine(Random& random, Values values, std::span<std::byte> line) {
  const auto type = static_cast<ElementType>(random.below(kElementTypes));
  const ElementInfo& info = elementInfo(type);
  const auto size = static_cast<size_t>(std::max(info.bits / 8, 1));
  for (size_t i = 0; i < line.size(); i += size) {
    uint64_t element = 0;
    if (info.bits == 64)
      element = values == Values::small ? random.below(9) : random.word() >> random.below(64);
    else if (info.kind == ElementKind::Scale)
      element = values == Values::small ? 126 + random.below(3) : random.below(256);
    else
      element = values == Values::small ? smallElement(random, type)
                                        : sim::randomElement(random.engine(), type);
    if (info.bits == 4) element = (element & 15) * 17;
    std::copy_n(reinterpret_cast<const std::byte*>(&element), size,
                line.begin() + static_cast<ptrdiff_t>(i));
  }
}

/// Images that et.tld, et.vld and et.cld of steps find.
void fillImages(Random& random, sim::Garbage& garbage, std::span<std::byte> area) {
  for (uint64_t at = kTileImages; at < kViewImages; at += isa::kTileImageBytes) {
    garbage.chooseTheme();
    isa::storeTileImage(garbage.tile(), area.subspan(at).first<isa::kTileImageBytes>());
  }
  for (uint64_t at = kViewImages; at < kChainImages; at += isa::kViewImageBytes)
    isa::storeViewImage(garbage.view(), area.subspan(at).first<isa::kViewImageBytes>());
  for (uint64_t at = kChainImages; at < kFreeWords; at += isa::kChainImageBytes)
    isa::storeChainImage(
        random.oneIn(8) ? garbage.chain() : sim::randomChain(random.engine()).chain,
        area.subspan(at).first<isa::kChainImageBytes>());
}

}  // namespace

void fillAreas(const Program& program, std::span<std::byte> areas) {
  Random random(program.seed, program.index ^ kValueStream);
  const auto values = areas.subspan(kValues - kScalarAreas, kValueBytes);
  if (program.values != Values::zeros)
    for (size_t at = 0; at < kValueBytes; at += kLine)
      fillLine(random, program.values, values.subspan(at, kLine));
  for (size_t at = 0; at < kValues - kScalarAreas; at += kValueBytes)
    std::ranges::copy(values, areas.begin() + static_cast<ptrdiff_t>(at));
  sim::Garbage garbage(random.word(), randomProgramMachine(program.reduced));
  for (unsigned core = 0; core < kMostCores; ++core)
    fillImages(random, garbage, areas.subspan(core * kScalarAreaBytes, kScalarAreaBytes));
}

}  // namespace etalon::fuzz
