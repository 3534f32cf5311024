// SPDX-License-Identifier: Apache-2.0
// A litmus test that is not true fails, and says where; so does one that cannot be read.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "validation/litmus/run.h"

namespace etalon::validation {
namespace {

using testing::HasSubstr;

const std::string kHead = "title: Two stores\nrules: sync.atomic\n";
/// One core stores 1, the other reads: 0 or 1.
const std::string kReadsAStore = kHead +
                                 "memory: data = 0\n"
                                 "core 0: x10 = data, x11 = 1\n"
                                 "  sw x11, 0(x10)\n"
                                 "core 1: x10 = data\n"
                                 "  lw x5, 0(x10)\n";

std::string firstError(const std::string& text) {
  const Result<LitmusTest> test = parseLitmus("t.litmus", text);
  if (!test.ok()) return test.error().message;
  const Verdict verdict = judgeLitmus(*test, 20, 200);
  return verdict.errors.empty() ? "" : verdict.errors[0];
}

TEST(Runner, PassesWhatIsTrue) {
  EXPECT_EQ(firstError(kReadsAStore + "allowed: 1:x5=0\nallowed: 1:x5=1\n"), "");
  EXPECT_EQ(firstError(kReadsAStore + "allowed: any\nforbidden: 1:x5=2\n"), "");
}

TEST(Runner, RefusesAForbiddenOutcomeThatIsSeen) {
  const std::string error = firstError(kReadsAStore + "allowed: 1:x5=0\nforbidden: 1:x5=1\n");
  EXPECT_THAT(error, HasSubstr("t.litmus:9: `forbidden: 1:x5=1`, but seed "));
  EXPECT_THAT(error, HasSubstr(" gives allowed: 1:x5=1"));
}

TEST(Runner, RefusesAWeakerOutcomeThatIsSeen) {
  EXPECT_THAT(firstError(kReadsAStore + "allowed: 1:x5=0\nweaker: 1:x5=1\n"),
              HasSubstr("`weaker: 1:x5=1`, but seed "));
}

TEST(Runner, RefusesAnAllowedOutcomeThatIsNeverSeen) {
  EXPECT_EQ(firstError(kReadsAStore + "allowed: any\nallowed: 1:x5=2\n"),
            "t.litmus:9: `allowed: 1:x5=2` was not seen in 200 seeds");
}

TEST(Runner, RefusesAnOutcomeThatIsNotListed) {
  EXPECT_THAT(firstError(kReadsAStore + "allowed: 1:x5=0\n"),
              HasSubstr("gives allowed: 1:x5=1, which no outcome lists"));
}

TEST(Runner, TellsARaceFromAnAllowedOutcomeAndOneLocationFromAnother) {
  const std::string race = kHead +
                           "memory: data = 0\nmemory: other = 0\n"
                           "core 0: x10 = data, x11 = 1\n  sw x11, 0(x10)\n"
                           "core 1:\n  et.ld tr2, data, rne\n";
  EXPECT_EQ(firstError(race + "race data: any\n"), "");
  EXPECT_THAT(firstError(race + "allowed: any\n"), HasSubstr("gives race data:, which no outcome"));
  EXPECT_THAT(firstError(race + "race other: any\n"), HasSubstr("which no outcome lists"));
  EXPECT_THAT(firstError(race + "order-dependent data: any\n"),
              HasSubstr("which no outcome lists"));
}

TEST(Runner, TellsFaultsByTheirRuleAndDeadlocks) {
  const std::string fault = kHead + "core 0: x10 = 2, x11 = 0\n  et.barrier x10, x11\n";
  EXPECT_EQ(firstError(fault + "fault sync.barrier-self: any\n"), "");
  EXPECT_THAT(firstError(fault + "fault sync.wait: any\n"),
              HasSubstr("gives fault sync.barrier-self:"));
  const std::string waits = kHead + "core 0: x11 = 1\n  et.wait x0, 3, x11\n";
  EXPECT_EQ(firstError(waits + "deadlock: any\n"), "");
  EXPECT_THAT(firstError(waits + "allowed: any\n"), HasSubstr("gives deadlock:"));
}

TEST(Runner, RefusesProgramsThatDoNotEndOrReadWhatNobodyWrote) {
  EXPECT_THAT(firstError(kHead + "core 0:\nspin:\n  jal x0, spin\nallowed: any\n"),
              HasSubstr("spin"));
  EXPECT_THAT(firstError(kHead + "core 0:\n  spin:\n  jal x0, spin\nallowed: any\n"),
              HasSubstr("does not end within 100000 instructions"));
  EXPECT_THAT(firstError(kHead + "core 0: x10 = 0x80070000\n  lw x5, 0(x10)\nallowed: any\n"),
              HasSubstr("memory that nobody wrote"));
}

struct Bad {
  const char* text;
  const char* says;
};

class Refusal : public testing::TestWithParam<Bad> {};

TEST_P(Refusal, NamesTheLine) {
  EXPECT_THAT(firstError(kHead + GetParam().text), HasSubstr(GetParam().says));
}

const Bad kBad[] = {
    {"core 0:\n", "a test has a title, rules, cores and outcomes"},
    {"  addi x5, x0, 1\n", "t.litmus:3: an instruction stands outside of a core"},
    {"rule: sync.wait\n", "t.litmus:3: 'rule' is none of title, rules"},
    {"rules: sync.none\n", "docs/spec has no rule 'sync.none'"},
    {"memory: Data = 1\n", "a name is of small letters"},
    {"memory: a = 1, a = 2\n", "'a' is declared twice"},
    {"memory: a = 4294967296\n", "does not fit into 32 bits"},
    {"memory: f64 a = 1\n", "the type is i32 or f32"},
    {"memory: a\n", "must be NAME = VALUE"},
    {"local 4: a = 0\n", "local 0 to local 3"},
    {"tiles: tr32 = 1\n", "'tr32' is no tile register"},
    {"core 1:\n", "cores are numbered 0 to 3, in order"},
    {"core 0: x28 = 1\n", "with x1 to x27"},
    {"core 0: x5 = nothing\nallowed: any\n", "core 0: x5 = 'nothing' is no number"},
    {"core 0:\n  et.nothing\nallowed: any\n", "t.litmus:4: 'et.nothing': unknown instruction"},
    {"core 0:\n  la x5, there\nallowed: any\n", "must be `la xN, LABEL`"},
    {"core 0:\nrace: any\n", "must name the location"},
    {"core 0:\nallowed some: any\n", "'some' is not understood"},
    {"core 0:\nallowed:\n", "which executions"},
    {"core 0:\nallowed: 1:x5=0\n", "no such core"},
    {"core 0:\nallowed: 0:y5=0\n", "must be CORE:xN or CORE:trN"},
    {"core 0:\nallowed: sem9.1=0\n", "a semaphore is semCORE.NUMBER"},
    {"core 0:\nallowed: data=0\n", "no register, location or semaphore"},
    {"core 0:\nallowed: 0:x5=one\n", "'0:x5=one'"},
    {"core 0:\nfault sync.none: any\n", "docs/spec has no rule 'sync.none'"},
};
INSTANTIATE_TEST_SUITE_P(Texts, Refusal, testing::ValuesIn(kBad));

}  // namespace
}  // namespace etalon::validation
