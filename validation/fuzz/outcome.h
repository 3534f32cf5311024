// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "isa/abi/etalon_device.h"

namespace etalon::fuzz {

/// A 64-bit digest of bytes in order, equal on every host; not against malice.
class Digest {
 public:
  void add(std::span<const std::byte> bytes);
  void add(std::string_view text) { add(std::as_bytes(std::span(text))); }
  void add(uint64_t word);
  uint64_t value() const;

 private:
  uint64_t state_[4] = {0x243f6a8885a308d3, 0x13198a2e03707344, 0xa4093822299f31d0,
                        0x082efa98ec4e6c89};
  uint64_t bytes_ = 0;
};

/// Everything that a run of a program may be told by. A target fills in what it knows.
struct Outcome {
  etalon_end end = ETALON_END_EXITED;
  /// Digests of parts of the state and of what was found, by name: "local memory of core 1", "counters", "commits".
  std::map<std::string, uint64_t> parts;
  /// For people: what ended the run, what was found.
  std::string text;

  /// One digest of all.
  uint64_t digest() const;
};

/// The first part, by name, that both have and that differs; the end comes first. Nothing if the runs are equal.
std::optional<std::string> difference(const Outcome& a, const Outcome& b);

std::string_view endName(etalon_end end);

}  // namespace etalon::fuzz
