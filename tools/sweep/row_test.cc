// SPDX-License-Identifier: Apache-2.0
#include "tools/sweep/row.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tools/sweep/results.h"
#include "tools/sweep/sweep_test_study.h"

namespace etalon::tools {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Optional;
using ::testing::Pair;

const std::string kAxes = "axes: [{key: cores, values: [1, 4]}]\n";
const std::string kGood =
    R"({"success": true, "failures": [], "status": "exited", "instructions": 40, "check": null,
        "counters": {"macs": 10, "loads": 0, "name": "x"}, "units": [{"busy": 7}, {"busy": 9}],
        "timing": {"units": [{"core": 0, "unit": "matrix", "cycles": {"halted": 1, "busy": 5}},
                             {"core": 0, "unit": "vector", "cycles": {"busy": 6}},
                             {"core": 1, "unit": "matrix", "cycles": {"busy": 7, "weights": 2, "halted": 3}}],
                   "paths": [{"level": "memory read", "moved": 64}, {"level": "memory read", "moved": 32},
                             {"level": "memory write", "moved": 1}]}})";

class RowTest : public StudyFolder {
 protected:
  static Result<Row> rowOf(const Study& study, const FinishedRun& run) {
    return makeRow(study, study.workloads[0], planPoints(study)[1], run);
  }
  std::string refusal(const std::string& rest) {
    const Result<Row> row = rowOf(study(kAxes + rest), {0, kGood, ""});
    return row.ok() ? "accepted" : row.error().message;
  }
};

TEST_F(RowTest, MetricsAreOfTheResultTheMachineAndEarlierMetrics) {
  const Study s = study(
      kAxes +
      "metrics:\n  - {name: a, value: instructions / counters.macs}\n  - {name: b, value: a * "
      "machine.cores}\n  - {name: c, value: units.1.busy}\n  - {name: d, value: instructions / "
      "counters.loads}\n  - {name: e, value: d * 0 + 1}\n");
  const Result<Row> row = rowOf(s, {0, kGood, ""});
  ASSERT_TRUE(row.ok()) << row.error().message;
  EXPECT_EQ(row->status, RowStatus::ok);
  EXPECT_THAT(row->metrics, ElementsAre(Optional(4.0), Optional(16.0), Optional(9.0), std::nullopt,
                                        std::nullopt));
}

TEST_F(RowTest, LedgersHaveAllPartsOrThoseAskedFor) {
  const Study s = study(kAxes + kMetrics +
                        "ledgers: [{name: all, path: counters}, {name: one, path: counters, parts: "
                        "[loads]}]\n");
  const Result<Row> row = rowOf(s, {0, kGood, ""});
  ASSERT_TRUE(row.ok()) << row.error().message;
  EXPECT_THAT(row->ledgers[0], ElementsAre(Pair("macs", 10.0), Pair("loads", 0.0)));
  EXPECT_THAT(row->ledgers[1], ElementsAre(Pair("loads", 0.0)));
}

TEST_F(RowTest, AWordSelectsTheItemsOfAListThatHaveItAndTheyAddUp) {
  const Study s = study(
      kAxes +
      "metrics:\n  - {name: a, value: timing.units.matrix.cycles.busy}\n  - {name: b, value: "
      "timing.units.matrix.cycles.weights}\n  - {name: c, value: "
      "timing.units.matrix.cycles.ports}\n  - {name: d, value: timing.paths.memory_read.moved}\n  "
      "- {name: e, value: timing.units.1.cycles.busy}\nledgers: [{name: all, path: "
      "timing.units.matrix.cycles}, {name: two, path: timing.units.vector.cycles, parts: [busy, "
      "ports]}]\n");
  const Result<Row> row = rowOf(s, {0, kGood, ""});
  ASSERT_TRUE(row.ok()) << row.error().message;
  EXPECT_THAT(row->metrics, ElementsAre(Optional(12.0), Optional(2.0), Optional(0.0),
                                        Optional(96.0), Optional(6.0)));
  EXPECT_THAT(row->ledgers[0],
              ElementsAre(Pair("busy", 12.0), Pair("weights", 2.0), Pair("halted", 4.0)));
  EXPECT_THAT(row->ledgers[1], ElementsAre(Pair("busy", 6.0), Pair("ports", 0.0)));
  EXPECT_THAT(refusal("metrics: [{name: a, value: timing.units.load.cycles.busy}]\n"),
              HasSubstr("timing.units has 0 to 2, matrix, vector."));
  EXPECT_THAT(refusal("metrics: [{name: a, value: timing.units.matrix.cycles.bus}]\n"),
              HasSubstr("timing.units.matrix.cycles has halted, busy."));
}

TEST_F(RowTest, WhatResultsDoNotHaveIsSaidWithWhatTheyHave) {
  EXPECT_THAT(refusal("metrics: [{name: a, value: counters.mac}]\n"),
              HasSubstr("study.yaml:6: metrics[0].value: the result of the run has no number "
                        "'counters.mac'; counters has macs, loads. Give another path"));
  EXPECT_THAT(
      refusal("metrics: [{name: a, value: cycles}]\n"),
      HasSubstr("no number 'cycles'; the result has instructions, counters, units, timing"));
  EXPECT_THAT(refusal("metrics: [{name: a, value: counters}]\n"),
              HasSubstr("no number 'counters'"));
  EXPECT_THAT(refusal("metrics: [{name: a, value: units.2.busy}]\n"),
              HasSubstr("units has 0 to 1"));
  EXPECT_THAT(
      refusal(kMetrics + "ledgers: [{name: l, path: check}]\n"),
      HasSubstr("study.yaml:7: ledgers[0].path: the result of the run has no object 'check' of "
                "numbers"));
  EXPECT_THAT(refusal(kMetrics + "ledgers: [{name: l, path: counters, parts: [name]}]\n"),
              HasSubstr("'counters' has no number 'name'; counters has macs, loads"));
}

