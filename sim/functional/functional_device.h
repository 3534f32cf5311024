// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "isa/base/status.h"
#include "isa/machines/machine.h"
#include "isa/numerics/contract.h"
#include "sim/arch/core.h"
#include "sim/arch/elf_image.h"
#include "sim/arch/snapshot.h"
#include "sim/functional/decode_cache.h"
#include "sim/functional/htif.h"
#include "sim/functional/interpreter.h"
#include "sim/functional/schedule.h"

namespace etalon::sim {

/// The closed list of reasons why a run ends.
enum class RunStatus : uint8_t {
  exited,
  fault,
  deadlock,
  instruction_limit,
  interrupted,
  poisoned
};

/// Name as reports write it, e.g. "instruction_limit".
std::string_view runStatusName(RunStatus status);

/// What a launch runs.
struct LaunchProgram {
  uint64_t entry = 0;
  std::optional<uint64_t> tohost, fromhost;  // words of the host protocol
};

struct LaunchOptions {
  std::optional<LaunchProgram> program;  // in memory; none: what was loaded or launched last
  unsigned first_core =
      0;  // first_core..first_core+cores-1 of every device start at the entry point
  unsigned cores = 1;
  uint64_t arguments = 0;          // a0: address of the argument block, 0 if none
  uint64_t instruction_limit = 0;  // over all cores; 0: none
  /// Look for races and reads of bytes that nobody wrote. Without, the launch is faster and findings has faults alone.
  bool observe = true;
  uint64_t seed = 0;      // of the interleaving, see Schedule; 0: round robin
  Htif::Console console;  // what the program prints; may be empty
  const CommitSink* commits = nullptr;
  /// A timing model decides when each core executes what: step() in place of advance(), signals wait for
  /// Core::deliverSignals.
  bool timed = false;
  /// A host may raise software interrupts and set timers meanwhile: cores that enable them do not wait for ever, and where all
  /// wait, advance() comes back.
  bool attended = false;
  /// Called once a round of turns with the instructions executed so far; false ends the run. May be empty.
  std::function<bool(uint64_t)> progress;
};

/// Where a core stands that had not halted when the run ended.
struct StoppedCore {
  unsigned core = 0;         // agent
  uint64_t pc = 0;           // of the instruction that waits or would come next
  uint32_t instruction = 0;  // there; 0 where nothing can be fetched
  std::string waiting;       // `waits for semaphore 3 of core 0 ...`; of a deadlock alone
};

/// What stops a launch between two instructions, for debuggers.
struct StopConditions {
  std::vector<uint64_t> breakpoints;    // before an instruction at one of these addresses
  std::vector<Watchpoint> watchpoints;  // after an instruction that accessed such bytes
  std::optional<unsigned>
      stepping;             // after one instruction of this agent, which no breakpoint stops
  std::set<unsigned> held;  // agents that do not run
};

enum class StopReason : uint8_t { breakpoint, watchpoint, step, held };

/// Why advance() came back early: a condition held. `held`: no core moved, and some were kept from it.
struct Stop {
  StopReason reason = StopReason::breakpoint;
  unsigned core = 0;  // agent
  WatchHit watch;     // of a watchpoint
};

/// What became of one instruction that a timing model had executed.
struct StepOutcome {
  bool executed = false;  // false: it waits, and had no effect
  bool trapped =
      false;  // its effect was a trap, or it was stopped at poison (then the core's state says so)
  std::optional<uint64_t> exit_code;  // it ended the program
};

/// A device made from a snapshot, and the text that was kept with it.
struct RestoredDevice;

struct RunResult {
  RunStatus status = RunStatus::exited;
  uint64_t exit_code = 0;            // of the program, when it exited
  uint64_t instructions = 0;         // retired over all cores
  std::vector<StoppedCore> stopped;  // deadlock, limit, interrupted: at least one
};

/// The golden model: a device, or a cluster of equal ones. Memory that outlives launches, images on 1 to 64 cores of each.
///
/// All devices hold the same images and buffers at the same addresses. Addresses may name the device, as programs do
/// (map.device-field); those without are the first one's. Cores are counted through all devices (Cluster).
/// Cores are interleaved as Schedule says, a function of the launch's seed, so a run is the same bytes every time.
class FunctionalDevice {
 public:
  /// `contract`: how its matrix and vector units compute; the default is the canonical arithmetic.
  /// `values` left out: tile instructions that compute in float, or products, have all their effects but the bytes they
  /// would write, which are poisoned instead (docs/design/0010-runs-without-values.md). Launches end as `poisoned` where
  /// what follows would depend on such bytes; until then, and in all that does not, nothing differs from a run with values.
  static Result<std::unique_ptr<FunctionalDevice>> create(const isa::Machine& machine,
                                                          numerics::Contract contract = {},
                                                          Values values = Values::computed,
                                                          unsigned devices = 1);

