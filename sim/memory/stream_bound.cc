// SPDX-License-Identifier: Apache-2.0
#include "sim/memory/stream_bound.h"

#include "sim/memory/dram_channel.h"

namespace etalon::sim {
namespace {

constexpr Bytes kBlock = 4096;
constexpr uint64_t kStreamGap = uint64_t{1}
                                << 30;  // between what is read and what is written, in the channel

/// What one channel sees of the two streams: an interleave block of each of their blocks.
class StreamPieces {
 public:
  StreamPieces(const isa::MemoryTiming& memory, Bytes reads, Bytes writes)
      : piece_(memory.interleave_bytes < kBlock ? memory.interleave_bytes : kBlock),
        reads_(reads),
        all_(reads + writes) {}

  ChannelRequest next() {
    // As many blocks read of those so far as the proportion asks for: Bresenham's line.
    error_ += reads_;
    const bool read = error_ >= all_;
    if (read) error_ -= all_;
    uint64_t& at = read ? read_at_ : written_at_;
    const ChannelRequest request{++tag_, at, static_cast<uint32_t>(piece_), !read};
    at += piece_;
    return request;
  }

 private:
  Bytes piece_;
  Bytes reads_, all_, error_ = 0;
  uint64_t tag_ = 0, read_at_ = 0, written_at_ = kStreamGap;
};

}  // namespace

uint64_t streamBound(const isa::Timing& timing, const isa::DramPreset& preset, Bytes reads,
                     Bytes writes) {
  if (reads + writes == 0) return 0;
  const std::unique_ptr<MemoryChannel> channel = makeChannel(preset, timing.clock_mhz);
  StreamPieces pieces(timing.memory, reads, writes);
  std::vector<ChannelCompletion> completed;
  ChannelRequest request = pieces.next();
  Bytes offered = 0;
  Cycles now = 0;
  while (true) {
    while (offered < kStreamBytes && channel->accepts(request.write, request.bytes)) {
      channel->submit(request, now);
      offered += request.bytes;
      request = pieces.next();
    }
    const Cycles next = channel->nextTime();
    if (next == kNever) break;
    now = next;
    completed.clear();
    channel->advance(now, completed);
  }
  return now == 0 ? 0
                  : static_cast<uint64_t>(static_cast<unsigned __int128>(offered) * 1000 *
                                          timing.memory.channels / now);
}

}  // namespace etalon::sim
