// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "isa/base/status.h"
#include "tools/io/array.h"

namespace etalon::tools {

/// Reads a `.npy` file, format versions 1 to 3.
///
/// Order and bytes  C or Fortran order, little or big endian; the result is C order, little endian.
/// Types            i1 u1 i2 u2 i4 u4 i8, f2, f4, bool (as u8 0/1). NumPy has no names for the
/// narrow floats; the usual
///                  convention (package ml_dtypes) writes bf16 as `<V2`, E5M2 as `<f1`, the other
///                  8-bit floats as `|V1`, whose kind only the reader knows: `expected` tells
///                  f8e4m3, f8e5m2 and e8m0 apart. The names `bfloat16`, `float8_e4m3fn`,
///                  `float8_e5m2`, `float8_e8m0fnu` are taken too.
/// Refused          float64, uint64, complex, text, objects, records: nothing is narrowed behind
/// the user's back. Errors           name the file and what its header says; data that are short or
/// followed by more bytes are errors. Source           numpy.lib.format.
Result<Array> readNpy(const std::string& path, std::optional<ElementType> expected = std::nullopt);

/// The same from bytes in memory; `file` is what messages call them.
Result<Array> parseNpy(std::string_view content, const std::string& file,
                       std::optional<ElementType> expected);

/// The bytes of a version 1 file in C order, data aligned to 64 bytes. 4-bit types are an error.
Result<std::string> formatNpy(const Array& array);
Status writeNpy(const std::string& path, const Array& array);

}  // namespace etalon::tools
