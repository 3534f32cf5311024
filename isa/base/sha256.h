// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace etalon {

/// SHA-256 (FIPS 180-4) of a text.
std::array<uint8_t, 32> sha256(std::string_view text);

}  // namespace etalon
