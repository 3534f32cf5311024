// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "isa/base/bits.h"
#include "isa/codec/instruction.h"
#include "isa/counter.h"
#include "isa/machines/machine.h"
#include "isa/numerics/contract.h"
#include "isa/numerics/mma.h"
#include "isa/numerics/tile_ref.h"
#include "isa/state/chain_descriptor.h"
#include "isa/state/fault.h"
#include "isa/state/tile_operands.h"
#include "isa/state/tile_register.h"
#include "isa/state/view_descriptor.h"
#include "sim/arch/core_event.h"
#include "sim/arch/findings.h"
#include "sim/arch/issue_sink.h"
#include "sim/arch/launch_state.h"
#include "sim/arch/memory.h"
#include "sim/arch/poisoned_tiles.h"
#include "sim/arch/view_memory.h"
#include "sim/arch/watchpoint.h"

namespace etalon::sim {

/// Architectural state of one core and the meaning of its accesses: the CoreContext that instruction semantics see.
class Core {
 public:
  /// `agent`: counts the cores of all devices of `memory`. `contract`: nullptr for the canonical arithmetic; outlives the core.
  Core(unsigned agent, const isa::Machine& machine, Memory& memory, Findings& findings,
       const numerics::Contract* contract = nullptr);

  // --- scalar registers and control flow
  uint64_t x(int i) const { return x_[i]; }
  void setX(int i, uint64_t value) {
    x_[i] = value;
    x_[0] = 0;
  }
  uint64_t pc() const { return pc_; }
  bool jump(uint64_t target) {
    if (target & 3) [[unlikely]] {
      trap(isa::Cause::fetch_misaligned, target, isa::Rule::mem_fetch_align);
      return false;
    }
    next_pc_ = target;
    return true;
  }

  // --- scalar memory
  template <class T>
  bool load(uint64_t address, T& value) {
    const uint64_t offset = address - global_base_;
    if (offset >= direct_bytes_) [[unlikely]] {
      uint64_t wide = 0;
      if (!loadElsewhere(address, sizeof(T), wide)) return false;
      value = static_cast<T>(wide);
      return true;
    }
    if (!global_.init.allSet(offset, sizeof(T))) [[unlikely]]
      noteUninitialised(global_, offset, sizeof(T));
    launch_->races().scalarLoad(site(), global_region_, offset, sizeof(T));
    value = loadBytes<T>(global_.backing.data() + offset);
    return true;
  }
  template <class T>
  bool store(uint64_t address, T value) {
    const uint64_t offset = address - global_base_;
    if (offset >= direct_bytes_) [[unlikely]]
      return storeElsewhere(address, sizeof(T), static_cast<uint64_t>(value));
    global_.init.setRange(offset, sizeof(T));
    launch_->races().scalarStore(site(), global_region_, offset, sizeof(T));
    storeBytes<T>(global_.backing.data() + offset, value);
    if (memory_.anyReservation()) [[unlikely]]
      memory_.breakReservations(agent_, global_, offset, sizeof(T));
    if (address - tohost_ < 8) [[unlikely]]
      noteTohost(device_);
    return true;
  }
  template <class T, class F>
  bool atomic(uint64_t address, bool acquire, bool release, T& old, F f) {
    const std::optional<Place> place =
        atomicPlace(address, sizeof(T), isa::Cause::store_misaligned, isa::Cause::store_access);
    if (!place || !noteRead(*place, sizeof(T), "an atomic")) return false;
    old = loadBytes<T>(place->data());
    storeBytes<T>(place->data(), f(old));
    finishAtomic(*place, sizeof(T), acquire, release);
    return true;
  }
  template <class T>
  bool loadReserved(uint64_t address, bool acquire, bool release, T& value) {
    const std::optional<Place> place =
        atomicPlace(address, sizeof(T), isa::Cause::load_misaligned, isa::Cause::load_access);
    if (!place || !noteRead(*place, sizeof(T), "an atomic")) return false;
    value = loadBytes<T>(place->data());
    launch_->races().loadReserved(site(), MemoryRegion{place->region->id}, place->offset, sizeof(T),
                                  {acquire, release});
    memory_.reserve(agent_, *place);
    return true;
  }
  template <class T>
  bool storeConditional(uint64_t address, bool acquire, bool release, T value, bool& stored) {
    const std::optional<Place> place =
        atomicPlace(address, sizeof(T), isa::Cause::store_misaligned, isa::Cause::store_access);
    if (!place) return false;
    stored = memory_.holdsReservation(agent_, *place);
    memory_.dropReservation(agent_);
    if (!stored) return true;
    storeBytes<T>(place->data(), value);
    finishAtomic(*place, sizeof(T), acquire, release);
    return true;
  }
  void orderScalar(uint64_t predecessors, uint64_t successors);
  void synchroniseFetch() { events_ |= event::refetch; }

