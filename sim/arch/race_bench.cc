// SPDX-License-Identifier: Apache-2.0
// Cost of the detector and the initialised map per access.
#include <benchmark/benchmark.h>

#include "sim/arch/init_map.h"
#include "sim/arch/race_detector.h"

namespace etalon::sim {
namespace {

constexpr uint64_t kBytes = uint64_t{4} << 20;

RaceDetector makeDetector(uint32_t cores) {
  auto detector = RaceDetector::create(
      {.cores = cores, .global_bytes = uint64_t{1} << 30, .local_bytes = uint64_t{8} << 20});
  ETALON_CHECK(detector.ok(), "no race detector");
  return std::move(detector).value();
}

// One instruction over 4 MiB in rows; arguments: cores, row bytes, own local memory or global.
// Two program counters alternate, so every line changes its state at every pass.
template <bool kWrite>
void tileStream(benchmark::State& state) {
  RaceDetector detector = makeDetector(static_cast<uint32_t>(state.range(0)));
  const auto row = static_cast<uint64_t>(state.range(1));
  const MemoryRegion region = state.range(2) != 0 ? MemoryRegion::local(0) : MemoryRegion::global();
  uint64_t pass = 0;
  for (auto _ : state) {
    detector.beginTile({0, 0x1000 + 4 * (pass++ % 2), 0x0B});
    for (uint64_t at = 0; at + row <= kBytes; at += row) {
      if (kWrite) {
        detector.tileWrite(region, at, row);
      } else {
        detector.tileRead(region, at, row);
      }
    }
  }
  const double lines = static_cast<double>(kBytes) / 64;
  state.counters["ns_per_line"] = benchmark::Counter(
      lines * 1e-9, benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}
BENCHMARK(tileStream<false>)
    ->Name("tileRead")
    ->ArgNames({"cores", "row", "local"})
    ->ArgsProduct({{1, 4}, {128, 4096, 100}, {0, 1}});
BENCHMARK(tileStream<true>)
    ->Name("tileWrite")
    ->ArgNames({"cores", "row", "local"})
    ->ArgsProduct({{1, 4}, {128, 4096, 100}, {0, 1}});

// One 4 KiB instruction in an order point of its own: nothing can be remembered.
void tileAfterSignal(benchmark::State& state) {
  RaceDetector detector = makeDetector(4);
  for (auto _ : state) {
    detector.signal(0, 0);
    detector.beginTile({0, 0x1000, 0x0B});
    detector.tileRead(MemoryRegion::global(), 0, 4096);
    detector.tileWrite(MemoryRegion::local(0), 0, 4096);
  }
}
BENCHMARK(tileAfterSignal);

// The scalar accesses of a loop: arguments: cores, store or load, stride and span in bytes.
void scalar(benchmark::State& state) {
  RaceDetector detector = makeDetector(static_cast<uint32_t>(state.range(0)));
  const bool store = state.range(1) != 0;
  const auto stride = static_cast<uint64_t>(state.range(2));
  const auto span = static_cast<uint64_t>(state.range(3));
  uint64_t at = 0;
  uint64_t turn = 0;
  for (auto _ : state) {
    const AccessSite site{0, 0x2000 + 4 * (turn++ & 7), 0x3};
    if (store) {
      detector.scalarStore(site, MemoryRegion::global(), at, 8);
    } else {
      detector.scalarLoad(site, MemoryRegion::global(), at, 8);
    }
    at = (at + stride) & (span - 1);
  }
}
// What the loop above costs without the detector.
void scalarLoopAlone(benchmark::State& state) {
  uint64_t at = 0;
  uint64_t turn = 0;
  for (auto _ : state) {
    AccessSite site{0, 0x2000 + 4 * (turn++ & 7), 0x3};
    benchmark::DoNotOptimize(site);
    at = (at + 8) & 4095;
    benchmark::DoNotOptimize(at);
  }
}
BENCHMARK(scalarLoopAlone);
BENCHMARK(scalar)
    ->ArgNames({"cores", "store", "stride", "span"})
    ->ArgsProduct({{1, 4}, {0, 1}, {8}, {64, 4096, 1 << 24}})
    ->ArgsProduct({{1, 4}, {0, 1}, {4104}, {1 << 24}});

void initMapScalar(benchmark::State& state) {
  auto map = InitMap::create(kBytes, "bench");
  map.value().setRange(0, kBytes);
  uint64_t at = 0;
  for (auto _ : state) {
    benchmark::DoNotOptimize(map.value().allSet(at, 8));
    map.value().setRange(at, 4);
    at = (at + 24) & (kBytes / 2 - 1);
  }
}
BENCHMARK(initMapScalar);

void initMapRow(benchmark::State& state) {
  auto map = InitMap::create(kBytes, "bench");
  map.value().setRange(0, kBytes);
  const auto row = static_cast<uint64_t>(state.range(0));
  uint64_t at = 0;
  for (auto _ : state) {
    benchmark::DoNotOptimize(map.value().allSet(at, row));
    map.value().setRange(at, row);
    at = (at + row) & (kBytes / 2 - 1);
  }
}
BENCHMARK(initMapRow)->Arg(128)->Arg(512)->Arg(4096);

}  // namespace
}  // namespace etalon::sim
