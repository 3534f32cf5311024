// SPDX-License-Identifier: Apache-2.0
#include "sim/arch/race_oracle.h"

#include <bitset>
#include <map>

namespace etalon::sim {
namespace {

using Type = TraceEvent::Type;
constexpr size_t kMaxEvents = 96;
// Node 2i is event i, node 2i+1 is its part that touches the byte looked at.
using Nodes = std::bitset<2 * kMaxEvents>;

bool access(const TraceEvent& e) { return e.type == Type::kAccess; }
bool tileAtomic(const TraceEvent& e) {
  return e.kind == AccessKind::kTileAtomic || e.kind == AccessKind::kTileFloatAdd;
}
bool tile(const TraceEvent& e) {
  return e.kind == AccessKind::kTileRead || e.kind == AccessKind::kTileWrite || tileAtomic(e);
}
bool amo(const TraceEvent& e) {
  return e.kind == AccessKind::kAtomic || e.kind == AccessKind::kAtomicAcquire;
}
bool acquires(const TraceEvent& e) {
  return e.kind == AccessKind::kAtomicAcquire || e.kind == AccessKind::kLoadAcquire;
}
bool loadReserved(const TraceEvent& e) {
  return e.kind == AccessKind::kLoadReserved || e.kind == AccessKind::kLoadAcquire;
}
bool writes(const TraceEvent& e) {
  return amo(e) || e.kind == AccessKind::kStore || e.kind == AccessKind::kTileWrite ||
         tileAtomic(e);
}
bool fenceRead(const TraceEvent& e) { return !tile(e) && e.kind != AccessKind::kStore; }
bool fenceWrite(const TraceEvent& e) {
  return !tile(e) && (e.kind == AccessKind::kStore || amo(e));
}
bool touches(const TraceEvent& e, uint32_t region, uint64_t byte) {
  return e.region == region && byte >= e.offset && byte < e.offset + e.size;
}
// Points that order all of their core, older and younger.
bool takesAllOlder(const TraceEvent& e) {
  return e.type == Type::kFence || e.type == Type::kSignal || e.type == Type::kBarrier;
}
bool beforeAllYounger(const TraceEvent& e) {
  return e.type == Type::kFence || e.type == Type::kWait || e.type == Type::kBarrier;
}
bool inCore(const TraceEvent& e, uint16_t core) {
  return e.type == Type::kBarrier ? (e.mask >> core & 1) != 0 : e.core == core;
}
bool sameCore(const TraceEvent& a, const TraceEvent& b) {
  for (uint16_t core = 0; core < 8; ++core) {
    if (inCore(a, core) && inCore(b, core)) return true;
  }
  return false;
}

bool fenceOrders(const TraceEvent& fence, const TraceEvent& a, const TraceEvent& x) {
  const bool w_w = fenceWrite(a) && fenceWrite(x);
  if (fence.tso) return w_w || (fenceRead(a) && (fenceRead(x) || fenceWrite(x)));
  const bool pred =
      ((fence.pred_succ & 0x20) && fenceRead(a)) || ((fence.pred_succ & 0x10) && fenceWrite(a));
  const bool succ =
      ((fence.pred_succ & 0x02) && fenceRead(x)) || ((fence.pred_succ & 0x01) && fenceWrite(x));
  return pred && succ;
}

class ByteGraph {
 public:
  ByteGraph(const std::vector<TraceEvent>& trace, uint32_t region, uint64_t byte)
      : trace_(trace), region_(region), byte_(byte), before_(2 * trace.size()) {
    for (size_t x = 0; x < trace.size(); ++x) {
      for (size_t a = 0; a < x; ++a) eventEdges(a, x);
      if (access(trace[x])) readFrom(x);
      edge(2 * x, 2 * x + 1);
      for (size_t a = 0; a < x; ++a) byteEdges(a, x);
    }
  }

  bool touchesByte(size_t e) const {
    return access(trace_[e]) && touches(trace_[e], region_, byte_);
  }
  bool ordered(size_t a, size_t x) const { return before_[2 * x + 1].test(2 * a + 1); }

