// SPDX-License-Identifier: Apache-2.0
#include "validation/fuzz/operand_shapes.h"

#include <algorithm>

namespace etalon::fuzz {
namespace {

using std::string_view;

constexpr uint64_t kBlock = 32;  // columns that share a scale

/// Extents around the widths that units are likely to have; 0 is rare, for most of what it does is nothing.
uint64_t extent(Random& random) {
  if (random.oneIn(40)) return 0;
  return random.pick<uint64_t>({1, 1, 2, 3, 4, 5, 7, 8, 15, 16, 17, 31, 32, 33, 64, 65, 130});
}

/// Rows and columns of the main source.
Shape mainShape(Random& random, uint64_t elements) {
  Shape s{extent(random), extent(random)};
  while (s.rows * s.columns > elements) (s.rows > s.columns ? s.rows : s.columns) /= 2;
  return s;
}

/// Products: M x K, K x N, M x N; what links name comes with them.
std::vector<Shape> productShapes(Random& random, uint64_t elements) {
  const Shape d = mainShape(random, elements);
  const uint64_t most = elements / std::max<uint64_t>({d.rows, d.columns, 1});
  const uint64_t k = std::min(extent(random), most);
  return {d, {d.rows, k}, {k, d.columns}};
}

/// What an instruction without rules of its own may have: all the same, or each something that others of its kind have.
Shape likelyShape(Random& random, Shape main) {
  switch (random.below(6)) {
    case 0: return {main.rows, 1};
    case 1: return {1, main.columns};
    case 2: return {main.columns, main.rows};
    case 3: return {main.rows, 64};
    case 4: return {main.rows, (main.columns + kBlock - 1) / kBlock};
    default: return main;
  }
}

/// Shape of an operand; `other` is the extent that index tiles and top-k bring.
Shape shapeOf(string_view name, string_view operand, Shape main, uint64_t other) {
  const bool written = isWritten(operand);
  if (operand == "tcarry") return {main.rows, 1};
  if (operand == "tds" || operand == "tscale")  // block scales
    return {main.rows, (main.columns + kBlock - 1) / kBlock};
  if (name.starts_with("et.red.") && written)
    return {main.rows, name.ends_with(".acc") ? uint64_t{64} : 1};
  if (name.starts_with("et.arg") && written) return {main.rows, 1};
  if ((name.starts_with("et.cred.") || name.starts_with("et.carg")) && written)
    return {1, main.columns};
  if (name == "et.topk" && written) return {main.rows, std::min(other, main.columns)};
  if (name == "et.transpose" && written) return {main.columns, main.rows};
  if (name == "et.permute" && operand == "td") return {other, main.columns};
  if (name == "et.permute" && operand == "ti") return {other, 1};
  if (name == "et.lgather" && operand != "ta") return {main.rows, other};
  if (name == "et.lscatter" && operand == "td") return {main.rows, other};
  return main;
}

}  // namespace

bool isWritten(string_view operand) { return operand.starts_with("td") || operand == "tcarry"; }

std::vector<Shape> operandShapes(const isa::InstructionInfo& info, Random& random,
                                 uint64_t elements, bool any) {
  if (info.unit == isa::Unit::matrix) return productShapes(random, elements);
  const Shape main = mainShape(random, elements);
  const uint64_t other =
      std::min(extent(random), elements / std::max<uint64_t>({main.rows, main.columns, 1}));
  std::vector<Shape> shapes;
  for (const isa::OperandInfo& operand : info.operands())
    if (operand.kind == isa::OperandKind::tile || operand.kind == isa::OperandKind::view)
      shapes.push_back(any ? likelyShape(random, main)
                           : shapeOf(info.name, operand.name, main, other));
  return shapes;
}

}  // namespace etalon::fuzz
