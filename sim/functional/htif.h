// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "sim/arch/memory.h"

namespace etalon::sim {

/// The host side of `tohost` as the public RISC-V tests and their runtimes expect it:
///   odd value              exit with code value >> 1 (0 is success)
///   device 1, command 1    console character (bits 63:48 are 0x0101)
///   other nonzero value    address of {number, a0, a1, a2}; write (64) and exit (93) are served, the result
///                          replaces `number` and fromhost becomes 1
class Htif {
 public:
  using Console = std::function<void(std::string_view)>;

  Htif(Memory& memory, uint64_t tohost, std::optional<uint64_t> fromhost, Console console)
      : memory_(memory), tohost_(tohost), fromhost_(fromhost), console_(std::move(console)) {}

  /// Serves what `agent` stored to tohost of a device; an exit code if the program asked to end. Clears tohost.
  std::optional<uint64_t> serve(unsigned agent, unsigned device);
  /// Why the last request could not be served, or empty.
  const std::string& problem() const { return problem_; }
  /// What the last request had the host read that a run without values left out; the request was not served.
  struct PoisonedRead {
    Place place;
    uint64_t bytes;
  };
  const std::optional<PoisonedRead>& poisonedRead() const { return poisoned_read_; }

 private:
  std::optional<uint64_t> serveCall(unsigned agent, unsigned device, uint64_t block);
  void answer(unsigned device, uint64_t value);
  /// 8 bytes of a device's memory.
  std::optional<Place> word(unsigned device, uint64_t address) {
    return memory_.find(memory_.cluster().agent(device, 0), address, 8);
  }
  /// True if the bytes have values; else they are the poisoned read.
  bool readable(const Place& place, uint64_t bytes);

  Memory& memory_;
  uint64_t tohost_;
  std::optional<uint64_t> fromhost_;
  Console console_;
  std::string problem_;
  std::optional<PoisonedRead> poisoned_read_;
};

}  // namespace etalon::sim
