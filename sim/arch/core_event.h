// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace etalon::sim {

/// What a core does between two instructions.
enum class CoreState : uint8_t { running, halted, faulted, poisoned };

/// Why the interpreter leaves its loop; a bit set.
namespace event {
inline constexpr uint32_t trapped = 1;      // this instruction did not retire
inline constexpr uint32_t refetch = 2;      // decoded instructions are stale (fence.i)
inline constexpr uint32_t stopped = 4;      // the core is no longer running
inline constexpr uint32_t tohost = 8;       // a store to tohost wants the device's attention
inline constexpr uint32_t blocked = 16;     // the instruction waits and will be executed again
inline constexpr uint32_t watched = 32;     // the instruction accessed watched bytes
inline constexpr uint32_t breakpoint = 64;  // nothing was executed: a breakpoint stands there
inline constexpr uint32_t interrupt = 128;  // this instruction made an interrupt due
}  // namespace event

}  // namespace etalon::sim