  // --- control and status registers (core_csr.cc)
  /// True if the CSR exists and, when `writes`, can be written; else traps.
  bool csrAccessible(uint32_t number, bool writes);
  /// True if the CSR exists and is not read-only.
  static bool csrWritable(uint32_t number);
  uint64_t readCsr(uint32_t number) const;
  void writeCsr(uint32_t number, uint64_t value);
  void returnFromTrap();
  uint32_t roundingMode() const { return static_cast<uint32_t>(bits(fcsr_, 7, 5)); }
  void accrueFlags(uint32_t flags) { fcsr_ |= flags; }

  // --- tile instructions (core_tile.cc)
  isa::TileRegister& tile(int i) { return tiles_[i]; }
  isa::ViewDescriptor& view(int i) { return views_[i]; }
  isa::ChainDescriptor& chain(int i) { return chains_[i]; }
  const isa::TileRegister& tile(int i) const { return tiles_[i]; }
  const isa::ViewDescriptor& view(int i) const { return views_[i]; }
  const isa::ChainDescriptor& chain(int i) const { return chains_[i]; }
  isa::TileOperands operands(const isa::Instruction& in, isa::OperandRules rules = {}) const {
    return {in, limits_, rules};
  }
  const isa::MachineLimits& limits() const { return limits_; }
  /// After all checks: finds the memory of views; traps and returns false if anything failed.
  bool check(isa::TileOperands& operands);
  /// check(), then opens the instruction and records the tiles it reads: none if it writes no element (op.empty).
  bool begin(isa::TileOperands& operands);
  /// Between begin and the next instruction: false in a run without values for an instruction whose values are left out,
  /// since it computes in float or reads a poisoned byte; what it writes is poisoned then.
  bool computes() const { return !poisons_; }
  /// False if nothing depends on which bytes of memory a load reads: its values are left out, and nobody looks on.
  bool readsViews() const { return !poisons_ || watched(); }
  /// After all effects: records the tiles that were written.
  void finish(const isa::TileOperands& operands);
  numerics::TileRef tileRef(const isa::TileRegister& tile) const;
  /// Memory of operand i, a view, between begin and the next instruction.
  const ViewMemory& viewMemory(int i) const { return view_memory_[i]; }
  /// Records an access to `count` columns of a tile's row, for operands recorded by element (types of 8 bits and more).
  void recordElements(const isa::TileRegister& tile, uint64_t row, uint64_t column, uint64_t count,
                      bool write);
  /// Records an access to bytes of a view's memory.
  void recordView(const ViewMemory& memory, uint64_t address, uint64_t bytes, bool write);
  /// Records an atomic update of elements of a view's memory.
  void recordUpdate(const ViewMemory& memory, uint64_t address, uint64_t bytes, bool floating_add);
  const numerics::Contract* contract() const { return contract_; }
  /// Buffers matrix instructions keep between products.
  numerics::MmaScratch* mmaScratch() { return &mma_scratch_; }
  /// True if a scalar store of the bytes would not trap; else traps.
  bool storable(uint64_t address, uint64_t bytes);
  /// Sets the sticky status: an index was outside.
  void noteIndexOutside(isa::Unit unit);

