// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "isa/host_page.h"

namespace etalon::sim {

/// How the register page answers an access. Whatever is not `ok` has changed nothing. On a TLM-2.0 socket these are the
/// response statuses OK, address error, burst error, command error and generic error.
enum class HostAnswer : uint8_t {
  ok,
  no_register,   // nothing stands at the offset
  wrong_width,   // less, or other, than the whole register
  wrong_access,  // a register that cannot be read, or not be written
  wrong_value    // the register does not take this value, or not now
};

/// A register of the page; `core` and `window` are 0 where there is one for all.
struct HostRegisterPlace {
  isa::HostRegister reg = isa::HostRegister::id;
  unsigned core = 0;
  unsigned window = 0;
};

/// The registers that stand in the page and belong to cores: time, software interrupts, windows. A device has them.
class CoreRegisters {
 public:
  virtual ~CoreRegisters() = default;
  virtual uint64_t readRegister(const HostRegisterPlace& place) const = 0;
  /// False if the register does not take the value.
  virtual bool writeRegister(const HostRegisterPlace& place, uint64_t value) = 0;
};

/// What the page asks of the device.
struct HostRequest {
  enum class Kind : uint8_t {
    none,
    reset,  // be as after power up, global memory apart: no answer to an earlier request comes any more
    abort,  // end the launch that was begun; ended() follows
    fetch,  // read the descriptor at `address`, then call fetched()
    begin,  // begin `launch`, call ended() when it is over
    record  // write `record` to `address`, then call recorded()
  };
  Kind kind = Kind::none;
  uint64_t address = 0;  // of 64 bytes in global memory
  isa::LaunchDescriptor launch;
  isa::CompletionRecord record;
};

/// The host's side of a device (docs/spec/08-images.md, "Host registers"): the register page, and the order in which the
/// descriptors of its ring become launches and records. It knows neither memory nor time: whoever owns it asks for
/// next() after every call, until there is none, and answers when the device has done it.
class HostRegisters {
 public:
  /// What the page says of its device, and what addresses it takes.
  struct Device {
    uint16_t id = 0;
    unsigned cores = 1;
    uint64_t global_base = 0, global_bytes = 0;
  };

  /// `core_registers` outlives the page.
  HostRegisters(const Device& device, CoreRegisters& core_registers)
      : device_(device), core_registers_(core_registers) {}

  HostAnswer read(uint64_t offset, unsigned bytes, uint64_t& value) const;
  HostAnswer write(uint64_t offset, unsigned bytes, uint64_t value);
  /// The level of the completion interrupt.
  bool interrupt() const { return ring_.interrupt_pending && ring_.interrupt_enabled; }

  /// The next thing that the device has to do; each is said once.
  HostRequest next();
  void fetched(const isa::LaunchDescriptor& launch);
  /// How the launch that was begun ended; the tag is filled in here.
  void ended(const isa::CompletionRecord& record);
  void recorded();

 private:
  /// Of the descriptor that is at work.
  enum class Phase : uint8_t { none, fetching, running, recording };

  /// Everything that a reset clears.
  struct Ring {
    isa::HostState state = isa::HostState::idle;
    uint64_t base = 0, size_log2 = 0, head = 0, doorbell = 0;
    uint64_t completion_base = 0, completion_count = 0, completion_read = 0;
    bool interrupt_pending = false, interrupt_enabled = false;

    Phase phase = Phase::none;
    bool asked = false;     // for what the phase needs
    bool stopping = false;  // when the phase is none again
    bool aborting = false, abort_asked = false;
    isa::LaunchDescriptor launch;
    isa::CompletionRecord record;

    uint64_t entries() const { return uint64_t{1} << size_log2; }
    /// Nobody uses the rings: they may become others.
    bool atRest() const { return state != isa::HostState::running && doorbell == head; }
  };

  struct Found {
    HostRegisterPlace place;
    uint64_t displacement = 0;  // from the register's first byte
  };
  std::optional<Found> find(uint64_t offset) const;
  uint64_t readRegister(const HostRegisterPlace& place) const;
  bool writeRegister(const HostRegisterPlace& place, uint64_t value);
  bool command(uint64_t value);
  bool start();
  void abort();
  /// True if the bytes lie in global memory, at a multiple of `alignment`.
  bool inGlobalMemory(uint64_t address, uint64_t bytes, uint64_t alignment) const;
  std::optional<isa::DescriptorDefect> defectOf(const isa::LaunchDescriptor& launch) const;
  /// The launch at work is over: its record is due.
  void complete(isa::CompletionRecord record);
  void completeAborted();
  void stopIfDue();

  Device device_;
  CoreRegisters& core_registers_;
  Ring ring_;
  bool reset_due_ = false;
};

}  // namespace etalon::sim