 private:
  void edge(size_t from, size_t to) {
    before_[to] |= before_[from];
    before_[to].set(from);
  }
  // The last node of an event as far as this byte is concerned.
  size_t out(size_t e) const { return touchesByte(e) ? 2 * e + 1 : 2 * e; }

  void eventEdges(size_t a_index, size_t x_index) {
    const TraceEvent& a = trace_[a_index];
    const TraceEvent& x = trace_[x_index];
    if (a.type == Type::kSignal && x.type == Type::kWait && a.semaphore == x.semaphore) {
      edge(2 * a_index, 2 * x_index);
    }
    if (!sameCore(a, x)) return;
    const bool fence_between = [&] {
      if (!access(a) || !access(x)) return false;
      for (size_t f = a_index + 1; f < x_index; ++f) {
        const TraceEvent& fence = trace_[f];
        if (fence.type == Type::kRiscvFence && fence.core == a.core && fenceOrders(fence, a, x)) {
          return true;
        }
      }
      return false;
    }();
    const bool x_joins = access(x) || takesAllOlder(x);
    if ((takesAllOlder(x) && (access(a) || beforeAllYounger(a))) ||
        (beforeAllYounger(a) && x_joins) || fence_between) {
      edge(out(a_index), 2 * x_index);
    }
    if (a.type == Type::kRangeFence && access(x) && touches(a, region_, byte_)) {
      edge(2 * a_index, 2 * x_index);
    }
    if (x.type == Type::kRangeFence && touches(x, region_, byte_) && touchesByte(a_index)) {
      edge(2 * a_index + 1, 2 * x_index);
    }
    if (!access(a) || !access(x)) return;
    if (tile(x) && (tile(a) || a.kind != AccessKind::kStore)) edge(out(a_index), 2 * x_index);
    if (acquires(a)) edge(out(a_index), 2 * x_index);
    if (x.rl && !tile(a)) edge(out(a_index), 2 * x_index);
  }

  void byteEdges(size_t a_index, size_t x_index) {
    if (!touchesByte(a_index) || !touchesByte(x_index)) return;
    const TraceEvent& a = trace_[a_index];
    const TraceEvent& x = trace_[x_index];
    if (a.core != x.core) return;
    const bool same_address = !tile(a) && !tile(x) && writes(x);
    const bool interlock = region_ == 1u + x.core && tile(a) != tile(x) && (writes(a) || writes(x));
    if (same_address || interlock) edge(2 * a_index + 1, 2 * x_index + 1);
  }

  void readFrom(size_t x_index) {
    const TraceEvent& x = trace_[x_index];
    if (tile(x) || x.kind == AccessKind::kStore) return;
    for (uint64_t byte = x.offset; byte < x.offset + x.size; ++byte) {
      for (size_t w = x_index; w-- > 0;) {
        const TraceEvent& write = trace_[w];
        if (!access(write) || !writes(write) || !touches(write, x.region, byte)) continue;
        if (!tile(write)) {
          if (write.core != x.core || amo(x)) edge(2 * w, 2 * x_index);
          if (write.core != x.core && x.region == region_ && byte == byte_) {
            edge(2 * w + 1, 2 * x_index + 1);
          }
        }
        break;
      }
    }
  }

