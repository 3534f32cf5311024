// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "isa/base/status.h"
#include "isa/host_page.h"

namespace etalon::sim {

// Where they stand among a device's registers (docs/spec/08-images.md).
inline constexpr uint64_t kTimeRegister = isa::hostRegisterInfo(isa::HostRegister::mtime).offset;
inline constexpr uint64_t kTimeCompareRegisters =
    isa::hostRegisterInfo(isa::HostRegister::mtimecmp).offset;  // 8 bytes a core
inline constexpr uint64_t kSoftwareInterrupts =
    isa::hostRegisterInfo(isa::HostRegister::msip).offset;  // 4 bytes a core

/// Device registers behind interrupts: mtime, mtimecmp and msip of each core; and the host's abort.
///
/// Registers are accessed whole. `who` is a core of the device, or kNoCore: the host, which may access all of them.
class InterruptRegisters {
 public:
  using Clock = std::function<uint64_t()>;
  /// Of a launch in time: `from` stores to msip of `target`, which arrives when it says so, by setSoftware().
  using Sender = std::function<void(unsigned from, unsigned target, bool raised)>;

  explicit InterruptRegisters(unsigned cores) : compare_(cores), software_(cores) { reset(); }
  /// All but mtime, as a launch finds them.
  void reset();

  /// From now on mtime counts the clock's ticks, from where it is; until stopClock().
  void setClock(Clock clock);
  void stopClock();
  uint64_t time() const { return offset_ + ticks(); }
  void setTime(uint64_t time) { offset_ = time - ticks(); }
  /// What the clock shows when mtime is `time`; 0 if that is behind it.
  uint64_t ticksAt(uint64_t time) const;
  /// mtimecmp of a core; nothing if it is such that no time reaches it.
  std::optional<uint64_t> timer(unsigned core) const;

  /// The register at an address; nothing if there is none that `who` may read whole with so many bytes.
  std::optional<uint64_t> load(unsigned who, uint64_t address, unsigned bytes) const;
  /// False if there is none that it may write.
  [[nodiscard]] bool store(unsigned who, uint64_t address, unsigned bytes, uint64_t value);
  /// Stores of cores to msip go there from now on; nullptr: they take place at once.
  void setSender(Sender sender) { sender_ = std::move(sender); }
  void setSoftware(unsigned core, bool raised) { software_[core] = raised; }
  void setAbort(bool raised) { abort_ = raised; }

  /// Bits of mip that the device sets.
  uint64_t pending(unsigned core) const;

  /// Snapshots (core_snapshot.cc): mtime stands until setClock().
  template <class Archive, class Self>
  static void transfer(Archive& archive, Self& self);

 private:
  uint64_t ticks() const { return clock_ ? clock_() : 0; }
  /// The core whose register stands there, in a row of registers of `bytes` each; nothing if none does.
  std::optional<unsigned> coreAt(uint64_t address, uint64_t row, unsigned bytes) const;

  Clock clock_;
  Sender sender_;
  uint64_t offset_ = 0;
  std::vector<uint64_t> compare_;
  std::vector<uint8_t> software_;
  bool abort_ = false;
};

}  // namespace etalon::sim
