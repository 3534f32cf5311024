// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

namespace etalon::numerics {

/// Instruction sets of the host that numerics has loops for: any, x86-64-v3 (AVX2, FMA, F16C),
/// x86-64-v4 (AVX-512 F, BW, CD, DQ, VL). The choice never changes a bit of a result.
enum class HostIsa : uint8_t { Generic, V3, V4 };

/// The best one this processor and operating system support; asked once.
HostIsa hostIsa();

/// All supported ones, Generic first: what tests run through.
std::vector<HostIsa> supportedHostIsas();

}  // namespace etalon::numerics
