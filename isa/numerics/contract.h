// SPDX-License-Identifier: Apache-2.0
// The declared numerics contract as plain data: how a chip's matrix and vector units differ from the
// canonical arithmetic. What every field means is said, to the bit, in docs/spec/09-contracts.md;
// its names here are those of the document. A default-constructed Contract is the canonical one.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "isa/element_type.h"
#include "isa/elementwise_op.h"

namespace etalon::numerics {

/// Which of the neighbours of an exact value a rounding takes. `odd`: the one whose last bit is 1,
/// so that what was lost stays visible (a sticky bit).
enum class Direction : uint8_t {
  nearest_even,
  nearest_away,
  toward_zero,
  toward_positive,
  toward_negative,
  odd,
};

/// What a finite value beyond the greatest number becomes. `ieee`: infinity where the rounding
/// points away from zero or to nearest, else the greatest number.
enum class Overflow : uint8_t { ieee, infinity, saturate };

/// A binary format with subnormals, infinities and NaN, bias 2^(exponent_bits - 1) - 1.
struct NumberFormat {
  int exponent_bits = 8;   // 2..8
  int mantissa_bits = 23;  // 1..50
  bool operator==(const NumberFormat&) const = default;
};
inline constexpr NumberFormat kFormatF32{8, 23};

/// True if every f32 is a number of the format.
constexpr bool holdsF32(NumberFormat format) {
  return format.exponent_bits == kFormatF32.exponent_bits &&
         format.mantissa_bits >= kFormatF32.mantissa_bits;
}

/// What happens around the rounding to a format.
struct RoundingRules {
  bool flush_in = false;   // subnormal operands count as zeros of their sign
  bool flush_out = false;  // subnormal results become zeros of their sign
  bool positive_zero = false;
  Overflow overflow = Overflow::ieee;
  uint32_t nan = 0x7fc00000;  // f32 bits of a NaN result
  bool operator==(const RoundingRules&) const = default;
};

enum class TermOrder : uint8_t { ascending, descending, permuted };
enum class GroupSum : uint8_t { chain, aligned, tree };
enum class TreeShape : uint8_t { adjacent, halves };
enum class AddendExponent : uint8_t { value, operands };

inline constexpr uint32_t kMostGroup = 65536;
inline constexpr uint32_t kMostTree = 1024;
inline constexpr uint32_t kMostPermutation = 1024;
inline constexpr uint32_t kMostAlignment = 1024;

/// Multiply-accumulate of one pair of element types into f32.
struct ProductRule {
  bool rounds_products = false;
  TermOrder order = TermOrder::ascending;
  std::vector<uint16_t> permutation;  // of 0..n-1, if permuted

  uint32_t group = 1;
  GroupSum sum = GroupSum::chain;
  // aligned: bits of an addend kept from the greatest exponent on, width 0 for all of them
  uint32_t width = 0;
  uint32_t guard = 0;
  Direction cut = Direction::toward_zero;
  AddendExponent exponent = AddendExponent::value;  // operands: of exact products alone
  // tree
  TreeShape tree = TreeShape::adjacent;

  bool joins_in_sum = true;  // the accumulator is an addend of each group; else it is added after
  NumberFormat accumulator = kFormatF32;
  Direction rounding = Direction::nearest_even;
  Direction join = Direction::nearest_even;  // of the addition after

  uint32_t spill_every = 0;  // terms, a multiple of group; 0: never
  NumberFormat spill = kFormatF32;
  Direction spill_rounding = Direction::nearest_even;

