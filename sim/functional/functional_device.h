// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "isa/base/status.h"
#include "isa/machines/machine.h"
#include "sim/arch/core.h"
#include "sim/arch/elf_image.h"
#include "sim/functional/decode_cache.h"
#include "sim/functional/htif.h"
#include "sim/functional/interpreter.h"

namespace etalon::sim {

/// The closed list of reasons why a run ends.
enum class RunStatus : uint8_t { exited, fault, deadlock, instruction_limit, interrupted };

/// Name as reports write it, e.g. "instruction_limit".
std::string_view runStatusName(RunStatus status);

struct LaunchOptions {
  unsigned cores = 1;              // cores 0..cores-1 start at the entry point
  uint64_t arguments = 0;          // a0: address of the argument block, 0 if none
  uint64_t instruction_limit = 0;  // over all cores; 0: none
  Htif::Console console;           // what the program prints; may be empty
  const CommitSink* commits = nullptr;
  /// Called once a round of turns with the instructions executed so far; false ends the run. May be empty.
  std::function<bool(uint64_t)> progress;
};

/// Where a core stands that had not halted when the run ended.
struct StoppedCore {
  unsigned core = 0;
  uint64_t pc = 0;           // of the instruction that waits or would come next
  uint32_t instruction = 0;  // there; 0 where nothing can be fetched
  std::string waiting;       // `waits for semaphore 3 of core 0 ...`; of a deadlock alone
};

struct RunResult {
  RunStatus status = RunStatus::exited;
  uint64_t exit_code = 0;            // of the program, when it exited
  uint64_t instructions = 0;         // retired over all cores
  std::vector<StoppedCore> stopped;  // deadlock, limit, interrupted: at least one
};

/// The golden model as a device: memory that outlives launches, images on 1 to 64 cores.
///
/// Cores are interleaved round robin, a fixed number of instructions each, so a run is the same bytes every time.
class FunctionalDevice {
 public:
  static Result<std::unique_ptr<FunctionalDevice>> create(const isa::Machine& machine);

  /// Copies the image's segments into global memory; errors name the segment and the map.
  Status load(const ElfImage& image);
  /// Reserves `bytes` of global memory above the image, aligned to 4 KiB, with a gap after it that nobody wrote.
  Result<uint64_t> allocate(uint64_t bytes);
  Status write(uint64_t address, std::span<const std::byte> bytes);
  Status read(uint64_t address, std::span<std::byte> bytes);

  /// Runs the image until it ends; an error only if it could not start. Cores and semaphores start from reset, findings
  /// and counters are those of this launch; memory is what earlier launches left.
  Result<RunResult> launch(const LaunchOptions& options);
  /// Races of the last launch.
  const RaceDetector& races() const { return launch_->races(); }

  const isa::Machine& machine() const { return machine_; }
  Memory& memory() { return *memory_; }
  const Findings& findings() const { return findings_; }
  unsigned cores() const { return static_cast<unsigned>(cores_.size()); }
  const Core& core(unsigned number) const { return *cores_[number]; }
  uint64_t counterTotal(isa::Counter counter) const;

 private:
  explicit FunctionalDevice(isa::Machine machine) : machine_(std::move(machine)) {}
  /// Cores, semaphores and findings as after reset; memory stays.
  void resetCores();
  RunResult finish(RunStatus status, const LaunchOptions& options);
  bool allHalted(const LaunchOptions& options) const;
  StoppedCore stoppedCore(const Core& core, RunStatus status) const;

  isa::Machine machine_;
  std::unique_ptr<Memory> memory_;
  Findings findings_;
  std::unique_ptr<LaunchState> launch_;
  std::vector<std::unique_ptr<Core>> cores_;
  std::unique_ptr<DecodeCache> cache_;
  uint64_t entry_ = 0;
  std::optional<uint64_t> tohost_, fromhost_;
  uint64_t heap_ = 0;  // next free global address
};

}  // namespace etalon::sim
