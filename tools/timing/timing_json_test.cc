// SPDX-License-Identifier: Apache-2.0
#include "tools/timing/timing_json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <regex>

#include "tools/timing/sample_report.h"

namespace etalon::tools {
namespace {

std::string refusal(const std::string& json) {
  const Result<sim::TimedReport> read = readTimingJson(json);
  return read.ok() ? "accepted" : read.error().message;
}

std::string sample() { return timingJson(sampleReport(5, 2, 80)); }

/// The sample with the first match of `what` replaced.
std::string sampleWith(const std::string& what, const std::string& by) {
  const std::string json = sample();
  EXPECT_TRUE(std::regex_search(json, std::regex(what))) << what;
  return std::regex_replace(json, std::regex(what), by, std::regex_constants::format_first_only);
}

TEST(TimingJson, ComesBackAsItWasWritten) {
  const sim::TimedReport report = sampleReport(5, 2, 80);
  const Result<sim::TimedReport> read = readTimingJson(timingJson(report));
  ASSERT_TRUE(read.ok()) << read.error().message;
  EXPECT_EQ(timingJson(*read), timingJson(report));
  EXPECT_EQ(read->cycles, report.cycles);
  EXPECT_EQ(read->units.size(), report.units.size());
  for (size_t i = 0; i < report.units.size(); ++i)
    EXPECT_EQ(read->units[i].cycles, report.units[i].cycles);
  EXPECT_EQ(read->lines.size(), report.lines.size());
  EXPECT_EQ(read->critical, report.critical);
  EXPECT_EQ(read->lines[0].cost.critical, report.lines[0].cost.critical);
  EXPECT_EQ(read->energy[0].high_fj, 1100u);
  EXPECT_EQ(read->energy[1].source, "");
}

TEST(TimingJson, RefusesWhatIsNoTiming) {
  EXPECT_EQ(refusal("{"), "it is no JSON");
  EXPECT_EQ(refusal("[]"), "it is JSON, but no object");
  EXPECT_EQ(refusal("{}"), "it has no timing.cycles");
}

TEST(TimingJson, NamesTheMemberThatIsMissingOrWrong) {
  EXPECT_EQ(refusal(sampleWith("\"clock_mhz\":940", "\"clock_mhz\":-1")),
            "timing.clock_mhz is '-1', where a whole number from 0 belongs");
  EXPECT_EQ(refusal(sampleWith("\"clock_mhz\":940", "\"clock_mhz\":0")), "timing.clock_mhz is 0");
  EXPECT_EQ(refusal(sampleWith("\"macs\":", "\"mac\":")), "it has no timing.work.macs");
  EXPECT_EQ(refusal(sampleWith("\"unit\":\"vector\"", "\"unit\":\"tensor\"")),
            "timing.units[2].unit is 'tensor', which is no unit");
  EXPECT_EQ(refusal(sampleWith("\"busy\":", "\"lazy\":")),
            "timing.units[0].cycles has 'lazy', which is no activity of a unit");
  EXPECT_EQ(refusal(sampleWith("\"level\":\"memory read\"", "\"level\":7")),
            "timing.paths[0].level is '7', where text belongs");
  EXPECT_EQ(refusal(sampleWith("\"paths\":\\[", "\"paths\":[3,")), "timing.paths [0] is no object");
}

TEST(TimingJson, RefusesALedgerThatDoesNotAddUp) {
  EXPECT_EQ(refusal(sampleWith("\"busy\":", "\"busy\":1")),
            "timing.units[0].cycles do not sum up to the cycles of the run");
  EXPECT_EQ(refusal(sampleWith("\"dispatch\":", "\"dispatch\":1")),
            "timing.critical_path does not sum up to the cycles of the run");
}

}  // namespace
}  // namespace etalon::tools
