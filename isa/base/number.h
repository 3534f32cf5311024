// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "isa/base/status.h"

namespace etalon {

/// A whole number as people write it in machine files and on command lines: decimal, or hexadecimal
/// with 0x.
///
/// A leading zero (`010`) is refused rather than guessed: YAML 1.1 reads it as octal, people as
/// ten. Signs, blanks, underscores, fractions and values of 2^64 and more are refused too; every
/// message quotes the text.
Result<uint64_t> parseUnsigned(std::string_view text);

/// The same with an optional leading minus; range of int64_t.
Result<int64_t> parseSigned(std::string_view text);

/// A size in bytes: a whole number, optionally followed by KiB, MiB or GiB (`8 MiB`, `8MiB`,
/// `8388608`).
Result<uint64_t> parseBytes(std::string_view text);

/// A ratio as people write it, in thousandths: decimal (`0.5`) or a fraction (`1/2`), both 500. One that is no whole number
/// of thousandths (`1/3`) is refused.
Result<uint64_t> parseThousandths(std::string_view text);

/// A decimal floating-point number, correctly rounded to f32; `inf`, `nan` and their signs are
/// accepted, a finite text beyond the range of f32 is refused.
Result<float> parseFloat(std::string_view text);

/// The shortest exact way to write a size: `8 MiB`, `4097`.
std::string formatBytes(uint64_t bytes);

/// `0.5` for 500, `2` for 2000.
std::string formatThousandths(uint64_t thousandths);

}  // namespace etalon
