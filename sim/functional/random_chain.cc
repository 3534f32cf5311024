// SPDX-License-Identifier: Apache-2.0
#include "sim/functional/random_chain.h"

#include <algorithm>
#include <bit>
#include <initializer_list>
#include <vector>

#include "isa/base/check.h"
#include "isa/numerics/convert.h"
#include "isa/state/chain_operands.h"

namespace etalon::sim {
namespace {

using isa::ChainDescriptor;
using isa::ChainStep;
using isa::TileRegister;
using T = ElementType;

constexpr std::array kVectorTypes{T::i8,     T::u8,     T::i16, T::u16,  T::i32, T::u32,
                                  T::f8e4m3, T::f8e5m2, T::f16, T::bf16, T::f32};
/// Constants 6 and 7 hold displacements, 8 to 11 the affine form of masks.
constexpr uint8_t kFreeConstants = 6, kMaskConstants = 8;
constexpr uint64_t kMostElements = 1024;

uint8_t code(T type) { return static_cast<uint8_t>(type); }
T widened(uint8_t type) { return elementInfo(static_cast<T>(type)).widens_to; }

class ChainMaker {
 public:
  explicit ChainMaker(std::mt19937_64& random) : random_(random) {}

  RandomChain make() {
    makeShape();
    for (uint32_t i = 0; i < 3; ++i) made_.sources[i] = sourceTile(i);
    made_.chain.flags = 0;
    made_.chain.third_source = 3;
    makeConstants();
    made_.chain.nsteps = static_cast<uint8_t>(oneIn(20) ? 0 : 1 + below(8));
    for (int s = 0; s < made_.chain.nsteps; ++s) addStep(s);
    addReduction();
    addDestination();
    return made_;
  }

 private:
  uint64_t below(uint64_t n) { return random_() % n; }
  bool oneIn(uint64_t n) { return below(n) == 0; }
  template <class C>
  auto pick(const C& values) {
    return values.begin()[below(values.size())];
  }

  void makeShape() {
    rows_ = static_cast<uint32_t>(1 + below(8));
    cols_ = static_cast<uint32_t>(1 + below(oneIn(4) ? kMostElements / rows_ : 20));
    // Half the chains have tiles of one class, so that steps find operands.
    themed_ = oneIn(2);
    theme_ = pick(std::initializer_list<T>{T::f32, T::f32, T::i32, T::u32});
  }

  T vectorType() {
    T type;
    do type = pick(kVectorTypes);
    while (themed_ && elementInfo(type).widens_to != theme_);
    return type;
  }
  /// A tile type that widens to a 32-bit type.
  T narrowed(T wide) {
    T type;
    do type = pick(kVectorTypes);
    while (elementInfo(type).widens_to != wide);
    return type;
  }

  /// A tile that repeats nothing, in 32 KiB of its own.
  TileRegister denseTile(T type, uint32_t cols, uint32_t place) {
    TileRegister tile;
    tile.type = code(type);
    tile.step = pick(std::initializer_list<uint8_t>{1, 1, 2, 4});
    const uint32_t size = tile.elementBytes();
    tile.cols = cols;
    do tile.inner = static_cast<uint32_t>(1 + below(rows_));
    while (rows_ % tile.inner != 0);
    tile.outer = rows_ / tile.inner;
    tile.istride = (cols * tile.step + static_cast<uint32_t>(below(3))) * size;
    tile.ostride = tile.inner * tile.istride + static_cast<uint32_t>(below(3)) * size;
    tile.base = place * 0x8000 + 0x400 + static_cast<uint32_t>(below(8)) * size;
    return tile;
  }
  TileRegister sourceTile(uint32_t place) {
    TileRegister tile = denseTile(vectorType(), cols_, place);
    if (oneIn(4)) tile.step = 0;
    if (oneIn(4)) tile.istride = 0;
    if (tile.istride == 0 || oneIn(8)) tile.ostride = 0;
    return tile;
  }

  void makeConstants() {
    auto& constants = made_.chain.constants;
    for (uint32_t& constant : constants)
      constant = randomElement(random_, pick(std::initializer_list<T>{T::f32, T::i32}));
    for (const size_t i : {6u, 7u})
      constants[i] = static_cast<uint32_t>(static_cast<int32_t>(below(129)) - 64) * 4;
    for (size_t i = kMaskConstants; i < kChainConstants; ++i)
      constants[i] = static_cast<uint32_t>(static_cast<int32_t>(below(oneIn(4) ? 100000 : 9)) - 4);
  }

  std::optional<uint8_t> temporaryType(int t, int steps) const {
    return isa::temporaryType(made_.chain, t, steps);
  }

  /// A selector of a value of the type (`any_integer`: of either integer type) after `steps` steps.
  uint8_t selector(T type, int steps, bool any_integer = false) {
    const auto fits = [&](T have) { return have == type || (any_integer && isInteger(have)); };
    std::vector<uint8_t> choices{static_cast<uint8_t>(kSelectorConstant + below(kFreeConstants))};
    for (uint8_t i = 0; i < 3; ++i) {
      if (!fits(widened(made_.sources[i].type))) continue;
      choices.insert(choices.end(), {i, i});
      const uint8_t displaced = i == 0 ? kSelectorDisplacedA : kSelectorDisplacedB;
      if (i < 2) choices.push_back(static_cast<uint8_t>(displaced + 6 + below(2)));
    }
    for (uint8_t t = 0; t < kTemporaries; ++t)
      if (const auto have = temporaryType(t, steps); have && fits(static_cast<T>(*have)))
        choices.insert(choices.end(), 4, static_cast<uint8_t>(kSelectorTemporary + t));
    return pick(choices);
  }

