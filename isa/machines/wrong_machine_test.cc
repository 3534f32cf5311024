// SPDX-License-Identifier: Apache-2.0
// Machine files that are wrong, each in one way: the message names file, line and key, and what would be right.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <ostream>

#include "isa/base/file.h"
#include "isa/machines/find_machine.h"

namespace etalon::isa {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

/// base.yaml with `from`, which stands in it once, replaced by `to`.
struct WrongFile {
  const char* what;
  const char* from;
  const char* to;
  std::vector<const char*> says;
  int line_after =
      0;  // of the message, counted from the line of the change; kAnyLine: another place
};
constexpr int kAnyLine = -1000;

const std::vector<WrongFile>& wrongFiles() {
  static const auto& kFiles = *new std::vector<WrongFile>{
      // The file as a whole.
      {"an unknown key at the top",
       "cores: {",
       "core: {",
       {"unknown key 'core' (line 5); known: name, title, profiles, cores, "},
       kAnyLine},
      {"an unknown section",
       "\nsignal:\n",
       "\nsignals:\n",
       {"unknown key 'signals'", "signal, barrier"},
       kAnyLine},
      {"a key that stands twice", "title: ", "title: Twice\ntitle: ", {"duplicate key 'title'"}, 1},
      {"a section that stands twice", "\ndispatch:\n", "\nscalar:\n", {"duplicate key 'scalar'"}},
      {"a key that stands twice in a section",
       "  cols: {value: 128,",
       "  rows: {value: 128,",
       {"duplicate key 'rows': only one may stay"}},
      {"no title", "title: ", "# title: ", {"the key 'title' is missing"}, kAnyLine},
      {"an empty title",
       "title: Reference machine, four cores of 8 MiB, two HBM2 stacks",
       "title: \"\"",
       {"title: is empty; expected text"}},
      {"a name that is not the file's",
       "name: base",
       "name: bass",
       {"name: 'bass' is not the name of the file; expected 'base'"}},
      {"no YAML", "cores: {", "cores: {{", {"not valid YAML"}},
      {"an anchor", "cores: {value", "cores: &four {value", {"anchor"}},
      {"two documents", "\nscalar:\n", "\n---\nscalar:\n", {"document"}, kAnyLine},

      // Sections.
      {"some sections of timing only",
       "\nsignal:\n  latency: {value: 1, source",
       "\n#\n# {source",
       {"'signal' is missing: a machine with 'clock_mhz' has timing, and needs signal too; without "
        "any timing it has values only"},
       kAnyLine},
      {"no clock",
       "clock_mhz: {",
       "# {",
       {"'clock_mhz' is missing: a machine with 'scalar' has timing"},
       kAnyLine},
      {"a section without a key",
       "  rows: {value: 128,",
       "  # {",
       {"matrix: the key 'rows' is missing"},
       kAnyLine},
      {"an unknown key in a section",
       "  rows: {value: 128,",
       "  row: {value: 128,",
       {"matrix: unknown key 'row' (line ", "known: dataflow, rows, cols, "},
       kAnyLine},
      {"a section that is a value",
       "\nsignal:\n  latency: {value: 1, source: \"design choice of Etalon: a semaphore stands "
       "beside the store queue\"}",
       "\nsignal: fast",
       {"signal: is 'fast'; expected a map (key: value)"}},
      {"a section that is a list",
       "\nsignal:\n  latency: {value: 1, source: \"design choice of Etalon: a semaphore stands "
       "beside the store queue\"}",
       "\nsignal: [1]",
       {"signal: is a list; expected a map (key: value)"}},
      {"an empty section",
       "\nsignal:\n  latency: {value: 1, source: \"design choice of Etalon: a semaphore stands "
       "beside the store queue\"}",
       "\nsignal:",
       {"signal: has no value; expected a map (key: value)"}},
      {"a section where a value belongs",
       "\nsignal:\n  latency: {value: 1,",
       "\nsignal: {value: 1,",
       {"signal: unknown key 'value'", "known: latency"}},

      // Entries.
      {"a number without a source",
       "rows: {value: 128, source: \"design choice of Etalon: the array of",
       "rows: {value: 128} # \"{",
       {"matrix.rows: the key 'source' is missing"}},
      {"a bare number",
       "rows: {value: 128, source: \"design choice",
       "rows: 128 # \"design choice",
       {"matrix.rows: write the value as {value: ..., source: \"where it comes from\"}"}},
      {"an empty source",
       "branch_taken: {value: 2, source: \"design choice of Etalon: branches are decided in the "
       "third of five stages\"}",
       "branch_taken: {value: 2, source: \"\"}",
       {"scalar.branch_taken.source: is empty; expected text"}},
      {"a source that is a number",
       "branch_taken: {value: 2, source: \"design choice of Etalon: branches are decided in the "
       "third of five stages\"}",
       "branch_taken: {value: 2, source: 2014}",
       {"scalar.branch_taken.source: is '2014'; expected text: write it in quotes"}},
      {"an entry without a value",
       "rows: {value: 128, ",
       "rows: {",
       {"matrix.rows: the key 'value' is missing"}},
      {"an unknown key in an entry",
       "rows: {value: 128, ",
       "rows: {value: 128, unit: elements, ",
       {"matrix.rows: unknown key 'unit'", "known: value, source"}},

      // Numbers.
      {"text for a number",
       "window: {value: 32,",
       "window: {value: many,",
       {"dispatch.window.value: 'many' is not a whole number: write it as 42 or 0x2a"}},
      {"a quoted number",
       "window: {value: 32,",
       "window: {value: \"32\",",
       {"dispatch.window.value: is the quoted text '32'; expected a whole number, 1 to 64"}},
      {"a list for a number",
       "window: {value: 32,",
       "window: {value: [32],",
       {"dispatch.window.value: is a list; expected a whole number, 1 to 64"}},
      {"nothing for a number",
       "window: {value: 32,",
       "window: {value: ,",
       {"dispatch.window.value: has no value; expected a whole number"}},
      {"a negative number",
       "window: {value: 32,",
       "window: {value: -32,",
       {"dispatch.window.value: '-32' is not a whole number"}},
      {"a fraction of a count",
       "window: {value: 32,",
       "window: {value: 32.5,",
       {"dispatch.window.value: '32.5' is not a whole number"}},
      {"a leading zero",
       "window: {value: 32,",
       "window: {value: 032,",
       {"dispatch.window.value: '032' has a leading zero"}},
      {"a number of more than 64 bits",
       "window: {value: 32,",
       "window: {value: 18446744073709551616,",
       {"is too large: the limit is 2^64 - 1"}},
      {"a number below the least",
       "rows: {value: 128,",
       "rows: {value: 0,",
       {"matrix.rows.value: 0 is outside 1 to 1024"}},
      {"a number above the most",
       "rows: {value: 128,",
       "rows: {value: 1025,",
       {"matrix.rows.value: 1025 is outside 1 to 1024"}},
      {"65 cores",
       "cores: {value: 4,",
       "cores: {value: 65,",
       {"cores.value: 65 is outside 1 to 64"}},
      {"no power of two",
       "lanes: {value: 256,",
       "lanes: {value: 200,",
       {"vector.lanes.value: 200 is not a power of two"}},
      {"a size that is no power of two",
       "line_bytes: {value: 64,",
       "line_bytes: {value: 96,",
       {"scalar.line_bytes.value: 96 is not a power of two"}},
      {"a size in decimal units",
       "icache_bytes: {value: 32 KiB,",
       "icache_bytes: {value: 32 KB,",
       {"scalar.icache_bytes.value: '32 KB' is not a whole number",
        "sizes may end in KiB, MiB or GiB"}},
      {"a size outside its range",
       "icache_bytes: {value: 32 KiB,",
       "icache_bytes: {value: 32 MiB,",
       {"scalar.icache_bytes.value: 32 MiB is outside 256 to 16 MiB"}},
      {"a size that is no multiple of a page",
       "local_bytes: {value: 8 MiB,",
       "local_bytes: {value: 8388609,",
       {"local_bytes.value: 8388609 is not a multiple of 4 KiB"}},
      {"a rate that is no whole number of thousandths",
       "rate_32: {value: 0.5,",
       "rate_32: {value: 1/3,",
       {"matrix.rate_32.value: '1/3' is not a ratio: write it as 2, 0.5 or 1/2, in whole "
        "thousandths"}},
      {"a rate of zero",
       "rate_32: {value: 0.5,",
       "rate_32: {value: 0,",
       {"matrix.rate_32.value: 0 is outside 0.001 to 64"}},
      {"a rate in words",
       "rate_32: {value: 0.5,",
       "rate_32: {value: half,",
       {"matrix.rate_32.value: 'half' is not a ratio"}},

      // Names.
      {"an unknown choice",
       "dataflow: {value: weight_stationary,",
       "dataflow: {value: row_stationary,",
       {"matrix.dataflow.value: 'row_stationary' is none of weight_stationary, output_stationary"}},
      {"a number for a choice",
       "topology: {value: crossbar,",
       "topology: {value: 2,",
       {"network.topology.value: is '2'; expected text"}},
      {"an unknown memory",
       "preset: {value: hbm2-2400,",
       "preset: {value: hbm2-2401,",
       {"memory.preset: there is no parts/memory/hbm2-2401.yaml; known: ", "hbm2-2400,"}},
      {"a path for a memory",
       "preset: {value: hbm2-2400,",
       "preset: {value: ../memory/hbm2-2400,",
       {"memory.preset: there is no parts/memory/'../memory/hbm2-2400'; known: "}},
      {"an unknown energy table",
       "table: {value: cmos45-hbm2,",
       "table: {value: cmos3,",
       {"energy.table: there is no parts/energy/cmos3.yaml; known: cmos45-hbm2"}},
      {"an unknown profile",
       "Et-fp8,",
       "Et-fp9,",
       {"profiles: unknown profile 'Et-fp9'; known: Et-"}},
      {"a profile that stands twice",
       "Et-fp8,",
       "Et-f16,",
       {"profiles: profile Et-f16 stands twice"}},
      {"no Et-base", "[Et-base, ", "[", {"profiles: Et-base is missing: every machine has it"}},
      {"one profile without a list",
       "[Et-base, Et-f16, Et-f32mm, Et-fp8, Et-net]",
       "Et-base",
       {"profiles: is 'Et-base'; expected a list"}},

      // Values that do not go together.
      {"sets that are no power of two",
       "icache_bytes: {value: 32 KiB,",
       "icache_bytes: {value: 24 KiB,",
       {"scalar.icache_bytes: 24 KiB is no power of two times scalar.line_bytes * scalar.ways = "
        "256; 16 KiB would be"}},
      {"a cache without one set",
       "dcache_bytes: {value: 16 KiB,",
       "dcache_bytes: {value: 300,",
       {"scalar.dcache_bytes: 300 is no power of two times scalar.line_bytes * scalar.ways = 256; "
        "256 would be"}},
      {"a scan wider than the lanes",
       "scan: {value: 8,",
       "scan: {value: 512,",
       {"vector.scan: 512 elements a cycle are more than there are lanes, 256"}},
      {"a matrix port wider than the banks",
       "port_bytes: {value: 256, source: \"design choice of Etalon: 128 bf16",
       "port_bytes: {value: 8192, source: \"design choice of Etalon: 128 bf16",
       {"matrix.port_bytes: 8192 bytes a cycle are more than all banks give, local.banks * "
        "local.bank_bytes = 4096"}},
      {"an accumulator port wider than the banks",
       "accumulator_port_bytes: {value: 512,",
       "accumulator_port_bytes: {value: 8192,",
       {"matrix.accumulator_port_bytes: 8192 bytes a cycle are more"}},
      {"a vector port wider than the banks",
       "port_bytes: {value: 1024,",
       "port_bytes: {value: 8192,",
       {"vector.port_bytes: 8192 bytes a cycle are more"}},
      {"a DMA port wider than the banks",
       "port_bytes: {value: 256, source: \"design choice of Etalon: all network",
       "port_bytes: {value: 8192, source: \"design choice of Etalon: all network",
       {"dma.port_bytes: 8192 bytes a cycle are more"}},
      {"a burst in two channels",
       "interleave_bytes: {value: 256,",
       "interleave_bytes: {value: 32,",
       {"memory.interleave_bytes: 32 is not a multiple of dma.burst_bytes = 64: a burst would lie "
        "in two channels"}},
      {"channels of different size",
       "global_bytes: {value: 16 GiB,",
       "global_bytes: {value: 16388 KiB,",
       {"address_map.global_bytes: 16388 KiB is not a multiple of memory.channels * "
        "memory.interleave_bytes = 8 KiB: channels would differ in size"}},
      {"memory beyond its region",
       "global_base: {value: 0x80000000,",
       "global_base: {value: 0x3fc0000000,",
       {"address_map.global_bytes: global memory of 16 GiB at 0x3fc0000000 passes the end of its "
        "region, 0x4000000000"},
       1},
      {"memory before its region",
       "global_base: {value: 0x80000000,",
       "global_base: {value: 0x1000,",
       {"address_map.global_base.value: 0x1000 is outside 0x80000000 to 0x3ffffff000"}},
      {"a crossbar crossed in a cycle",
       "latency: {value: 8,",
       "latency: {value: 1,",
       {"network.latency: 1 cycle is too short for a crossbar: into it and out of it takes 2"}},
      {"bandwidth of no links",
       "count: {value: 2,",
       "count: {value: 0,",
       {"links.megabytes_per_second: 50000 of no links: with links.count 0 it is 0"},
       1},
      {"links without bandwidth",
       "megabytes_per_second: {value: 50000,",
       "megabytes_per_second: {value: 0,",
       {"links.megabytes_per_second: 0 of 2 links: only links.count 0 has that"}},
      {"links without latency",
       "latency_ns: {value: 500,",
       "latency_ns: {value: 0,",
       {"links.latency_ns: 0 of 2 links: only links.count 0 has that"}},
      {"links that no program can name",
       ", Et-net]",
       "]",
       {"profiles: Et-net is missing: a machine with links.count 2 has it; leave it out where "}},
      {"links without payload",
       "packet_bytes: {value: 256,",
       "packet_bytes: {value: 0,",
       {"links.packet_bytes: 0 of 2 links: only links.count 0 has that"}},
      {"links that nothing may be sent by",
       "outstanding: {value: 256,",
       "outstanding: {value: 0,",
       {"links.outstanding: 0 of 2 links: only links.count 0 has that"}},
      {"a packet larger than any",
       "packet_bytes: {value: 256,",
       "packet_bytes: {value: 1 MiB,",
       {"links.packet_bytes.value: 1 MiB is outside 0 to 64 KiB"}},
      {"a topology that links do not have",
       "topology: {value: ring,",
       "topology: {value: mesh,",
       {"links.topology.value: 'mesh' is none of ring, torus, switch"}},
      {"a ring of an odd number of links",
       "count: {value: 2,",
       "count: {value: 3,",
       {"links.count: 3 links do not share out among the 2 neighbours of a ring; a multiple of 2 "
        "would, or links.topology switch"}},
      {"a torus of a ring's links",
       "topology: {value: ring,",
       "topology: {value: torus,",
       {"links.count: 2 links do not share out among the 4 neighbours of a torus; a multiple of 4 "
        "would, or links.topology switch"},
       1},
      {"a signal that is there before it is sent",
       "\nsignal:\n  latency: {value: 1,",
       "\nsignal:\n  latency: {value: 0,",
       {"signal.latency.value: 0 is outside 1 to 1000"},
       1},
  };
  return kFiles;
}

/// 1-based line of what was put in, without the line breaks it begins with.
long lineOf(const std::string& text, size_t at) {
  while (at < text.size() && text[at] == '\n') ++at;
  return 1 + std::count(text.begin(), text.begin() + static_cast<long>(at), '\n');
}

void PrintTo(const WrongFile& wrong, std::ostream* out) { *out << wrong.what; }

class WrongMachine : public ::testing::TestWithParam<WrongFile> {};

TEST_P(WrongMachine, IsRefusedWithPlaceAndRemedy) {
  const WrongFile& wrong = GetParam();
  static const auto kProfiles = shippedProfiles().value();
  std::string text = readFile(ETALON_SOURCE_DIR "/isa/machines/base.yaml").value();
  const std::string from = wrong.from, to = wrong.to;
  const size_t at = text.find(from);
  ASSERT_NE(at, std::string::npos) << from;
  ASSERT_EQ(text.find(from, at + 1), std::string::npos) << from << " stands twice";
  text.replace(at, from.size(), to);
  const std::string folder = ::testing::TempDir() + "wrong_" + std::to_string(::getpid());
  std::filesystem::create_directory(folder);
  ASSERT_TRUE(writeFile(folder + "/base.yaml", text).ok());
  const Result<Machine> machine = loadMachine(folder + "/base.yaml", kProfiles);
  ASSERT_FALSE(machine.ok());
  const std::string& message = machine.error().message;
  const std::string place =
      wrong.line_after == kAnyLine
          ? folder + "/base.yaml:"
          : folder + "/base.yaml:" + std::to_string(lineOf(text, at) + wrong.line_after) + ": ";
  EXPECT_THAT(message, StartsWith(place));
  for (const char* part : wrong.says) EXPECT_THAT(message, HasSubstr(part));
}

INSTANTIATE_TEST_SUITE_P(Files, WrongMachine, ::testing::ValuesIn(wrongFiles()),
                         [](const auto& info) {
                           std::string name = info.param.what;
                           std::ranges::replace_if(
                               name, [](char c) { return std::isalnum(c) == 0; }, '_');
                           return name;
                         });

}  // namespace
}  // namespace etalon::isa
