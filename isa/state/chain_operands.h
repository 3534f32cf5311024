// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "isa/state/chain_descriptor.h"
#include "isa/state/tile_operands.h"

namespace etalon::isa {

/// How a chain reads its three source tiles.
struct ChainUse {
  struct Source {
    bool read = false;
    bool displaced = false;
    /// Distinct displacements in bytes; 0 is among them if the tile is also read in place.
    std::array<int32_t, TileOperands::kMostDisplacements> displacements{};
    int count = 0;
  };
  std::array<Source, 3> sources;
};
ChainUse chainUse(const ChainDescriptor& chain);

/// Operand numbers in a TileOperands; -1 if the chain has no such operand.
struct ChainTileOperands {
  int td = -1;
  std::array<int, 3> sources = {-1, -1, -1};
  int reduction = -1;
};

/// Types of steps, of the value written to td and of the reduction tile (rule chain.step-types), and the profiles they need.
/// Precondition: the chain passed checkChain.
void checkChainTypes(TileOperands& operands, const ChainDescriptor& chain,
                     const ChainTileOperands& at);

/// Extents (rule chain.shape).
void checkChainShapes(TileOperands& operands, const ChainDescriptor& chain,
                      const ChainTileOperands& at);

/// Adds the operands a chain has: td, sources, reduction tile. `tile(i)` is tile register i.
template <class Tile>
ChainTileOperands addChainOperands(TileOperands& operands, const Instruction& in,
                                   const ChainDescriptor& chain, const ChainUse& use, Tile tile) {
  // ch is operand 3 of the syntax; what it names follows.
  constexpr TileOperands::Label kLabels[] = {{1, "ta"}, {2, "tb"}, {4, "third source"}};
  constexpr TileOperands::Label kReduction = {5, "reduction tile"};
  ChainTileOperands at;
  const auto add = [&](uint8_t reg, Role role, TileOperands::Label label) {
    operands.tile(reg, tile(reg), role, label);
    return operands.count() - 1;
  };
  if (chain.writesTd()) at.td = add(in.rd, Role::destination, {0, "td"});
  const std::array<uint8_t, 3> registers = {in.rs1, in.rs2, chain.third_source};
  for (size_t i = 0; i < registers.size(); ++i) {
    const ChainUse::Source& source = use.sources[i];
    if (!source.read) continue;
    at.sources[i] = add(registers[i], Role::source, kLabels[i]);
    if (source.displaced)
      operands.displace(at.sources[i],
                        std::span(source.displacements).first(static_cast<size_t>(source.count)));
  }
  if (chain.reduces())
    at.reduction =
        add(chain.reduction_tile, chain.accumulatesLanes() ? Role::inout : Role::second_destination,
            kReduction);
  return at;
}

}  // namespace etalon::isa
