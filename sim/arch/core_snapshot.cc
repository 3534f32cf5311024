// SPDX-License-Identifier: Apache-2.0
// Cores, memories, findings and barriers in snapshots; see race_snapshot.cc for how transfer() is used.
#include <algorithm>

#include "sim/arch/core.h"
#include "sim/arch/snapshot.h"

namespace etalon::sim {
namespace {

// Registers go as the images that programs load and store: what a register can hold is what its image can say.

template <class Register>
struct ImageOf;
template <>
struct ImageOf<isa::TileRegister> {
  using Bytes = std::array<std::byte, isa::kTileImageBytes>;
  static auto load(const Bytes& image) { return isa::loadTileImage(image); }
  static void store(const isa::TileRegister& r, Bytes& image) { isa::storeTileImage(r, image); }
  static bool sound(const Bytes& image) { return !isa::checkTileImage(image); }
};
template <>
struct ImageOf<isa::ViewDescriptor> {
  using Bytes = std::array<std::byte, isa::kViewImageBytes>;
  static auto load(const Bytes& image) { return isa::loadViewImage(image); }
  static void store(const isa::ViewDescriptor& r, Bytes& image) { isa::storeViewImage(r, image); }
  static bool sound(const Bytes& image) { return !isa::checkViewImage(image); }
};
template <>
struct ImageOf<isa::ChainDescriptor> {
  using Bytes = std::array<std::byte, isa::kChainImageBytes>;
  static auto load(const Bytes& image) { return isa::loadChainImage(image); }
  static void store(const isa::ChainDescriptor& r, Bytes& image) { isa::storeChainImage(r, image); }
  /// A register after reset holds no chain; its constants can be set all the same.
  static bool sound(const Bytes& image) {
    isa::ChainDescriptor reset;
    reset.constants = load(image).constants;
    return load(image) == reset || !isa::checkChainImage(image);
  }
};

template <class Archive, class Registers>
void transferRegisters(Archive& archive, Registers& registers) {
  for (auto& value : registers) {
    using Register = std::remove_cvref_t<decltype(value)>;
    using Image = ImageOf<Register>;
    typename Image::Bytes image{};
    if constexpr (Archive::kReading) {
      const auto bytes = archive.bytes(image.size());
      std::ranges::copy(bytes, image.begin());
      archive.require(bytes.empty() || Image::sound(image),
                      "a descriptor that no register can hold");
      if (!archive.failed()) value = Image::load(image);
    } else {
      Image::store(value, image);
      archive.bytes(image);
    }
  }
}

template <class Archive, class Fault>
void transferFault(Archive& archive, Fault& fault) {
  archive(fault.cause, fault.rule, fault.core, fault.pc, fault.instruction, fault.value,
          fault.operand, fault.detail, fault.hint);
}

}  // namespace

template <class Archive, class Self>
void Core::transfer(Archive& archive, Self& self) {
  archive(self.pc_, self.retired_, self.x_, self.state_, self.waiting_for_, self.asleep_,
          self.counters_);
  transferRegisters(archive, self.tiles_);
  transferRegisters(archive, self.views_);
  transferRegisters(archive, self.chains_);
  archive(self.trap_vector_written_, self.mie_bit_, self.mpie_bit_, self.mtvec_, self.mscratch_,
          self.mepc_, self.mcause_, self.mtval_, self.mie_, self.fcsr_, self.etstatus_, self.etbar_,
          self.etseed_, self.etstream_, self.index_pc_, self.unit_errors_, self.cycle_offset_,
          self.instret_offset_);
  if constexpr (Archive::kReading) {
    archive.require(self.pc_ % 4 == 0 && self.mepc_ % 4 == 0 && self.etbar_ % 4 == 0,
                    "an address of code that is odd");
    archive.require(self.x_[0] == 0, "a zero register that is not zero");
    archive.require(self.state_ <= CoreState::faulted, "a core in no state");
    archive.require(self.fcsr_ <= 0xff, "a control register with bits that it has not");
  }
}
template void Core::transfer(SnapshotWriter&, const Core&);
template void Core::transfer(SnapshotReader&, Core&);

template <class Archive, class Self>
void Core::transferSignals(Archive& archive, Self& self) {
  const auto one = [&](auto& signal) {
    archive(signal.word.agent, signal.word.semaphore, signal.amount, signal.carried);
  };
  if constexpr (Archive::kReading) {
    self.signals_.clear();
    for (uint64_t n = archive.count(sizeof(DeviceWord)); n > 0 && !archive.failed(); --n) {
      PendingSignal signal{{}, 0, VectorClock(self.launch_->agents())};
      one(signal);
      archive.require(signal.word.agent < self.memory_.cluster().agents() &&
                          signal.word.semaphore < kSemaphores,
                      "a signal to a semaphore that there is not");
      self.signals_.push_back(std::move(signal));
    }
  } else {
    archive(uint64_t{self.signals_.size()});
    for (const PendingSignal& signal : self.signals_) one(signal);
  }
}
template void Core::transferSignals(SnapshotWriter&, Core&);
template void Core::transferSignals(SnapshotReader&, Core&);

template <class Archive, class Self>
void Memory::Reservation::transfer(Archive& archive, Self& self) {
  archive(self.valid, self.region, self.granule);
}

template <class Archive, class Self>
void InterruptRegisters::transfer(Archive& archive, Self& self) {
  uint64_t time = self.time();
  archive(time, self.abort_);
  if constexpr (Archive::kReading) self.offset_ = time;
  for (auto& compare : self.compare_) archive(compare);
  for (auto& raised : self.software_) archive(raised);
}

template <class Archive, class Windows>
void transferWindows(Archive& archive, Windows& windows) {
  for (unsigned i = 0; i < isa::Windows::kCount; ++i) {
    isa::Window window = windows.at(i);
    archive(window.base, window.size, window.offset, window.rights, window.device);
    if constexpr (Archive::kReading) {
      archive.require(window.rights <= isa::right::all, "a window with rights that there are not");
      windows.set(i, window);
    }
  }
}

template <class Archive, class Self>
void Memory::transfer(Archive& archive, Self& self) {
  for (auto& global : self.globals_) archive(global->backing, global->init);
  for (auto& local : self.locals_) archive(local->backing, local->init);
  for (auto& semaphores : self.semaphores_) archive(semaphores);
  for (auto& interrupts : self.interrupts_) archive(*interrupts);
  for (auto& windows : self.windows_) transferWindows(archive, windows);
  for (auto& reservation : self.reservations_) archive(reservation);
  if constexpr (Archive::kReading) {
    self.reservation_count_ =
        static_cast<unsigned>(std::ranges::count(self.reservations_, true, &Reservation::valid));
    self.windows_in_force_ = std::ranges::any_of(self.windows_, &isa::Windows::inForce);
  }
}
template void Memory::transfer(SnapshotWriter&, const Memory&);
template void Memory::transfer(SnapshotReader&, Memory&);

template <class Archive, class Self>
void UninitialisedRead::transfer(Archive& archive, Self& self) {
  archive(self.core, self.pc, self.instruction, self.address, self.size);
}

template <class Archive, class Self>
void Findings::transfer(Archive& archive, Self& self) {
  archive(self.fault_count_, self.uninitialised_, self.uninitialised_count_);
  if constexpr (Archive::kReading) {
    self.faults_.clear();
    for (uint64_t n = archive.count(1); n > 0 && !archive.failed(); --n)
      transferFault(archive, self.faults_.emplace_back());
    self.seen_reads_.clear();
    for (uint64_t n = archive.count(1); n > 0 && !archive.failed(); --n) {
      std::pair<uint16_t, uint64_t> read;
      archive(read);
      self.seen_reads_.insert(self.seen_reads_.end(), read);
    }
    archive.require(
        self.faults_.size() == std::min<uint64_t>(kKept, self.fault_count_) &&
            self.uninitialised_.size() == std::min<uint64_t>(kKept, self.uninitialised_count_),
        "lists of findings that do not have as many as counted");
  } else {
    archive(uint64_t{self.faults_.size()});
    for (const isa::Fault& fault : self.faults_) transferFault(archive, fault);
    archive(std::vector(self.seen_reads_.begin(), self.seen_reads_.end()));
  }
}
template void Findings::transfer(SnapshotWriter&, const Findings&);
template void Findings::transfer(SnapshotReader&, Findings&);

template <class Archive, class Self>
void LaunchState::transfer(Archive& archive, Self& self) {
  archive(self.races_);
  for (auto& mask : self.arrived_) archive(mask);
  for (size_t agent = 0; agent < self.released_.size(); ++agent) {
    bool released = self.released_[agent];
    archive(released);
    if constexpr (Archive::kReading) self.released_[agent] = released;
  }
}
template void LaunchState::transfer(SnapshotWriter&, const LaunchState&);
template void LaunchState::transfer(SnapshotReader&, LaunchState&);

}  // namespace etalon::sim
