// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace etalon::sim {

/// One request of 64 bytes.
struct PatternAccess {
  uint64_t address = 0;  // multiple of 64, below 512 MiB
  bool write = false;
};

/// The first `count` requests of a pattern of the reference run (docs/guide/accuracy.md), in the order of issue. For tests
/// and benchmarks. Names: sequential_read, sequential_write, copy_256, copy_4k, triad, random_64, random_256, random_64_rw,
/// tile_64x128, tile_64x512, streams_4x512; any other name gives none.
///
/// sequential_*   one address after the other
/// copy_N         blocks of N bytes: one read, one written, 128 MiB and 9 KiB apart
/// triad          two streams read and one written, request by request, 32 MiB and 5 KiB apart
/// random_*       uniform addresses of std::mt19937_64(7); 256: four requests in a row; rw: one in three a write
/// tile_HxW       2-D tiles of H rows of W bytes out of a matrix of 8 (W 128) or 4 KiB a row, tile beside tile
/// streams_4x512  four streams in turn, 512 bytes of each, 48 MiB and 7 KiB apart
std::vector<PatternAccess> dramPattern(std::string_view name, size_t count);

}  // namespace etalon::sim
