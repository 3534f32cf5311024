// SPDX-License-Identifier: Apache-2.0
// Compiles the semantics of every tile instruction against Core, once, out of the interpreter's way.
#include <array>

#include "isa/base/check.h"
#include "isa/state/semantics.h"
#include "isa/tile_semantics.inc"
#include "sim/functional/interpreter.h"

namespace etalon::sim {
namespace {

using isa::InstructionId;
namespace semantics = isa::semantics;
static_assert(isa::TileContext<Core>);
using Handler = void (*)(Core&, const isa::Instruction&);

struct Row {
  InstructionId id;
  Handler handler;
};

constexpr std::array<Handler, isa::kInstructions> makeTable() {
  constexpr Row rows[] = {
#include "isa/tile_dispatch.inc"
      {InstructionId::illegal, nullptr}};
  std::array<Handler, isa::kInstructions> table{};
  for (const Row& row : rows) table[static_cast<size_t>(row.id)] = row.handler;
  return table;
}

constexpr std::array<Handler, isa::kInstructions> kTable = makeTable();

}  // namespace

void executeTile(Core& core, const isa::Instruction& in) {
  const Handler handler = kTable[static_cast<size_t>(in.id)];
  ETALON_CHECK(handler != nullptr, "an instruction without semantics reached the dispatcher");
  handler(core, in);
}

}  // namespace etalon::sim
