// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "isa/base/status.h"
#include "tools/io/array.h"

namespace etalon::tools {

/// Reads what a user names: `a.npy`, `weights.safetensors:layer.0.w`, `one.safetensors` with a
/// single tensor, or `photo.png` (png.h). `expected` decides only what a file leaves open (one-byte raw data, see npy.h);
/// that the type fits is the caller's check. No file has a name for 4-bit types: where one is expected, u8[.., n] are n pairs,
/// the even element in bits 3:0, and become [.., 2n] of it. Other endings are an error that says which are known.
Result<Array> readArray(const std::string& spec, std::optional<ElementType> expected);

/// Writes to `c.npy`, `c.png` or `out.safetensors:name` (name `array` if none is given).
Status writeArray(const std::string& spec, const Array& array);

/// Whether writeArray() knows the kind of file; to be asked before long work.
Status checkArrayTarget(const std::string& spec);

}  // namespace etalon::tools