  // --- synchronisation (core_sync.cc); false if trapped or blocked
  void fenceAll();
  void fenceTile(const isa::TileRegister& tile);
  /// Of operand i, a view, after check().
  void fenceView(int i, const isa::ViewDescriptor& view);
  bool signal(uint64_t address, uint32_t amount);
  /// Signals that were issued and are not performed yet; none unless the launch defers them.
  uint64_t pendingSignals() const { return signals_.size(); }
  /// Performs the oldest `count` of them.
  void deliverSignals(uint64_t count);
  /// What rd gets; nothing if it blocks.
  std::optional<uint64_t> wait(unsigned semaphore, uint32_t amount, bool subtract);
  uint32_t semaphore(unsigned number) const { return memory_.semaphores(agent_)[number]; }
  bool barrier(uint64_t mask, uint64_t group);
  /// True if the core has arrived at a barrier and not passed it.
  bool atBarrier() const { return etbar_ != 0; }
  void halt();

  // --- interrupts (core_interrupt.cc)
  /// wfi: blocks until an interrupt is pending.
  void sleep();
  /// mip.
  uint64_t pendingInterrupts() const;
  /// True if an interrupt is pending that mie enables, whatever mstatus.MIE is.
  bool interruptPending() const { return mie_ != 0 && (pendingInterrupts() & mie_) != 0; }
  /// True if interrupts can be taken at all.
  bool interruptible() const { return mie_bit_ && mie_ != 0; }
  /// True if one is to be taken before the next instruction; it ends wfi first.
  bool interruptDue() const { return mie_bit_ && !asleep_ && interruptPending(); }
  /// Takes it, between two instructions; ends the run if there is no trap vector.
  void takeInterrupt();
  /// The mtime at which the core, which waits, goes on by its timer; nothing if it does not.
  std::optional<uint64_t> wakeTime() const;
  /// Sets the sticky error of a unit, and so raises a machine check.
  void raiseUnitError(isa::Unit unit, uint64_t error);

  /// An address among the registers of the own device, without its id; nothing for others.
  std::optional<uint64_t> ownRegister(uint64_t address) const;

  // --- windows (core_window.cc)
  /// True if the core has windows: then nothing is reached without them.
  bool windowed() const { return memory_.windows(agent_).inForce(); }
  /// What an address of the program means, if the core, and the one whose local memory it is, let it so be accessed.
  std::optional<uint64_t> resolve(uint64_t address, uint64_t bytes, uint8_t rights) const;
  /// Where the instruction at pc stands, as an address of the own device without its id; nothing if it cannot be fetched.
  std::optional<uint64_t> fetchAddress() const;
  /// Of a fetch that has no page: the trap.
  void fetchFault();
  /// The semaphore that a signal to the address goes to.
  std::optional<DeviceWord> signalWord(uint64_t address) const;
  /// The windows have changed.
  void windowsChanged() { watch(watchpoints_); }

  // --- runs without values (core_poison.cc)
  /// The word that stands for a poisoned instruction in the decode cache: it is illegal.
  static constexpr uint32_t kPoisonedInstruction = ~uint32_t{0};
  /// An instruction that cannot be executed: traps, or ends a run without values where it was not computed.
  void illegalInstruction(uint32_t raw);
  /// The host was asked to read poisoned bytes by the instruction before pc; ends the run.
  void stopHostRead(const Place& place, uint64_t bytes);

  // --- traps
  void trap(isa::Cause cause, uint64_t value, isa::Rule rule) {
    trapWith({.cause = cause, .rule = rule, .value = value});
  }
  /// Fills in core, pc and instruction of the fault, records it, and traps or ends the run.
  void trapWith(isa::Fault fault);

