// SPDX-License-Identifier: Apache-2.0
// The detector against the definition, on random traces over a few bytes.
#include <gtest/gtest.h>

#include <map>
#include <random>
#include <set>

#include "isa/base/fuzz_scale.h"
#include "isa/state/rule_test.h"
#include "sim/arch/race_oracle.h"

namespace etalon::sim {
namespace {

using Type = TraceEvent::Type;
using PcPair = std::pair<uint64_t, uint64_t>;

// Bytes around a line boundary, so that lines split, join and are crossed.
constexpr uint64_t kFirstByte = 61;

class TraceMaker {
 public:
  TraceMaker(uint64_t seed, uint32_t cores) : random_(seed), cores_(cores) {}

  std::vector<TraceEvent> make(size_t events, bool distinct_pcs) {
    // Each trace leans its own way: without this most traces race at once and say little.
    for (int& weight : sync_weights_) weight = pick(3) == 0 ? 4 : 1;
    access_share_ = 40 + pick(45);
    atomic_share_ = pick(3) == 0 ? 80 : 0;
    std::vector<TraceEvent> trace;
    for (size_t i = 0; i < events; ++i) {
      TraceEvent e = pick(100) < access_share_ ? makeAccess() : makeSync();
      e.pc = 0x1000 + 4 * (distinct_pcs ? i : uint64_t{e.core} * 8 + pick(5));
      trace.push_back(e);
    }
    return trace;
  }

 private:
  uint32_t pick(uint32_t n) { return static_cast<uint32_t>(random_() % n); }

  void place(TraceEvent& e) {
    e.region = pick(3) == 0 ? 1 + pick(cores_) : 0;
    const bool wide = pick(8) == 0;
    e.offset = wide ? 0 : kFirstByte + pick(5);
    e.size = wide ? (e.type == Type::kAccess && isTile(e.kind) ? 128 : 1) : 1 + pick(3);
    if (wide && e.size == 1) e.offset = 64;
  }

  TraceEvent makeAccess() {
    TraceEvent e;
    e.core = static_cast<uint16_t>(pick(cores_));
    constexpr AccessKind kCommon[] = {AccessKind::kLoad, AccessKind::kStore, AccessKind::kTileRead,
                                      AccessKind::kTileWrite};
    constexpr AccessKind kAtomics[] = {AccessKind::kTileFloatAdd, AccessKind::kTileFloatAdd,
                                       AccessKind::kTileAtomic, AccessKind::kAtomic,
                                       AccessKind::kLoadReserved};
    e.kind = pick(100) < atomic_share_ ? kAtomics[pick(5)]
             : pick(3) == 0            ? static_cast<AccessKind>(pick(kAccessKinds))
                                       : kCommon[pick(4)];
    place(e);
    e.rl = !isTile(e.kind) && e.kind != AccessKind::kLoad && e.kind != AccessKind::kStore &&
           pick(2) == 0;
    return e;
  }

  TraceEvent makeSync() {
    TraceEvent e;
    e.core = static_cast<uint16_t>(pick(cores_));
    int total = 0;
    for (int weight : sync_weights_) total += weight;
    int at = static_cast<int>(pick(static_cast<uint32_t>(total)));
    int type = 0;
    while (at >= sync_weights_[type]) at -= sync_weights_[type++];
    e.type = static_cast<Type>(1 + type);
    place(e);
    e.size = 1 + pick(70);
    if (e.offset + e.size > 128) e.size = 1;
    e.semaphore = pick(2);
    e.mask = 1 + pick((1u << cores_) - 1);
    if (e.type == Type::kBarrier) {
      while ((e.mask >> e.core & 1) == 0) e.core = static_cast<uint16_t>(pick(cores_));
    }
    e.pred_succ = pick(2) == 0 ? 0x33 : static_cast<uint8_t>(pick(4) << 4 | pick(4));
    e.tso = pick(8) == 0;
    return e;
  }

