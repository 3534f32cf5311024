// SPDX-License-Identifier: Apache-2.0
#include "sim/functional/coverage/reference/lane.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace etalon::reference {
namespace {

using Wide = __int128;

constexpr uint32_t kNan = 0x7fc00000;
constexpr uint32_t kSign = 0x80000000;
constexpr uint32_t kInfinity = 0x7f800000;
constexpr std::array kComparisons = {"eq", "ne", "lt", "le", "gt", "ge"};
constexpr std::array kBinary = {"add", "sub",     "mul",     "div",      "rem",    "mulhi", "min",
                                "max", "min.num", "max.num", "copysign", "and",    "or",    "xor",
                                "shl", "shr",     "add.sat", "sub.sat",  "mul.sat"};
constexpr std::array kUnary = {"abs",  "neg",   "not",   "exp",   "exp2",    "log", "log2",
                               "sqrt", "rsqrt", "recip", "tanh",  "sigmoid", "erf", "sin",
                               "cos",  "floor", "ceil",  "round", "trunc"};
constexpr std::array kTernary = {"fma", "select", "requant"};

template <size_t N>
bool isOneOf(const std::array<const char*, N>& names, std::string_view op) {
  return std::ranges::find(names, op) != names.end();
}

double asFloat(uint32_t bits) { return decode(ElementType::f32, bits); }
uint32_t roundedF32(double value) { return static_cast<uint32_t>(encode(ElementType::f32, value)); }

/// True if a is below b in the order of minimum and maximum, -0 below +0; no NaN.
bool below(double a, double b) { return a < b || (a == b && std::signbit(a) && !std::signbit(b)); }

uint32_t selectFloat(std::string_view op, uint32_t a, uint32_t b) {
  const double x = asFloat(a), y = asFloat(b);
  const bool number_wins = op.ends_with(".num");
  if (std::isnan(x) || std::isnan(y)) {
    if (!number_wins || (std::isnan(x) && std::isnan(y))) return kNan;
    return std::isnan(x) ? b : a;
  }
  return below(x, y) == op.starts_with("min") ? a : b;
}

double roundTiesEven(double x) {
  const double low = std::floor(x);
  const double fraction = x - low;
  const bool up = fraction > 0.5 || (fraction == 0.5 && std::fmod(low, 2) != 0);
  return std::copysign(up ? low + 1 : low, x);
}

uint32_t integral(std::string_view op, double x) {
  if (!std::isfinite(x)) return roundedF32(x);
  const double whole = op == "floor"   ? std::floor(x)
                       : op == "ceil"  ? std::ceil(x)
                       : op == "trunc" ? std::trunc(x)
                                       : roundTiesEven(x);
  return roundedF32(std::copysign(whole, x));
}

uint32_t applyFloat(std::string_view op, const Operands& v) {
  const double a = asFloat(v.a), b = asFloat(v.b);
  if (op == "add") return roundedF32(addOdd(a, b));
  if (op == "sub") return roundedF32(addOdd(a, -b));
  if (op == "mul") return roundedF32(mulOdd(a, b));
  if (op == "div") return roundedF32(divideOdd(a, b));
  if (op == "fma") return roundedF32(fmaOdd(a, b, asFloat(v.c)));
  if (op.starts_with("min") || op.starts_with("max")) return selectFloat(op, v.a, v.b);
  if (op == "copysign") return (v.a & ~kSign) | (v.b & kSign);
  if (op == "abs") return v.a & ~kSign;
  if (op == "neg") return v.a ^ kSign;
  if (op == "floor" || op == "ceil" || op == "round" || op == "trunc") return integral(op, a);
  return roundedF32(functionOdd(op, a));
}

uint32_t compare(std::string_view op, ElementType compute, const Operands& v) {
  // Exact in double for all three types; NaN compares as C does.
  const double a = decode(compute, v.a), b = decode(compute, v.b);
  if (op == "eq") return a == b;
  if (op == "ne") return a != b;
  if (op == "lt") return a < b;
  if (op == "le") return a <= b;
  if (op == "gt") return a > b;
  return a >= b;
}

Wide power(int64_t exponent) { return Wide{1} << exponent; }

Wide saturated(Wide value, ElementType range) {
  const int width = bitsOf(range);
  const Wide most = power(isSignedType(range) ? width - 1 : width) - 1;
  const Wide lowest = isSignedType(range) ? -power(width - 1) : Wide{0};
  return std::clamp(value, lowest, most);
}

Wide divide(std::string_view op, Wide a, Wide b) {
  if (op == "div") return b == 0 ? Wide{-1} : a / b;  // modulo 2^32, -1 is all ones and -MIN is MIN
  return b == 0 ? a : a % b;
}

uint32_t applyInteger(std::string_view op, ElementType compute, ElementType range,
                      const Operands& v) {
  const Wide a = integer(compute, v.a), b = integer(compute, v.b);
  const int shift = static_cast<int>(v.b & 31);
  Wide result = 0;
  if (op == "add" || op == "add.sat") result = a + b;
  if (op == "sub" || op == "sub.sat") result = a - b;
  if (op == "mul" || op == "mul.sat") result = a * b;
  if (op == "div" || op == "rem") result = divide(op, a, b);
  if (op == "mulhi") result = (a * b) >> 32;
  if (op == "min") result = std::min(a, b);
  if (op == "max") result = std::max(a, b);
  if (op == "and") result = v.a & v.b;
  if (op == "or") result = v.a | v.b;
  if (op == "xor") result = v.a ^ v.b;
  if (op == "shl") result = a * power(shift);
  if (op == "shr") result = a >> shift;
  if (op == "abs") result = a < 0 ? -a : a;
  if (op == "neg") result = -a;
  if (op == "not") result = ~a;
  if (op == "requant") {
    const int s = static_cast<int>(v.c & 63);
    result = (a * b + (s ? power(s - 1) : Wide{0})) >> s;
  }
  if (op.ends_with(".sat") || op == "requant") result = saturated(result, range);
  return static_cast<uint32_t>(result);
}

}  // namespace