  // --- the interpreter's side
  /// The core's number among all of the cluster: that of findings, races, reservations.
  unsigned agent() const { return agent_; }
  /// Its number in its device, which programs know.
  unsigned number() const { return number_; }
  /// Its device, counted from 0.
  unsigned device() const { return device_; }
  CoreState state() const { return state_; }
  void setState(CoreState state) {
    state_ = state;
    events_ |= event::stopped;
  }
  void start(uint64_t entry, LaunchState& launch);
  /// Makes the current instruction wait: it has no effect and is executed again at the core's next turn.
  void block(std::string waiting_for) {
    waiting_for_ = std::move(waiting_for);
    events_ |= event::blocked;
  }
  /// True if the last instruction the core tried waits.
  bool blocked() const { return (events_ & event::blocked) != 0; }
  /// What the core waited for when it last blocked, for deadlock reports.
  const std::string& waitingFor() const { return waiting_for_; }
  uint64_t retired() const { return retired_; }
  /// Scalar instructions retired: all less those of the other classes.
  uint64_t retiredScalar() const;
  uint64_t counter(isa::Counter counter) const { return counters_[static_cast<size_t>(counter)]; }
  void addCounter(isa::Counter counter, uint64_t amount) {
    counters_[static_cast<size_t>(counter)] += amount;
  }
  /// Address of the image's `tohost`; stores there raise event::tohost.
  void watchTohost(uint64_t address) { tohost_ = address; }
  /// The device whose `tohost` raised event::tohost.
  unsigned tohostDevice() const { return tohost_device_; }
  /// Accesses to these bytes raise event::watched; nullptr or none: no watching, which costs nothing.
  void watch(const std::vector<Watchpoint>* watchpoints);
  /// What raised event::watched last.
  const WatchHit& watchHit() const { return watch_hit_; }
  /// Whom to tell of issued tile instructions; nullptr: nobody.
  void setIssueSink(IssueSink* sink) { issue_sink_ = sink; }
  /// From now on the core knows time: what mcycle counts and what the machine counter `cycles` says.
  void setCycles(uint64_t cycles) {
    cycles_ = cycles;
    counters_[static_cast<size_t>(isa::Counter::cycles)] = cycles;
  }
  /// Snapshots (core_snapshot.cc), between two instructions. Reads into a core after reset; then join() the launch.
  template <class Archive, class Self>
  static void transfer(Archive& archive, Self& self);
  /// Of a core whose state was read: the launch it takes part in. Then its signals that are not performed yet.
  void join(LaunchState& launch) { launch_ = &launch; }
  template <class Archive, class Self>
  static void transferSignals(Archive& archive, Self& self);

  // Used by the interpreter alone.
  uint64_t pc_ = 0;
  uint64_t next_pc_ = 0;
  uint64_t retired_ = 0;
  uint32_t events_ = 0;
  uint32_t raw_ = 0;  // the instruction being executed

 private:
  struct PendingSignal {
    DeviceWord word;
    uint32_t amount;
    VectorClock carried;
  };

  bool loadElsewhere(uint64_t address, unsigned size, uint64_t& value);
  bool storeElsewhere(uint64_t address, unsigned size, uint64_t value);
  std::optional<Place> atomicPlace(uint64_t address, unsigned size, isa::Cause misaligned,
                                   isa::Cause access);
  /// Every scalar read of bytes that are not reached directly; false if they are poisoned, which ends the run.
  bool noteRead(const Place& place, unsigned size, std::string_view use);
  void noteWatched(const Region& region, uint64_t offset, uint64_t size, bool write);
  void finishAtomic(const Place& place, unsigned size, bool acquire, bool release);
  void finishStore(const Place& place, unsigned size);
  void noteTohost(unsigned device) {
    events_ |= event::tohost;
    tohost_device_ = device;
  }
  void noteUninitialised(Region& region, uint64_t offset, uint64_t size);
  void recordTile(const isa::TileRegister& tile, bool write);
  void recordRun(Region& region, uint64_t offset, uint64_t bytes, bool write);
  void finishTileWrite(Region& region, uint64_t offset, uint64_t bytes);
  /// True if each access is looked at: for findings, or for watchpoints.
  bool watched() const { return watchpoints_ != nullptr || launch_->observes(); }

