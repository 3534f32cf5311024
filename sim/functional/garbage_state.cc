// SPDX-License-Identifier: Apache-2.0
#include "sim/functional/garbage_state.h"

#include <algorithm>

#include "isa/base/bits.h"
#include "isa/base/check.h"
#include "isa/codec/instruction_info.h"
#include "isa/elementwise_op.h"
#include "isa/machines/address_map.h"
#include "isa/machines/find_machine.h"

namespace etalon::sim {

isa::Machine garbageMachine() {
  const auto machine =
      isa::openMachine("functional64", {"cores=2", "local_bytes=64 KiB",
                                        "address_map.global_bytes=1 MiB", "work_cap.macs_log2=30",
                                        "work_cap.elements_log2=24", "work_cap.bytes_log2=26"});
  ETALON_CHECK(machine.ok(), "the smallest machine is a machine");
  return *machine;
}

void Garbage::chooseTheme() {
  plain_ = oneIn(2);
  constexpr std::array<std::array<ElementType, 2>, 4> kTypes{
      {{ElementType::f32, ElementType::f32},
       {ElementType::f32, ElementType::bf16},
       {ElementType::i32, ElementType::i8},
       {ElementType::f32, ElementType::f8e4m3}}};
  plain_types_ = kTypes[below(kTypes.size())];
  plain_extents_[0] = static_cast<uint32_t>(pick({1, 2, 3, 8, 16, 17, 64}));
  plain_extents_[1] = static_cast<uint32_t>(oneIn(2) ? plain_extents_[0] : pick({0, 1, 5, 33}));
}

uint32_t Garbage::instruction() {
  if (oneIn(8)) return static_cast<uint32_t>(random_());
  const auto table = isa::instructionTable();
  const isa::InstructionInfo& info = table[below(table.size())];
  return (static_cast<uint32_t>(random_()) & ~info.mask) | info.match;
}

uint64_t Garbage::address() {
  const uint64_t local = machine_.local_bytes, global = machine_.global_bytes;
  const uint64_t base = pick(
      {machine_.global_base, machine_.global_base + global, isa::kLocalWindowBase,
       isa::kLocalWindowBase + local, isa::kLocalWindowBase + local + 4096, isa::kCoreWindowBase,
       isa::kCoreWindowBase + local, isa::kCoreWindowBase + isa::kCoreWindowStride,
       isa::kCoreWindowBase + isa::kCoreWindowStride + local, 0});
  const uint64_t inside = oneIn(4) ? below(64) : below(local) & ~uint64_t{pick({0, 3, 7, 63})};
  return oneIn(8) ? base - inside : base + inside;
}

uint64_t Garbage::scalar() {
  switch (below(6)) {
    case 0: return below(70);
    case 1: return uint64_t{0} - below(70);
    case 2: return (uint64_t{1} << below(64)) - below(3);
    case 3: return random_();
    default: return address();
  }
}

uint32_t Garbage::extent() {
  if (plain_) return plain_extents_[below(2)];
  if (oneIn(24)) return static_cast<uint32_t>(below(isa::kMaxCount + 1));
  if (oneIn(24)) return isa::kMaxCount;
  return static_cast<uint32_t>(pick({0, 1, 1, 1, 2, 2, 4, 4, 4, 8, 16, 17}));
}

uint8_t Garbage::type() {
  if (plain_) return static_cast<uint8_t>(plain_types_[below(2)]);
  if (oneIn(16)) return static_cast<uint8_t>(below(64));
  if (oneIn(4)) return static_cast<uint8_t>(below(kElementTypes));
  return static_cast<uint8_t>(
      pick({uint64_t(ElementType::f32), uint64_t(ElementType::f32), uint64_t(ElementType::bf16),
            uint64_t(ElementType::i8), uint64_t(ElementType::i32)}));
}

isa::TileRegister Garbage::tile() {
  isa::TileRegister t;
  t.type = type();
  t.outer = !plain_ && oneIn(3) ? extent() : 1;
  t.inner = extent();
  t.cols = extent();
  t.step = static_cast<uint8_t>(!plain_ && oneIn(6) ? pick({0, 1, 2, 4}) : 1);
  const uint32_t width = std::min(t.cols, 4096u) * (t.hasType() ? t.elementBytes() : 1) *
                         std::max<uint32_t>(t.step, 1);
  t.istride = static_cast<uint32_t>(
      !plain_ && oneIn(6) ? pick({0, 1, 4, below(256), random_() & 0xffffffff}) : width);
  t.ostride = static_cast<uint32_t>(!plain_ && oneIn(6)
                                        ? pick({0, 1, 4, below(4096), random_() & 0xffffffff})
                                        : width * std::min(t.inner, 64u));
  t.base = static_cast<uint32_t>(!plain_ && oneIn(16)
                                     ? random_()
                                     : below(machine_.local_bytes) &
                                           ~uint64_t{plain_ ? 63 : pick({63, 7, 7, 3, 0})});
  t.transpose = oneIn(6);
  t.link_valid = !plain_ && oneIn(16);
  t.link = static_cast<uint8_t>(below(isa::kTileRegisters));
  return t;
}

isa::ViewDescriptor Garbage::plainView() {
  isa::ViewDescriptor v;
  v.type = type();
  v.base = (oneIn(4) ? isa::kLocalWindowBase : machine_.global_base) +
           (below(machine_.local_bytes / 2) & ~uint64_t{63});
  v.fill = random_();
  v.naxes = v.nbox = 2;
  v.ncol = 1;
  const int64_t size = v.elementBits() / 8;
  v.axes[0] = {.dim = 64, .stride = 64 * size, .origin = static_cast<int64_t>(below(3)) - 1};
  v.axes[1] = {.dim = 64, .stride = size, .origin = static_cast<int64_t>(below(3)) - 1};
  v.box[0] = {.extent = extent(), .axis = 0, .step = 1};
  v.box[1] = {.extent = extent(), .axis = 1, .step = 1};
  return v;
}

isa::ViewDescriptor Garbage::view() {
  if (plain_) return plainView();
  isa::ViewDescriptor v;
  v.type = type();
  v.base = address();
  v.fill = random_();
  v.naxes = static_cast<uint8_t>(oneIn(4) ? below(isa::kMaxAxes + 1) : 1 + below(2));
  v.nbox = static_cast<uint8_t>(oneIn(4) ? below(isa::kMaxBoxDims + 1) : 1 + below(2));
  v.ncol = static_cast<uint8_t>(below(v.nbox + 1));
  const int64_t size = v.hasType() ? std::max(1, v.elementBits() / 8) : 1;
  int64_t stride = size;
  for (int a = v.naxes - 1; a >= 0; --a) {
    auto& axis = v.axes[a];
    axis.dim = oneIn(8) ? random_() >> 16 >> below(48) : pick({0, 1, 4, 8, 16, 17});
    axis.stride =
        oneIn(8) ? static_cast<int64_t>(pick({0, 1, random_(), uint64_t{0} - 4})) : stride;
    axis.origin = oneIn(8) ? static_cast<int64_t>(scalar()) : static_cast<int64_t>(below(6)) - 2;
    stride *= static_cast<int64_t>(std::clamp<uint64_t>(axis.dim, 1, 32));
  }
  for (int b = 0; b < v.nbox; ++b) {
    v.box[b].extent = extent();
    v.box[b].axis = static_cast<uint8_t>(v.naxes ? below(v.naxes) : 0);
    v.box[b].step = static_cast<int32_t>(v.naxes == 0 ? 0
                                         : oneIn(4)   ? pick({0, 2, ~uint64_t{0}, random_()})
                                                      : 1);
  }
  return isa::checkView(v) ? isa::ViewDescriptor{} : v;
}

isa::ChainDescriptor Garbage::chain() {
  isa::ChainDescriptor c;
  c.nsteps = static_cast<uint8_t>(below(4));
  c.flags = static_cast<uint8_t>(oneIn(4) ? below(8) : 0);
  c.reduction_op = static_cast<uint8_t>(below(4));
  c.third_source = oneIn(4) ? static_cast<uint8_t>(below(32)) : isa::kNoTile;
  c.reduction_tile = c.reduces() ? static_cast<uint8_t>(below(32)) : isa::kNoTile;
  c.reduction_selector = kSelectorTemporary;
  c.td_selector = static_cast<uint8_t>(oneIn(4) ? below(12) : kSelectorTemporary);
  for (int s = 0; s < c.nsteps; ++s) {
    auto& step = c.steps[s];
    step.op = static_cast<uint8_t>(kElementwiseOps[below(kElementwiseOps.size())].op);
    step.compute_type = step.result_type =
        static_cast<uint8_t>(oneIn(4) ? below(16) : pick({6, 7, 15}));
    step.destination = static_cast<uint8_t>(below(4) & below(4));
    for (uint8_t& selector : step.selectors)
      selector = static_cast<uint8_t>(pick({0, 1, 2, 8, 16, below(64)}));
  }
  for (uint32_t& constant : c.constants) constant = static_cast<uint32_t>(scalar());
  return isa::checkChain(c) ? isa::ChainDescriptor{} : c;
}

void Garbage::image(std::span<std::byte> image) {
  std::ranges::fill(image, std::byte{0});
  switch (below(4)) {
    case 0: isa::storeTileImage(tile(), image.first<isa::kTileImageBytes>()); break;
    case 1: isa::storeViewImage(view(), image.first<isa::kViewImageBytes>()); break;
    case 2: isa::storeChainImage(chain(), image.first<isa::kChainImageBytes>()); break;
    default:
      for (size_t i = 0; i < image.size(); i += 8) storeBytes(image.data() + i, random_());
  }
  if (oneIn(2)) image[below(image.size())] ^= static_cast<std::byte>(1u << below(8));
}

}  // namespace etalon::sim
