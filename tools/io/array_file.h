// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "isa/base/status.h"
#include "tools/io/array.h"

namespace etalon::tools {

/// Reads what a user names: `a.npy`, `weights.safetensors:layer.0.w`, or `one.safetensors` with a
/// single tensor. `expected` decides only what a file leaves open (one-byte raw data, see npy.h);
/// that the type fits is the caller's check. Other endings are an error that says which are known.
Result<Array> readArray(const std::string& spec, std::optional<ElementType> expected);

/// Writes to `c.npy` or `out.safetensors:name` (name `array` if none is given).
Status writeArray(const std::string& spec, const Array& array);

}  // namespace etalon::tools
