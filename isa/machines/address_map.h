// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

namespace etalon::isa {

// Addresses that isa.md section 2 fixes for every machine. What a machine may choose is in
// machine.h.

/// A core's own local window; its device page comes after it.
inline constexpr uint64_t kLocalWindowBase = 0x1000'0000;
inline constexpr uint64_t kDevicePageBytes = 4096;
/// Global memory lies in [kGlobalRegionBase, kGlobalRegionEnd).
inline constexpr uint64_t kGlobalRegionBase = 0x8000'0000;
inline constexpr uint64_t kGlobalRegionEnd = 0x40'0000'0000;
/// Core c's window and page, seen from any core, at kCoreWindowBase + c * kCoreWindowStride.
inline constexpr uint64_t kCoreWindowBase = 0x40'0000'0000;
inline constexpr uint64_t kCoreWindowStride = 0x1000'0000;
/// Bits 55:48 of an address name the device; 0 is the own one.
inline constexpr int kDeviceShift = 48;
/// Devices of a cluster have ids 1 to 16.
inline constexpr unsigned kMaxDevices = 16;
/// Without this profile no other device can be named.
inline constexpr std::string_view kNetProfile = "Et-net";

}  // namespace etalon::isa