  RoundingRules rules;
  bool operator==(const ProductRule&) const = default;
};

/// The rule of some pairs, instead of the default one.
struct ProductOverride {
  std::vector<ElementType> a, b;
  ProductRule rule;
};

/// Rounding of element-wise arithmetic to f32.
struct ArithmeticRule {
  Direction rounding = Direction::nearest_even;
  RoundingRules rules;
  bool operator==(const ArithmeticRule&) const = default;
};

/// Conversions: what stands where an instruction asks for nearest even.
struct ConversionRule {
  Direction rounding = Direction::nearest_even;
  bool flush_in = false;
  bool flush_out = false;
  Overflow overflow = Overflow::ieee;
  bool operator==(const ConversionRule&) const = default;
};

enum class ReductionShape : uint8_t { lanes, tree };

/// Sums and products along rows: `width` lanes and the fold, or a tree of `width` leaves whose
/// results are added one after another. A power of two, 1..64.
struct ReductionRule {
  ReductionShape shape = ReductionShape::lanes;
  uint32_t width = 64;
  bool operator==(const ReductionRule&) const = default;
};

/// A function by polynomials in fixed point, one a segment of its reduced argument; the reduction
/// follows from the function. Coefficients are integers, `fraction_bits` of them below the point.
struct PiecewiseFunction {
  Direction rounding = Direction::nearest_even;
  int segment_bits = 0;
  int fraction_bits = 0;
  int degree = 0;
  std::vector<int64_t> coefficients;  // segment by segment, constant term first
  int argument_bits = 0;              // exp, exp2, sigmoid: fraction bits of the reduced argument
  int64_t multiplier = 0;             // exp, exp2, sigmoid: log2 of the base; log, log2: log of 2
  int multiplier_bits = 0;            // exp, exp2, sigmoid: its fraction bits
  int first_exponent = 0;             // tanh, erf: binades that have segments
  int last_exponent = 0;
  int64_t linear = 0;  // tanh, erf: slope below the first binade
  uint32_t limit = 0;  // tanh, erf: f32 bits of the value above the last
  bool operator==(const PiecewiseFunction&) const = default;
};

/// A function by one f32 result for each element of a narrow type the argument is rounded to.
struct TableFunction {
  ElementType input = ElementType::bf16;
  Direction rounding = Direction::nearest_even;
  std::vector<uint32_t> values;
  bool operator==(const TableFunction&) const = default;
};

enum class FunctionKind : uint8_t { correctly_rounded, piecewise, table };

struct FunctionRule {
  ElementwiseOp op{};
  FunctionKind kind = FunctionKind::correctly_rounded;
  PiecewiseFunction piecewise;
  TableFunction table;
  bool operator==(const FunctionRule&) const = default;
};

/// Everything the vector unit and the conversions of all units go by.
struct VectorContract {
  ArithmeticRule arithmetic;
  ConversionRule conversion;
  ReductionRule reduction;
  std::vector<FunctionRule> functions;  // of functions that are not correctly rounded

  const FunctionRule* function(ElementwiseOp op) const {
    for (const FunctionRule& rule : functions)
      if (rule.op == op) return &rule;
    return nullptr;
  }
  bool operator==(const VectorContract&) const = default;
};

struct Contract {
  std::string name = "canonical";
  std::string title = "The arithmetic of the standard";
  uint64_t hash = 0;  // CSR FC5; 0 if nothing differs from the canonical arithmetic

  ProductRule product;
  std::vector<ProductOverride> overrides;  // no pair in two of them
  VectorContract vector;

  /// True if nothing differs from the arithmetic of the standard.
  bool isCanonical() const {
    for (const ProductOverride& override : overrides)
      if (override.rule != ProductRule{}) return false;
    return product == ProductRule{} && vector == VectorContract{};
  }

  /// The rule of a pair whose accumulator is f32.
  const ProductRule& productRule(ElementType a, ElementType b) const {
    const auto has = [](const std::vector<ElementType>& types, ElementType type) {
      for (const ElementType one : types)
        if (one == type) return true;
      return false;
    };
    for (const ProductOverride& override : overrides)
      if (has(override.a, a) && has(override.b, b)) return override.rule;
    return product;
  }
};

}  // namespace etalon::numerics
