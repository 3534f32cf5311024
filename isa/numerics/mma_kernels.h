// SPDX-License-Identifier: Apache-2.0
// What a host implementation of the tile product consists of: the contract between the blocking
// loops (mma.cc) and the files named for an instruction set. Internal to isa/numerics.
//
// Operands are packed into 32-bit *units*, the step of the inner loop: one f32 of one k, or as many
// consecutive k of an integer type as the kernel multiplies at once (VNNI 4 bytes, madd 2 words).
//
// This header is included where AVX is on: it must define no function that the linker could keep
// for the rest of the program, hence plain data only.
#pragma once

#include <cstddef>
#include <cstdint>

#include "isa/element_type.h"

namespace etalon::numerics {

/// Largest block: rows of A, columns of B, units along k. 128 KiB a panel, so that both stay in
/// the second-level cache and a strip of B in the first.
inline constexpr size_t kMmaBlockRows = 128;
inline constexpr size_t kMmaBlockColumns = 128;
inline constexpr size_t kMmaBlockUnits = 256;
inline constexpr size_t kMmaMaxKPerUnit = 4;
static_assert(kMmaBlockUnits <= 256, "a position in a block is a byte");

/// A block of a source as it is stored. Neither extent is 0.
struct MmaPack {
  const std::byte* const* rows;  ///< first element of the block in each stored row
  size_t row_count;
  size_t columns;     ///< stored columns, contiguous
  ElementType type;   ///< of this source
  ElementType other;  ///< of the other source
  bool transposed;    ///< stored rows are columns of the logical matrix
  uint32_t* out;      ///< 64-byte aligned, room for a block
  int32_t* start;     ///< A only: per logical row, what to add for an offset in B (see VNNI)
};

/// One block product over packed panels.
struct MmaBlock {
  const uint32_t* a;
  const uint32_t* b;
  std::byte* const* acc;  ///< first column of the block in each of m rows; any alignment
  const int32_t* start;
  size_t m, n, units;
  ElementType a_type;
  bool a_transposed;  ///< as given to pack_a: decides the panel's layout
  bool accumulate;
  /// Sparse A alone: row r's term t multiplies unit positions[r * kMmaBlockUnits + t] of B. A is
  /// `terms` f32 a row, laid out like a packed A that is not transposed.
  const uint8_t* positions = nullptr;
  size_t terms = 0;
};

/// Packing and product for one accumulator type.
struct MmaPath {
  size_t k_per_unit;
  void (*pack_a)(const MmaPack& pack);
  void (*pack_b)(const MmaPack& pack);
  void (*multiply)(const MmaBlock& block);
  /// Of a block with positions; floats alone, since integer sums have no order.
  void (*multiply_sparse)(const MmaBlock& block) = nullptr;
};

struct MmaKernels {
  const char* name;
  const MmaPath* floats;
  const MmaPath* integers;
};

/// Defined by the file of each instruction set; absent ones are not referred to on other hosts.
extern const MmaPath kGenericFloatPath, kGenericIntegerPath;
extern const MmaPath kV3FloatPath, kV3IntegerPath;
extern const MmaPath kV4FloatPath, kV4IntegerPath, kV4VnniIntegerPath;

}  // namespace etalon::numerics
