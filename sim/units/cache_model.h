// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "isa/base/units.h"

namespace etalon::sim {

/// Which lines a set-associative cache holds; least recently used leaves. It knows no values and no time.
class CacheModel {
 public:
  /// Sizes are powers of two, `bytes` at least a line of each way: a machine file is checked for it.
  CacheModel(Bytes bytes, Bytes line_bytes, uint64_t ways);

  /// True if the line of an address is here; it is the most recently used one then.
  bool hit(uint64_t address);
  /// Brings the line of an address in.
  void fill(uint64_t address);
  void clear();
  uint64_t line(uint64_t address) const { return address & ~(line_bytes_ - 1); }
  Bytes lineBytes() const { return line_bytes_; }

 private:
  struct Way {
    uint64_t line = ~uint64_t{0};  // no line has this address
    uint64_t used = 0;             // when, by counting accesses
  };
  Way* set(uint64_t address) { return &ways_[address / line_bytes_ % sets_ * associativity_]; }

  Bytes line_bytes_;
  uint64_t associativity_, sets_;
  std::vector<Way> ways_;
  uint64_t clock_ = 0;
};

}  // namespace etalon::sim
