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

/// Packing buffers (256 KiB) that a caller keeps between products so that none allocates.
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
/// Pairs: f8e4m3/f8e5m2 in any mix, f16 x f16, bf16 x bf16, f32 x f32 -> f32; i8/u8 in any mix ->
/// i32.
std::optional<ElementType> accumulatorType(ElementType a, ElementType b);

/// acc(M x N) = A(M x K) * B(K x N), plus the old acc if `accumulate` (isa.md section 5).
///
/// Shapes    acc.rows() = a.rows(), acc.columns() = b.columns(), a.columns() = b.rows(); any may be
/// 0. Types     a pair of accumulatorType(); acc has that type. Checked: the caller faults first.
/// Layout    A and B: any strides, either transposed, step 1. acc: step 1, not transposed, no two
///           elements and no source sharing a byte.
/// Floats    k ascending from +0 (or the old acc): acc = RNE_f32(a*b + acc), one rounding a step,
/// no
///           term skipped, subnormals kept; a NaN result is 0x7fc00000.
/// Integers  exact products, sum modulo 2^32.
/// K = 0     +0, or with `accumulate` acc keeps its bits (a NaN payload included).
/// Host      runs under the default floating-point environment: round to nearest, FTZ and DAZ
/// clear. `scratch` may be null: then the call allocates its own.
void multiplyAccumulate(const TileRef& a, const TileRef& b, const TileRef& acc, bool accumulate,
                        const MmaKernels& kernels = bestMmaKernels(),
                        MmaScratch* scratch = nullptr);

/// The definition multiplyAccumulate is held against: the plain triple loop, std::fma a step.
void multiplyAccumulateScalar(const TileRef& a, const TileRef& b, const TileRef& acc,
                              bool accumulate);

}  // namespace etalon::numerics
