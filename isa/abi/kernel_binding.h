// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "isa/abi/kernel_spec.h"
#include "isa/base/status.h"

namespace etalon::abi {

/// What the caller provides for an in or inout tensor. An array has type and shape; a generator has
/// neither and takes what the binding says.
struct GivenInput {
  std::string name;
  std::optional<ElementType> type;
  std::optional<std::vector<uint64_t>> shape;
};

/// `--arg name=text`: a scalar argument or a symbol.
struct GivenValue {
  std::string name;
  std::string text;
};

/// One argument with everything known.
struct BoundArgument {
  std::string name;
  Direction direction = Direction::In;
  bool is_tensor = false;
  ElementType type = ElementType::f32;
  std::vector<uint64_t> shape;  // tensors
  uint64_t slot = 0;            // scalars: as it stands in the argument block
};

/// A kernel spec with shapes and values: all that a launch needs but the addresses.
struct Binding {
  std::vector<BoundArgument> arguments;
  std::vector<std::pair<std::string, int64_t>> symbols;
  /// Of the check, in its order. A value that is an integer expression over symbols and scalars,
  /// the name of an f32 scalar, or a [list] of such, is evaluated; any other text stays as it is
  /// (`mode=reflect`).
  std::vector<std::pair<std::string, std::string>> attributes;

  /// The bytes of the argument block; `addresses` of the tensors, in the order of the arguments.
  std::vector<std::byte> argumentBlock(std::span<const uint64_t> addresses) const;
};

/// Solves a spec. A symbol or integer scalar that stands alone as an extent takes its value from
/// the shape of a given array; expressions are only evaluated. Order of precedence: --arg and
/// shapes (which must agree), then defaults.
///
/// Errors say what conflicts (`K is 64 by A (axis 1) but 63 by B (axis 0)`), what is missing and
/// how to give it, and names that the kernel does not have.
Result<Binding> bindKernel(const KernelSpec& spec, const std::vector<GivenInput>& inputs,
                           const std::vector<GivenValue>& values);

}  // namespace etalon::abi
