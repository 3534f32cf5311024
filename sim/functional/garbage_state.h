// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <random>
#include <span>

#include "isa/base/fuzz_scale.h"
#include "isa/machines/machine.h"
#include "isa/state/chain_descriptor.h"
#include "isa/state/tile_register.h"
#include "isa/state/view_descriptor.h"

namespace etalon::sim {

/// The smallest machine: memory stays small however wild a program is, and random addresses meet.
isa::Machine garbageMachine();

/// Random instruction words, registers and descriptor images, biased to what gets past the first check: few extents,
/// few types and addresses near the ends of memories, so that operands often fit each other. Same seed, same garbage.
class Garbage {
 public:
  Garbage(uint64_t seed, const isa::Machine& machine) : random_(seed), machine_(machine) {}

  uint64_t word64() { return random_(); }
  uint64_t below(uint64_t n) { return random_() % n; }
  bool oneIn(uint64_t n) { return below(n) == 0; }

  /// Sets whether the next tiles and views are plain and of few extents and types, so that operands often fit each
  /// other and instructions get past all checks, or wild. Half the time each.
  void chooseTheme();
  /// A legal encoding with random operands (mostly), or any 32 bits.
  uint32_t instruction();
  /// What a scalar register might hold: small numbers, powers of two, addresses in and around every memory, anything.
  uint64_t scalar();
  isa::TileRegister tile();
  /// A view or chain that a register can hold, that is one et.vld or et.cld would have accepted.
  isa::ViewDescriptor view();
  isa::ChainDescriptor chain();
  /// An image for et.tld, et.vld or et.cld, now and then with a flipped bit. `image` has 256 bytes.
  void image(std::span<std::byte> image);

 private:
  uint64_t pick(std::initializer_list<uint64_t> values) {
    return values.begin()[below(values.size())];
  }
  isa::ViewDescriptor plainView();
  uint32_t extent();
  uint8_t type();
  uint64_t address();

  std::mt19937_64 random_;
  bool plain_ = false;
  std::array<uint32_t, 2> plain_extents_{};
  std::array<ElementType, 2> plain_types_{};
  const isa::Machine& machine_;
};

}  // namespace etalon::sim
