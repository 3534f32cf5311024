// SPDX-License-Identifier: Apache-2.0
// sample_files HTML TIMING SEED CORES INSTRUCTIONS: the page and the `timing` object of a made-up run. For tests.
#include <fmt/format.h>

#include <cstdlib>

#include "isa/base/file.h"
#include "tools/timing/report_html.h"
#include "tools/timing/sample_report.h"
#include "tools/timing/timing_json.h"

int main(int argc, char** argv) {
  if (argc != 6) {
    fmt::print(stderr, "usage: sample_files HTML TIMING SEED CORES INSTRUCTIONS\n");
    return 2;
  }
  const auto number = [&](int i) {
    return static_cast<unsigned>(std::strtoul(argv[i], nullptr, 10));
  };
  const etalon::sim::TimedReport report =
      etalon::tools::sampleReport(number(3), number(4), number(5));
  const bool written = etalon::writeFile(argv[1], etalon::tools::reportHtml(report)).ok() &&
                       etalon::writeFile(argv[2], etalon::tools::timingJson(report)).ok();
  return written ? 0 : 1;
}
