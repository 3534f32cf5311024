// SPDX-License-Identifier: Apache-2.0
// One-step element-wise instructions, with a tile or a scalar, and conversions.
#include "sim/functional/coverage/reference/lane.h"
#include "sim/functional/coverage/reference/model.h"

namespace etalon::reference {
namespace {

/// A source of one element: its type and bits.
struct Source {
  ElementType type;
  uint64_t bits;
  bool is_tile;
};

uint64_t signOf(ElementType type) { return uint64_t{1} << (bitsOf(type) - 1); }

/// neg, abs, copysign and select of floats move bits, payloads included, where every tile that is
/// moved has td's type. To f32 nothing has to be moved: f32 is what the operation computes in, and
/// a second source of copysign widens as for any other operation.
bool movesBits(std::string_view op, const std::vector<Source>& s, ElementType td) {
  if (!isFloatType(td) || td == ElementType::f32) return false;
  const auto movable = [&](size_t i) { return !s[i].is_tile || s[i].type == td; };
  if (op == "select") return movable(1) && movable(2);
  return (op == "neg" || op == "abs" || op == "copysign") && movable(0);
}

uint64_t moveBits(std::string_view op, const std::vector<Source>& s, ElementType td) {
  if (op == "select") {
    const Source& moved = s[0].bits ? s[1] : s[2];
    return moved.type == td ? moved.bits
                            : narrow(widened(moved.type), static_cast<uint32_t>(moved.bits), td);
  }
  const uint64_t sign = signOf(td);
  if (op == "neg") return s[0].bits ^ sign;
  const bool negative = op == "copysign" && (s[1].bits & signOf(s[1].type));
  return (s[0].bits & ~sign) | (negative ? sign : 0);
}

uint64_t resultOf(std::string_view op, const std::vector<Source>& s, ElementType td) {
  const ElementType compute = widened(s[op == "select" ? 1 : 0].type);
  if (movesBits(op, s, td)) return moveBits(op, s, td);
  const auto value = [&](size_t i) { return i < s.size() ? widen(s[i].type, s[i].bits) : 0; };
  const uint32_t result = applyLane(op, compute, td, {value(0), value(1), value(2)});
  return narrow(isComparison(op) ? ElementType::u32 : compute, result, td);
}

/// Operands by the instruction's name: tiles by name, scalars as a 32-bit value of the type that
/// the tile operand computes in.
std::vector<Source> sourcesOf(const Call& call, const std::vector<std::string>& names,
                              ElementType scalar_type, const Memory& memory, uint64_t r,
                              uint64_t c) {
  std::vector<Source> sources;
  for (const std::string& name : names) {
    if (call.has(name)) {
      const Tile& tile = call.tile(name);
      sources.push_back({tile.type, readElement(memory, tile, r, c), true});
    } else {
      sources.push_back({scalar_type, call.x.find(name)->second & 0xffffffff, false});
    }
  }
  return sources;
}

/// Operand names in the order of the operation's a, b, c.
std::vector<std::string> operandNames(std::string_view op, bool scalar, bool reversed) {
  if (op == "fma") return {"ta", scalar ? "rs2" : "tb", "tc"};
  if (op == "select") return {"tm", "ta", scalar ? "rs3" : "tb"};
  if (op == "requant") return {"ta", scalar ? "rs2" : "tmul", scalar ? "rs3" : "tshift"};
  if (arity(op) == 1) return {"ta"};
  if (reversed) return {"rs2", "ta"};
  return {"ta", scalar ? "rs2" : "tb"};
}

void executeConversion(Call& call, Memory& memory) {
  const Tile &ta = call.tile("ta"), &td = call.tile("td");
  const Mode mode = {call.mode >= 2, call.mode % 2 != 0};
  Matrix d = readTile(memory, ta);
  for (uint64_t& bits : d.bits) bits = convert(ta.type, bits, td.type, mode);
  writeTile(memory, td, d);
}

void executeStochasticConversion(Call& call, Memory& memory) {
  const Tile &ta = call.tile("ta"), &td = call.tile("td");
  const Matrix words = readTile(memory, call.tile("trand"));
  Matrix d = readTile(memory, ta);
  for (size_t i = 0; i < d.bits.size(); ++i)
    d.bits[i] = encodeStochastic(td.type, decode(ta.type, d.bits[i]), call.name.ends_with(".sat"),
                                 static_cast<uint32_t>(words.bits[i]));
  writeTile(memory, td, d);
}

}  // namespace

bool executeElementwise(Call& call, Memory& memory) {
  if (call.name == "et.cvt") {
    executeConversion(call, memory);
    return true;
  }
  if (call.name.starts_with("et.cvt.sr")) {
    executeStochasticConversion(call, memory);
    return true;
  }
  std::string_view op = std::string_view(call.name).substr(3);
  const bool scalar = op.ends_with(".x");
  if (scalar) op.remove_suffix(2);
  const bool reversed = scalar && (op == "rsub" || op == "rdiv" || op == "rshl" || op == "rshr");
  if (reversed) op.remove_prefix(1);
  if (!isLaneOperation(op) || !call.has("td") || !call.has("ta")) return false;
  const Tile& td = call.tile("td");
  const std::vector<std::string> names = operandNames(op, scalar, reversed);
  const ElementType scalar_type = widened(call.tile("ta").type);
  Matrix d(td.rows(), td.columns());
  for (uint64_t r = 0; r < d.rows; ++r)
    for (uint64_t c = 0; c < d.columns; ++c)
      d.at(r, c) = resultOf(op, sourcesOf(call, names, scalar_type, memory, r, c), td.type);
  writeTile(memory, td, d);
  return true;
}

}  // namespace etalon::reference
