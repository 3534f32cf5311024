// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "isa/state/chain_descriptor.h"
#include "isa/state/tile_operands.h"

namespace etalon::sim {

/// How a vector instruction walks its elements.
enum class VectorWalk : uint8_t {
  stream,         // element-wise, chains, random numbers, block scales: the row-major stream
  row_reduction,  // along columns of a row, folded or as lanes: the row-major stream of the source
  column_reduction,  // down the rows
  row_scan,          // scans and recurrences along a row
  move,              // copy and permute: whole rows
  transpose,         // rows in, columns out
  indexed,           // local gather and scatter: each element at an index of its own
  sort,              // sort and top-k, row by row
};

/// A vector instruction as the vector unit sees it.
struct VectorWork {
  VectorWalk walk = VectorWalk::stream;
  uint64_t rows = 0, cols = 0;  // of what is walked: td, or the source where td is smaller
  unsigned simple_steps = 0;    // steps that take one stage
  unsigned exp_steps = 0;       // exp, exp2
  unsigned function_steps = 0;  // other functions, div, rem, sqrt
  bool reduces = false;         // a reduction of rows, folded or as lanes: at most a row a cycle
  bool folds = false;           // it ends in the fold of 64 lanes
  bool ordered = true;   // reads and writes row after row; false: rows of a source in any order
  unsigned sources = 0;  // tiles read for each element; one at several displacements counts each
  unsigned source_bits = 0;  // of the widest source element
  unsigned result_bits = 0;  // of the widest result element; 0 if results are one a row or less

  bool operator==(const VectorWork&) const = default;
};

/// The work of a checked vector instruction; `chain` of et.vx alone, else nullptr.
VectorWork vectorWork(const isa::TileOperands& operands, const isa::ChainDescriptor* chain);

}  // namespace etalon::sim
