// SPDX-License-Identifier: Apache-2.0
// A chain never changes bits: random chains against the same single instructions on f32, i32 and u32 tiles in sequence
// (chain.meaning). All of local memory that operands lie in is compared, so a stray write shows too.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstring>

#include "isa/base/fuzz_scale.h"
#include "isa/codec/codec.h"
#include "sim/functional/garbage_state.h"
#include "sim/functional/interpreter.h"
#include "sim/functional/random_chain.h"

namespace etalon::sim {
namespace {

using isa::ChainStep;
using isa::TileRegister;
using T = ElementType;

constexpr int kChains = 20000;
/// Dense 32-bit tiles of the reference, above the operands: temporaries 0 to 3, widened operands, one of scratch.
constexpr uint32_t kSlots = kChainOperandBytes, kSlotBytes = 0x1000, kWidened = 4, kScratch = 7;
/// Constants, as tiles of one element that rows and columns repeat.
constexpr uint32_t kConstants = kSlots + 8 * kSlotBytes;
constexpr uint32_t kUsedBytes = kConstants + 64;

/// One core that executes tile instructions one at a time, outside a program.
class Rig {
 public:
  Rig() : machine_(garbageMachine()) {
    EXPECT_TRUE(isa::applyOverride(machine_, "local_bytes=256 KiB", {}).ok());
    memory_ = *Memory::create(machine_);
    launch_ = *LaunchState::create(1, *memory_);
    core_ = std::make_unique<Core>(0, machine_, *memory_, findings_);
    core_->start(machine_.global_base, *launch_);
    memory_->local(0).init.setRange(0, kUsedBytes);
  }

  std::byte* local() { return memory_->local(0).data(); }
  Core& core() { return *core_; }
  void execute(std::string_view name, std::initializer_list<int64_t> operands) {
    const auto word = isa::encode(isa::instructionNamed(name)->id, operands);
    ASSERT_TRUE(word.ok()) << name << word.error().message;
    core_->events_ = 0;
    core_->raw_ = *word;
    executeTile(*core_, isa::decode(*word));
    if (findings_.faultCount() != 0) ADD_FAILURE() << name << ": " << findings_.faults()[0].detail;
  }
  /// An instruction on these tiles, td first.
  void single(std::string_view name, const std::vector<TileRegister>& tiles) {
    for (size_t i = 0; i < tiles.size(); ++i) core_->tile(static_cast<int>(i)) = tiles[i];
    switch (tiles.size()) {
      case 2: return execute(name, {0, 1});
      case 3: return execute(name, {0, 1, 2});
      default: return execute(name, {0, 1, 2, 3});
    }
  }
  /// td = a converted, by a mode byte of chains that is not stochastic.
  void convert(const TileRegister& td, const TileRegister& a, uint8_t mode) {
    core_->tile(0) = td;
    core_->tile(1) = a;
    // The operand of et.cvt is rne, rne.sat, rz, rz.sat.
    execute("et.cvt", {0, 1, (mode & 1) << 1 | mode >> 3});
  }

 private:
  isa::Machine machine_;
  Findings findings_;
  std::unique_ptr<Memory> memory_;
  std::unique_ptr<LaunchState> launch_;
  std::unique_ptr<Core> core_;
};

bool is32(T type) { return elementInfo(type).bits == 32; }

/// What isa.md says a chain means.
class Reference {
 public:
  Reference(Rig& rig, const RandomChain& random) : rig_(rig), made_(random), chain_(random.chain) {}

  void run() {
    std::memcpy(rig_.local() + kConstants, chain_.constants.data(), sizeof chain_.constants);
    if (isOneInstruction()) return oneInstruction();
    for (int s = 0; s < chain_.nsteps; ++s) step(chain_.steps[static_cast<size_t>(s)]);
    if (chain_.reduces()) reduce();
    if (!chain_.writesTd()) return;
    const T wide = elementInfo(made_.td.elementType()).widens_to;
    move(made_.td, operand(chain_.td_selector, wide, 0));
  }

