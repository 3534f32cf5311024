// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "isa/state/tile_operands.h"

namespace etalon::sim {

/// A tile product as the matrix unit sees it.
struct MatrixWork {
  uint64_t m = 0, n = 0, k = 0;     // logical extents; k is B's, also where A is sparse
  unsigned a_bits = 0, b_bits = 0;  // of an element
  bool a_transposed = false;        // stored k x m
  bool b_transposed = false;        // stored n x k
  bool sparse = false;              // A holds two of four elements of k
  bool accumulates = false;         // et.mma: starts at td

  bool operator==(const MatrixWork&) const = default;
};

/// The work of a checked et.mm or et.mma.
MatrixWork matrixWork(const isa::TileOperands& operands);

}  // namespace etalon::sim