  // A run without values (core_poison.cc).
  /// Decides whether the instruction poisons what it writes; false if an index is poisoned, which ends the run.
  bool beginPoison(const isa::TileOperands& operands);
  std::optional<uint64_t> firstPoisoned(const isa::TileRegister& tile);
  /// True if the open instruction poisons the tile, and each of its bytes is poisoned already.
  bool staysPoisoned(const isa::TileRegister& tile);
  /// Ends the run before the instruction has an effect; always false.
  bool stopAtPoison(std::string operand, std::string_view use, const Region& region,
                    uint64_t offset);
  AccessSite site() const { return {static_cast<uint16_t>(agent_), pc_, raw_}; }
  bool accessFault(isa::Cause cause, uint64_t address, unsigned size);
  bool windowFault(isa::Cause cause, uint64_t address, unsigned size, uint8_t rights);
  static constexpr const char* kWindowHint =
      "an access lies in one window with its rights; the host sets windows, as long as a core has "
      "none it has all memory";
  /// Why resolve() has nothing, in words.
  std::string refusal(uint64_t address, uint64_t bytes, uint8_t rights) const;
  std::string refusalBy(unsigned agent, uint64_t address, uint64_t bytes, uint8_t rights) const;
  bool registerFault(isa::Cause cause, uint64_t address, unsigned size);
  /// After what may have made an interrupt due.
  void noteInterrupts() { events_ |= interruptDue() ? event::interrupt : 0; }
  bool unitError() const;
  bool barrierFault(isa::Rule rule, std::string detail, std::string hint);

  unsigned agent_, number_, device_;
  const isa::Machine& machine_;
  const numerics::Contract* contract_;
  Memory& memory_;
  Findings& findings_;
  InterruptRegisters& interrupts_;  // of the own device, as are these
  Region& global_;
  MemoryRegion global_region_;
  uint64_t global_base_;
  /// Global memory that scalar accesses reach without looking for it, less the last bytes, where one may reach past the end;
  /// none where each access is looked at.
  uint64_t direct_bytes_;
  uint64_t tohost_ = ~uint64_t{0};
  unsigned tohost_device_ = 0;
  isa::MachineLimits limits_;
  LaunchState* launch_ = nullptr;

  std::array<uint64_t, 32> x_{};
  std::array<isa::TileRegister, isa::kTileRegisters> tiles_{};
  std::array<isa::ViewDescriptor, isa::kViewRegisters> views_{};
  std::array<isa::ChainDescriptor, isa::kChainRegisters> chains_{};
  numerics::MmaScratch mma_scratch_;
  std::array<ViewMemory, isa::TileOperands::kMost> view_memory_{};
  bool poisons_ = false;  // the open instruction
  PoisonedTiles poisoned_tiles_;
  CoreState state_ = CoreState::halted;
  std::string waiting_for_;
  bool asleep_ = false;  // wfi blocked last
  std::deque<PendingSignal> signals_;
  std::array<uint64_t, isa::kCounterSlots> counters_{};

  // CSRs
  bool trap_vector_written_ = false;
  bool mie_bit_ = false;
  bool mpie_bit_ = false;
  uint64_t mtvec_ = 0, mscratch_ = 0, mepc_ = 0, mcause_ = 0, mtval_ = 0, mie_ = 0;
  uint64_t fcsr_ = 0;
  uint64_t etstatus_ = 0, etbar_ = 0, etseed_ = 0, etstream_ = 0;
  std::array<uint64_t, 3> index_pc_{};
  std::array<uint64_t, 4> unit_errors_{};
  int64_t cycle_offset_ = 0, instret_offset_ = 0;
  std::optional<uint64_t> cycles_;  // none: each instruction is one

  IssueSink* issue_sink_ = nullptr;
  const std::vector<Watchpoint>* watchpoints_ = nullptr;
  WatchHit watch_hit_;
};

}  // namespace etalon::sim