 private:
  /// A 32-bit tile of the shape of the chain, rows as td has them.
  TileRegister slot(uint32_t number, T type) const {
    TileRegister tile = made_.shape();
    tile.base = kSlots + number * kSlotBytes;
    tile.type = static_cast<uint8_t>(type);
    tile.step = 1;
    tile.istride = tile.cols * tile.elementBytes();
    tile.ostride = tile.inner * tile.istride;
    return tile;
  }
  TileRegister constant(int number, T type) const {
    TileRegister tile = slot(0, type);
    tile.base = kConstants + static_cast<uint32_t>(number) * 4;
    tile.step = 0;
    tile.istride = tile.ostride = 0;
    return tile;
  }

  /// The tile or constant a selector names, as it is.
  TileRegister named(uint8_t code, T type) const {
    const isa::Selector selector = isa::decodeSelector(code);
    using enum isa::Selector::Kind;
    if (selector.kind == Constant) return constant(selector.index, type);
    if (selector.kind == Temporary) return slot(selector.index, temporaries_[selector.index]);
    TileRegister tile = made_.sources[selector.tile];
    if (selector.kind == Displaced) tile.base += chain_.constants[selector.index];
    return tile;
  }
  /// The same as a 32-bit tile, for operand `i` of an instruction.
  TileRegister operand(uint8_t code, T type, uint32_t i) {
    const TileRegister tile = named(code, type);
    if (is32(tile.elementType())) return tile;
    const TileRegister wide = slot(kWidened + i, elementInfo(tile.elementType()).widens_to);
    rig_.convert(wide, tile, 0);
    return wide;
  }
  /// Writes td from a tile: bits move between equal types, and stay where td is that tile.
  void move(const TileRegister& td, const TileRegister& from) {
    if (td.type == from.type && isa::sameElements(td, from)) return;
    if (td.type == from.type)
      rig_.single("et.copy", {td, from});
    else
      rig_.convert(td, from, 0);
  }

  void step(const ChainStep& s) {
    const ElementwiseInfo& info = *elementwiseInfo(s.op);
    const auto compute = static_cast<T>(s.compute_type);
    const auto result = static_cast<T>(s.result_type);
    const TileRegister td = slot(s.destination, elementInfo(result).widens_to);
    std::vector<TileRegister> tiles{td};
    for (int i = 0; i < stepSelectors(info, s.mode); ++i) {
      if (info.op == ElementwiseOp::mask && i == 1) continue;
      // A constant condition is any integer; i32 will do.
      const bool condition = info.op == ElementwiseOp::select && i == 0;
      const bool words = info.op == ElementwiseOp::cvt && i == 1;
      tiles.push_back(operand(s.selectors[static_cast<size_t>(i)],
                              condition ? T::i32
                              : words   ? T::u32
                                        : compute,
                              static_cast<uint32_t>(i)));
    }
    if (info.op == ElementwiseOp::cvt)
      convertStep(s, tiles);
    else if (info.op == ElementwiseOp::mask)
      rig_.single("et.select", {td, maskOf(s), tiles[1], tiles[2]});
    else
      rig_.single(fmt::format("et.{}", info.name), tiles);
    temporaries_[s.destination] = td.elementType();
  }
  /// tiles: td, the source, and the random words of a stochastic conversion.
  void convertStep(const ChainStep& s, std::vector<TileRegister> tiles) {
    const TileRegister td = tiles[0];
    const bool wide = is32(static_cast<T>(s.result_type));
    if (!wide) tiles[0] = slot(kScratch, static_cast<T>(s.result_type));
    if (!roundsStochastically(s.mode))
      rig_.convert(tiles[0], tiles[1], s.mode);
    else
      rig_.single((s.mode & kModeSaturate) != 0 ? "et.cvt.sr.sat" : "et.cvt.sr", tiles);
    if (!wide) rig_.convert(td, tiles[0], 0);
  }
  /// 1 where the affine form of a mask step is not negative: an iota a block of inner rows, and a comparison.
  TileRegister maskOf(const ChainStep& s) {
    const uint32_t* k = &chain_.constants[s.selectors[1] - kSelectorConstant];
    const TileRegister form = slot(kScratch, T::i32);
    for (uint32_t o = 0; o < form.outer; ++o) {
      TileRegister block = form;
      block.outer = 1;
      block.base += o * form.ostride;
      rig_.core().tile(0) = block;
      rig_.core().setX(5, k[0] + o * k[1]);
      rig_.core().setX(6, k[2]);
      rig_.core().setX(7, k[3]);
      rig_.execute("et.iota", {0, 5, 6, 7});
    }
    const TileRegister mask = slot(kScratch, T::u32);
    rig_.core().tile(0) = mask;
    rig_.core().tile(1) = form;
    rig_.execute("et.ge.x", {0, 1, 0});
    return mask;
  }

