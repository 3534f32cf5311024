// SPDX-License-Identifier: Apache-2.0
#include "sim/observe/occupancy.h"

#include "isa/base/check.h"

namespace etalon::sim {

void Occupancy::add(const TileRecord& record) {
  const auto queue = static_cast<size_t>(record.track);
  const bool in_queue = queue != kWindow && queue < kSeries;
  ETALON_CHECK(in_queue, "a tile instruction of no queue");
  ++changes_[record.issue][kWindow];
  ++changes_[record.issue][queue];
  --changes_[record.taken][queue];
  --changes_[record.done][kWindow];
  const bool is_new =
      record.sequence >= next_ && ahead_.emplace(record.sequence, record.issue).second;
  ETALON_CHECK(is_new, "a tile instruction that was told of before");
  Cycles known = 0;  // whoever is younger was issued here or later
  for (auto oldest = ahead_.begin(); oldest != ahead_.end() && oldest->first == next_;
       oldest = ahead_.erase(oldest), ++next_)
    known = oldest->second;
  flush(known);
}

void Occupancy::flush(Cycles before) {
  while (!changes_.empty() && changes_.begin()->first < before) {
    const auto& [time, change] = *changes_.begin();
    for (size_t series = 0; series < kSeries; ++series) {
      if (change[series] == 0) continue;
      values_[series] += change[series];
      ETALON_CHECK(values_[series] >= 0, "more instructions left than entered");
      emit_(series, time, static_cast<uint64_t>(values_[series]));
    }
    changes_.erase(changes_.begin());
  }
}

}  // namespace etalon::sim
