// SPDX-License-Identifier: Apache-2.0
// et.mm, et.mma: k ascending, one rounding a step; integers modulo 2^32.
#include "sim/functional/coverage/reference/model.h"

namespace etalon::reference {

bool executeMatrix(Call& call, Memory& memory) {
  const bool accumulate = call.name == "et.mma";
  if (!accumulate && call.name != "et.mm") return false;
  const Tile &ta = call.tile("ta"), &tb = call.tile("tb"), &td = call.tile("td");
  const Matrix a = readTile(memory, ta), b = readTile(memory, tb);
  Matrix d = accumulate ? readTile(memory, td) : Matrix(a.rows, b.columns);
  for (uint64_t m = 0; m < a.rows; ++m)
    for (uint64_t n = 0; n < b.columns; ++n)
      for (uint64_t k = 0; k < a.columns; ++k) {
        uint64_t& sum = d.at(m, n);
        if (td.type == ElementType::f32)
          sum = encode(ElementType::f32,
                       fmaOdd(decode(ta.type, a.at(m, k)), decode(tb.type, b.at(k, n)),
                              decode(ElementType::f32, sum)));
        else
          sum = wrap(ElementType::i32, integer(ta.type, a.at(m, k)) * integer(tb.type, b.at(k, n)) +
                                           integer(ElementType::i32, sum));
      }
  writeTile(memory, td, d);
  return true;
}

}  // namespace etalon::reference
