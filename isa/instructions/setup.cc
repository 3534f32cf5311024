// SPDX-License-Identifier: Apache-2.0
// Set-up of tile, view and chain registers. A field update with a value that does not fit traps and changes nothing.
#include <array>

#include "isa/codec/codec.h"
#include "isa/state/descriptor_memory.h"
#include "isa/state/legal_types.h"
#include "isa/state/semantics.h"

namespace etalon::isa::semantics {

inline constexpr uint64_t kWordLimit = uint64_t{1} << 32;
inline constexpr uint64_t kCountLimit = uint64_t{1} << 24;

/// True if `fits`; else traps for the value of an operand of a read or update of tile register `reg`.
template <CoreContext Core>
bool fieldFits(Core& core, const Instruction& in, uint8_t reg, bool fits, const char* operand,
               const char* limit) {
  if (!fits) trapMalformed(core, in, reg, 1, Rule::tile_field, {Problem::Count, operand, limit});
  return fits;
}

/// The tile's words changed by `change`.
template <CoreContext Core, class F>
void retire(Core& core, F change) {
  change();
  core.addCounter(Counter::retired_setup, 1);
}

SEMANTICS(et_tget) {
  if (!fieldFits(core, in, in.rs1, (in.rs2 & 3) < kTileWords, "word",
                 "a tile register has words 0, 1 and 2"))
    return;
  retire(core, [&] { core.setX(in.rd, packTile(core.tile(in.rs1))[in.rs2 & 3]); });
}
SEMANTICS(et_tbase) {
  const uint64_t base = core.x(in.rs1);
  if (!fieldFits(core, in, in.rd, base < kWordLimit, "rs1", "base must be below 2^32")) return;
  retire(core, [&] { core.tile(in.rd).base = static_cast<uint32_t>(base); });
}
SEMANTICS(et_tadv) {
  retire(core, [&] { core.tile(in.rd).base += static_cast<uint32_t>(core.x(in.rs1)); });
}
SEMANTICS(et_tshape) {
  const uint64_t outer = core.x(in.rs1), inner = core.x(in.rs2);
  if (!fieldFits(core, in, in.rd, outer < kCountLimit, "rs1", "outer must be below 2^24")) return;
  if (!fieldFits(core, in, in.rd, inner < kCountLimit, "rs2", "inner must be below 2^24")) return;
  retire(core, [&] {
    core.tile(in.rd).outer = static_cast<uint32_t>(outer);
    core.tile(in.rd).inner = static_cast<uint32_t>(inner);
  });
}
SEMANTICS(et_tcols) {
  const uint64_t cols = core.x(in.rs1);
  if (!fieldFits(core, in, in.rd, cols < kCountLimit, "rs1", "cols must be below 2^24")) return;
  retire(core, [&] { core.tile(in.rd).cols = static_cast<uint32_t>(cols); });
}
SEMANTICS(et_tstride) {
  const uint64_t outer = core.x(in.rs1), inner = core.x(in.rs2);
  if (!fieldFits(core, in, in.rd, outer < kWordLimit, "rs1", "ostride must be below 2^32")) return;
  if (!fieldFits(core, in, in.rd, inner < kWordLimit, "rs2", "istride must be below 2^32")) return;
  retire(core, [&] {
    core.tile(in.rd).ostride = static_cast<uint32_t>(outer);
    core.tile(in.rd).istride = static_cast<uint32_t>(inner);
  });
}
SEMANTICS(et_ttype) {
  const uint64_t type = core.x(in.rs1), step = core.x(in.rs2);
  const bool known_step = step == 0 || step == 1 || step == 2 || step == 4;
  if (!fieldFits(core, in, in.rd, type < 64, "rs1", "the type code must be below 64")) return;
  if (!fieldFits(core, in, in.rd, known_step, "rs2", "the column step must be 0, 1, 2 or 4"))
    return;
  retire(core, [&] {
    core.tile(in.rd).type = static_cast<uint8_t>(type);
    core.tile(in.rd).step = static_cast<uint8_t>(step);
  });
}
SEMANTICS(et_tlink) {
  const uint64_t link = core.x(in.rs1);
  const bool clears = link == ~uint64_t{0};
  if (!fieldFits(core, in, in.rd, clears || link < kTileRegisters, "rs1",
                 "a link is a tile register 0..31, or -1 for none"))
    return;
  retire(core, [&] {
    core.tile(in.rd).link_valid = !clears;
    core.tile(in.rd).link = clears ? 0 : static_cast<uint8_t>(link);
  });
}
SEMANTICS(et_tflags) {
  const uint64_t flags = core.x(in.rs1);
  if (!fieldFits(core, in, in.rd, flags < 2, "rs1", "flags have one bit, transpose")) return;
  retire(core, [&] { core.tile(in.rd).transpose = flags & 1; });
}
SEMANTICS(et_tmov) {
  retire(core, [&] { core.tile(in.rd) = core.tile(in.rs1); });
}
SEMANTICS(et_tset) {
  const TileWords words = {core.x(in.rs1), core.x(in.rs2), core.x(in.rs3)};
  if (const auto problem = checkTileWords(words))
    return trapMalformed(core, in, in.rd, 1, Rule::tile_spare, *problem);
  retire(core, [&] { core.tile(in.rd) = unpackTile(words); });
}

SEMANTICS(et_tld) {
  std::array<std::byte, kTileImageBytes> image;
  if (!loadImage(core, in, image)) return;
  if (const auto problem = checkTileImage(image))
    return trapMalformed(core, in, in.rd, 1, Rule::tile_spare, *problem);
  retire(core, [&] { core.tile(in.rd) = loadTileImage(image); });
}
SEMANTICS(et_tst) {
  std::array<std::byte, kTileImageBytes> image;
  storeTileImage(core.tile(in.rd), image);
  if (storeImage(core, in, image)) core.addCounter(Counter::retired_setup, 1);
}
SEMANTICS(et_vld) {
  std::array<std::byte, kViewImageBytes> image;
  if (!loadImage(core, in, image)) return;
  if (const auto problem = checkViewImage(image))
    return trapMalformed(core, in, in.rd, 2, Rule::view_malformed, *problem);
  retire(core, [&] { core.view(in.rd) = loadViewImage(image); });
}
SEMANTICS(et_vst) {
  std::array<std::byte, kViewImageBytes> image;
  storeViewImage(core.view(in.rd), image);
  if (storeImage(core, in, image)) core.addCounter(Counter::retired_setup, 1);
}
SEMANTICS(et_cld) {
  std::array<std::byte, kChainImageBytes> image;
  if (!loadImage(core, in, image)) return;
  if (const auto problem = checkChainImage(image))
    return trapMalformed(core, in, in.rd, 3, Rule::chain_malformed, *problem);
  retire(core, [&] { core.chain(in.rd) = loadChainImage(image); });
}
SEMANTICS(et_cst) {
  std::array<std::byte, kChainImageBytes> image;
  storeChainImage(core.chain(in.rd), image);
  if (storeImage(core, in, image)) core.addCounter(Counter::retired_setup, 1);
}

/// True if `fits`; else traps for the value of an operand of an update of a view register.
template <CoreContext Core>
bool updateFits(Core& core, const Instruction& in, bool fits, const char* operand,
                const char* limit) {
  if (!fits) trapMalformed(core, in, in.rd, 2, Rule::view_update, {Problem::Count, operand, limit});
  return fits;
}
SEMANTICS(et_vseek) {
  auto& view = core.view(in.rd);
  if (!updateFits(core, in, in.rs2 < view.naxes, "axis", "the view has fewer axes")) return;
  retire(core, [&] { view.axes[in.rs2].origin = static_cast<int64_t>(core.x(in.rs1)); });
}
SEMANTICS(et_vadv) {
  auto& view = core.view(in.rd);
  if (!updateFits(core, in, in.rs2 < view.naxes, "axis", "the view has fewer axes")) return;
  retire(core, [&] {
    auto& origin = view.axes[in.rs2].origin;
    origin = static_cast<int64_t>(static_cast<uint64_t>(origin) + core.x(in.rs1));
  });
}
SEMANTICS(et_vext) {
  auto& view = core.view(in.rd);
  const uint64_t extent = core.x(in.rs1);
  if (!updateFits(core, in, in.rs2 < view.nbox, "box", "the view has fewer box dims")) return;
  if (!updateFits(core, in, extent < kCountLimit, "rs1", "an extent must be below 2^24")) return;
  retire(core, [&] { view.box[in.rs2].extent = static_cast<uint32_t>(extent); });
}
SEMANTICS(et_vget) {
  std::array<std::byte, kViewImageBytes> image;
  storeViewImage(core.view(in.rs1), image);
  retire(core, [&] { core.setX(in.rd, loadBytes<uint64_t>(image.data() + 8 * in.rs2)); });
}

template <CoreContext Core>
bool constantExists(Core& core, const Instruction& in) {
  if (in.rs2 < kChainConstants) return true;
  core.trap(Cause::illegal, in.raw, Rule::chain_constant);
  return false;
}
SEMANTICS(et_cap) {
  const InstructionId asked = decode(static_cast<uint32_t>(core.x(in.rs1))).id;
  const bool has = isSupported(asked, core.x(in.rs2), core.limits().profiles);
  retire(core, [&] { core.setX(in.rd, has ? 1 : 0); });
}
SEMANTICS(et_cset) {
  if (!constantExists(core, in)) return;
  retire(core,
         [&] { core.chain(in.rd).constants[in.rs2] = static_cast<uint32_t>(core.x(in.rs1)); });
}
SEMANTICS(et_cget) {
  if (!constantExists(core, in)) return;
  retire(core, [&] {
    core.setX(in.rd, static_cast<uint64_t>(signExtend(core.chain(in.rs1).constants[in.rs2], 32)));
  });
}

}  // namespace etalon::isa::semantics
