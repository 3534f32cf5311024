// SPDX-License-Identifier: Apache-2.0
#pragma once

// Tests only: tokens of DMA instructions, and both engines of a core with a network and ideal channels behind them.

#include <gtest/gtest.h>

#include <map>

#include "sim/fabric/fabric_loop.h"
#include "sim/units/dma_engine.h"

namespace etalon::sim::dma_test {

constexpr uint64_t kGlobal = 0x80000000;

inline isa::Timing baseTiming() {
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

/// A packed tile of rows x cols elements.
inline TileUse tileAt(uint32_t base, uint32_t rows, uint32_t cols, ElementType type, bool writes) {
  TileUse use;
  use.tile.base = base;
  use.tile.outer = 1;
  use.tile.inner = rows;
  use.tile.cols = cols;
  use.tile.type = static_cast<uint8_t>(type);
  use.tile.istride = use.tile.ostride = cols * use.tile.elementBytes();
  use.span = {base, base + uint64_t{rows} * use.tile.istride};
  use.reads = !writes;
  use.writes = writes;
  return use;
}

/// rows x cols of a matrix whose rows are `stride` bytes apart.
inline ViewUse viewAt(uint64_t base, uint32_t rows, uint32_t cols, int64_t stride, ElementType type,
                      bool writes) {
  ViewUse use;
  const int64_t size = elementInfo(type).bits / 8;
  use.view.base = base;
  use.view.type = static_cast<uint8_t>(type);
  use.view.naxes = use.view.nbox = 2;
  use.view.ncol = 1;
  use.view.axes[0] = {rows, stride, 0};
  use.view.axes[1] = {cols, size, 0};
  use.view.box[0] = {rows, 0, 1};
  use.view.box[1] = {cols, 1, 1};
  const isa::ByteInterval hull = isa::boxHull(use.view);
  use.span = {static_cast<uint64_t>(hull.lo), static_cast<uint64_t>(hull.hi)};
  use.reads = !writes;
  use.writes = writes;
  return use;
}

inline Token token(uint64_t sequence, const TileUse& tile, const ViewUse& view) {
  Token t;
  t.sequence = sequence;
  t.unit = tile.writes ? isa::Unit::load : isa::Unit::store;
  t.tile_count = 1;
  t.tile_uses[0] = tile;
  t.view = view;
  return t;
}

inline Token load(uint64_t sequence, uint32_t local, uint64_t global, uint32_t rows, uint32_t cols,
                  int64_t stride, ElementType type = ElementType::u8) {
  return token(sequence, tileAt(local, rows, cols, type, true),
               viewAt(global, rows, cols, stride, type, false));
}
inline Token store(uint64_t sequence, uint32_t local, uint64_t global, uint32_t rows, uint32_t cols,
                   int64_t stride, ElementType type = ElementType::u8) {
  return token(sequence, tileAt(local, rows, cols, type, false),
               viewAt(global, rows, cols, stride, type, true));
}

/// The engines of core 0 on an idle chip of two. Instructions are taken as soon as the engine accepts them.
class DmaBench final : public UnitSink {
 public:
  explicit DmaBench(const isa::Timing& timing = baseTiming(),
                    const IdealChannel::Shape& shape = {.latency = 50, .bytes_per_cycle = 64})
      : map(timing, 2, kGlobal),
        loop(timing, map, shape),
        local({.banks = 32, .bank_bytes = 128}),
        in(local, timing.dma.port_bytes, timing.dma.burst_bytes),
        out(local, timing.dma.port_bytes, timing.dma.burst_bytes),
        loads(DmaEngine::Kind::load, 0, timing.dma, map, {&in, &out}, requests),
        stores(DmaEngine::Kind::store, 0, timing.dma, map, {&in, &out}, requests) {}

  void readDone(unsigned place, Cycles at) override { read_done[place] = at; }
  void done(unsigned place, Cycles at, const UnitStamps& s) override {
    EXPECT_EQ(at, s.done);
    stamps[place] = s;
  }

  /// Runs all tokens, which are known by their number. Times count from 1, when the first can be taken.
  void run(const std::vector<Token>& tokens) {
    size_t next = 0;
    std::vector<Delivery> answers;
    for (now = 1; now != kNever;) {
      loads.advance(now, *this);
      stores.advance(now, *this);
      for (; next < tokens.size(); ++next) {
        DmaEngine& engine = tokens[next].unit == isa::Unit::load ? loads : stores;
        if (engine.accepts() > now) break;
        engine.take(tokens[next], static_cast<unsigned>(next), now);
      }
      for (const FabricRequest& request : requests) {
        sent.push_back(request);
        loop.network.send(request);
      }
      requests.clear();
      answers.clear();
      loop.advance(now, answers);
      for (const Delivery& answer : answers)
        (answer.request.client == FabricClient::load ? loads : stores).deliver(answer);
      now = std::min({loads.nextTime(), stores.nextTime(), loop.nextTime()});
    }
  }

  FabricMap map;
  FabricLoop loop;
  LocalMemory local;
  BankedPort in, out;
  std::vector<FabricRequest> requests, sent;
  DmaEngine loads, stores;
  std::map<unsigned, UnitStamps> stamps;
  std::map<unsigned, Cycles> read_done;
  Cycles now = 0;
};

}  // namespace etalon::sim::dma_test