  /// A 32-bit type, mostly one that something has.
  T computeType(int steps) {
    std::vector<T> have{T::f32, T::i32, T::u32};
    for (const TileRegister& tile : made_.sources) have.insert(have.end(), 2, widened(tile.type));
    for (int t = 0; t < kTemporaries; ++t)
      if (const auto type = temporaryType(t, steps))
        have.insert(have.end(), 4, static_cast<T>(*type));
    return pick(have);
  }

  void addStep(int s) {
    const T compute = computeType(s);
    const int type_class = compute == T::f32   ? kClassFloat
                           : compute == T::i32 ? kClassInt
                                               : kClassUint;
    const ElementwiseInfo* info;
    do info = &kElementwiseOps[below(kElementwiseOps.size())];
    while (!(info->forms & kFormSTEP) || !(info->classes & type_class));
    if (oneIn(8)) info = elementwiseInfo(static_cast<int>(ElementwiseOp::cvt));
    ChainStep step;
    step.op = static_cast<uint8_t>(info->op);
    step.compute_type = code(compute);
    step.result_type = code(info->result == ResultKind::Mask ? T::u32 : compute);
    if (info->result == ResultKind::Converted) {
      step.result_type = code(pick(kVectorTypes));
      step.mode = pick(std::initializer_list<uint8_t>{0, 1, 8, 9});
      if (isFloat(static_cast<T>(step.result_type)) && oneIn(3)) step.mode = oneIn(2) ? 2 : 10;
    }
    step.destination = static_cast<uint8_t>(below(kTemporaries));
    for (int i = 0; i < 3; ++i) {
      const bool condition = info->op == ElementwiseOp::select && i == 0;
      step.selectors[static_cast<size_t>(i)] = selector(condition ? T::i32 : compute, s, condition);
    }
    if (roundsStochastically(step.mode)) step.selectors[1] = selector(T::u32, s);
    if (info->op == ElementwiseOp::mask) step.selectors[1] = kSelectorConstant + kMaskConstants;
    made_.chain.steps[static_cast<size_t>(s)] = step;
  }

  void addReduction() {
    ChainDescriptor& chain = made_.chain;
    if (oneIn(2)) return;
    const auto t = static_cast<uint8_t>(below(kTemporaries));
    const auto type = temporaryType(t, chain.nsteps);
    if (!type || *type == code(T::u32)) return;
    const bool lanes = oneIn(2);
    const T wide = static_cast<T>(*type);
    chain.flags |= ChainDescriptor::kReduce;
    if (lanes) chain.flags |= ChainDescriptor::kAccumulate;
    chain.reduction_op = static_cast<uint8_t>(below(4));
    chain.reduction_selector = static_cast<uint8_t>(kSelectorTemporary + t);
    chain.reduction_tile = 4;
    made_.reduction = denseTile(lanes ? wide : narrowed(wide), lanes ? 64 : 1, 4);
  }

  void addDestination() {
    ChainDescriptor& chain = made_.chain;
    if (chain.reduces() && oneIn(4)) {
      chain.flags |= ChainDescriptor::kNoDestination;
      return;
    }
    T wide = computeType(chain.nsteps);
    chain.td_selector = selector(wide, chain.nsteps);
    if (chain.nsteps > 0 && !oneIn(4)) {
      const uint8_t last = chain.steps[chain.nsteps - 1u].destination;
      chain.td_selector = static_cast<uint8_t>(kSelectorTemporary + last);
      wide = static_cast<T>(*temporaryType(last, chain.nsteps));
    }
    made_.td = denseTile(narrowed(wide), cols_, 3);
    if (!oneIn(3)) return;
    // In place on a source that is neither repeated nor displaced, in any type of its size.
    const auto i = static_cast<size_t>(below(3));
    TileRegister tile = made_.sources[i];
    const bool repeats = tile.step == 0 || tile.istride == 0 || tile.ostride == 0;
    if (repeats || isa::chainUse(chain).sources[i].displaced ||
        tile.elementBytes() != made_.td.elementBytes())
      return;
    tile.type = made_.td.type;
    made_.td = tile;
  }

  std::mt19937_64& random_;
  RandomChain made_;
  uint32_t rows_ = 1, cols_ = 1;
  bool themed_ = false;
  T theme_ = T::f32;
};

}  // namespace

uint32_t randomElement(std::mt19937_64& random, ElementType type) {
  const ElementInfo& info = elementInfo(type);
  const uint32_t mask = info.bits == 32 ? ~0u : (1u << info.bits) - 1;
  const auto any = static_cast<uint32_t>(random());
  if (any % 4 == 0) return static_cast<uint32_t>(random()) & mask;
  if (!isFloat(type)) {
    constexpr std::array<uint32_t, 6> kEdges{0, 1, ~0u, 0x7fffffff, 0x80000000, 0x80};
    if (any % 4 == 1) return kEdges[random() % kEdges.size()] & mask;
    return (static_cast<uint32_t>(random() % 129) - 64) & mask;
  }
  // A signalling NaN with a payload stays one where bits move.
  constexpr std::array<uint32_t, 10> kSpecial{0,          0x80000000, 0x7f800000, 0xff800000,
                                              0x7fc00000, 0xffa12345, 1,          0x807fffff,
                                              0x7f7fffff, 0x3f800000};
  const uint32_t bits =
      any % 4 == 1
          ? kSpecial[random() % kSpecial.size()]
          : std::bit_cast<uint32_t>((static_cast<float>(random() % 4097) - 2048.0f) / 256.0f);
  if (type == ElementType::f32) return bits;
  return static_cast<uint32_t>(numerics::convertElement(ElementType::f32, bits, type,
                                                        numerics::Rounding::NearestEven, false)) &
         mask;
}

RandomChain randomChain(std::mt19937_64& random) { return ChainMaker(random).make(); }

}  // namespace etalon::sim
