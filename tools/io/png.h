// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string>

#include "isa/base/status.h"
#include "tools/io/array.h"

namespace etalon::tools {

/// The most pixels a picture may have; more is taken for a mistake.
inline constexpr uint64_t kMostPixels = uint64_t{1} << 26;

/// A picture as an array [1, H, W, 3], red, green, blue; grey is expanded, transparency laid on black.
///
/// Types: u8 (also when nothing is expected) takes the samples as they are, 0..255; f32, f16 and
/// bf16 take sample / 255, rounded to f32 and from there to the type. Others are an error.
Result<Array> parsePng(std::span<const std::byte> file, const std::string& name,
                       std::optional<ElementType> expected);
Result<Array> readPng(const std::string& path, std::optional<ElementType> expected);

/// Writes [1, H, W, C], [H, W, C] or [H, W], C = 1 (grey) or 3. u8 as it is; f32, f16 and bf16 are
/// clamped to 0..1 (NaN is 0) and written as the nearest of 0..255, ties to even.
Status writePng(const std::string& path, const Array& array);

}  // namespace etalon::tools
