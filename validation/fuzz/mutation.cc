// SPDX-License-Identifier: Apache-2.0
#include "validation/fuzz/mutation.h"

#include "isa/codec/codec.h"
#include "isa/machines/address_map.h"
#include "validation/fuzz/layout.h"

namespace etalon::fuzz {
namespace {

void breakTile(Random& random, isa::TileRegister& tile) {
  switch (random.below(11)) {
    case 0: tile.base += 1; break;
    case 1: tile.base = static_cast<uint32_t>(random.word() >> random.below(32)); break;
    case 2: tile.type = static_cast<uint8_t>(random.below(64)); break;
    case 3: tile.cols += 1; break;
    case 4: tile.inner += 1; break;
    case 5: tile.istride = 0; break;
    case 6: tile.ostride = static_cast<uint32_t>(random.below(4)); break;
    case 7: tile.step = random.pick<uint8_t>({0, 2, 4}); break;
    case 8: tile.transpose = !tile.transpose; break;
    case 9:
      tile.link_valid = true;
      tile.link = static_cast<uint8_t>(random.below(isa::kTileRegisters));
      break;
    default: tile.inner = isa::kMaxCount - static_cast<uint32_t>(random.below(3)); break;
  }
}

/// Sources of a product that repeat so many rows that the product passes every cap.
void makeEndless(Step& step) {
  for (size_t i = 0; i < step.tiles.size() && i < 2; ++i) {
    isa::TileRegister& tile = step.tiles[i].value;
    const bool is_a = i == 0;  // sources come first (StepMaker)
    tile.transpose = is_a;
    tile.outer = 1 << 12;
    tile.inner = 1 << 20;
    tile.istride = tile.ostride = 0;
  }
}

void breakView(Random& random, isa::ViewDescriptor& view) {
  auto& axis = view.axes[view.naxes ? random.below(view.naxes) : 0];
  auto& box = view.box[view.nbox ? random.below(view.nbox) : 0];
  switch (random.below(8)) {
    case 0: view.base += 1; break;
    case 1: view.base += (random.word() >> random.below(64)) / 8 * 8; break;
    case 2: view.type = static_cast<uint8_t>(random.below(20)); break;
    case 3: axis.stride = 0; break;
    case 4: axis.origin = static_cast<int64_t>(random.word() >> random.below(3)); break;
    case 5: axis.dim = random.word() >> random.below(30); break;
    case 6: box.extent += 1; break;
    default: view.naxes = static_cast<uint8_t>(random.below(9)); break;
  }
}

void breakChain(Random& random, isa::ChainDescriptor& chain) {
  isa::ChainStep& step = chain.steps[random.below(chain.steps.size())];
  switch (random.below(6)) {
    case 0: chain.nsteps = static_cast<uint8_t>(random.below(16)); break;
    case 1: step.op = static_cast<uint8_t>(random.word()); break;
    case 2: step.compute_type = static_cast<uint8_t>(random.below(kElementTypes)); break;
    case 3: step.selectors[random.below(3)] = static_cast<uint8_t>(random.below(64)); break;
    case 4: chain.flags ^= static_cast<uint8_t>(1 << random.below(8)); break;
    default:
      chain.constants[random.below(chain.constants.size())] = static_cast<uint32_t>(random.word());
  }
}

/// The tile that is set up last, mostly a destination, moves onto another, whole or in part.
void overlap(Random& random, Step& step) {
  isa::TileRegister& last = step.tiles.back().value;
  const isa::TileRegister& other = step.tiles[random.below(step.tiles.size())].value;
  const uint32_t size = last.hasType() ? last.elementBytes() : 1;
  last.base = other.base / size * size + size * static_cast<uint32_t>(random.below(4));
}

/// The view becomes a view of the bytes of a tile.
void lookAtTile(Random& random, Step& step) {
  step.views[0].value.base = isa::kLocalWindowBase + random.pick(step.tiles).value.base / 8 * 8;
}

}  // namespace

void breakStep(Random& random, Step& step) {
  const isa::InstructionId id = isa::decode(step.word).id;
  const bool product =
      id != isa::InstructionId::illegal && isa::instructionInfo(id).unit == isa::Unit::matrix;
  if (product && step.tiles.size() >= 3 && random.oneIn(4)) return makeEndless(step);
  for (;;) {
    switch (random.below(7)) {
      case 0:
      case 1:
        if (step.tiles.empty()) break;
        return breakTile(random, step.tiles[random.below(step.tiles.size())].value);
      case 2:
        if (step.tiles.size() < 2) break;
        return overlap(random, step);
      case 3:
        if (step.views.empty()) break;
        if (step.tiles.empty() || random.oneIn(2)) return breakView(random, step.views[0].value);
        return lookAtTile(random, step);
      case 4:
        if (step.chains.empty()) break;
        return breakChain(random, step.chains[0].value);
      case 5:
        if (step.x.empty()) break;
        step.x[random.below(step.x.size())].second = random.word() >> random.below(64);
        return;
      default: step.word ^= 1U << random.below(32); return;
    }
  }
}

}  // namespace etalon::fuzz