  const std::vector<TraceEvent>& trace_;
  uint32_t region_;
  uint64_t byte_;
  std::vector<Nodes> before_;
};

bool conflict(const TraceEvent& a, const TraceEvent& b) {
  const auto atomic = [](const TraceEvent& e) {
    return amo(e) || loadReserved(e) || tileAtomic(e);
  };
  return (writes(a) || writes(b)) && (tile(a) || tile(b)) && !(atomic(a) && atomic(b));
}

// A floating add and any atomic that changes the element.
bool dependsOnOrder(const TraceEvent& a, const TraceEvent& b) {
  const auto updates = [](const TraceEvent& e) { return amo(e) || tileAtomic(e); };
  const auto adds_floats = [](const TraceEvent& e) { return e.kind == AccessKind::kTileFloatAdd; };
  return (adds_floats(a) && updates(b)) || (updates(a) && adds_floats(b));
}

}  // namespace

OracleFindings findingsByDefinition(const std::vector<TraceEvent>& trace) {
  ETALON_CHECK(trace.size() <= kMaxEvents, "the oracle takes at most 96 events");
  std::set<std::pair<uint32_t, uint64_t>> bytes;
  for (const TraceEvent& e : trace) {
    if (!access(e)) continue;
    for (uint64_t i = 0; i < e.size; ++i) bytes.insert({e.region, e.offset + i});
  }
  // Bytes that the same events touch have the same findings.
  std::map<std::pair<uint32_t, std::vector<bool>>, std::vector<uint64_t>> groups;
  for (const auto& [region, byte] : bytes) {
    std::vector<bool> touching;
    for (const TraceEvent& e : trace) {
      touching.push_back((access(e) || e.type == Type::kRangeFence) && touches(e, region, byte));
    }
    groups[{region, touching}].push_back(byte);
  }
  OracleFindings findings;
  for (const auto& [key, group] : groups) {
    const ByteGraph graph(trace, key.first, group.front());
    for (size_t x = 0; x < trace.size(); ++x) {
      for (size_t a = 0; a < x; ++a) {
        if (!graph.touchesByte(a) || !graph.touchesByte(x) || graph.ordered(a, x)) continue;
        for (uint64_t byte : group) {
          const OraclePair pair{a, x, key.first, byte};
          if (conflict(trace[a], trace[x])) findings.races.insert(pair);
          if (dependsOnOrder(trace[a], trace[x])) findings.order_dependences.insert(pair);
        }
      }
    }
  }
  return findings;
}

void replay(const std::vector<TraceEvent>& trace, uint32_t cores, RaceDetector& detector) {
  for (const TraceEvent& e : trace) {
    const AccessSite site{e.core, e.pc, static_cast<uint32_t>(e.pc ^ 0x0B)};
    const MemoryRegion region{e.region};
    const AtomicOrder order{acquires(e), e.rl};
    switch (e.type) {
      case Type::kFence: detector.fence(e.core); continue;
      case Type::kRangeFence: {
        const ByteRange range{e.offset, e.size};
        detector.fenceRange(e.core, region, {&range, 1});
        continue;
      }
      case Type::kSignal: detector.signal(e.core, e.semaphore); continue;
      case Type::kWait: detector.waitAcquire(e.core, e.semaphore); continue;
      case Type::kRiscvFence: detector.riscvFence(e.core, e.pred_succ, e.tso); continue;
      case Type::kBarrier: {
        std::vector<uint16_t> members;
        for (uint16_t core = 0; core < cores; ++core) {
          if (e.mask >> core & 1) members.push_back(core);
        }
        detector.barrier(members);
        continue;
      }
      case Type::kAccess: break;
    }
    if (tile(e)) detector.beginTile(site);
    switch (e.kind) {
      case AccessKind::kLoad: detector.scalarLoad(site, region, e.offset, e.size); break;
      case AccessKind::kLoadReserved:
      case AccessKind::kLoadAcquire:
        detector.loadReserved(site, region, e.offset, e.size, order);
        break;
      case AccessKind::kStore: detector.scalarStore(site, region, e.offset, e.size); break;
      case AccessKind::kAtomic:
      case AccessKind::kAtomicAcquire:
        detector.atomic(site, region, e.offset, e.size, order);
        break;
      case AccessKind::kTileRead: detector.tileRead(region, e.offset, e.size); break;
      case AccessKind::kTileWrite: detector.tileWrite(region, e.offset, e.size); break;
      case AccessKind::kTileAtomic: detector.tileAtomic(region, e.offset, e.size); break;
      case AccessKind::kTileFloatAdd: detector.tileFloatAdd(region, e.offset, e.size); break;
    }
  }
}

}  // namespace etalon::sim
