// SPDX-License-Identifier: Apache-2.0
// The race detector in snapshots. Each transfer() both reads and writes; tables without an order are written sorted, so
// that equal states are equal bytes. What reading checks is what the detector relies on: numbers of states, releases and
// cores, and places in memory.
#include <algorithm>

#include "sim/arch/race_detector.h"
#include "sim/arch/snapshot.h"

namespace etalon::sim {
namespace {

/// A list that is kept as a count and as many elements, each of a form that only `read_one` can make.
template <class Archive, class List, class F>
void transferList(Archive& archive, List& list, uint64_t bytes_each, F read_one) {
  if constexpr (Archive::kReading) {
    list.clear();
    for (uint64_t n = archive.count(bytes_each); n > 0 && !archive.failed(); --n)
      archive(list.emplace_back(read_one()));
  } else {
    archive(uint64_t{list.size()});
    for (const auto& element : list) archive(element);
  }
}

}  // namespace

template <class Archive, class Self>
void OrderPoint::transfer(Archive& archive, Self& self) {
  archive(self.core, self.kind, self.range_fence, self.time);
}

template <class Archive, class Self>
void AccessRecord::transfer(Archive& archive, Self& self) {
  archive(self.pc, self.insn, self.core, self.kind, self.release, self.time, self.after);
}

template <class Archive, class Self>
void StatePool::transfer(Archive& archive, Self& self) {
  // States that are not in use are empty, and are used again in ascending order.
  archive(self.states_);
  if constexpr (Archive::kReading) {
    archive.require(!self.states_.empty() && self.states_[0].empty(), "a first state not empty");
    if (archive.failed()) self.states_.assign(1, {});
    self.free_.clear();
    self.by_hash_.clear();
    self.addToHash(0);
    for (auto id = static_cast<StateId>(self.states_.size()); id-- > 1;) {
      if (self.states_[id].empty())
        self.free_.push_back(id);
      else
        self.addToHash(id);
    }
  }
}

template <class Archive, class Self>
void HappensBefore::Core::transfer(Archive& archive, Self& self) {
  archive(self.load_view, self.store_view, self.tile_view, self.loads_after, self.stores_after,
          self.now, self.range_fences, self.store_release, self.store_release_valid);
}

template <class Archive, class Self>
void HappensBefore::transfer(Archive& archive, Self& self) {
  const auto cores = static_cast<uint32_t>(self.cores_.size());
  const uint64_t clock_bytes = uint64_t{cores} * kComponents * sizeof(Time);
  for (auto& core : self.cores_) archive(core);
  transferList(archive, self.releases_, clock_bytes, [&] { return VectorClock(cores); });
  if constexpr (Archive::kReading) {
    const uint64_t releases = self.releases_.size();
    archive.require(releases >= 1, "no empty release");
    for (const Core& core : self.cores_)
      archive.require(core.store_release < releases, "a release that there is not");
    self.semaphores_.clear();
    for (uint64_t n = archive.count(clock_bytes); n > 0 && !archive.failed(); --n) {
      uint64_t number = 0;
      VectorClock clock(cores);
      archive(number, clock);
      self.semaphores_.insert_or_assign(number, std::move(clock));
    }
  } else {
    std::vector<uint64_t> numbers;
    for (const auto& entry : self.semaphores_) numbers.push_back(entry.first);
    std::ranges::sort(numbers);
    archive(uint64_t{numbers.size()});
    for (const uint64_t number : numbers) archive(number, self.semaphores_.at(number));
  }
}

template <class Archive, class Self>
void ShadowMemory::transfer(Archive& archive, Self& self) {
  constexpr uint64_t kChunkLines = kChunkBytes / kLineBytes;
  constexpr uint32_t kNoMoreChunks = ~uint32_t{0};
  for (uint32_t r = 0; r < self.regions_.size(); ++r) {
    auto& region = self.regions_[r];
    if (region.size == 0) continue;
    const uint64_t chunks = region.size / kChunkBytes + 1;
    const uint64_t lines = region.size / kLineBytes + 1;
    if constexpr (Archive::kReading) {
      for (uint32_t chunk = 0; !archive.failed();) {
        archive(chunk);
        if (chunk == kNoMoreChunks || archive.failed()) break;
        archive.require(chunk < chunks, "shadow of bytes outside of their memory");
        if (archive.failed()) break;
        region.touched.template as<uint8_t>()[chunk] = 1;
        for (uint64_t i = chunk * kChunkLines; i < std::min(lines, (chunk + 1) * kChunkLines);
             ++i) {
          uint32_t& line = self.lines(r)[i];
          archive(line);
          if (!isBlock(line)) continue;
          line = 0;
          StateId* bytes = self.expand(line);
          for (uint64_t b = 0; b < kLineBytes; ++b) archive(bytes[b]);
          if (archive.failed()) break;
        }
      }
    } else {
      for (uint32_t chunk = 0; chunk < chunks; ++chunk) {
        if (region.touched.template as<uint8_t>()[chunk] == 0) continue;
        archive(chunk);
        for (uint64_t i = chunk * kChunkLines; i < std::min(lines, (chunk + 1) * kChunkLines);
             ++i) {
          const uint32_t line = region.lines.template as<uint32_t>()[i];
          archive(isBlock(line) ? kBlockBit : line);
          if (!isBlock(line)) continue;
          const auto* bytes =
              self.blocks_.template as<StateId>() + uint64_t{line & ~kBlockBit} * kLineBytes;
          for (uint64_t b = 0; b < kLineBytes; ++b) archive(bytes[b]);
        }
      }
      archive(kNoMoreChunks);
    }
  }
}

template <class Archive, class Self>
void StoreLog::Entry::transfer(Archive& archive, Self& self) {
  archive(self.pc, self.offset, self.length, self.insn);
}

template <class Archive, class Self>
void StoreLog::transfer(Archive& archive, Self& self) {
  archive(self.pages_, self.entries_, self.fences_);
  if constexpr (Archive::kReading) {
    const uint64_t bytes = self.pages_.size() / sizeof(uint32_t) * kPageBytes - kPageBytes;
    archive.require(self.entries_.size() < kEntries, "a list of stores that is too long");
    for (const Entry& entry : self.entries_)
      archive.require(
          entry.length >= 1 && entry.offset < bytes && entry.length <= bytes - entry.offset,
          "a noted store outside of memory");
  }
}

template <class Archive, class Self>
void AccessSite::transfer(Archive& archive, Self& self) {
  archive(self.core, self.pc, self.insn);
}

template <class Archive, class Self>
void RacingAccess::transfer(Archive& archive, Self& self) {
  archive(self.site, self.kind);
}

template <class Archive, class Self>
void RaceReport::transfer(Archive& archive, Self& self) {
  archive(self.first, self.second, self.region.index, self.offset, self.text);
}

template <class Archive, class Self>
void RaceDetector::Reports::transfer(Archive& archive, Self& self) {
  if constexpr (Archive::kReading) {
    std::vector<std::pair<uint64_t, uint64_t>> pairs;
    archive(pairs, self.reports);
    self.pairs = {pairs.begin(), pairs.end()};
  } else {
    std::vector<std::pair<uint64_t, uint64_t>> pairs(self.pairs.begin(), self.pairs.end());
    std::ranges::sort(pairs);
    archive(pairs, self.reports);
  }
}

template <class Archive, class Self>
void RaceDetector::transfer(Archive& archive, Self& self) {
  archive(self.order_, self.pool_, self.shadow_, self.log_, self.load_pending_, self.races_,
          self.order_dependences_);
  if constexpr (Archive::kReading) {
    self.checkRead(archive);
    self.setLimits();
  }
}
template void RaceDetector::transfer(SnapshotWriter&, const RaceDetector&);
template void RaceDetector::transfer(SnapshotReader&, RaceDetector&);

void RaceDetector::checkRead(SnapshotReader& in) {
  const uint32_t cores = order_.cores();
  const auto known = [&](uint16_t core, AccessKind kind) {
    in.require(core < cores && static_cast<uint32_t>(kind) < kAccessKinds,
               "an access by no core or of no kind");
  };
  // Numbers in use are below capacity() from now on: anything else would be read or marked beyond the tables.
  const size_t states = pool_.capacity();
  in.require(states < ShadowMemory::kMaxStates, "too many states");
  for (StateId id = 0; id < states; ++id) {
    for (const AccessRecord& record : pool_[id]) {
      known(record.core, record.kind);
      in.require(record.release < order_.releaseCount(), "a release that there is not");
      for (const OrderPoint& point : record.after) known(point.core, point.kind);
    }
  }
  in.require(in.failed() || shadow_.statesBelow(static_cast<StateId>(states)),
             "a byte in a state that there is not");
  for (const Reports* reports : {&races_, &order_dependences_}) {
    in.require(reports->reports.size() == std::min(max_reports_, reports->pairs.size()),
               "lists of races that do not have as many as counted");
    for (const RaceReport& report : reports->reports) {
      known(report.first.site.core, report.first.kind);
      known(report.second.site.core, report.second.kind);
      in.require(report.region.index < lines_.size(), "a race in no memory");
    }
  }
}

bool ShadowMemory::statesBelow(StateId count) {
  bool below = true;
  forEachState([&](StateId state) { below &= state < count; });
  return below;
}

}  // namespace etalon::sim
