// SPDX-License-Identifier: Apache-2.0
// What scalar instructions cost on `base`, by the table of docs/spec/microarchitecture.md section 2.
#include "isa/csr.h"
#include "isa/machines/address_map.h"
#include "sim/system/timed_test_support.h"

namespace etalon::sim {
namespace {

using isa::X;
using Body = std::function<void(TestBuilder&)>;

constexpr X kZero{0}, kA{5}, kB{6}, kC{7}, kData{8}, kLocal{9};
constexpr uint64_t kCsrCycles = 3;  // of the reading of the clock before the body

/// Cycles of a body in its second pass, caches warm.
uint64_t cyclesOf(const Body& body, const std::vector<std::string>& overrides = {}) {
  TestBuilder p;
  p.li(kData, static_cast<int64_t>(kTestData));
  p.li(kLocal, static_cast<int64_t>(isa::kLocalWindowBase));
  p.li(kB, 3);
  p.sd(kZero, 0, kLocal);
  p.li(X{20}, 2);
  const auto again = p.label();
  p.bind(again);
  p.csrrs(X{10}, isa::csr::kCycle, kZero);
  body(p);
  p.csrrs(X{11}, isa::csr::kCycle, kZero);
  p.addi(X{20}, X{20}, -1);
  p.bne(X{20}, kZero, again);
  p.sub(X{12}, X{11}, X{10});
  p.exitWithRegister(X{12});
  TimedProgram program(p, overrides);
  const TimedTestResult result = program.run();
  EXPECT_EQ(result.end.status, RunStatus::exited);
  return result.end.exit_code - kCsrCycles;
}

struct Case {
  const char* name;
  Body body;
  uint64_t cycles;
};

class ScalarCost : public ::testing::TestWithParam<Case> {};

TEST_P(ScalarCost, IsThatOfTheTable) { EXPECT_EQ(cyclesOf(GetParam().body), GetParam().cycles); }

INSTANTIATE_TEST_SUITE_P(
    Base, ScalarCost,
    ::testing::Values(Case{"nothing", [](TestBuilder&) {}, 0},
                      Case{"four_dependent_additions",
                           [](TestBuilder& p) {
                             for (int i = 0; i < 4; ++i) p.addi(kA, kA, 1);
                           },
                           4},
                      Case{"jump_over_one",
                           [](TestBuilder& p) {
                             p.jal(kZero, 8);
                             p.addi(kA, kA, 1);
                           },
                           1 + 2},
                      Case{"branch_not_taken",
                           [](TestBuilder& p) {
                             p.bne(kZero, kZero, 8);
                             p.addi(kA, kA, 1);
                           },
                           2},
                      Case{"multiply_and_use",
                           [](TestBuilder& p) {
                             p.mul(kA, kB, kB);
                             p.addi(kC, kA, 1);
                           },
                           3 + 1},
                      Case{"multiply_and_something_else",
                           [](TestBuilder& p) {
                             p.mul(kA, kB, kB);
                             p.addi(kC, kB, 1);
                           },
                           2},
                      Case{"multiplies_are_pipelined",
                           [](TestBuilder& p) {
                             p.mul(kA, kB, kB);
                             p.mul(kC, kB, kB);
                             p.addi(kA, kC, 1);
                           },
                           1 + 3 + 1},
                      Case{"divide_and_use",
                           [](TestBuilder& p) {
                             p.div(kA, kB, kB);
                             p.addi(kC, kA, 1);
                           },
                           34 + 1},
                      Case{"divides_are_not_pipelined",
                           [](TestBuilder& p) {
                             p.div(kA, kB, kB);
                             p.div(kC, kB, kB);
                             p.addi(kA, kC, 1);
                           },
                           34 + 34 + 1},
                      Case{"divide_word_and_use",
                           [](TestBuilder& p) {
                             p.divw(kA, kB, kB);
                             p.addi(kC, kA, 1);
                           },
                           18 + 1},
                      Case{"load_and_use",
                           [](TestBuilder& p) {
                             p.ld(kA, 0, kData);
                             p.addi(kC, kA, 1);
                           },
                           1 + 1 + 1},
                      Case{"load_and_something_else",
                           [](TestBuilder& p) {
                             p.ld(kA, 0, kData);
                             p.addi(kC, kB, 1);
                           },
                           2},
                      Case{"own_local_load_and_use",
                           [](TestBuilder& p) {
                             p.ld(kA, 0, kLocal);
                             p.addi(kC, kA, 1);
                           },
                           4 + 1},
                      Case{"a_store", [](TestBuilder& p) { p.sd(kB, 0, kData); }, 1},
                      Case{"reading_the_clock",
                           [](TestBuilder& p) { p.csrrs(kA, isa::csr::kCycle, kZero); }, 3}),
    [](const auto& info) { return std::string(info.param.name); });

TEST(ScalarTime, TheFirstUseOfALineIsAMissAndTheSecondIsNot) {
  // 64 lines that the data cache holds; a line of 64 bytes each.
  const auto loads = [](TestBuilder& p) {
    for (int i = 0; i < 16; ++i) p.ld(kA, i * 64, kData);
  };
  EXPECT_EQ(cyclesOf(loads), 16u);
  // A fence empties the cache: each line costs at least the way to memory and back.
  const uint64_t with_fence = cyclesOf([&](TestBuilder& p) {
    p.fence(15, 15, kZero, kZero);
    loads(p);
  });
  EXPECT_GT(with_fence, 16 * (TimedProgram::kMemoryLatency + 2 * 8));
}

TEST(ScalarTime, TheStoreBufferHoldsEightStoresAndTheNinthWaits) {
  const auto stores = [](int count) {
    return [count](TestBuilder& p) {
      for (int i = 0; i < count; ++i) p.sd(kB, i * 8, kData);
    };
  };
  EXPECT_EQ(cyclesOf(stores(8)), 8u);
  EXPECT_GT(cyclesOf(stores(9)), TimedProgram::kMemoryLatency);
}

TEST(ScalarTime, AnAtomicGoesToMemoryAndBack) {
  const uint64_t cycles = cyclesOf([](TestBuilder& p) { p.amoadd_d(kA, kB, kData); });
  EXPECT_GE(cycles, TimedProgram::kMemoryLatency + 2 * 8);
  EXPECT_LE(cycles, TimedProgram::kMemoryLatency + 2 * 8 + 12);
}

TEST(ScalarTime, ValuesAreThoseOfTheFunctionalModel) {
  TestBuilder p;
  p.li(kA, 1);
  p.li(kB, 40);
  const auto loop = p.label();
  p.bind(loop);
  p.add(kA, kA, kA);
  p.addi(kB, kB, -1);
  p.bne(kB, kZero, loop);
  p.exitWithRegister(kA);
  TimedProgram program(p);
  EXPECT_EQ(program.run().end.exit_code, uint64_t{1} << 40);
}

}  // namespace
}  // namespace etalon::sim
