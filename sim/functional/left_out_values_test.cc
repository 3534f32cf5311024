// SPDX-License-Identifier: Apache-2.0
// Runs without values: what is poisoned, what stays, and what stops at poison. Random programs against runs with values
// are in validation/fuzz.
#include "isa/csr.h"
#include "sim/functional/vector_test_support.h"

namespace etalon::sim {
namespace {

using isa::Tile;
using isa::View;
using isa::X;
using T = ElementType;

constexpr uint64_t kViewImage = kTestData + 0x8000;
constexpr uint32_t kA = 0x1000, kB = 0x2000, kD = 0x3000;
constexpr uint64_t kLocalD = isa::kLocalWindowBase + kD;

/// A program on a device without values.
class LeftOut : public TestProgram {
 public:
  explicit LeftOut(isa::ProgramBuilder& p) : TestProgram(p, {}, {}, Values::left_out) {}

  bool poisoned(uint32_t offset, uint64_t bytes = 1) {
    return device().memory().local(0).poisoned(offset, bytes);
  }
  /// The stop of a run that must end at poison.
  PoisonStop stop(unsigned cores = 1) {
    EXPECT_EQ(run(cores).status, RunStatus::poisoned);
    const auto& stop = device().findings().poisonStop();
    EXPECT_TRUE(stop.has_value());
    return stop.value_or(PoisonStop{});
  }
};

/// Sets tile 1 to f32 results, 2 x 4 at kD, of which there are no values.
void poisonD(VectorBuilder& p) {
  p.storeFloats(kA, {1, 2, 3, 4, 5, 6, 7, 8});
  p.setTile(2, denseTile(T::f32, 2, 4, kA));
  p.setTile(1, denseTile(T::f32, 2, 4, kD));
  p.et_add(Tile{1}, Tile{2}, Tile{2});
}

void setView(VectorBuilder& p, uint8_t reg, T type, uint64_t base, uint64_t rows, uint64_t cols) {
  isa::ViewDescriptor v;
  v.base = base;
  v.type = static_cast<uint8_t>(type);
  v.naxes = v.nbox = 2;
  v.ncol = 1;
  const auto size = static_cast<int64_t>(elementInfo(type).bits / 8);
  v.axes[0] = {.dim = rows, .stride = static_cast<int64_t>(cols) * size, .origin = 0};
  v.axes[1] = {.dim = cols, .stride = size, .origin = 0};
  v.box[0] = {.extent = static_cast<uint32_t>(rows), .axis = 0, .step = 1};
  v.box[1] = {.extent = static_cast<uint32_t>(cols), .axis = 1, .step = 1};
  std::array<std::byte, isa::kViewImageBytes> image;
  isa::storeViewImage(v, image);
  p.li(X{31}, static_cast<int64_t>(kViewImage));
  for (int at = 0; at < isa::kViewImageBytes; at += 8) {
    p.li(X{28}, loadBytes<int64_t>(image.data() + at));
    p.sd(X{28}, at, X{31});
  }
  p.et_vld(View{reg}, X{31});
}

TEST(LeftOutValues, OfFloatsArePoisonedAndNothingElseIs) {
  VectorBuilder p;
  poisonD(p);
  p.exit(0);
  LeftOut program(p);
  EXPECT_EQ(program.run().status, RunStatus::exited);
  EXPECT_TRUE(program.poisoned(kD));
  EXPECT_TRUE(program.poisoned(kD + 31));
  EXPECT_FALSE(program.poisoned(kD - 1));
  EXPECT_FALSE(program.poisoned(kD + 32));
  EXPECT_FALSE(program.poisoned(kA, 32));  // scalar stores
  EXPECT_EQ(localWords(program, kD, 1)[0], 0u);
  EXPECT_EQ(program.device().counterTotal(isa::Counter::retired_vector), 1u);
  EXPECT_EQ(program.device().counterTotal(isa::Counter::vector_elements), 8u);
}

TEST(LeftOutValues, OfIntegersAreComputedAndTakeThePoisonAway) {
  VectorBuilder p;
  poisonD(p);
  p.store(kB, {1, 2, 3, 4});
  p.setTile(3, denseTile(T::i32, 1, 4, kB));
  p.setTile(4, denseTile(T::i32, 1, 4, kD));
  p.et_add(Tile{4}, Tile{3}, Tile{3});
  p.exit(0);
  LeftOut program(p);
  EXPECT_EQ(program.run().status, RunStatus::exited);
  EXPECT_FALSE(program.poisoned(kD, 16));
  EXPECT_TRUE(program.poisoned(kD + 16));
  EXPECT_EQ(localWords(program, kD, 4), (std::vector<uint32_t>{2, 4, 6, 8}));
}

TEST(LeftOutValues, OfIntegersArePoisonedWhereASourceIs) {
  VectorBuilder p;
  poisonD(p);
  p.setTile(3, denseTile(T::i32, 1, 4, kD));
  p.setTile(4, denseTile(T::i32, 1, 4, kB));
  p.et_add(Tile{4}, Tile{3}, Tile{3});
  p.exit(0);
  LeftOut program(p);
  EXPECT_EQ(program.run().status, RunStatus::exited);
  EXPECT_TRUE(program.poisoned(kB));
}

TEST(LeftOutValues, AreThoseOfIntegerProductsToo) {
  VectorBuilder p;
  p.setTile(1, denseTile(T::i32, 1, 1, kD));
  p.setTile(2, denseTile(T::i8, 1, 4, kA));
  p.setTile(3, denseTile(T::i8, 4, 1, kB));
  p.store(kA, {0x01010101});
  p.store(kB, {0x01010101});
  p.et_mm(Tile{1}, Tile{2}, Tile{3});
  p.exit(0);
  LeftOut program(p);
  EXPECT_EQ(program.run().status, RunStatus::exited);
  EXPECT_TRUE(program.poisoned(kD));
  EXPECT_EQ(program.device().counterTotal(isa::Counter::macs), 4u);
}

TEST(LeftOutValues, AreThoseOfChainsOfIntegerTilesWithAFloatStep) {
  isa::ChainDescriptor chain;
  chain.nsteps = 2;
  chain.flags = 0;
  const auto f32 = static_cast<uint8_t>(T::f32), i32 = static_cast<uint8_t>(T::i32);
  chain.steps[0] = {.op = static_cast<uint8_t>(ElementwiseOp::cvt),
                    .compute_type = i32,
                    .result_type = f32,
                    .mode = 0,
                    .destination = 0,
                    .selectors = {0, 0, 0}};
  chain.steps[1] = {.op = static_cast<uint8_t>(ElementwiseOp::cvt),
                    .compute_type = f32,
                    .result_type = i32,
                    .mode = 0,
                    .destination = 1,
                    .selectors = {8, 0, 0}};
  chain.td_selector = 9;
  VectorBuilder p;
  p.store(kA, {1, 2, 3, 4});
  p.setTile(1, denseTile(T::i32, 1, 4, kD));
  p.setTile(2, denseTile(T::i32, 1, 4, kA));
  p.setChain(0, chain);
  p.et_vx(Tile{1}, Tile{2}, Tile{2}, isa::Chain{0});
  p.exit(0);
  LeftOut program(p);
  EXPECT_EQ(program.run().status, RunStatus::exited);
  EXPECT_TRUE(program.poisoned(kD));
}

TEST(LeftOutValues, GoThroughMemoryAndBackAsPoison) {
  VectorBuilder p;
  poisonD(p);
  setView(p, 1, T::f32, kTestData, 2, 4);
  p.et_st(Tile{1}, View{1}, 0);
  setView(p, 2, T::i32, kTestData, 2, 4);
  p.setTile(3, denseTile(T::i32, 2, 4, kB));
  p.et_ld(Tile{3}, View{2}, 0);
  p.exit(0);
  LeftOut program(p);
  EXPECT_EQ(program.run().status, RunStatus::exited);
  EXPECT_EQ(program.device().firstPoisoned(kTestData - 64, 256), kTestData);
  EXPECT_EQ(program.device().firstPoisoned(kTestData + 32, 64), std::nullopt);
  EXPECT_TRUE(program.poisoned(kB + 31));
  EXPECT_EQ(program.device().counterTotal(isa::Counter::store_bytes), 32u);
  EXPECT_EQ(program.device().counterTotal(isa::Counter::load_bytes), 32u);
  // What the host writes has a value again.
  ASSERT_TRUE(program.device().write(kTestData, std::vector<std::byte>(32)).ok());
  EXPECT_EQ(program.device().firstPoisoned(kTestData, 32), std::nullopt);
}

TEST(LeftOutValues, OfAnIntegerUpdateOfPoisonStayPoison) {
  VectorBuilder p;
  poisonD(p);
  setView(p, 1, T::f32, kTestData, 2, 4);
  p.et_st(Tile{1}, View{1}, 0);
  p.store(kB, {1, 2, 3, 4});
  p.setTile(3, denseTile(T::i32, 1, 4, kB));
  setView(p, 2, T::i32, kTestData, 1, 4);
  p.et_st_add(Tile{3}, View{2});
  p.exit(0);
  LeftOut program(p);
  EXPECT_EQ(program.run().status, RunStatus::exited);
  EXPECT_EQ(program.device().firstPoisoned(kTestData, 16), kTestData);
}

/// What stops: the program goes on with `more` after poisonD.
PoisonStop stopOf(const std::function<void(VectorBuilder&)>& more, uint64_t& expected_pc) {
  VectorBuilder p;
  poisonD(p);
  more(p);
  expected_pc = kTestEntry + p.here() - 4;
  p.exit(0);
  LeftOut program(p);
  const PoisonStop stop = program.stop();
  EXPECT_EQ(program.device().core(0).state(), CoreState::poisoned);
  return stop;
}

TEST(Poison, StopsAtAScalarLoad) {
  uint64_t pc = 0;
  const PoisonStop stop = stopOf(
      [](VectorBuilder& p) {
        p.li(X{5}, static_cast<int64_t>(kLocalD - 4));
        p.lw(X{6}, 0, X{5});  // just before
        p.sw(X{0}, 4, X{5});  // a value again
        p.lw(X{6}, 4, X{5});
        p.ld(X{6}, 4, X{5});
      },
      pc);
  EXPECT_EQ(stop.use, "a scalar load");
  EXPECT_EQ(stop.operand, "rs1");
  EXPECT_EQ(stop.pc, pc);
  EXPECT_EQ(stop.address, isa::kCoreWindowBase + kD + 4);
}

TEST(Poison, StopsAtADescriptorRead) {
  uint64_t pc = 0;
  const PoisonStop stop = stopOf(
      [](VectorBuilder& p) {
        p.li(X{5}, static_cast<int64_t>(kLocalD));
        p.et_tld(Tile{9}, X{5});
      },
      pc);
  EXPECT_EQ(stop.use, "a scalar load");
  EXPECT_EQ(stop.pc, pc);
}

TEST(Poison, StopsAtAtomics) {
  for (const bool reserved : {false, true}) {
    uint64_t pc = 0;
    const PoisonStop stop = stopOf(
        [&](VectorBuilder& p) {
          p.li(X{5}, static_cast<int64_t>(kLocalD));
          if (reserved)
            p.lr_w(X{6}, X{5}, 0);
          else
            p.amoadd_w(X{6}, X{0}, X{5}, 0);
        },
        pc);
    EXPECT_EQ(stop.use, "an atomic");
    EXPECT_EQ(stop.pc, pc);
    EXPECT_EQ(stop.address, isa::kCoreWindowBase + kD);
  }
}

TEST(Poison, StopsAtIndices) {
  const std::function<void(VectorBuilder&)> uses[] = {
      [](VectorBuilder& p) { p.et_gather(Tile{3}, View{1}, Tile{4}, 0, 0); },
      [](VectorBuilder& p) { p.et_scatter(Tile{3}, View{1}, Tile{4}, 0, 0); },
      [](VectorBuilder& p) { p.et_scatter_add(Tile{3}, View{1}, Tile{4}, 0); },
      [](VectorBuilder& p) { p.et_permute(Tile{3}, Tile{5}, Tile{4}); },
      [](VectorBuilder& p) { p.et_lgather(Tile{6}, Tile{5}, Tile{4}); },
      [](VectorBuilder& p) { p.et_lscatter(Tile{6}, Tile{5}, Tile{4}); },
  };
  for (const auto& use : uses) {
    uint64_t pc = 0;
    const PoisonStop stop = stopOf(
        [&](VectorBuilder& p) {
          p.setTile(3, denseTile(T::f32, 2, 4, kB));
          p.setTile(4, denseTile(T::i32, 2, 1, kD));
          p.setTile(5, denseTile(T::f32, 2, 4, kA));
          p.setTile(6, denseTile(T::f32, 2, 1, kB));
          if (&use == &uses[5]) {
            p.setTile(5, denseTile(T::f32, 2, 1, kA));
            p.setTile(6, denseTile(T::f32, 2, 4, kB));
          }
          setView(p, 1, T::f32, kTestData, 2, 4);
          use(p);
        },
        pc);
    EXPECT_EQ(stop.use, "an index");
    EXPECT_EQ(stop.operand, "ti (tr4)");
    EXPECT_EQ(stop.pc, pc);
    EXPECT_EQ(stop.address, isa::kCoreWindowBase + kD);
  }
}

TEST(Poison, StopsWhereCodeIs) {
  VectorBuilder p;
  poisonD(p);
  constexpr uint64_t kCode = kTestData + 0x4000;
  setView(p, 1, T::f32, kCode, 2, 4);
  p.et_st(Tile{1}, View{1}, 0);
  p.et_fence();
  p.fence_i(0, X{0}, X{0});
  p.li(X{5}, static_cast<int64_t>(kCode));
  p.jalr(X{1}, 0, X{5});
  p.exit(0);
  LeftOut program(p);
  const PoisonStop stop = program.stop();
  EXPECT_EQ(stop.use, "an instruction");
  EXPECT_EQ(stop.pc, kCode);
  EXPECT_EQ(stop.address, kCode);
  EXPECT_EQ(stop.instruction, 0u);
}

TEST(Poison, IsNoReasonToStopAtAWordThatIsIllegalAnyway) {
  VectorBuilder p;
  p.word(Core::kPoisonedInstruction);
  LeftOut program(p);
  EXPECT_EQ(program.run().status, RunStatus::fault);
  EXPECT_EQ(program.device().findings().faults()[0].cause, isa::Cause::illegal);
}

TEST(Poison, StopsWhereTheHostIsAskedToReadIt) {
  VectorBuilder p;
  poisonD(p);
  setView(p, 1, T::f32, kTestData, 2, 4);
  p.et_st(Tile{1}, View{1}, 0);
  p.et_fence();
  constexpr uint64_t kBlock = kTestData + 0x6000;  // {write, stdout, text, length}
  p.li(X{5}, static_cast<int64_t>(kBlock));
  int at = 0;
  for (const uint64_t word : {uint64_t{64}, uint64_t{1}, kTestData + 8, uint64_t{4}}) {
    p.li(X{6}, static_cast<int64_t>(word));
    p.sd(X{6}, at, X{5});
    at += 8;
  }
  p.li(X{6}, static_cast<int64_t>(kTestTohost));
  p.sd(X{5}, 0, X{6});
  const uint64_t pc = kTestEntry + p.here() - 4;
  p.exit(0);
  LeftOut program(p);
  const PoisonStop stop = program.stop();
  EXPECT_EQ(stop.use, "the host");
  EXPECT_EQ(stop.pc, pc);
  EXPECT_EQ(stop.address, kTestData + 8);
}

TEST(Poison, HasNoSnapshot) {
  VectorBuilder p;
  p.exit(0);
  LeftOut program(p);
  const Status status =
      program.device().snapshot([](std::span<const std::byte>) { return Status(); }, "");
  ASSERT_FALSE(status.ok());
  EXPECT_NE(status.error().message.find("without values has no snapshot"), std::string::npos);
}

/// Two cores that write one word, which a third tile instruction of core 0 reads before anyone wrote it.
void raceProgram(VectorBuilder& p) {
  setView(p, 1, T::i32, kTestData + 0x9000, 1, 1);
  p.setTile(1, denseTile(T::i32, 1, 1, kA));
  p.et_st(Tile{1}, View{1}, 0);
  p.et_halt();
}

TEST(LaunchesThatDoNotObserve, FindNeitherRacesNorUnwrittenReads) {
  for (const Values values : {Values::computed, Values::left_out})
    for (const bool observe : {false, true}) {
      VectorBuilder p;
      raceProgram(p);
      TestProgram program(p, {}, {}, values);
      LaunchOptions options;
      options.cores = 2;
      options.observe = observe;
      EXPECT_EQ(program.launch(options).status, RunStatus::exited);
      EXPECT_EQ(program.device().races().raceCount() != 0, observe);
      EXPECT_EQ(program.device().findings().uninitialisedCount() != 0, observe);
      EXPECT_EQ(program.device().races().detects(), observe);
    }
}

}  // namespace
}  // namespace etalon::sim
