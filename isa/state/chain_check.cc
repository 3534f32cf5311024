// SPDX-License-Identifier: Apache-2.0
// What et.cld refuses. Decided here, where isa-reference.md leaves it open:
// * `accumulate lanes` without `reduce`, and neither td nor a reduction, contradict themselves.
// * The mode byte is 0 for every step but cvt: all other operations round to nearest even.
// * A step's result type is its compute type; u32 for comparisons; for cvt any type with a 32-bit
//   widening (not i64), and stochastic rounding only to a float, with the random words in selector
//   b.
// * A class an operation lacks (mulhi in f32) is refused here: no operand can make it right.
// * A reduction takes a written temporary of type f32 or i32, the types reductions run in.
// * td may take any selector, so zero steps copy or convert.
#include <fmt/format.h>

#include "isa/element_type.h"
#include "isa/state/chain_descriptor.h"

namespace etalon::isa {
namespace {

constexpr int kMaskConstants = 4;
constexpr uint8_t kF32 = static_cast<uint8_t>(ElementType::f32);
constexpr uint8_t kI32 = static_cast<uint8_t>(ElementType::i32);
constexpr uint8_t kU32 = static_cast<uint8_t>(ElementType::u32);

std::string_view typeName(uint8_t type) { return kElementInfo[type].name; }

int classOf(uint8_t compute_type) {
  return compute_type == kF32 ? kClassFloat : compute_type == kI32 ? kClassInt : kClassUint;
}

/// A selector that is read when `steps` steps have run.
std::optional<Malformed> checkRead(const ChainDescriptor& chain, const std::string& field,
                                   uint8_t code, int steps) {
  const Selector selector = decodeSelector(code);
  if (selector.kind == Selector::Kind::Reserved)
    return Malformed{Problem::Selector, field,
                     fmt::format("{} is reserved; 0..2 tiles, 8..11 temporaries, 16..27 constants, "
                                 "32..43 and 48..59 displaced tiles a and b",
                                 code)};
  if (selector.kind == Selector::Kind::Tile && selector.tile == 2 && chain.third_source == kNoTile)
    return Malformed{Problem::AbsentTile, field,
                     "names tile c, but the third source tile register is FF (none)"};
  if (selector.kind == Selector::Kind::Temporary && !temporaryType(chain, selector.index, steps))
    return Malformed{
        Problem::Unwritten, field,
        fmt::format("reads temporary {}, which no earlier step wrote", selector.index)};
  return std::nullopt;
}

std::optional<Malformed> checkHeader(const ChainDescriptor& chain) {
  if (chain.nsteps > kChainSteps)
    return Malformed{Problem::Count, "nsteps",
                     fmt::format("is {}, at most {}", chain.nsteps, kChainSteps)};
  if (chain.flags & ~7)
    return Malformed{Problem::Flags, "flags",
                     fmt::format("are {:#x}, bits 7:3 must be 0", chain.flags)};
  if (chain.accumulatesLanes() && !chain.reduces())
    return Malformed{Problem::Flags, "flags", "accumulate lanes (bit 2) needs reduce (bit 1)"};
  if (!chain.writesTd() && !chain.reduces())
    return Malformed{Problem::Flags, "flags",
                     "no td (bit 0) and no reduce (bit 1): the chain has no destination"};
  if (chain.third_source >= 32 && chain.third_source != kNoTile)
    return Malformed{Problem::RegisterNumber, "third source tile register",
                     fmt::format("is {}, must be 0 to 31, or 255 for none", chain.third_source)};
  return std::nullopt;
}

std::optional<Malformed> checkTypes(const ChainStep& step, const ElementwiseInfo& info,
                                    const std::string& at) {
  const uint8_t type = step.compute_type;
  if (type != kF32 && type != kI32 && type != kU32)
    return Malformed{Problem::ComputeType, at + " compute type",
                     fmt::format("is {}; a step computes in i32 ({}), u32 ({}) or f32 ({})", type,
                                 kI32, kU32, kF32)};
  if (!(info.classes & classOf(type)))
    return Malformed{Problem::ComputeType, at + " compute type",
                     fmt::format("is {}, which {} does not have", typeName(type), info.name)};
  if (step.result_type >= kElementTypes)
    return Malformed{
        Problem::ResultType, at + " result type",
        fmt::format("code {} is reserved; types are 0 to {}", step.result_type, kElementTypes - 1)};
  if (info.result == ResultKind::Converted) {
    if (step.result_type == static_cast<uint8_t>(ElementType::i64))
      return Malformed{Problem::ResultType, at + " result type",
                       "is i64; temporaries hold 32 bits"};
    return std::nullopt;
  }
  const uint8_t wanted = info.result == ResultKind::Mask ? kU32 : type;
  if (step.result_type != wanted)
    return Malformed{
        Problem::ResultType, at + " result type",
        fmt::format("is {}, {} in {} gives {}; convert with cvt", typeName(step.result_type),
                    info.name, typeName(type), typeName(wanted))};
  return std::nullopt;
}

std::optional<Malformed> checkMode(const ChainStep& step, const ElementwiseInfo& info,
                                   const std::string& at) {
  if (info.op != ElementwiseOp::cvt) {
    if (step.mode == 0) return std::nullopt;
    return Malformed{Problem::Mode, at + " mode",
                     fmt::format("is {:#x}, must be 0 for {}", step.mode, info.name)};
  }
  const int rounding = step.mode & kModeRoundingMask;
  if (rounding > static_cast<int>(Rounding::Stochastic) ||
      (step.mode & ~(kModeRoundingMask | kModeSaturate)))
    return Malformed{Problem::Mode, at + " mode",
                     fmt::format("is {:#x}; bits 2:0 round (0, 1, 2), bit 3 saturates, the rest "
                                 "must be 0",
                                 step.mode)};
  if (roundsStochastically(step.mode) && !isFloat(static_cast<ElementType>(step.result_type)))
    return Malformed{
        Problem::Mode, at + " mode",
        fmt::format("rounds stochastically to {}; only floats can", typeName(step.result_type))};
  return std::nullopt;
}

std::optional<Malformed> checkSources(const ChainDescriptor& chain, int s,
                                      const ElementwiseInfo& info, const std::string& at) {
  const ChainStep& step = chain.steps[s];
  constexpr const char* kNames[] = {" selector a", " selector b", " selector c"};
  for (int i = 0; i < stepSelectors(info, step.mode); ++i) {
    const uint8_t code = step.selectors[i];
    if (info.op == ElementwiseOp::mask && i == 1) {
      const Selector selector = decodeSelector(code);
      if (selector.kind != Selector::Kind::Constant ||
          selector.index > kChainConstants - kMaskConstants)
        return Malformed{Problem::Selector, at + kNames[i],
                         fmt::format("is {}; the mask takes four consecutive constants from here, "
                                     "so {} to {}",
                                     code, kSelectorConstant,
                                     kSelectorConstant + kChainConstants - kMaskConstants)};
      continue;
    }
    if (auto malformed = checkRead(chain, at + kNames[i], code, s)) return malformed;
  }
  return std::nullopt;
}

std::optional<Malformed> checkStep(const ChainDescriptor& chain, int s) {
  const ChainStep& step = chain.steps[s];
  const std::string at = fmt::format("step {}", s);
  const ElementwiseInfo* info = elementwiseInfo(step.op);
  if (info == nullptr)
    return Malformed{Problem::Operation, at + " op", fmt::format("code {} is reserved", step.op)};
  if (!(info->forms & kFormSTEP))
    return Malformed{Problem::Operation, at + " op",
                     fmt::format("{} exists for scalar operands only; swap the selectors of {}",
                                 info->name, elementwiseInfo(static_cast<int>(info->base))->name)};
  if (auto malformed = checkTypes(step, *info, at)) return malformed;
  if (auto malformed = checkMode(step, *info, at)) return malformed;
  if (step.destination >= kTemporaries)
    return Malformed{
        Problem::Destination, at + " destination",
        fmt::format("is {}, temporaries are 0 to {}", step.destination, kTemporaries - 1)};
  return checkSources(chain, s, *info, at);
}

std::optional<Malformed> checkReduction(const ChainDescriptor& chain) {
  if (chain.reduction_op > static_cast<uint8_t>(ReduceOp::Min))
    return Malformed{Problem::Reduction, "reduction op",
                     fmt::format("is {}; 0 sum, 1 prod, 2 max, 3 min", chain.reduction_op)};
  if (chain.reduction_tile == kNoTile)
    return Malformed{Problem::AbsentTile, "reduction tile register",
                     "is FF (none), but the reduce flag is set"};
  if (chain.reduction_tile >= 32)
    return Malformed{Problem::RegisterNumber, "reduction tile register",
                     fmt::format("is {}, must be 0 to 31", chain.reduction_tile)};
  const Selector selector = decodeSelector(chain.reduction_selector);
  if (selector.kind != Selector::Kind::Temporary)
    return Malformed{
        Problem::Selector, "reduction selector",
        fmt::format("is {}; a reduction takes a temporary, {} to {}", chain.reduction_selector,
                    kSelectorTemporary, kSelectorTemporary + kTemporaries - 1)};
  if (auto malformed =
          checkRead(chain, "reduction selector", chain.reduction_selector, chain.nsteps))
    return malformed;
  const uint8_t type = *temporaryType(chain, selector.index, chain.nsteps);
  if (type != kF32 && type != kI32)
    return Malformed{Problem::Reduction, "reduction selector",
                     fmt::format("names temporary {} of type {}; reductions run in f32 or i32",
                                 selector.index, typeName(type))};
  return std::nullopt;
}

}  // namespace

std::optional<Malformed> checkChainImage(std::span<const std::byte, kChainImageBytes> image) {
  const auto version = static_cast<uint8_t>(image[0]);
  if (version != 1)
    return Malformed{Problem::Version, "version", fmt::format("is {}, must be 1", version)};
  for (size_t i = 8; i < 16; ++i)
    if (image[i] != std::byte{0})
      return Malformed{Problem::SpareBits, fmt::format("byte {}", i),
                       fmt::format("is {:#04x}, must be 0", static_cast<unsigned>(image[i]))};
  return checkChain(loadChainImage(image));
}

std::optional<Malformed> checkChain(const ChainDescriptor& chain) {
  if (auto malformed = checkHeader(chain)) return malformed;
  for (int s = 0; s < chain.nsteps; ++s)
    if (auto malformed = checkStep(chain, s)) return malformed;
  if (chain.writesTd())
    if (auto malformed = checkRead(chain, "td selector", chain.td_selector, chain.nsteps))
      return malformed;
  return chain.reduces() ? checkReduction(chain) : std::nullopt;
}

}  // namespace etalon::isa
