// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "isa/abi/array.h"
#include "isa/base/status.h"

namespace etalon::kernels {

// Exact probes of attention: selections. Every key has a code, a vector of small integers, and the
// score of a query for the code c is, but for a constant, -4096 |a - c|^2: the keys of the code
// win, and all others are so far below (256 and more after the scale 1 / sqrt(D), D <= 256) that
// their weights are 0 in f32. So all weights are exactly 1 or 0 whatever the blocks, the order of
// sums or the type of weights, and the output is the mean of the values of 1, 2 or 4 keys: exact
// before its one rounding. Keys that the query does not see have the code too, and would change
// the mean.

struct AttentionProbeShape {
  uint64_t b = 1, h = 1, g = 1, s = 1, t = 1, d = 2, e = 1;
  bool causal = false;                 // query i sees the keys j <= i + T - S
  std::vector<uint64_t> lengths = {};  // or those below lengths[b], 0..T
};

struct AttentionProbe {
  abi::Array q;         // [B, H, S, D]
  abi::Array k;         // [B, G, T, D]
  abi::Array v;         // [B, G, T, E]
  abi::Array expected;  // [B, H, S, E]; 0 for a query that sees no key
};

/// Types bf16 or f32, the output's the same; scale 1 / sqrt(D). The same arguments give the same
/// bytes on every host.
/// Errors: other types; D outside 2..256; H no multiple of G; arrays too large; lengths that are
/// not one a b, each at most T.
Result<AttentionProbe> makeAttentionProbe(ElementType type, const AttentionProbeShape& shape,
                                          uint64_t seed);

}  // namespace etalon::kernels
