// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "isa/base/status.h"
#include "kernels/reference/probe.h"

namespace etalon::kernels {

/// SplitMix64 (Steele, Lea, Flood 2014): the same numbers on every host.
class ProbeRandom {
 public:
  explicit ProbeRandom(uint64_t seed) : state_(seed) {}
  uint64_t next();
  /// low <= value <= high.
  int64_t between(int64_t low, int64_t high);
  int64_t sign() { return (next() & 1) != 0 ? 1 : -1; }

 private:
  uint64_t state_;
};

/// Sizes of the integers and exponents of one factor.
struct ProbeFactor {
  int width = 0;                // magnitudes of the integers are below 2^width
  int large = 0;                // log2 of its part in the pair
  int low = 0, high = 0;        // r or c lies between them
  int64_t least = 0, most = 0;  // range of an integer type
};

/// How a probe's budget of 2^24 is spent (probe.h).
struct ProbePlan {
  bool integer = false;
  bool paired = false;
  int spread = 0;  // |s| at most
  ProbeFactor a;
  ProbeFactor b;

  /// An integer that is not part of the pair.
  int64_t draw(const ProbeFactor& factor, ProbeRandom& random) const;
};

/// `terms` in each sum, `pairs` of them in pairs (0: no pair wanted). Errors as makeMatmulProbe().
Result<ProbePlan> planProbe(ProbeTypes types, uint64_t terms, uint64_t pairs);

/// The bits of integer * 2^exponent in a type that holds it exactly.
uint64_t probeElement(ElementType type, int64_t integer, int exponent);
/// The bits of an expected sum, rounded once to a float type; modulo 2^32 to i32.
uint64_t probeSum(ElementType type, int64_t sum, int exponent);

}  // namespace etalon::kernels
