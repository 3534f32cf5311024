// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "isa/base/status.h"
#include "tools/io/array.h"

namespace etalon::tools {

/// More pixels than this, read or written, are an error: 192 MB of bytes, 768 MB of f32.
inline constexpr uint64_t kMostPngPixels = uint64_t{64} << 20;

/// Reads a PNG picture as [1, H, W, 3], channels red, green, blue.
///
/// Types    `expected` u8 (or none): the samples as they stand. bf16, f16, f32: sample / 255,
/// rounded once to nearest even. Other types are an error. Colour spaces (gAMA, sRGB, iCCP) are not
/// applied.
/// Pixels   grey and palettes become RGB. 1, 2 and 4 bits a sample are spread to 8; Adam7 is read.
/// Refused  transparency (there is no background to put behind it), 16 bits a sample (nothing is
/// narrowed behind the user's back), more than kMostPngPixels. Bytes after the end of the picture
/// are ignored, as viewers do.
/// Errors   name the file and what the PNG library says.
/// Source   ISO/IEC 15948; libpng 1.6.
Result<Array> readPng(const std::string& path, std::optional<ElementType> expected = std::nullopt);

/// The same from bytes in memory; `file` is what messages call them.
Result<Array> parsePng(std::string_view content, const std::string& file,
                       std::optional<ElementType> expected);

/// The bytes of a PNG file, 8 bits a sample.
///
/// Shapes   [H, W] is grey; [H, W, C] and [1, H, W, C] with C = 1 (grey) or 3 (RGB).
/// Types    u8 as it stands; bf16, f16, f32: clamped to 0..1, times 255, rounded to nearest even. A
/// NaN is an error that names its place: no colour stands for it.
Result<std::string> formatPng(const Array& array);
Status writePng(const std::string& path, const Array& array);

}  // namespace etalon::tools