  void reduce() {
    constexpr std::array kNames{"sum", "prod", "max", "min"};
    rig_.single(fmt::format("et.red.{}{}", kNames[chain_.reduction_op],
                            chain_.accumulatesLanes() ? ".acc" : ""),
                {made_.reduction, named(chain_.reduction_selector, T::f32)});
  }

  /// True if the whole chain is one instruction that may move bits of narrow floats: it then has no f32 tiles between,
  /// which would make narrow NaNs canonical (vec.move-bits).
  bool isOneInstruction() const {
    if (chain_.reduces() || chain_.nsteps > 1) return false;
    if (chain_.nsteps == 0) return kind(chain_.td_selector) != kConstant;
    const ChainStep& s = chain_.steps[0];
    const ElementwiseInfo& info = *elementwiseInfo(s.op);
    using enum ElementwiseOp;
    if (info.op != neg && info.op != abs && info.op != copysign && info.op != select &&
        info.op != mask)
      return false;
    bool tile = false;
    for (int i = 0; i < info.arity; ++i)
      if (!isControl(info.op, i)) tile |= kind(s.selectors[static_cast<size_t>(i)]) != kConstant;
    const T td = made_.td.elementType();
    return tile && isFloat(td) && !is32(td) &&
           chain_.td_selector == kSelectorTemporary + s.destination;
  }
  /// True for the operand that decides, or gives a sign, and is not moved.
  static bool isControl(ElementwiseOp op, int i) {
    return (op == ElementwiseOp::select && i == 0) || (op == ElementwiseOp::mask && i == 1) ||
           (op == ElementwiseOp::copysign && i == 1);
  }
  void oneInstruction() {
    if (chain_.nsteps == 0) return move(made_.td, named(chain_.td_selector, T::f32));
    const ChainStep& s = chain_.steps[0];
    const ElementwiseInfo& info = *elementwiseInfo(s.op);
    if (info.op == ElementwiseOp::copysign && kind(s.selectors[1]) == kConstant) {
      rig_.core().tile(0) = made_.td;
      rig_.core().tile(1) = named(s.selectors[0], T::f32);
      rig_.core().setX(5, chain_.constants[isa::decodeSelector(s.selectors[1]).index]);
      return rig_.execute("et.copysign.x", {0, 1, 5});
    }
    std::vector<TileRegister> tiles{made_.td};
    for (int i = 0; i < info.arity; ++i) {
      if (info.op == ElementwiseOp::mask && i == 1) continue;
      const uint8_t code = s.selectors[static_cast<size_t>(i)];
      tiles.push_back(named(code, isControl(info.op, i) ? T::i32 : T::f32));
      if (kind(code) != kConstant || isControl(info.op, i)) continue;
      // A constant among values of td's type is one of them, rounded.
      const TileRegister rounded =
          slot(kWidened + static_cast<uint32_t>(i), made_.td.elementType());
      rig_.convert(rounded, tiles.back(), 0);
      tiles.back() = rounded;
    }
    if (info.op == ElementwiseOp::mask) tiles.insert(tiles.begin() + 1, maskOf(s));
    rig_.single(info.op == ElementwiseOp::mask ? "et.select" : fmt::format("et.{}", info.name),
                tiles);
  }

  static constexpr auto kConstant = isa::Selector::Kind::Constant;
  static isa::Selector::Kind kind(uint8_t code) { return isa::decodeSelector(code).kind; }