bool isComparison(std::string_view op) { return isOneOf(kComparisons, op); }

int arity(std::string_view op) { return isOneOf(kUnary, op) ? 1 : isOneOf(kTernary, op) ? 3 : 2; }

bool isLaneOperation(std::string_view op) {
  return isComparison(op) || isOneOf(kBinary, op) || isOneOf(kUnary, op) || isOneOf(kTernary, op);
}

uint32_t applyLane(std::string_view op, ElementType compute, ElementType range,
                   const Operands& values) {
  if (op == "select") return values.a ? values.b : values.c;
  if (isComparison(op)) return compare(op, compute, values);
  return compute == ElementType::f32 ? applyFloat(op, values)
                                     : applyInteger(op, compute, range, values);
}

uint32_t widen(ElementType type, uint64_t bits) {
  const ElementType wide = widened(type);
  if (type == wide) return static_cast<uint32_t>(bits);
  return static_cast<uint32_t>(encode(wide, decode(type, bits)));
}

uint64_t narrow(ElementType from, uint32_t bits, ElementType to) {
  return from == to ? bits : convert(from, bits, to);
}

uint32_t reduceLane(std::string_view op, ElementType compute, uint32_t a, uint32_t b) {
  const std::string_view lane = op == "sum" ? "add" : op == "prod" ? "mul" : op;
  return applyLane(lane, compute, compute, {a, b, 0});
}

uint32_t identityLane(std::string_view op, ElementType compute) {
  const bool is_float = compute == ElementType::f32;
  if (op == "sum") return is_float ? kSign : 0;
  if (op == "prod") return is_float ? roundedF32(1) : 1;
  if (is_float) return op == "max" ? kInfinity | kSign : kInfinity;
  const double value = op == "max" ? least(compute) : greatest(compute);
  return static_cast<uint32_t>(static_cast<int64_t>(value));
}

}  // namespace etalon::reference
