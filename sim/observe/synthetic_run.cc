// SPDX-License-Identifier: Apache-2.0
#include "sim/observe/synthetic_run.h"

#include <algorithm>
#include <array>
#include <random>
#include <variant>
#include <vector>

#include "isa/codec/codec.h"

namespace etalon::sim {
namespace {

constexpr uint64_t kBase = 0x8000'0000;
constexpr unsigned kCode = 24;  // instruction addresses

/// An instruction of each unit, in the order of Track; the scalar one stands for none.
const std::array<const char*, kTracks> kTexts = {"addi x1, x2, -5", "et.mm tr0, tr1, tr2",
                                                 "et.add tr3, tr4, tr5", "et.ld tr6, vr0, 0",
                                                 "et.st tr7, vr1, 0"};

class Maker {
 public:
  Maker(const RunShape& shape, uint64_t seed, RunObserver& observer)
      : shape_(shape), random_(seed), observer_(observer) {}

  void run(unsigned count) {
    std::vector<std::array<Cycles, kTracks>> ends(shape_.cores);
    for (unsigned core = 0; core < shape_.cores; ++core) makeCore(core, count, ends[core]);
    Cycles total = 1;
    for (const Event& event : events_) total = std::max(total, event.time);
    for (unsigned core = 0; core < shape_.cores; ++core)
      for (int track = 0; track < kTracks; ++track)
        stretch(core, static_cast<Track>(track), Activity::halted, total - ends[core][track], 0,
                ends[core][track]);
    std::ranges::sort(events_, {}, [](const Event& e) { return std::pair(e.time, e.number); });
    for (const Event& event : events_)
      std::visit([&](const auto& what) { tell(what); }, event.what);
    observer_.finish(total);
  }

 private:
  struct Event {
    Cycles time = 0;
    size_t number = 0;
    std::variant<TrackSpan, TileRecord, Transfer> what;
  };
  template <class T>
  void add(Cycles time, const T& what) {
    events_.push_back({time, events_.size(), what});
  }
  void tell(const TrackSpan& span) { observer_.span(span); }
  void tell(const TileRecord& record) { observer_.tile(record); }
  void tell(const Transfer& transfer) { observer_.transfer(transfer); }

  uint64_t below(uint64_t limit) { return random_() % limit; }

  void stretch(unsigned core, Track track, Activity activity, Cycles cycles, uint64_t pc,
               Cycles& end) {
    if (cycles == 0) return;
    const TrackSpan span{static_cast<uint16_t>(core), track, activity, end, end + cycles, pc};
    add(span.end, span);
    end = span.end;
  }

  void makeCore(unsigned core, unsigned count, std::array<Cycles, kTracks>& ends) {
    std::array<uint64_t, kTracks> last{};  // sequence of the unit's last instruction
    for (unsigned i = 1; i <= count; ++i) {
      const auto track = static_cast<Track>(1 + below(kTracks - 1));
      const uint64_t pc = kBase + 4 * below(kCode);
      stretch(core, Track::scalar, Activity::busy, 1 + below(3), pc, ends[0]);
      constexpr std::array waits = {Activity::queue_full, Activity::latency, Activity::cache_miss,
                                    Activity::fence};
      if (below(3) == 0)
        stretch(core, Track::scalar, waits[below(waits.size())], 1 + below(20), pc, ends[0]);
      issue(core, track, i, pc, ends, last);
    }
  }

  void issue(unsigned core, Track track, uint64_t sequence, uint64_t pc,
             std::array<Cycles, kTracks>& ends, std::array<uint64_t, kTracks>& last) {
    const auto unit = static_cast<size_t>(track);
    Cycles& end = ends[unit];
    TileRecord record;
    record.core = static_cast<uint16_t>(core);
    record.track = track;
    record.sequence = sequence;
    record.pc = pc;
    record.instruction = isa::decode(isa::assembleInstruction(kTexts[unit]).value());
    record.issue = ends[0];
    record.ready = record.issue + 2 + below(5);
    if (end < record.issue) stretch(core, track, Activity::empty, record.issue - end, 0, end);
    if (end < record.ready) {
      stretch(core, track, Activity::operand, record.ready - end, pc, end);
      record.waited_for = last[1 + below(kTracks - 1)];
    }
    record.taken = end;
    constexpr std::array own = {Activity::weights, Activity::chain, Activity::ports,
                                Activity::memory};
    stretch(core, track, own[unit - 1], below(4), pc, end);
    record.start = end;
    const Cycles work = 1 + below(30);
    stretch(core, track, Activity::busy, work, pc, end);
    record.first_result = record.start + 1;
    record.read_done = end;
    record.done = end + below(40);  // the next one begins before this one is done
    record.macs = track == Track::matrix ? work * 256 : 0;
    record.elements = track == Track::vector ? work * 16 : 0;
    record.bytes = track == Track::load || track == Track::store ? work * 48 : 0;
    if (record.bytes != 0) {
      const auto path = static_cast<uint16_t>((track == Track::store ? 2 : 0) + below(2));
      add(end, Transfer{path, record.start, end, work * 64, record.bytes});
      add(end, Transfer{4, record.start, end, record.bytes, record.bytes});
    }
    last[unit] = sequence;
    add(record.done, record);
  }

  const RunShape& shape_;
  std::mt19937_64 random_;
  RunObserver& observer_;
  std::vector<Event> events_;
};

}  // namespace

RunShape syntheticShape(unsigned cores) {
  RunShape shape{cores, 940, {}};
  for (const char* level : {"memory read", "memory write"})
    for (const char* name : {"channel 0", "channel 1"})
      shape.paths.push_back({level, name, 64'000 * uint64_t{cores}});
  shape.paths.push_back({"local", "all cores", 0});
  return shape;
}

void syntheticRun(const RunShape& shape, uint64_t seed, unsigned instructions_a_core,
                  RunObserver& observer) {
  Maker(shape, seed, observer).run(instructions_a_core);
}

}  // namespace etalon::sim