  Rig& rig_;
  const RandomChain& made_;
  const isa::ChainDescriptor& chain_;
  std::array<T, kTemporaries> temporaries_{};
};

/// Fills the elements of a tile.
void fill(std::mt19937_64& random, std::byte* local, const TileRegister& tile) {
  isa::forEachRun(tile, [&](uint64_t offset, uint64_t bytes) {
    for (uint64_t at = 0; at < bytes; at += tile.elementBytes()) {
      const uint32_t value = randomElement(random, tile.elementType());
      std::memcpy(local + offset + at, &value, tile.elementBytes());
    }
  });
}

/// A chain in words.
std::string describe(const RandomChain& made) {
  const isa::ChainDescriptor& chain = made.chain;
  const auto tile = [](const TileRegister& t) {
    return fmt::format("{} {}x{}x{} step {} strides {} {}", elementInfo(t.elementType()).name,
                       t.outer, t.inner, t.cols, t.step, t.ostride, t.istride);
  };
  std::string text;
  for (const TileRegister& source : made.sources) text += tile(source) + "\n";
  if (chain.writesTd()) text += fmt::format("td {} from {}\n", tile(made.td), chain.td_selector);
  if (chain.reduces())
    text += fmt::format("reduction {} {} from {}\n", chain.reduction_op, tile(made.reduction),
                        chain.reduction_selector);
  for (int s = 0; s < chain.nsteps; ++s) {
    const ChainStep& step = chain.steps[static_cast<size_t>(s)];
    text += fmt::format("{}: t{} = {} {} -> {} mode {} ({} {} {})\n", s, step.destination,
                        elementwiseInfo(step.op)->name, kElementInfo[step.compute_type].name,
                        kElementInfo[step.result_type].name, step.mode, step.selectors[0],
                        step.selectors[1], step.selectors[2]);
  }
  for (const uint32_t constant : chain.constants) text += fmt::format("{:08x} ", constant);
  return text;
}

TEST(ChainFuzz, ChainsEqualTheirSingleInstructionsBitForBit) {
  Rig rig;
  std::mt19937_64 random(31);
  for (uint32_t i = 0; i < kChainOperandBytes; ++i)
    rig.local()[i] = static_cast<std::byte>(random());
  std::vector<std::byte> before(kChainOperandBytes), by_chain(kChainOperandBytes);
  const auto chains = static_cast<int>(kChains * fuzzScale());
  int changed = 0;
  for (int i = 0; i < chains; ++i) {
    const RandomChain made = randomChain(random);
    const auto malformed = isa::checkChain(made.chain);
    ASSERT_FALSE(malformed) << malformed->field << " " << malformed->text << describe(made);
    for (const TileRegister& source : made.sources) fill(random, rig.local(), source);
    if (made.chain.reduces()) fill(random, rig.local(), made.reduction);
    std::memcpy(before.data(), rig.local(), kChainOperandBytes);
    const std::array tiles{made.td, made.sources[0], made.sources[1], made.sources[2],
                           made.reduction};
    // The chain names tile registers 3, its third source, and 4, its reduction.
    for (size_t t = 0; t < tiles.size(); ++t) rig.core().tile(static_cast<int>(t)) = tiles[t];
    rig.core().chain(3) = made.chain;
    rig.execute("et.vx", {0, 1, 2, 3});
    std::memcpy(by_chain.data(), rig.local(), kChainOperandBytes);
    std::memcpy(rig.local(), before.data(), kChainOperandBytes);
    Reference(rig, made).run();
    ASSERT_FALSE(HasFailure()) << "chain " << i << "\n" << describe(made);
    const auto differ = std::mismatch(by_chain.begin(), by_chain.end(), rig.local());
    ASSERT_TRUE(differ.first == by_chain.end())
        << "chain " << i << ", byte " << differ.first - by_chain.begin() << "\n"
        << describe(made);
    changed += by_chain != before;
  }
  // Comparing what was not written would prove nothing.
  EXPECT_GT(changed, chains * 9 / 10);
}

}  // namespace
}  // namespace etalon::sim
