// SPDX-License-Identifier: Apache-2.0
#include "tools/timing/report_html.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <regex>

#include "tools/timing/html_parts.h"
#include "tools/timing/sample_report.h"

namespace etalon::tools {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(ReportHtml, NamesTheDeviceOfACoreWhereThereAreSeveral) {
  sim::TimedReport report = sampleReport(1, 4, 100);
  report.devices = 2;
  const std::string html = reportHtml(report);
  for (const char* text : {"cycles on 4 cores on 2 devices", "core 1 of device 2, matrix",
                           "2.1 scalar", "2.3 is core 3"})
    EXPECT_THAT(html, HasSubstr(text));
}

TEST(ReportHtml, NeedsNothingElse) {
  const std::string html = reportHtml(sampleReport(1, 4, 100));
  for (const char* outside : {"http:", "https:", "<script", "<link", "src=", "@import", "url("})
    EXPECT_THAT(html, Not(HasSubstr(outside)));
}

TEST(ReportHtml, HasEverySection) {
  const std::string html = reportHtml(sampleReport(1, 4, 100));
  for (const char* title :
       {"Where the cycles went", "Over time", "Critical path", "Bounds", "Roofline", "Bytes",
        "Dearest lines", "Energy", "Machine", "To repeat it"})
    EXPECT_THAT(html, HasSubstr("<h2>" + std::string(title) + "</h2>"));
  EXPECT_THAT(html, HasSubstr("viewport"));
  EXPECT_THAT(html, HasSubstr("prefers-color-scheme: dark"));
}

TEST(ReportHtml, LeavesOutWhatTheReportDoesNotHave) {
  sim::TimedReport report;
  report.cycles = 10;
  report.clock_mhz = 1000;
  report.cores = 1;
  const std::string html = reportHtml(report);
  EXPECT_THAT(html, HasSubstr("<h2>Where the cycles went</h2>"));
  for (const char* title : {"Over time", "Critical path", "Bounds", "Roofline", "Bytes",
                            "Dearest lines", "Energy", "Machine", "To repeat it"})
    EXPECT_THAT(html, Not(HasSubstr("<h2>" + std::string(title))));
}

TEST(ReportHtml, ShowsNamesAsTextAndNeverAsMarkup) {
  const std::string html = reportHtml(sampleReport(1, 1, 100));
  EXPECT_THAT(html, HasSubstr("<h1>gemm_bf16&lt;M, N&gt;.elf</h1>"));
  EXPECT_THAT(html, HasSubstr("load&lt;A, B&gt;"));
  EXPECT_THAT(html, HasSubstr("&quot;made up&quot; &amp; small"));
  EXPECT_THAT(html, HasSubstr("--dim M=300 &amp;&amp; true"));
  EXPECT_THAT(html, Not(HasSubstr("<A, B>")));
}

TEST(ReportHtml, ClosesWhatItOpens) {
  const std::string html = reportHtml(sampleReport(2, 12, 60));
  std::vector<std::string> open;
  const std::regex tag("<(/?)([a-z][a-z0-9]*)[^>]*?(/?)>");
  for (std::sregex_iterator at(html.begin(), html.end(), tag), end; at != end; ++at) {
    const std::string name = (*at)[2];
    if ((*at)[3].length() != 0 || name == "meta" || name == "br" || name == "wbr") continue;
    if ((*at)[1].length() == 0) {
      open.push_back(name);
      continue;
    }
    ASSERT_FALSE(open.empty()) << name;
    EXPECT_EQ(open.back(), name);
    open.pop_back();
  }
  EXPECT_THAT(open, testing::IsEmpty());
}

TEST(ReportHtml, SaysWhereItShowsAPartOnly) {
  EXPECT_THAT(reportHtml(sampleReport(2, 8, 60)), Not(HasSubstr("The first 8 of")));
  EXPECT_THAT(reportHtml(sampleReport(2, 9, 60)), HasSubstr("The first 8 of 9 cores."));
}

TEST(ReportHtml, RowsHaveAsManyCellsAsTheirHead) {
  const std::string html = reportHtml(sampleReport(2, 3, 60));
  const std::regex head_or_row("<tr>(.*?)</tr>");
  long head = 0;
  int rows = 0;
  for (std::sregex_iterator at(html.begin(), html.end(), head_or_row), end; at != end; ++at) {
    const std::string row = (*at)[1];
    const auto count = [&](const char* tag) {
      const std::regex cell(tag);
      return std::distance(std::sregex_iterator(row.begin(), row.end(), cell),
                           std::sregex_iterator());
    };
    if (const long cells = count("</th>"); cells != 0) {
      head = cells;
      continue;
    }
    EXPECT_EQ(count("</td>"), head) << row;
    ++rows;
  }
  EXPECT_GT(rows, 50);
}

TEST(ActivityBar, HasAPartForEachActivityThatTookTime) {
  sim::ActivityCycles cycles{};
  cycles[static_cast<size_t>(sim::Activity::busy)] = 250;
  cycles[static_cast<size_t>(sim::Activity::queue_full)] = 750;
  EXPECT_EQ(activityBar(cycles, 1000),
            "<div class=\"bar\" role=\"img\" aria-label=\"busy 25.0 %, queue full 75.0 %\">"
            "<i style=\"width:25%;background:var(--busy)\" title=\"busy 25.0 %, 250 cycles\"></i>"
            "<i style=\"width:75%;background:var(--queue_full)\" title=\"queue full 75.0 %, 750 "
            "cycles\"></i></div>");
}

TEST(ReportStyle, HasAColourForEveryActivityInBothSchemes) {
  const std::string style(reportStyle());
  const std::string dark = style.substr(style.find("prefers-color-scheme"));
  for (int a = 0; a < sim::kActivities; ++a) {
    const std::string name =
        "--" + std::string(activityName(static_cast<sim::Activity>(a))) + ": #";
    EXPECT_LT(style.find(name), style.find("prefers-color-scheme")) << name;
    EXPECT_THAT(dark, HasSubstr(name));
  }
}

TEST(Roofline, PutsThePointWhereWorkAndBytesSay) {
  sim::TimedReport report;
  report.cycles = 1000;
  report.clock_mhz = 1000;
  report.cores = 1;
  // 100 MAC a cycle at 10 MAC a byte; roofs 1000 MAC and 50 B a cycle.
  report.bounds = {{"matrix", "MAC", 100'000, 1'000'000, ""},
                   {"memory", "byte", 10'000, 50'000, ""}};
  const std::string svg = rooflineSvg(report);
  EXPECT_THAT(svg, HasSubstr("100 MAC a cycle at 10 MAC a byte. Roofs: 1000 MAC and 50 B a cycle, "
                             "which meet at 20 MAC a byte."));
  // Axes 1 to 100 over 62 to 426, 10 to 10000 over 252 to 10: 10 is half way, 100 a third.
  EXPECT_THAT(svg, HasSubstr("<circle cx=\"244.0\" cy=\"171.3\""));
  report.bounds.pop_back();
  EXPECT_EQ(rooflineSvg(report), "");
}

}  // namespace
}  // namespace etalon::tools
