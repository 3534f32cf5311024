// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "isa/abi/array.h"
#include "isa/base/status.h"
#include "kernels/reference/convolution.h"

namespace etalon::kernels {

// Exact probes (conformance.md section 4): operands for which every legal order of accumulation
// gives the same sum, so that the answer is decided bitwise without knowing the order.
//
// Floats. Element a[m, k] is an integer i[m, k] times 2^(r[m] + s[k]), b[k, n] an integer j[k, n]
// times 2^(c[n] - s[k]). The products of one output are integers times Q = 2^(r[m] + c[n]), and the
// integers are chosen so that the sum of their magnitudes is at most 2^24. So *every* sum of *any*
// subset of the products is an integer of magnitude at most 2^24 times Q: exact in f32, as are the
// products; fused or not, in any order, tree or number of partial sums no operation rounds. Q is at
// least 2^-80, no product overflows, and no element, product or nonzero sum is subnormal in its
// type. The expected value is summed in 64-bit integers and rounded once to the output's type.
//
// To show a narrow accumulator, half of the budget belongs to a pair of terms +2^22 Q and -2^22 Q
// (signs by row and column) at seeded places in the two halves of k: between them the sum needs 23
// bits, after them its low bits must still be right. Signs are random; an eighth of the other
// integers is 0. Without a pair (K = 1) there are no zeros, so that the sign of a zero sum is never
// asked for.
//
// Integers: random over the whole range of the types, sums modulo 2^32, any K.

struct ProbeTypes {
  ElementType a;
  ElementType b;
  ElementType out;
};

/// K with more terms than this would leave no bits for the factors.
inline constexpr uint64_t kMostProbeTerms = uint64_t{1} << 21;

struct MatmulProbe {
  abi::Array a;         // [M, K]
  abi::Array b;         // [K, N]
  abi::Array expected;  // [M, N]
};

/// Extents may be 0. Types: floats as expectDotOperands() takes them, to f32, bf16, f16 or f8; i8 and
/// u8 to i32. The same arguments give the same bytes on every host.
/// Errors: other types; K over kMostProbeTerms for floats; arrays too large.
Result<MatmulProbe> makeMatmulProbe(ProbeTypes types, uint64_t m, uint64_t k, uint64_t n,
                                    uint64_t seed);

// Directed probes: products that the exact ones cannot tell apart, since they are right under every
// legal order. Each is one dot product of K terms, 1 x K times K x 1, whose canonical value (terms
// ascending, a rounding to nearest even each, subnormals kept) follows by hand; a unit that sums in
// another way shows by another value.

/// What a directed probe shows.
enum class DirectedProbe : uint8_t {
  /// 2^gap - 2^gap + 1: every partial sum is exact. Fewer than gap + 1 bits from the greatest exponent
  /// of a group of three lose the 1.
  alignment,
  /// 2^24 + 1 + 1 + ..: each 1 is half an ulp and goes to even, so the value is 2^24; where ones meet
  /// before they meet 2^24 it is more.
  order,
  /// A subnormal element of A times a power of two, a normal number; flushed inputs give 0.
  subnormal_input,
  /// Two normal elements whose product is an f32 subnormal; flushed outputs give 0. bf16 and f32.
  subnormal_output,
  /// 1 + 2^-20 among K - 2 zeros, exact; an accumulator that is narrowed once K terms are in loses
  /// 2^-20. One that is narrowed later does not: K goes on both sides of the distance.
  spill,
};

/// `terms`: K, at least 3. `gap` of DirectedProbe::alignment: 2..26. Types: bf16, f16 or f32 squared
/// to f32.
/// Errors: other types, fewer terms, a gap outside.
Result<MatmulProbe> makeDirectedProbe(DirectedProbe probe, ElementType type, uint64_t terms,
                                      int gap = 25);

struct ConvolutionProbe {
  abi::Array x;         // as layout.image
  abi::Array w;         // as layout.weights
  abi::Array expected;  // as layout.image
};

/// The same with r by image, s by input channel, c by output channel. The pair stands in two input
/// channels at every place of the kernel, 2^22 Q divided among them; it needs two channels. Terms
/// in the padding are 0 and change nothing above: they come in whole pairs.
Result<ConvolutionProbe> makeConvolutionProbe(ProbeTypes types, const ConvolutionLayout& layout,
                                              const ConvolutionExtents& extents, uint64_t seed);

}  // namespace etalon::kernels
