// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "isa/abi/dim_expression.h"
#include "isa/base/status.h"
#include "isa/element_type.h"

namespace etalon::abi {

enum class Direction : uint8_t { In, Out, InOut };

/// One argument of a kernel.
struct KernelArgument {
  std::string name;
  Direction direction = Direction::In;
  bool is_tensor = false;
  ElementType type = ElementType::f32;   // scalars: i32, i64, u32 or f32
  std::vector<DimExpression> dims;       // of a tensor, outermost first; none: one element
  std::optional<uint64_t> default_slot;  // of a scalar, as it stands in the argument block

  bool isInteger() const { return !is_tensor && type != ElementType::f32; }
  /// `bf16[M, K]` or `i32`.
  std::string typeText() const;
};

/// What an independent reference is to compute, and from what.
struct CheckSpec {
  std::string operation;
  std::vector<std::string> inputs;                              // arguments (tensors or scalars)
  std::vector<std::string> outputs;                             // tensors that are out or inout
  std::vector<std::pair<std::string, std::string>> attributes;  // values as written
};

/// How a program image is launched: what stands in its note (kernel_note.h), parsed.
///
/// Grammar (blanks and line ends anywhere between words):
///
///     spec      = NAME "(" [ argument { "," argument } ] ")" [ "check" check ]
///     argument  = [ "in" | "out" | "inout" ] NAME ":" ( tensor | scalar )          in when left
///     out tensor    = TYPE "[" [ extent { "," extent } ] "]"                           any element
///     type scalar    = ( "i32" | "i64" | "u32" | "f32" ) [ "=" NUMBER ]                 always in
///     extent    = integers, names, + - * / and parentheses
///     check     = NAME "(" [ NAME { "," NAME } ] ")" "->" NAME { "," NAME } [ "with" attribute {
///     "," attribute } ] attribute = NAME "=" VALUE            VALUE: up to the next comma outside
///     of ( ) and [ ]
///
/// Example:
///
///     gemm(A: bf16[M, K], B: bf16[K, N], out C: f32[M, N], alpha: f32 = 1.0) check matmul(A, B) ->
///     C with alpha=alpha
///
/// A name in an extent is an integer scalar argument of this kernel, before or after, or else a
/// *symbol*. Argument block (a0 at entry): 8 bytes for each argument in order (tensor: address;
/// integer: sign- or zero-extended to 64 bits; f32: its bits in the low word, the high word 0),
/// then for each symbol, in order of first appearance, its value as i64. That order is the order of
/// a C struct, so a kernel written in C declares the block as one.
struct KernelSpec {
  std::string name;
  std::vector<KernelArgument> arguments;
  std::vector<std::string> symbols;
  std::optional<CheckSpec> check;

  /// Bytes of the argument block.
  uint64_t argsBytes() const { return 8 * (arguments.size() + symbols.size()); }
  /// nullptr if there is none of this name.
  const KernelArgument* argument(std::string_view name) const;
  bool isSymbol(std::string_view name) const;
};

inline constexpr size_t kMostSpecBytes = 1 << 16;
inline constexpr size_t kMostArguments = 256;

/// Errors read `kernel spec, column N: ...`; N counts bytes from 1.
Result<KernelSpec> parseKernelSpec(std::string_view text);

/// A single extent, whole text.
Result<DimExpression> parseDimExpression(std::string_view text);

/// Value of a scalar argument as it stands in the argument block; errors name the type's range.
Result<uint64_t> parseScalarSlot(ElementType type, std::string_view text);

}  // namespace etalon::abi
