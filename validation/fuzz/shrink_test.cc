// SPDX-License-Identifier: Apache-2.0
// The shrinker finds what a failure needs, and nothing else is left.
#include "validation/fuzz/shrink.h"

#include <gtest/gtest.h>

#include "isa/codec/codec.h"
#include "validation/fuzz/generator.h"
#include "validation/fuzz/image.h"
#include "validation/fuzz/target.h"

namespace etalon::fuzz {
namespace {

using isa::InstructionId;

bool uses(const Step& step, InstructionId id) {
  return step.kind == Step::Kind::instruction && isa::decode(step.word).id == id;
}

/// Programs in which an instruction of the kind retires: what a defect of it would need.
Predicate retires(InstructionId id) {
  return [id](const Program& program) {
    const auto image = makeImage(program);
    if (!image.ok()) return false;
    bool found = false;
    const auto target = modelTarget([&](const sim::Core&, const sim::Commit& commit) {
      found |= commit.instruction.id == id && commit.pc >= kCode;
    });
    return target->run({*image, &program}).ok() && found;
  };
}

/// The first program for which the predicate holds.
Program firstWith(const Predicate& predicate) {
  const Generator generator({.seed = 3});
  for (uint64_t i = 0; i < 2000; ++i) {
    Program program = generator.make(i);
    if (program.cores.size() > 1 && predicate(program)) return program;
  }
  ADD_FAILURE() << "no program shows it";
  return {};
}

TEST(Shrink, LeavesTheOneInstructionThatADefectNeeds) {
  for (const InstructionId id :
       {InstructionId::et_mma, InstructionId::et_scatter, InstructionId::et_red_max}) {
    const Predicate fails = retires(id);
    const Shrunk shrunk = shrink(firstWith(fails), fails);
    EXPECT_TRUE(shrunk.finished);
    EXPECT_TRUE(fails(shrunk.program));
    ASSERT_EQ(shrunk.program.cores.size(), 1u);
    ASSERT_EQ(stepCount(shrunk.program), 1u) << listing(shrunk.program);
    EXPECT_TRUE(uses(shrunk.program.cores[0][0], id));
    EXPECT_FALSE(shrunk.program.handles_traps || shrunk.program.fills_local ||
                 shrunk.program.exits || shrunk.program.reduced);
    EXPECT_EQ(shrunk.program.values, Values::zeros);
  }
}

TEST(Shrink, GivesTheSameProgramEveryTime) {
  const Predicate fails = retires(InstructionId::et_transpose);
  const Program program = firstWith(fails);
  const Shrunk a = shrink(program, fails), b = shrink(program, fails);
  EXPECT_EQ(a.runs, b.runs);
  EXPECT_EQ(*makeImage(a.program), *makeImage(b.program));
}

TEST(Shrink, StopsAfterSoManyRunsWithAProgramThatFails) {
  const Predicate fails = retires(InstructionId::et_mm);
  const Program program = firstWith(fails);
  const Shrunk shrunk = shrink(program, fails, 5);
  EXPECT_EQ(shrunk.runs, 5u);
  EXPECT_FALSE(shrunk.finished);
  EXPECT_TRUE(fails(shrunk.program));
}

/// A program of one step that copies one strided tile into another, in a loop behind a branch.
Program copying() {
  Step copy;
  isa::TileRegister tile;
  tile.type = static_cast<uint8_t>(ElementType::i16);
  tile.outer = 4;
  tile.inner = 2;
  tile.cols = 24;
  tile.step = 2;
  tile.istride = 100;
  tile.ostride = 300;
  tile.base = 0x4242;
  copy.tiles = {{1, tile, true}, {2, tile, false}};
  copy.tiles[1].value.base = 0x8004;
  copy.word = *isa::assembleInstruction("et.copy tr1, tr2");
  copy.x = {{5, 77}};
  Step loop;
  loop.kind = Step::Kind::loop;
  loop.trips = 3;
  loop.body = {copy};
  Step skip;
  skip.kind = Step::Kind::skip;
  skip.word = *isa::assembleInstruction("bne x0, x0, 0");
  skip.body = {loop};
  Program program;
  program.cores = {{skip}};
  return program;
}

TEST(Shrink, UnwindsControlFlowAndSimplifiesExtentsAndLayout) {
  // Fails while the copy still has 3 columns or more.
  const Predicate fails = [](const Program& program) {
    bool found = false;
    for (const auto& steps : program.cores)
      forEachStep(steps, [&](const Step& step) {
        found |= uses(step, InstructionId::et_copy) && step.tiles.size() == 2 &&
                 step.tiles[0].value.cols >= 3 &&
                 step.tiles[0].value.cols == step.tiles[1].value.cols;
      });
    return found;
  };
  const Shrunk shrunk = shrink(copying(), fails);
  ASSERT_EQ(stepCount(shrunk.program), 1u) << listing(shrunk.program);
  const Step& step = shrunk.program.cores[0][0];
  EXPECT_TRUE(step.x.empty());
  for (const Step::Tile& t : step.tiles) {
    EXPECT_EQ(t.value.cols, 3u);
    EXPECT_EQ(t.value.storedRows(), 1u);
    EXPECT_EQ(t.value.step, 1);
    EXPECT_EQ(t.value.istride, 6u);
    EXPECT_EQ(t.value.base % 0x1000, 0u);
    EXPECT_FALSE(t.by_words);
  }
}

TEST(Shrink, KeepsALoopThatIsNeeded) {
  const Predicate fails = [](const Program& program) {
    bool found = false;
    for (const auto& steps : program.cores)
      forEachStep(steps, [&](const Step& step) {
        found |= step.kind == Step::Kind::loop && step.trips >= 2 && !step.body.empty();
      });
    return found;
  };
  const Shrunk shrunk = shrink(copying(), fails);
  ASSERT_EQ(stepCount(shrunk.program), 2u) << listing(shrunk.program);
  EXPECT_EQ(shrunk.program.cores[0][0].trips, 3u);
}

}  // namespace
}  // namespace etalon::fuzz
