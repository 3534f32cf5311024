// SPDX-License-Identifier: Apache-2.0
// Random numbers: Philox4x32-10 on arrays of its paper, L and R the halves that a round swaps.
#include "sim/functional/coverage/reference/model.h"

namespace etalon::reference {
namespace {

constexpr int kRounds = 10;

struct Block {
  std::array<uint64_t, 2> left, right;  // 32-bit words; word order left[0], right[0], left[1], ...
};

uint64_t low32(uint64_t value) { return value % (uint64_t{1} << 32); }

Block round(const Block& in, uint64_t key0, uint64_t key1) {
  const uint64_t first = in.left[0] * 0xD2511F53, second = in.left[1] * 0xCD9E8D57;
  return {{second >> 32 ^ in.right[0] ^ key0, first >> 32 ^ in.right[1] ^ key1},
          {low32(second), low32(first)}};
}

uint32_t wordOf(uint64_t number, uint64_t seed, uint64_t stream) {
  const uint64_t block = number / 4;
  Block state{{low32(block), low32(stream)}, {block >> 32, stream >> 32}};
  for (uint64_t r = 0; r < kRounds; ++r)
    state = round(state, low32(low32(seed) + r * 0x9E3779B9), low32((seed >> 32) + r * 0xBB67AE85));
  const uint64_t pair = number % 4 / 2;
  return static_cast<uint32_t>(number % 2 == 0 ? state.left.at(pair) : state.right.at(pair));
}

}  // namespace

bool executeRandom(Call& call, Memory& memory) {
  const bool uniform = call.name == "et.rand.uniform";
  if (!uniform && call.name != "et.rand.bits") return false;
  const Tile& td = call.tile("td");
  const uint64_t base = call.x.find("rs1")->second, pitch = call.x.find("rs2")->second;
  for (uint64_t r = 0; r < td.rows(); ++r)
    for (uint64_t c = 0; c < td.columns(); ++c) {
      const uint32_t word = wordOf(base + r * pitch + c, call.seed, call.stream);
      const double fraction = static_cast<double>(word / 256) / (1 << 24);
      writeElement(memory, td, r, c, uniform ? encode(td.type, fraction) : word);
    }
  return true;
}

}  // namespace etalon::reference