TEST_F(RowTest, AFailedRunSaysWhy) {
  const Study s = study(kAxes + kMetrics);
  const auto reason = [&](const FinishedRun& run) { return rowOf(s, run)->reason; };
  EXPECT_EQ(reason({2, "", "unknown machine"}), "unknown machine");
  EXPECT_EQ(reason({1,
                    R"({"success": false, "failures": ["the program exited with 3", "1 data race"],
                        "status": "exited", "faults": [], "console": "one\ntwo: bad\n\n"})",
                    ""}),
            "the program exited with 3, 1 data race: two: bad");
  EXPECT_EQ(
      reason(
          {1,
           R"({"success": false, "failures": ["the program did something illegal"], "status": "fault",
                        "faults": [{"cause": "handled"}, {"cause": "local_bounds", "operand": "td", "detail": "too far",
                                    "rule_text": "rule", "disassembly": "et.ld", "file": "x.c", "line": 7, "hint": "less"}],
                        "console": ""})",
           ""}),
      "the program did something illegal: local_bounds, too far (td) in et.ld at x.c:7; less");
}

TEST_F(RowTest, ReasonsDoNotSayWhereTheStudyLies) {
  const Study s = study(kAxes + kMetrics);
  const std::string folder = std::filesystem::canonical(folder_).string();
  EXPECT_EQ(rowOf(s, {2, "", folder + "/program.elf: bad; " + folder + "/x.npy: bad"})->reason,
            "program.elf: bad; x.npy: bad");
}

TEST_F(RowTest, OnlyWholeResultsAreResults) {
  EXPECT_TRUE(isRunResult(kGood));
  EXPECT_FALSE(isRunResult(kGood.substr(0, kGood.size() - 1)));
  EXPECT_FALSE(isRunResult(""));
  EXPECT_FALSE(isRunResult("{}"));
  EXPECT_FALSE(isRunResult("[1]"));
}

TEST_F(RowTest, TablesQuoteWhatNeedsItAndWriteWholeNumbersWhole) {
  const Study s = study(kAxes +
                        "metrics: [{name: a, value: instructions / 16, unit: \"x,y\"}, {name: b, "
                        "value: instructions}]\nledgers: [{name: l, path: counters}]\n");
  SweepResults results;
  results.points = planPoints(s);
  results.runs = {{0, 0, "k"}, {0, 1, "l"}};
  results.rows = {*rowOf(s, {0, kGood, ""}),
                  rowWithout(s, RowStatus::failed, "it said \"no\",\nthen died")};
  EXPECT_EQ(resultsCsv(s, results),
            "workload,cores,status,reason,\"a [x,y]\",b,l.macs,l.loads\n"
            "w,1,ok,,2.5,40,10,0\n"
            "w,4,failed,\"it said \"\"no\"\",\nthen died\",,,,\n");
  const std::string json = resultsJson(s, results, "1");
  EXPECT_THAT(json, HasSubstr("\"a\": 2.5,\n    \"b\": 40\n"));
  EXPECT_THAT(json, HasSubstr("\"a\": null,\n    \"b\": null\n"));
  const std::string summary = summaryText(s, results);
  EXPECT_THAT(summary, HasSubstr("2 runs: 1 ok, 1 failed, 0 excluded"));
  EXPECT_THAT(summary, HasSubstr("failed: w at cores=4: it said"));
}

TEST_F(RowTest, PartsOfALedgerKeepItsOrderWhateverRowHasThemFirst) {
  const Study s = study(kAxes + kMetrics + "ledgers: [{name: l, path: counters}]\n");
  SweepResults results;
  results.points = planPoints(s);
  results.runs = {{0, 0, "k"}, {0, 1, "l"}};
  results.rows = {rowWithout(s, RowStatus::ok, ""), rowWithout(s, RowStatus::ok, "")};
  results.rows[0].metrics[0] = results.rows[1].metrics[0] = 1;
  results.rows[0].ledgers[0] = {{"busy", 1}, {"halted", 2}, {"other", 3}};
  results.rows[1].ledgers[0] = {{"weights", 4}};
  EXPECT_EQ(resultsCsv(s, results),
            "workload,cores,status,reason,time,l.busy,l.weights,l.halted,l.other\n"
            "w,1,ok,,1,1,,2,3\nw,4,ok,,1,,4,,\n");
}

TEST_F(RowTest, TheSummaryNamesTheBestPointOfWhatRunsDecide) {
  const Study s = study(kAxes +
                        "metrics: [{name: a, value: instructions, better: less, unit: us}, {name: "
                        "b, value: machine.cores, better: less}, {name: c, value: instructions, "
                        "better: more, unit: B}]\n");
  SweepResults results;
  results.points = planPoints(s);
  results.runs = {{0, 0, "k"}, {0, 1, "l"}};
  results.rows = {rowWithout(s, RowStatus::ok, ""), rowWithout(s, RowStatus::ok, "")};
  results.rows[0].metrics = {40.5, 1.0, 1536.0};
  results.rows[1].metrics = {39.5, 4.0, 100.0};
  const std::string summary = summaryText(s, results);
  EXPECT_THAT(summary, HasSubstr("least a of w: 39.5 us at cores=4\n"));
  EXPECT_THAT(summary, HasSubstr("most c of w: 1.5 KiB at cores=1\n"));
  EXPECT_THAT(summary, ::testing::Not(HasSubstr("least b")));
}

}  // namespace
}  // namespace etalon::tools
