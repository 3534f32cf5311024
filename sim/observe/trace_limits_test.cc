// SPDX-License-Identifier: Apache-2.0
// What traces refuse, and how occupancy and rates are told. What a good trace says is trace_test.py's.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <vector>

#include "isa/base/file.h"
#include "sim/observe/occupancy.h"
#include "sim/observe/rate.h"
#include "sim/observe/synthetic_run.h"
#include "sim/observe/trace.h"

namespace etalon::sim {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class TraceFileTest : public testing::Test {
 protected:
  std::string path_ = testing::TempDir() + "/trace_" +
                      testing::UnitTest::GetInstance()->current_test_info()->name();

  Status writeRun(TraceFormat format, const TraceLimits& limits) {
    const RunShape shape = syntheticShape(1);
    Result<std::unique_ptr<TraceWriter>> writer = openTrace(path_, format, shape, limits);
    if (!writer.ok()) return writer.error();
    syntheticRun(shape, 7, 10, **writer);
    return (*writer)->close();
  }
};

TEST_F(TraceFileTest, KonataTakesAsManyInstructionsAsItsLimit) {
  EXPECT_TRUE(writeRun(TraceFormat::konata, {.konata_instructions = 10}).ok());
  EXPECT_TRUE(std::filesystem::exists(path_));
}

TEST_F(TraceFileTest, KonataRefusesOneMoreAndLeavesNoFile) {
  const Status status = writeRun(TraceFormat::konata, {.konata_instructions = 9});
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().message,
            "a konata trace has 9 tile instructions at most, and this run has more; the perfetto "
            "format has no limit");
  EXPECT_FALSE(std::filesystem::exists(path_));
}

TEST_F(TraceFileTest, JsonCountsEveryEvent) {
  // The exact number is found from below: the first limit that is accepted.
  ASSERT_TRUE(writeRun(TraceFormat::json, {}).ok());
  const std::string whole = readFile(path_).value();
  const auto events = static_cast<uint64_t>(std::ranges::count(whole, '\n')) - 2;
  EXPECT_TRUE(writeRun(TraceFormat::json, {.json_events = events}).ok());
  const Status status = writeRun(TraceFormat::json, {.json_events = events - 1});
  ASSERT_FALSE(status.ok());
  EXPECT_THAT(status.error().message, HasSubstr("json trace has"));
  EXPECT_FALSE(std::filesystem::exists(path_));
}

TEST_F(TraceFileTest, PathThatCannotBeWrittenIsSaidAtOnce) {
  const Result<std::unique_ptr<TraceWriter>> writer =
      openTrace("/nonexistent/trace", TraceFormat::perfetto, syntheticShape(1));
  ASSERT_FALSE(writer.ok());
  EXPECT_EQ(writer.error().message, "cannot write '/nonexistent/trace': No such file or directory");
}

TEST_F(TraceFileTest, FullDiskIsSaidAtTheEnd) {
  if (!std::filesystem::exists("/dev/full")) GTEST_SKIP() << "this system has no /dev/full";
  const RunShape shape = syntheticShape(1);
  // A link, because a trace that is not whole is removed.
  std::filesystem::remove(path_);
  std::filesystem::create_symlink("/dev/full", path_);
  const Status status = writeRun(TraceFormat::perfetto, {});
  ASSERT_FALSE(status.ok());
  EXPECT_THAT(status.error().message, HasSubstr("No space left on device"));
  EXPECT_FALSE(std::filesystem::exists(std::filesystem::symlink_status(path_)));
}

struct Change {
  size_t series;
  Cycles time;
  uint64_t value;
  bool operator==(const Change&) const = default;
};

TileRecord record(uint64_t sequence, Cycles issue, Cycles taken, Cycles done) {
  TileRecord r;
  r.track = Track::load;
  r.sequence = sequence;
  r.issue = issue;
  r.taken = r.start = taken;
  r.done = done;
  return r;
}

TEST(Occupancy, IsToldInOrderOfTimeOnceOlderInstructionsAreKnown) {
  const auto load = static_cast<size_t>(Track::load);
  std::vector<Change> told;
  Occupancy occupancy(
      [&](size_t series, Cycles time, uint64_t value) { told.push_back({series, time, value}); });
  occupancy.add(record(2, 5, 6, 8));  // the younger one is done first
  EXPECT_TRUE(told.empty());
  occupancy.add(record(1, 3, 5, 20));
  // Nothing before cycle 5 can change any more; what happens in 5 can.
  EXPECT_THAT(told, ElementsAre(Change{0, 3, 1}, Change{load, 3, 1}));
  told.clear();
  occupancy.finish();
  // In cycle 5 one leaves the queue and one enters it.
  EXPECT_THAT(told,
              ElementsAre(Change{0, 5, 2}, Change{load, 6, 0}, Change{0, 8, 1}, Change{0, 20, 0}));
}

TEST(OccupancyDeathTest, RefusesAnInstructionTwice) {
  Occupancy occupancy([](size_t, Cycles, uint64_t) {});
  occupancy.add(record(1, 3, 5, 20));
  EXPECT_DEATH(occupancy.add(record(1, 3, 5, 20)), "told of before");
}

using Means = std::vector<std::pair<Cycles, double>>;

TEST(Rate, SpreadsBytesEvenlyOverPieces) {
  Means means;
  Rate rate([&](Cycles time, double value) { means.push_back({time, value}); });
  rate.add({0, 128, 640, 1024, 1024});  // 2 bytes a cycle over half a piece, a piece, half a piece
  rate.finish();
  EXPECT_EQ(means, (Means{{0, 1}, {256, 2}, {512, 1}, {768, 0}}));
}

TEST(Rate, LosesNoByteToRounding) {
  Means means;
  Rate rate([&](Cycles time, double value) { means.push_back({time, value}); });
  rate.add({0, 255, 258, 7, 7});  // 2 of 7 in the first piece, 5 in the second
  rate.finish();
  EXPECT_EQ(means, (Means{{0, 2.0 / 256}, {256, 5.0 / 256}, {512, 0}}));
}

TEST(Rate, SkipsALongPauseAndCountsLateBytesWhereItCan) {
  Means means;
  Rate rate([&](Cycles time, double value) { means.push_back({time, value}); });
  const Cycles late = Rate::kPiece * Rate::kOpen * 1000;
  rate.add({0, 0, 256, 256, 256});
  rate.add({0, late, late + 256, 512, 512});
  rate.add({0, 0, 1, 256, 256});  // long told: into the oldest piece that is open
  rate.finish();
  const Cycles oldest = late - (Rate::kOpen - 1) * Rate::kPiece;
  EXPECT_EQ(means,
            (Means{{0, 1}, {256, 0}, {oldest, 1}, {oldest + 256, 0}, {late, 2}, {late + 256, 0}}));
}

}  // namespace
}  // namespace etalon::sim
