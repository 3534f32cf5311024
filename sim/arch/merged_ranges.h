// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "sim/arch/race_detector.h"

namespace etalon::sim {

/// Collects byte ranges of one memory, which may repeat and overlap, and hands them out merged and ascending.
///
/// Memory is bounded by the distinct ranges, not by those added: a view may name one byte billions of times.
class MergedRanges {
 public:
  void add(uint64_t offset, uint64_t bytes) {
    if (!ranges_.empty() && offset == ranges_.back().offset + ranges_.back().length) {
      ranges_.back().length += bytes;
      return;
    }
    ranges_.push_back({offset, bytes});
    if (ranges_.size() >= limit_) {
      merge();
      limit_ = std::max(kLimit, 2 * ranges_.size());
    }
  }

  const std::vector<ByteRange>& merged() {
    merge();
    return ranges_;
  }

 private:
  static constexpr size_t kLimit = size_t{1} << 16;

  void merge() {
    std::ranges::sort(ranges_, {}, &ByteRange::offset);
    size_t kept = 0;
    for (const ByteRange& range : ranges_) {
      if (kept > 0 && range.offset <= ranges_[kept - 1].offset + ranges_[kept - 1].length) {
        ByteRange& last = ranges_[kept - 1];
        last.length =
            std::max(last.offset + last.length, range.offset + range.length) - last.offset;
      } else {
        ranges_[kept++] = range;
      }
    }
    ranges_.resize(kept);
  }

  std::vector<ByteRange> ranges_;
  size_t limit_ = kLimit;
};

}  // namespace etalon::sim
