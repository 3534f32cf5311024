// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "isa/base/status.h"
#include "tools/io/array.h"

namespace etalon::tools {

/// One tensor as the header of a `.safetensors` file announces it.
struct SafetensorsEntry {
  std::string name;
  std::string dtype;                // as written: `BF16`
  std::optional<ElementType> type;  // nullopt: a type the machine has not got (F64, U64, C64, ...)
  std::vector<uint64_t> shape;
  uint64_t begin = 0, end = 0;  // bytes within the data that follow the header
};

/// Checks a header (the JSON text) against the length of the data that follow it. Entries come back
/// by offset.
///
/// Refused: what is no JSON object of {dtype, shape, data_offsets} objects and `__metadata__` (text
/// to text); duplicate and unknown keys; offsets that are reversed, past the end, overlapping or
/// leave a gap; a size that does not agree with type and shape (products in exact arithmetic); more
/// than 32 axes. Source: the format's description and its reference reader (gaps are refused there,
/// too).
Result<std::vector<SafetensorsEntry>> parseSafetensorsHeader(std::string_view header,
                                                             uint64_t data_bytes);

/// The header of a file, checked as above; a header over 100 MB is refused.
Result<std::vector<SafetensorsEntry>> listSafetensors(const std::string& path);

/// One tensor of a file; reads no more than the header and its bytes. BOOL comes as u8. An unknown
/// name lists the names. An empty name means the only tensor of the file.
Result<Array> readSafetensors(const std::string& path, const std::string& tensor);

/// The bytes of a file with these tensors: wider types first, so that each is aligned, else in the
/// given order. Errors: a name twice, 4-bit types.
Result<std::string> formatSafetensors(
    const std::vector<std::pair<std::string, const Array*>>& tensors);
Status writeSafetensors(const std::string& path,
                        const std::vector<std::pair<std::string, const Array*>>& tensors);

}  // namespace etalon::tools