  /// Copies the image's segments into global memory of every device, over whatever an earlier image left there. Errors name the segment and
  /// the map, or the buffer it would overwrite; then nothing was loaded.
  Status load(const ElfImage& image);
  /// Reserves `bytes` of global memory of every device, at one address, aligned to 4 KiB, with a gap after it that nobody wrote. Buffers come from the end
  /// of memory downward and images stand at its begin, so the next image has room as long as any is left.
  Result<uint64_t> allocate(uint64_t bytes);
  /// Gives a buffer back; its bytes count as unwritten again. Errors: no buffer begins at the address.
  Status release(uint64_t address);
  Status write(uint64_t address, std::span<const std::byte> bytes);
  Status read(uint64_t address, std::span<std::byte> bytes);
  Values values() const { return memory_->values(); }
  /// Address of the first of `bytes` bytes of memory that a run without values left out; none if all have their values.
  std::optional<uint64_t> firstPoisoned(uint64_t address, uint64_t bytes);

  /// Runs the image until it ends; an error only if it could not start. Cores and semaphores start from reset, findings
  /// and counters are those of this launch; memory is what earlier launches left.
  Result<RunResult> launch(const LaunchOptions& options);
  /// launch() in pieces: start() executes nothing, advance() at most `most` instructions (1 or more), in the order that
  /// launch() has. Returns the result once the launch is over; advance() ends with it. The options' commits stay in use.
  Status start(const LaunchOptions& options);
  std::optional<RunResult> advance(uint64_t most);
  /// Of a timed launch: executes the next instruction of a core that is running. The launch goes on until end().
  StepOutcome step(Core& core);
  /// The next instruction of a core; nullptr where nothing can be fetched, which step() finds a trap.
  const isa::Instruction* next(const Core& core);
  /// Instructions that a launch that was started may still execute.
  uint64_t instructionsLeft() const { return running_->left; }
  /// Ends a timed launch; `exit_code` of one that exited.
  RunResult end(RunStatus status, uint64_t exit_code = 0);
  /// Window `index` of a core becomes this one, until it is set again: launches keep windows. An agent of the cluster.
  void setWindow(unsigned agent, unsigned index, const isa::Window& window);
  bool started() const { return running_.has_value(); }
  /// Cores of each device in a launch that was started.
  unsigned launchCores() const { return running_->options.cores; }
  /// The first of them.
  unsigned launchFirstCore() const { return running_->options.first_core; }
  /// Instructions executed since start(), of all cores, those that trapped included.
  uint64_t executed() const { return running_->limit - running_->left; }
  /// From now on advance() stops for these as well, until they are replaced or the launch is over; the order in which cores
  /// run stays that of launch(), unless cores are held.
  void setStops(StopConditions stops);
  /// Why the last advance() came back without a result, if a condition of setStops() held.
  const std::optional<Stop>& stop() const { return stop_; }
  /// Ends a launch that was started.
  RunResult interrupt() { return finish(RunStatus::interrupted); }
  /// The host ends a launch that was started: cores that enable the interrupt for it get it and go on until they halt, the
  /// others stop at once. The result if that was all.
  std::optional<RunResult> abort();
  /// An attending host may end that every core waits.
  bool waitsForHost() const;
  /// As after power up, global memory apart; a launch is over then.
  void reset();

  /// Writes the device to `sink`: memory, cores, buffers, and a launch that is not over with all that its end depends on,
  /// so that a restored device ends in the same values, counters and findings. `label` is kept with it.
  /// Errors: a device without values, a launch that does not observe.
  Status snapshot(const SnapshotSink& sink, const std::string& label) const;
  /// A device from what snapshot() wrote. A launch in it goes on with the console, commits, progress and instruction limit of
  /// `options`; its cores, seed and arguments are those of the snapshot, and instructions before it count.
  /// Errors: no snapshot, another version, machine or contract, damage; an instruction limit that is behind already.
  static Result<RestoredDevice> restore(const isa::Machine& machine, numerics::Contract contract,
                                        std::span<const std::byte> snapshot,
                                        const LaunchOptions& options);
  /// Races of the last launch.
  const RaceDetector& races() const { return launch_->races(); }

