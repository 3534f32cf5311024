// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>

#include "isa/base/status.h"
#include "isa/element_type.h"

namespace etalon::sim {

/// Bits of an element of `type` that an example writes as a number, "nan", "inf", "-inf", or its bits ("0x7fc0").
///
/// A number must be a value of the type: nothing is rounded here. NaN is the canonical one of the type. Shares no code
/// with isa/numerics, since examples check that.
Result<uint64_t> encodeElement(ElementType type, const nlohmann::json& value);

/// A 64-bit register value: an integer from -2^63 to 2^64 - 1.
Result<uint64_t> encodeWord(const nlohmann::json& value);

}  // namespace etalon::sim
