// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "isa/state/chain_descriptor.h"
#include "isa/state/tile_operands.h"

namespace etalon::sim {

/// How a vector instruction walks its elements.
enum class VectorWalk : uint8_t {
  stream,            // element-wise and chains: the row-major stream of td
  row_reduction,     // along columns of a row, folded or as lanes
  column_reduction,  // down the rows
  row_scan,          // scans and recurrences along a row
  move,              // copy, transpose, permute, local gather and scatter
  sort,              // sort and top-k, row by row
};

/// A vector instruction as the vector unit sees it.
struct VectorWork {
  VectorWalk walk = VectorWalk::stream;
  uint64_t rows = 0, cols = 0;  // of what is walked: td, or the source where td is smaller
  unsigned simple_steps = 0;    // steps of a chain that take one stage
  unsigned exp_steps = 0;       // exp, exp2
  unsigned function_steps = 0;  // other functions, div, sqrt
  bool folds = false;           // a reduction ends in the fold of 64 lanes
  unsigned sources = 0;         // tiles read in each pass
  unsigned source_bits = 0;     // of the widest source element
  unsigned result_bits = 0;     // of td's elements; 0 without td

  bool operator==(const VectorWork&) const = default;
};

/// The work of a checked vector instruction; `chain` of et.vx alone, else nullptr.
VectorWork vectorWork(const isa::TileOperands& operands, const isa::ChainDescriptor* chain);

}  // namespace etalon::sim
