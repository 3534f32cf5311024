// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "isa/base/status.h"
#include "sim/arch/backing.h"

namespace etalon::sim {

/// Which bytes of a memory are poisoned: a run without values did not compute them. One bit a byte, all clear at first.
///
/// Offsets are bytes from the start of the memory. The caller has checked bounds: offset + length <= size; length >= 1.
class PoisonMap {
 public:
  /// A map for `bytes` bytes of memory; `what` names the memory in an error.
  static Result<PoisonMap> create(uint64_t bytes, std::string_view what);

  PoisonMap() = default;

  void set(uint64_t offset, uint64_t length);
  void clear(uint64_t offset, uint64_t length);
  bool any(uint64_t offset, uint64_t length) const;
  /// The first poisoned byte of [offset, offset + length), if there is one.
  std::optional<uint64_t> first(uint64_t offset, uint64_t length) const;

  /// Changes whenever a poisoned byte becomes clear: what was poisoned all over is so while this stays.
  uint64_t cleared() const { return cleared_; }

 private:
  explicit PoisonMap(Backing bits) : bits_(std::move(bits)) {}

  Backing bits_;
  uint64_t cleared_ = 0;
};

}  // namespace etalon::sim
