// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "isa/state/chain_descriptor.h"
#include "isa/state/tile_register.h"
#include "isa/state/view_descriptor.h"

namespace etalon::fuzz {

/// One instruction with what is set up before it, or a piece of control flow. Programs stay in this form so that they can
/// be shrunk; image.h makes an ELF file of it.
struct Step {
  enum class Kind : uint8_t {
    instruction,
    loop,  // the body `trips` times
    skip,  // `word`, a branch or jump whose target is the end of the body
  };

  struct Tile {
    uint8_t reg = 0;
    isa::TileRegister value;
    bool by_words = false;  // et.tset, and not et.tld
  };
  struct View {
    uint8_t reg = 0;
    isa::ViewDescriptor value;
  };
  struct Chain {
    uint8_t reg = 0;
    isa::ChainDescriptor value;
  };

  Kind kind = Kind::instruction;
  uint32_t word = 0;
  uint32_t trips = 0;
  uint32_t together =
      0;  // steps of all cores with one number, not 0, belong together: a signal and its wait, a barrier
  std::vector<Tile> tiles;
  std::vector<View> views;
  std::vector<Chain> chains;
  std::vector<std::pair<uint8_t, uint64_t>> x;  // set last
  std::vector<Step> body;
};

/// What memory holds before the program runs.
enum class Values : uint8_t {
  zeros,
  small,  // small numbers of every type
  mixed,  // small numbers, special values, any bits
};

struct Program {
  uint64_t seed = 0, index = 0;  // where it comes from
  bool reduced = false;          // for the machine that lacks profiles
  bool race_free = false;        // it was made to be
  bool handles_traps = false;    // a trap skips the instruction; else it ends the program
  bool exits = false;            // core 0 writes tohost at its end
  bool fills_local = true;       // local memory gets values first; else it is what nobody wrote
  Values values = Values::mixed;
  std::vector<std::vector<Step>> cores;  // what each core executes, 1 to kMostCores of them

  /// "seed 7, program 12".
  std::string name() const;
};

/// Steps of all cores, those of bodies included.
size_t stepCount(const Program& program);

/// Calls f(step) for every step, bodies included.
template <class Steps, class F>
void forEachStep(Steps& steps, const F& f) {
  for (auto& step : steps) {
    f(step);
    forEachStep(step.body, f);
  }
}

}  // namespace etalon::fuzz
