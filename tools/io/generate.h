// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "isa/base/status.h"
#include "tools/io/array.h"

namespace etalon::tools {

/// True if the text begins like a generator (`zeros`, `ones`, `iota`, `random:...`, `const:...`),
/// so that the caller knows it names no file.
bool isGenerator(std::string_view spec);

/// Makes an array; element i counts in C order. The same bytes on every host.
///
/// zeros, ones          0 and 1 (e8m0 has no zero: `zeros` of it is an error).
/// const:V              V in every element. Integers must fit; floats are read as f32, then rounded
/// to nearest even, and
///                      must not overflow.
/// iota                 i. Integers modulo 2^bits; floats rounded to nearest even, FP8 and FP4
/// saturating. random:SEED          Philox4x32-10 with key {SEED low, SEED high} and counter {i/4
/// low, i/4 high, 0, 0}, word i mod 4,
///                      called w; integers until the last step. Floats: the signed top 24 bits of w
///                      times 2^-23, uniform in [-1, 1), exact in f32, then one rounding to the
///                      type. Integers: the top four bits, -8..7 signed or 0..15 unsigned, so that
///                      long products stay in range. e8m0: 2^-8..2^7.
/// random:SEED:LO:HI    integer types only: LO + floor(w * (HI - LO) / 2^32), LO <= value < HI (row
/// numbers for a gather).
///
/// Errors name the generator and what it may be.
Result<Array> generate(std::string_view spec, ElementType type, const std::vector<uint64_t>& shape);

}  // namespace etalon::tools