  const isa::Machine& machine() const { return machine_; }
  const numerics::Contract& contract() const { return contract_; }
  Memory& memory() { return *memory_; }
  const Findings& findings() const { return findings_; }
  /// Cores of all devices.
  unsigned cores() const { return static_cast<unsigned>(cores_.size()); }
  const Core& core(unsigned agent) const { return *cores_[agent]; }
  Core& core(unsigned agent) { return *cores_[agent]; }
  const Cluster& cluster() const { return memory_->cluster(); }
  /// To be called when something else than load() and the program wrote code: instructions are decoded again.
  void codeChanged();
  uint64_t counterTotal(isa::Counter counter) const;

 private:
  static constexpr uint64_t kPage = 4096;  // of buffers and images
  /// A launch that is not over: whose turn it is, and what the round came to so far.
  struct Running {
    LaunchOptions options;
    Htif htif;
    Schedule schedule;
    uint64_t limit, left;    // instructions
    unsigned turn = 0;       // of the round
    bool begun = false;      // the turn
    uint64_t turn_left = 0;  // instructions of a turn that has begun
    // Of this round: a core executed something or a signal arrived; a core was passed over or a signal did not arrive;
    // a core has not halted.
    bool moved = false, held_back = false, waiting = false;

    template <class Archive, class Self>
    static void transfer(Archive& archive, Self& self);
  };

  FunctionalDevice(isa::Machine machine, numerics::Contract contract)
      : machine_(std::move(machine)), contract_(std::move(contract)) {}
  /// mtime counts the instructions that cores retire.
  void startClock();
  void stopClock();
  /// Cores, semaphores and findings as after reset; memory stays.
  void resetCores();
  RunResult finish(RunStatus status);
  /// The core whose turn it is; if the turn begins, with its signals delivered, its instructions counted out and an interrupt
  /// taken that is due.
  Core& beginTurn();
  /// Every core waits: mtime goes on to where the first timer ends that. False if none does.
  bool skipToTimer();
  bool allHalted() const;
  DecodeCache& cacheOf(const Core& core) { return *caches_[core.device()]; }
  /// Core number i of the launch, counted through all devices.
  Core& launched(unsigned i) const { return *cores_[launch_->agent(i)]; }
  /// The first core of the launch that has not halted and is held.
  std::optional<unsigned> firstHeld() const;
  /// Executes at most `most` instructions of the core whose turn it is; its turn may be over then.
  uint64_t runTurn(Core& core, uint64_t most);
  std::optional<Stop> stopAfter(const Core& core, bool stepped) const;
  Htif makeHtif(const LaunchOptions& options);
  /// Answers what the core stored to tohost; the exit code if it ends the program.
  std::optional<uint64_t> serveHost(Core& core);
  /// Snapshots (device_snapshot.cc): everything but the launch; reads into a fresh device.
  template <class Archive, class Self>
  static void transfer(Archive& archive, Self& self);
  template <class Archive, class Self>
  static void transferLaunch(Archive& archive, Self& self);
  void checkRead(SnapshotReader& in) const;
  Status resume(const LaunchOptions& options);
  /// Into memory of one device; the segment was checked.
  void copySegment(const Segment& segment, unsigned device);
  Status checkSegment(const ElfImage& image, const Segment& segment) const;
  StoppedCore stoppedCore(const Core& core, RunStatus status) const;

  isa::Machine machine_;
  numerics::Contract contract_;
  std::unique_ptr<Memory> memory_;
  Findings findings_;
  std::unique_ptr<LaunchState> launch_;
  std::vector<std::unique_ptr<Core>> cores_;
  std::vector<std::unique_ptr<DecodeCache>> caches_;  // of each device
  uint64_t entry_ = 0;
  std::optional<uint64_t> tohost_, fromhost_;
  std::optional<Running> running_;
  StopConditions stops_;
  std::optional<Stop> stop_;
  uint64_t images_end_ = 0;  // first address behind all images; below it none is allocated
  std::map<uint64_t, uint64_t> buffers_;  // begin and end of each, its gap included
  bool pristine_ = true;                  // no byte of memory was ever written
};

struct RestoredDevice {
  std::unique_ptr<FunctionalDevice> device;
  std::string label;
};

}  // namespace etalon::sim