  std::mt19937_64 random_;
  uint32_t cores_;
  int sync_weights_[6] = {};
  uint32_t access_share_ = 50;
  uint32_t atomic_share_ = 0;
};

RaceDetector makeDetector(uint32_t cores, bool allow_single_core = false) {
  auto detector = RaceDetector::create({.cores = cores,
                                        .global_bytes = 4096,
                                        .local_bytes = 4096,
                                        .max_reports = 10'000,
                                        .allow_single_core = allow_single_core});
  EXPECT_TRUE(detector.ok());
  return std::move(detector).value();
}

std::string describe(const std::vector<TraceEvent>& trace) {
  std::string text;
  for (const TraceEvent& e : trace) {
    text += "\n  pc " + std::to_string(e.pc) + " core " + std::to_string(e.core) + " type " +
            std::to_string(int(e.type));
    text += e.type == Type::kAccess ? std::string(" ") + accessKindName(e.kind) : "";
    text += " rl " + std::to_string(e.rl) + " region " + std::to_string(e.region) + " [" +
            std::to_string(e.offset) + "," + std::to_string(e.size) + ") sem " +
            std::to_string(e.semaphore) + " mask " + std::to_string(e.mask) + " fence " +
            std::to_string(e.pred_succ) + (e.tso ? " tso" : "");
  }
  return text;
}

// Every reported pair is a finding by the definition (on the reported byte, when pcs are distinct),
// and every access with a finding is reported at least once.
void compare(const std::vector<TraceEvent>& trace, const std::set<OraclePair>& found,
             const std::vector<RaceReport>& reports, bool distinct) {
  std::set<PcPair> expected;
  std::set<uint64_t> finding;
  std::set<std::tuple<uint64_t, uint64_t, uint32_t, uint64_t>> places;
  for (const OraclePair& pair : found) {
    expected.insert({trace[pair.first].pc, trace[pair.second].pc});
    finding.insert(trace[pair.second].pc);
    places.insert({trace[pair.first].pc, trace[pair.second].pc, pair.region, pair.offset});
  }
  std::set<uint64_t> reported;
  for (const RaceReport& report : reports) {
    const uint64_t first = report.first.site.pc;
    const uint64_t second = report.second.site.pc;
    reported.insert(second);
    ASSERT_TRUE(expected.contains({first, second})) << report.text << describe(trace);
    if (distinct) {
      ASSERT_TRUE(places.contains({first, second, report.region.index, report.offset}))
          << report.text << describe(trace);
    }
  }
  for (uint64_t pc : finding) {
    ASSERT_TRUE(reported.contains(pc)) << "no report for pc " << pc << describe(trace);
  }
}

void compare(const std::vector<TraceEvent>& trace, const RaceDetector& detector, bool distinct) {
  const OracleFindings found = findingsByDefinition(trace);
  compare(trace, found.races, detector.reports(), distinct);
  compare(trace, found.order_dependences, detector.orderDependences(), distinct);
}

struct Case {
  uint32_t cores;
  bool distinct_pcs;
  size_t sweep_limit;
};

class RandomTraces : public testing::TestWithParam<Case> {};

TEST_P(RandomTraces, RaceAsTheDefinitionSays) {
  SHOWS(sync_race);
  const auto [cores, distinct, sweep_limit] = GetParam();
  size_t racing = 0, order_dependent = 0;
  const auto traces = static_cast<uint64_t>(2500 * fuzzScale());
  for (uint64_t seed = 0; seed < traces && !HasFailure(); ++seed) {
    TraceMaker maker(seed * 8 + cores, cores);
    const auto trace = maker.make(6 + seed % 50, distinct);
    RaceDetector detector = makeDetector(cores);
    if (sweep_limit != 0) detector.setSweepLimit(sweep_limit);
    replay(trace, cores, detector);
    compare(trace, detector, distinct);
    racing += detector.raceCount() != 0;
    order_dependent += detector.orderDependenceCount() != 0;
  }
  // Both answers must have been asked for often enough.
  for (const size_t count : {racing, order_dependent}) {
    EXPECT_GT(count, traces / 20);
    EXPECT_LT(count, traces - traces / 20);
  }
}

INSTANTIATE_TEST_SUITE_P(AllSizes, RandomTraces,
                         testing::Values(Case{1, true, 0}, Case{2, true, 0}, Case{3, true, 0},
                                         Case{4, true, 0}, Case{1, false, 0}, Case{2, false, 0},
                                         Case{3, false, 0}, Case{4, false, 0}, Case{2, true, 1},
                                         Case{3, false, 4}));

TEST(RandomTraces, OfOneCoreGiveTheSameReportsOnTheReducedPath) {
  const auto traces = static_cast<uint64_t>(6000 * fuzzScale());
  for (uint64_t seed = 0; seed < traces && !HasFailure(); ++seed) {
    TraceMaker maker(seed, 1);
    const auto trace = maker.make(6 + seed % 50, seed % 2 == 0);
    RaceDetector general = makeDetector(1, false);
    RaceDetector reduced = makeDetector(1, true);
    replay(trace, 1, general);
    replay(trace, 1, reduced);
    ASSERT_FALSE(general.singleCore());
    ASSERT_TRUE(reduced.singleCore());
    ASSERT_EQ(general.raceCount(), reduced.raceCount()) << describe(trace);
    for (size_t i = 0; i < general.reports().size(); ++i) {
      ASSERT_EQ(general.reports()[i].text, reduced.reports()[i].text) << describe(trace);
    }
    ASSERT_EQ(general.orderDependenceCount(), reduced.orderDependenceCount()) << describe(trace);
    for (size_t i = 0; i < general.orderDependences().size(); ++i) {
      ASSERT_EQ(general.orderDependences()[i].text, reduced.orderDependences()[i].text)
          << describe(trace);
    }
  }
}

}  // namespace
}  // namespace etalon::sim
