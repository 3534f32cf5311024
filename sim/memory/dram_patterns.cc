// SPDX-License-Identifier: Apache-2.0
#include "sim/memory/dram_patterns.h"

#include <random>

namespace etalon::sim {
namespace {

constexpr uint64_t kRequest = 64, kMiB = 1 << 20, kCapacity = 512 * kMiB;

class Requests {
 public:
  explicit Requests(size_t count) : count_(count) {}
  bool full() const { return made_.size() == count_; }
  void add(uint64_t address, bool write = false) {
    if (!full()) made_.push_back({address % kCapacity / kRequest * kRequest, write});
  }
  void addRun(uint64_t address, uint64_t bytes, bool write = false) {
    for (uint64_t at = 0; at < bytes; at += kRequest) add(address + at, write);
  }
  std::vector<PatternAccess> take() { return std::move(made_); }

 private:
  size_t count_;
  std::vector<PatternAccess> made_;
};

void tiles(Requests& requests, uint64_t width, uint64_t pitch) {
  constexpr uint64_t kRows = 64;
  for (uint64_t tile = 0; !requests.full(); ++tile) {
    const uint64_t across = pitch / width;
    const uint64_t corner = tile % across * width + tile / across * kRows * pitch;
    for (uint64_t row = 0; row < kRows; ++row) requests.addRun(corner + row * pitch, width);
  }
}

}  // namespace

std::vector<PatternAccess> dramPattern(std::string_view name, size_t count) {
  Requests requests(count);
  std::mt19937_64 random(7);
  if (name == "tile_64x128") {
    tiles(requests, 128, 8192);
    return requests.take();
  }
  if (name == "tile_64x512") {
    tiles(requests, 512, 4096);
    return requests.take();
  }
  for (uint64_t i = 0; !requests.full(); ++i) {
    if (name == "sequential_read" || name == "sequential_write") {
      requests.add(i * kRequest, name == "sequential_write");
    } else if (name == "copy_256" || name == "copy_4k") {
      const uint64_t block = name == "copy_256" ? 256 : 4096;
      requests.addRun(i * block, block);
      requests.addRun(128 * kMiB + 0x2400 + i * block, block, true);
    } else if (name == "triad") {
      requests.add(i * kRequest);
      requests.add(32 * kMiB + 0x1400 + i * kRequest);
      requests.add(64 * kMiB + 0x2800 + i * kRequest, true);
    } else if (name == "random_64") {
      requests.add(random());
    } else if (name == "random_256") {
      requests.addRun(random() % kCapacity / 256 * 256, 256);
    } else if (name == "random_64_rw") {
      const bool write = random() % 3 == 0;
      requests.add(random(), write);
    } else if (name == "streams_4x512") {
      for (uint64_t stream = 0; stream < 4; ++stream)
        requests.addRun(stream * (48 * kMiB + 0x1C00) + i * 512, 512);
    } else {
      break;
    }
  }
  return requests.take();
}

}  // namespace etalon::sim
