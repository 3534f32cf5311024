// SPDX-License-Identifier: Apache-2.0
// Host time of the whole path DMA -> network -> channel -> network -> DMA, a burst of 64 bytes (the bar is 250 ns on
// requests of 256), of the walk alone, a request (100 ns), and of a packet over a link between chips (200 ns).
#include <benchmark/benchmark.h>

#include "sim/fabric/fabric_loop.h"
#include "sim/fabric/link_traffic.h"
#include "sim/units/dma_engine.h"

namespace etalon::sim {
namespace {

isa::Timing timingOfBase() {
  isa::Timing timing;
  timing.dma = {.load_channels = 4,
                .store_channels = 2,
                .outstanding = 64,
                .burst_bytes = 64,
                .start = 12,
                .runs = 4,
                .indices = 8,
                .port_bytes = 256};
  timing.network = {.ports = 4, .port_bytes = 64, .latency = 8, .queue = 8};
  timing.memory.channels = 32;
  timing.memory.interleave_bytes = 256;
  return timing;
}

/// 512 rows of `columns` bytes, `stride` bytes apart in memory; eight numbers in a row share no byte.
Token tokenOf(uint64_t number, uint32_t columns, int64_t stride, bool store) {
  const uint64_t base = 0x80000000 + number * 0x400000;
  const uint64_t offset = number % 8 * 0x100000;
  Token token;
  token.unit = store ? isa::Unit::store : isa::Unit::load;
  TileUse tile;
  tile.tile = {.base = static_cast<uint32_t>(offset),
               .outer = 1,
               .inner = 512,
               .cols = columns,
               .istride = columns,
               .type = static_cast<uint8_t>(ElementType::u8)};
  tile.span = {offset, offset + uint64_t{512} * columns};
  tile.writes = !store;
  tile.reads = store;
  ViewUse view;
  view.view.base = base;
  view.view.type = static_cast<uint8_t>(ElementType::u8);
  view.view.naxes = view.view.nbox = 2;
  view.view.ncol = 1;
  view.view.axes[0] = {512, stride, 0};
  view.view.axes[1] = {columns, 1, 0};
  view.view.box[0] = {512, 0, 1};
  view.view.box[1] = {columns, 1, 1};
  view.span = {base, base + 512 * static_cast<uint64_t>(stride)};
  view.reads = !store;
  view.writes = store;
  token.tile_uses[0] = tile;
  token.tile_count = 1;
  token.view = view;
  return token;
}

struct NullSink final : UnitSink {
  void readDone(unsigned, Cycles) override {}
  void done(unsigned, Cycles, const UnitStamps&) override {}
};

void stream(benchmark::State& state, bool store) {
  const isa::Timing timing = timingOfBase();
  const FabricMap map(timing, 4, 0x80000000);
  FabricLoop loop(timing, map, {.latency = 60, .bytes_per_cycle = 20});
  LocalMemory local({.banks = 32, .bank_bytes = 128});
  BankedPort in(local, 256, 64), out(local, 256, 64);
  std::vector<FabricRequest> requests;
  NullSink sink;
  DmaEngine engine(store ? DmaEngine::Kind::store : DmaEngine::Kind::load, 0, timing.dma, map,
                   {&in, &out}, requests);
  const auto columns = static_cast<uint32_t>(state.range(0));
  std::vector<Token> tokens;
  for (uint64_t i = 0; i < 64; ++i) tokens.push_back(tokenOf(i, columns, state.range(1), store));
  std::vector<Delivery> answers;
  Cycles now = 0;
  uint64_t taken = 0;
  for (auto _ : state) {
    const uint64_t end = engine.counts().bursts + 100'000;
    while (engine.counts().bursts < end) {
      const Cycles next = std::min(engine.nextTime(), loop.nextTime());
      now = next == kNever ? now + 1 : next;
      local.retire(now);
      engine.advance(now, sink);
      while (engine.accepts() <= now) {
        engine.take(tokens[taken % tokens.size()], 0, now);
        ++taken;
      }
      for (const FabricRequest& request : requests) loop.network.send(request);
      requests.clear();
      answers.clear();
      loop.advance(now, answers);
      for (const Delivery& answer : answers) engine.deliver(answer);
    }
  }
  state.counters["ns/burst"] =
      benchmark::Counter(static_cast<double>(engine.counts().bursts) / 1e9,
                         benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
  state.counters["B/cycle"] =
      static_cast<double>(engine.counts().bursts) * 64 / static_cast<double>(now);
}

/// The walk alone.
void walk(benchmark::State& state) {
  const auto columns = static_cast<uint32_t>(state.range(0));
  const Token token = tokenOf(0, columns, state.range(1), false);
  uint64_t items = 0, sum = 0;
  for (auto _ : state) {
    BurstWalk walk(token.view->view, isa::kNoNamedAxis, {},
                   {.burst_bytes = 64, .request_bytes = 256, .most_elements = 1024});
    for (WalkItem item; walk.next(item); ++items) sum += item.address;
  }
  benchmark::DoNotOptimize(sum);
  state.counters["ns/request"] = benchmark::Counter(
      static_cast<double>(items) / 1e9, benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}

/// 16 devices, each with `range(1)` packets of 256 bytes on their way to all others at random.
void links(benchmark::State& state) {
  constexpr uint16_t kDevices = 16;
  const isa::Timing timing = traffic::linkTiming(static_cast<uint64_t>(state.range(0)), 4);
  LinkFabric fabric(timing, linkLayout(timing.links, kDevices).value());
  uint32_t random = 1;
  const auto send = [&](uint16_t source, Cycles sent) {
    random = random * 1664525 + 1013904223;
    const auto destination = static_cast<uint16_t>((source + 1 + (random >> 16) % 15) % kDevices);
    fabric.send({.sent = sent, .bytes = 256, .source = source, .destination = destination});
  };
  for (uint16_t source = 0; source < kDevices; ++source)
    for (int64_t i = 0; i < state.range(1); ++i) send(source, 1);
  std::vector<LinkDelivery> arrived;
  for (auto _ : state)
    for (int i = 0; i < 1000; ++i) {
      arrived.clear();
      const Cycles now = fabric.nextTime();
      fabric.advance(now, arrived);
      for (const LinkDelivery& delivery : arrived) send(delivery.message.source, now);
    }
  uint64_t hops = 0;
  for (uint32_t output = 0; output < fabric.layout().outputs.size(); ++output)
    for (uint32_t link = 0; link < fabric.layout().outputs[output].links; ++link)
      hops += fabric.use(output, link).packets;
  state.counters["hops/s"] =
      benchmark::Counter(static_cast<double>(hops), benchmark::Counter::kIsRate);
}

void loads(benchmark::State& state) { stream(state, false); }
void stores(benchmark::State& state) { stream(state, true); }
BENCHMARK(walk)->Args({256, 8192})->Args({2048, 8192})->Args({64, 8192})->Args({64, 64});
BENCHMARK(loads)->Args({256, 8192})->Args({1024, 8192})->Args({64, 8192})->Args({2048, 8192});
BENCHMARK(stores)->Args({256, 8192});
BENCHMARK(links)->ArgsProduct(
    {{isa::LinkTiming::kRing, isa::LinkTiming::kTorus, isa::LinkTiming::kSwitch}, {16, 1024}});

}  // namespace
}  // namespace etalon::sim
