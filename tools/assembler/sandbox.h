// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "isa/base/status.h"

namespace etalon::tools {

using Bytes = std::vector<std::byte>;

/// What a sandboxed job may use. The defaults are far above any real program.
struct SandboxLimits {
  uint64_t memory_bytes = uint64_t{1} << 30;  ///< on top of what the caller has mapped
  int cpu_seconds = 10;
  int wall_seconds = 30;
  uint64_t result_bytes = uint64_t{128} << 20;
};

/// Runs `job` in a forked child with its memory and time limited, and returns the job's answer.
///
/// Why a child: LLVM aborts when memory runs out, and hostile input can make it do so (`.fill
/// 1<<40`) or spin; neither may take the caller down. It also keeps LLVM's and lld's global state,
/// and their writes to stdout and stderr, out of the caller, so every call starts fresh. Costs
/// about a millisecond. The child sees a copy of the caller's memory; nothing it changes comes back
/// but the answer. A job must start no threads that outlive it and must not rely on the caller's
/// threads.
///
/// Errors: the job's own Error as it is; else "`what` ..." naming the limit that was hit (memory,
/// time, size of the result) or the signal that ended the child.
Result<Bytes> runSandboxed(const std::string& what, const std::function<Result<Bytes>()>& job,
                           const SandboxLimits& limits = {});

/// Ends a sandboxed job that got no memory; for libraries that have an out-of-memory hook of their
/// own.
[[noreturn]] void exitOutOfMemory();

}  // namespace etalon::tools
