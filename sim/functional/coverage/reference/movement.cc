// SPDX-License-Identifier: Apache-2.0
// Transposes, copies, permutations, local gather and scatter, iota.
#include <cmath>
#include <optional>

#include "sim/functional/coverage/reference/lane.h"
#include "sim/functional/coverage/reference/model.h"

namespace etalon::reference {
namespace {

/// Index (r, c) of ti if it is in [0, extent); else nothing, and the sticky status.
std::optional<uint64_t> indexAt(Call& call, const Memory& memory, uint64_t r, uint64_t c,
                                uint64_t extent) {
  const Tile& ti = call.tile("ti");
  const int64_t index = integer(ti.type, readElement(memory, ti, r, c));
  if (index >= 0 && static_cast<uint64_t>(index) < extent) return static_cast<uint64_t>(index);
  call.index_outside = true;
  return std::nullopt;
}

void permute(Call& call, Memory& memory) {
  const Tile &ta = call.tile("ta"), &td = call.tile("td");
  if (td.columns() == 0) return;
  for (uint64_t r = 0; r < td.rows(); ++r) {
    const auto from = indexAt(call, memory, r, 0, ta.rows());
    for (uint64_t c = 0; c < td.columns(); ++c)
      writeElement(memory, td, r, c, from ? readElement(memory, ta, *from, c) : 0);
  }
}

void gather(Call& call, Memory& memory) {
  const Tile &ta = call.tile("ta"), &td = call.tile("td");
  for (uint64_t r = 0; r < td.rows(); ++r)
    for (uint64_t c = 0; c < td.columns(); ++c) {
      const auto from = indexAt(call, memory, r, c, ta.columns());
      writeElement(memory, td, r, c, from ? readElement(memory, ta, r, *from) : 0);
    }
}

void scatter(Call& call, Memory& memory) {
  const Tile &ta = call.tile("ta"), &td = call.tile("td");
  if (td.columns() == 0) return;
  for (uint64_t r = 0; r < ta.rows(); ++r)
    for (uint64_t c = 0; c < ta.columns(); ++c)
      if (const auto to = indexAt(call, memory, r, c, td.columns()))
        writeElement(memory, td, r, *to, readElement(memory, ta, r, c));
}

uint64_t iotaFloat(uint64_t start, uint64_t row, uint64_t column, uint64_t r, uint64_t c,
                   ElementType td) {
  constexpr ElementType kF32 = ElementType::f32;
  auto value = static_cast<uint32_t>(start);
  const auto step = [&](uint64_t by, uint64_t count) {
    const double s = decode(kF32, by & 0xffffffff);
    if (s == 0) return;  // left out, so that a fill moves its value
    value = static_cast<uint32_t>(
        encode(kF32, fmaOdd(roundF32(static_cast<double>(count)), s, decode(kF32, value))));
  };
  step(row, r);
  step(column, c);
  return narrow(kF32, value, td);
}

void iota(Call& call, Memory& memory) {
  const Tile& td = call.tile("td");
  const uint64_t start = call.x.find("rs1")->second;
  const uint64_t row = call.x.find("rs2")->second, column = call.x.find("rs3")->second;
  Matrix value(td.rows(), td.columns());
  for (uint64_t r = 0; r < td.rows(); ++r)
    for (uint64_t c = 0; c < td.columns(); ++c)
      value.at(r, c) = isFloatType(td.type)
                           ? iotaFloat(start, row, column, r, c, td.type)
                           : wrap(td.type, static_cast<int64_t>(start + r * row + c * column));
  writeTile(memory, td, value);
}

}  // namespace

bool executeMovement(Call& call, Memory& memory) {
  if (call.name == "et.permute")
    permute(call, memory);
  else if (call.name == "et.lgather")
    gather(call, memory);
  else if (call.name == "et.lscatter")
    scatter(call, memory);
  else if (call.name == "et.iota")
    iota(call, memory);
  else if (call.name == "et.copy")
    writeTile(memory, call.tile("td"), readTile(memory, call.tile("ta")));
  else if (call.name == "et.transpose") {
    Tile td = call.tile("td");
    td.transpose = true;  // element (r, c) then is stored element (c, r)
    writeTile(memory, td, readTile(memory, call.tile("ta")));
  } else
    return false;
  return true;
}

}  // namespace etalon::reference
