// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "isa/base/status.h"
#include "isa/element_type.h"

namespace etalon::tools {

/// The dictionary in front of the data of a `.npy` file.
struct NpyHeader {
  std::string descr;  // `<f4`
  bool fortran_order = false;
  std::vector<uint64_t> shape;
};

/// Parses `{'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }`: exactly these three keys,
/// in any order, as Python literals. Errors give the column in the dictionary.
Result<NpyHeader> parseNpyHeader(std::string_view text);

/// What a descr means.
struct NpyType {
  ElementType type;
  bool swap = false;     // stored big endian
  bool is_bool = false;  // any nonzero byte is true
};
Result<NpyType> npyType(const std::string& descr, std::optional<ElementType> expected);

/// The descr that is written for a type; nullopt for 4-bit types.
std::optional<std::string_view> npyDescr(ElementType type);

}  // namespace etalon::tools
