// SPDX-License-Identifier: Apache-2.0
// Every instruction with tile data, every legal type tuple, pairwise over what else varies, against
// the reference; and the proof, from the generated tables, that nothing is left out.
//
// ETALON_CASE=n in the environment runs one case.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>

#include "isa/base/fuzz_scale.h"
#include "isa/state/rule_test.h"
#include "sim/functional/coverage/runner.h"

namespace etalon::sim::coverage {
namespace {

/// The instructions of the vector, matrix and DMA units have tile data unless they have no operand
/// types at all; set-up and synchronisation act on registers and order.
bool hasTileData(const isa::InstructionInfo& info) { return otherTuples(info.id, {}) > 0; }

/// Instructions outside the scalar unit without tile data. Each is covered by the worked examples
/// of its entry, which the generator demands.
const std::set<std::string_view> kWithoutTileData = {
    "et.tget",    "et.tbase",  "et.tadv",  "et.tshape",  "et.tcols",   "et.tstride", "et.ttype",
    "et.tlink",   "et.tflags", "et.tmov",  "et.tld",     "et.tst",     "et.vld",     "et.vst",
    "et.cld",     "et.cst",    "et.vseek", "et.vadv",    "et.vext",    "et.vget",    "et.cset",
    "et.cget",    "et.tset",   "et.pf",    "et.fence",   "et.fence.t", "et.fence.v", "et.sig",
    "et.barrier", "et.halt",   "et.wait",  "et.waitsub", "et.semr",    "et.ctr",     "et.cap"};

/// Failures of one instruction that are printed; the rest is counted.
constexpr uint64_t kShown = 3;

struct Totals {
  uint64_t instructions = 0, tuples = 0, other_tuples = 0, cases = 0, failures = 0;
};

/// Runs the cases of one instruction and proves that they hold every legal pair.
void runInstruction(const isa::InstructionInfo& info, Runner& runner, Totals& totals) {
  const Family* family = familyOf(info);
  ASSERT_NE(family, nullptr) << info.name << " has tile data and no family of cases";
  const std::vector<std::string>& profiles = runner.machine().profiles;
  const std::vector<TypeTuple> tuples = legalTuples(info.id, profiles);
  const Space space = spaceOf(info, *family, tuples);
  const std::vector<Case> cases = casesOf(info, space, tuples, totals.cases);
  std::vector<Point> executed;
  uint64_t failures = 0;
  const char* only = std::getenv("ETALON_CASE");
  for (const Case& c : cases) {
    executed.push_back(c.point);
    if (only ? std::to_string(c.number) != only : kSanitized && c.number % 4 != 0) continue;
    const auto problem = runner.run(c, *family);
    if (!problem) continue;
    ++totals.failures;
    if (++failures <= kShown) ADD_FAILURE() << *problem;
  }
  const std::vector<std::string> missing = missingPairs(space, executed);
  EXPECT_TRUE(missing.empty()) << info.name << ": " << missing.size() << " pairs in no case, as "
                               << missing.front();
  ++totals.instructions;
  totals.tuples += tuples.size();
  totals.other_tuples += otherTuples(info.id, profiles);
  totals.cases += cases.size();
}

TEST(Coverage, EveryInstructionAgreesWithTheReferenceInEveryLegalPair) {
  SHOWS(vec_widen, vec_round, vec_scalar, vec_classes, vec_move_bits, move_bits, op_shape, op_empty,
        dma_load, dma_store, dma_types, dma_convert, dma_gather, dma_index_outside,
        dma_scatter_order, dma_atomic, dma_atomic_order, dma_atomic_scatter, dma_atomic_types,
        scan_in_place, chain_stochastic, view_outside, rand_state, fault_data);
  auto runner = Runner::create();
  ASSERT_TRUE(runner.ok()) << runner.error().message;
  Totals totals;
  for (const isa::InstructionInfo& info : isa::instructionTable())
    if (info.unit != isa::Unit::scalar && hasTileData(info)) runInstruction(info, **runner, totals);
  EXPECT_EQ(totals.failures, 0u);
  std::cout << "covered " << totals.instructions << " instructions, " << totals.tuples
            << " type tuples, " << totals.cases << " cases; " << totals.other_tuples
            << " tuples need profiles the machine lacks\n";
}

TEST(Coverage, EveryInstructionOfTheDescriptionIsCoveredOrListed) {
  std::set<std::string_view> unused = kWithoutTileData;
  for (const isa::InstructionInfo& info : isa::instructionTable()) {
    if (info.unit == isa::Unit::scalar) continue;
    const bool listed = unused.erase(info.name) != 0;
    EXPECT_NE(hasTileData(info), listed)
        << info.name << (listed ? " has types and needs no exception" : " has no types: list it");
  }
  for (const std::string_view name : unused)
    ADD_FAILURE() << name << " is listed and not in the description";
}

TEST(Coverage, EveryListedInstructionHasAWorkedExampleThatRuns) {
  std::ifstream file(std::filesystem::path(ETALON_BINARY_DIR) / "generated/isa/examples.json");
  const auto entries = nlohmann::json::parse(file, nullptr, false);
  ASSERT_TRUE(entries.is_array());
  std::set<std::string_view> left = kWithoutTileData;
  for (const auto& entry : entries) {
    // An example that faults shows what is refused, not what is done.
    const auto runs = [](const nlohmann::json& example) { return !example.contains("fault"); };
    if (std::ranges::any_of(entry["examples"], runs))
      left.erase(entry["name"].get_ref<const std::string&>());
  }
  for (const std::string_view name : left) ADD_FAILURE() << name << " has no example that runs";
}

TEST(Coverage, TheReferenceIncludesNothingOfTheModel) {
  const std::filesystem::path folder =
      std::filesystem::path(ETALON_SOURCE_DIR) / "sim/functional/coverage/reference";
  const std::regex include("#include \"([^\"]+)\"");
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    ++files;
    std::ifstream file(entry.path());
    for (std::string line; std::getline(file, line);) {
      std::smatch match;
      if (!std::regex_search(line, match, include)) continue;
      const std::string header = match[1];
      EXPECT_TRUE(header == "isa/element_type.h" ||
                  header.starts_with("sim/functional/coverage/reference/"))
          << entry.path() << " includes " << header;
    }
  }
  EXPECT_GT(files, 4);
}

}  // namespace
}  // namespace etalon::sim::coverage
