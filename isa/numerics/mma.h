// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>

#include "isa/element_type.h"
#include "isa/numerics/tile_ref.h"

namespace etalon::numerics {

/// One host implementation of the tile product; see mma_kernels.h for what it is made of.
struct MmaKernels;

/// The fastest kernels this host can run; chosen once, from cpuid.
const MmaKernels& bestMmaKernels();

/// Every kernel set this host can run, slowest (portable C++) first. All give the same bits.
std::span<const MmaKernels* const> hostMmaKernels();

/// Short name of a kernel set, for tests and reports: "generic", "v3", "v4", "v4vnni".
std::string_view mmaKernelsName(const MmaKernels& kernels);

/// Packing buffers (some 450 KiB, touched as needed) that a caller keeps between products so that none allocates.
/// One user at a time; contents mean nothing between calls.
class MmaScratch {
 public:
  MmaScratch();
  ~MmaScratch();
  MmaScratch(MmaScratch&&) noexcept;
  MmaScratch& operator=(MmaScratch&&) noexcept;

  struct Panels;
  Panels& panels() { return *panels_; }

 private:
  std::unique_ptr<Panels> panels_;
};

/// The accumulator type of a source pair: f32 or i32, or nothing we multiply (then no value).
///
/// f8 and f4 in any mix, f16 x f16, bf16 x bf16, f32 x f32, bf16 x i4/u4 in either order -> f32;
/// i4, u4, i8, u8 in any mix -> i32, or f32 if either source is `scaled`.
std::optional<ElementType> accumulatorType(ElementType a, ElementType b, bool scaled = false);

/// How many elements of logical k share a scale; 0 if the type takes no scales of that type.
///
/// e8m0: 32 of f8 or f4. f8e4m3: 16 of f4. f32: 128 of f8, i8, u8, i4 or u4.
uint32_t scaleBlock(ElementType element, ElementType scale);

/// A source of a product: a tile, and what links name beside it.
struct MmaSource {
  MmaSource(const TileRef& elements) : tile(elements) {}

  TileRef tile;
  /// One scale a block of logical k: A has rows x ceil(K / block), B ceil(K / block) x columns,
  /// stored transposed when `tile` is. The flag of the reference itself is clear; step 0 or 1.
  std::optional<TileRef> scales;
  /// Makes A sparse 2:4 (never B): u4, rows x ceil(K / 4), each value p0 + 4 * p1. Stored columns
  /// 2g and 2g + 1 of A are then its elements at k = 4g + p0 and 4g + p1.
  std::optional<TileRef> metadata;
};

/// acc(M x N) = A(M x K) * B(K x N), plus the old acc if `accumulate` (isa.md section 5).
///
/// Shapes    acc.rows() = a.rows(), acc.columns() = b.columns(), a.columns() = b.rows(), or
///           2 * ceil(b.rows() / 4) with metadata; any may be 0.
/// Types     a pair of accumulatorType(), scales of scaleBlock(). Checked: the caller faults first.
/// Layout    A and B: any strides, either transposed (not with metadata), step 1. acc: step 1, not
///           transposed, no two elements and no source sharing a byte.
/// Scaled    an element is e * s, exact; with f32 scales RNE_f32(e * s). An e8m0 scale of 0xff
///           makes every element of its block NaN.
/// Sparse    terms in stored order, others add nothing; at k >= K, B reads as +0, unscaled.
/// Floats    k ascending from +0 (or the old acc): acc = RNE_f32(a*b + acc), one rounding of the
///           exact value a step, no term skipped, subnormals kept; a NaN result is 0x7fc00000.
/// Integers  exact products, sum modulo 2^32.
/// K = 0     +0, or with `accumulate` acc keeps its bits (a NaN payload included).
/// Host      runs under the default floating-point environment: round to nearest, FTZ and DAZ
///           clear. `scratch` may be null: then the call allocates its own.
void multiplyAccumulate(const MmaSource& a, const MmaSource& b, const TileRef& acc, bool accumulate,
                        const MmaKernels& kernels = bestMmaKernels(),
                        MmaScratch* scratch = nullptr);

/// The definition multiplyAccumulate is held against: the plain triple loop, element by element.
void multiplyAccumulateScalar(const MmaSource& a, const MmaSource& b, const TileRef& acc,
                              bool accumulate);

}  // namespace etalon::numerics
