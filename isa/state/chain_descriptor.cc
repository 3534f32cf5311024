// SPDX-License-Identifier: Apache-2.0
#include "isa/state/chain_descriptor.h"

#include <algorithm>

#include "isa/base/bits.h"
#include "isa/element_type.h"

namespace etalon::isa {
namespace {

constexpr size_t kStepsAt = 16, kStepBytes = 8;
constexpr size_t kConstantsAt = 80;

}  // namespace

Selector decodeSelector(uint8_t code) {
  using Kind = Selector::Kind;
  const auto within = [code](int first, int count) {
    return code >= first && code < first + count;
  };
  const auto past = [code](int first) { return static_cast<uint8_t>(code - first); };
  if (within(kSelectorTile, 3)) return {Kind::Tile, past(kSelectorTile), 0};
  if (within(kSelectorTemporary, kTemporaries))
    return {Kind::Temporary, 0, past(kSelectorTemporary)};
  if (within(kSelectorConstant, kChainConstants))
    return {Kind::Constant, 0, past(kSelectorConstant)};
  if (within(kSelectorDisplacedA, kChainConstants))
    return {Kind::Displaced, 0, past(kSelectorDisplacedA)};
  if (within(kSelectorDisplacedB, kChainConstants))
    return {Kind::Displaced, 1, past(kSelectorDisplacedB)};
  return {};
}

ChainDescriptor loadChainImage(std::span<const std::byte, kChainImageBytes> image) {
  const auto byteAt = [image](size_t i) { return static_cast<uint8_t>(image[i]); };
  ChainDescriptor chain;
  chain.nsteps = byteAt(1);
  chain.flags = byteAt(2);
  chain.reduction_op = byteAt(3);
  chain.third_source = byteAt(4);
  chain.reduction_tile = byteAt(5);
  chain.reduction_selector = byteAt(6);
  chain.td_selector = byteAt(7);
  for (size_t s = 0; s < kChainSteps; ++s) {
    const size_t at = kStepsAt + kStepBytes * s;
    chain.steps[s] = {byteAt(at),     byteAt(at + 1),
                      byteAt(at + 2), byteAt(at + 3),
                      byteAt(at + 4), {byteAt(at + 5), byteAt(at + 6), byteAt(at + 7)}};
  }
  for (size_t k = 0; k < kChainConstants; ++k)
    chain.constants[k] = loadBytes<uint32_t>(image.data() + kConstantsAt + 4 * k);
  return chain;
}

void storeChainImage(const ChainDescriptor& chain, std::span<std::byte, kChainImageBytes> image) {
  std::fill(image.begin(), image.end(), std::byte{0});
  const auto put = [image](size_t i, uint8_t value) { image[i] = std::byte{value}; };
  put(0, 1);
  put(1, chain.nsteps);
  put(2, chain.flags);
  put(3, chain.reduction_op);
  put(4, chain.third_source);
  put(5, chain.reduction_tile);
  put(6, chain.reduction_selector);
  put(7, chain.td_selector);
  for (size_t s = 0; s < kChainSteps; ++s) {
    const size_t at = kStepsAt + kStepBytes * s;
    const ChainStep& step = chain.steps[s];
    put(at, step.op);
    put(at + 1, step.compute_type);
    put(at + 2, step.result_type);
    put(at + 3, step.mode);
    put(at + 4, step.destination);
    for (size_t i = 0; i < step.selectors.size(); ++i) put(at + 5 + i, step.selectors[i]);
  }
  for (size_t k = 0; k < kChainConstants; ++k)
    storeBytes(image.data() + kConstantsAt + 4 * k, chain.constants[k]);
}

std::optional<uint8_t> temporaryType(const ChainDescriptor& chain, int temporary, int steps) {
  for (int s = steps - 1; s >= 0; --s) {
    const ChainStep& step = chain.steps[s];
    if (step.destination == temporary)
      return static_cast<uint8_t>(kElementInfo[step.result_type].widens_to);
  }
  return std::nullopt;
}

}  // namespace etalon::isa
