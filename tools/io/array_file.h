// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "isa/base/status.h"
#include "tools/io/array.h"

namespace etalon::tools {

/// Says whether a name is one that readArray() and writeArray() take, by its ending alone; the
/// error says which are known.
Status checkArrayFile(const std::string& spec);

/// Reads what a user names: `a.npy`, `weights.safetensors:layer.0.w`, `one.safetensors` with a
/// single tensor, or `photo.png` as [1, H, W, 3]. `expected` decides only what a file leaves open
/// (one-byte raw data, see npy.h; whether a picture is 0..255 or 0..1, see png.h); that the type
/// fits is the caller's check.
Result<Array> readArray(const std::string& spec, std::optional<ElementType> expected);

/// Writes to `c.npy`, `y.png` or `out.safetensors:name` (name `array` if none is given).
Status writeArray(const std::string& spec, const Array& array);

}  // namespace etalon::tools
