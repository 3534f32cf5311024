// SPDX-License-Identifier: Apache-2.0
// Packing and register-blocked product, written once over a description of the vector unit.
// Included by each mma_<instruction set>.cc, and by nothing else.
//
// Everything is in an anonymous namespace, and nothing from the standard library is called, because
// the including files are compiled for different instruction sets: a function with external
// linkage would be merged by the linker and could run AVX-512 code on a host without it.
//
// V (vector unit): Vec, kLanes (32-bit units), kRows (rows of A in one register block), zero(),
//   load(p), store(p, v) (aligned to 4), loadPart(p, n), storePart(p, v, n), broadcast(unit),
//   transpose(Vec[kLanes]).
// Source (element type): kBytes, kPerUnit (k in a unit), load(p): kLanes * kPerUnit consecutive
//   elements as units; interleave(rows, offset): kLanes columns of kPerUnit rows as units.
// Math: Acc (the type of an accumulator), begin(Vec), step(acc, a, b), finish(acc) as Vec,
// kHasStart,
//   addStart(Vec, start).
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "isa/numerics/mma_kernels.h"

namespace etalon::numerics {
namespace {

/// Vectors side by side in a panel of B, and rows of A in a panel of a transposed A.
constexpr size_t kPanelVectors = 2;
constexpr size_t kPanelRows = 16;
constexpr size_t kMaxVectorBytes = 64;

constexpr size_t lesser(size_t x, size_t y) { return x < y ? x : y; }

/// `count` elements from p, then zeros: never reads past the row.
template <class V, class Source>
typename V::Vec loadTail(const std::byte* p, size_t count) {
  alignas(kMaxVectorBytes) std::byte line[kMaxVectorBytes] = {};
  std::memcpy(line, p, count * Source::kBytes);
  return Source::load(line);
}

template <class V, class Source>
typename V::Vec loadUpTo(const std::byte* p, size_t count) {
  return count >= V::kLanes * Source::kPerUnit ? Source::load(p) : loadTail<V, Source>(p, count);
}

/// Rows of A as stored, k along them: out[row][kMmaBlockUnits], zero to the end of the last vector.
template <class V, class Source>
void packRows(const MmaPack& pack) {
  constexpr size_t kStep = V::kLanes * Source::kPerUnit;
  for (size_t r = 0; r < pack.row_count; ++r) {
    uint32_t* out = pack.out + r * kMmaBlockUnits;
    for (size_t c = 0; c < pack.columns; c += kStep, out += V::kLanes) {
      const std::byte* p = pack.rows[r] + c * Source::kBytes;
      V::store(out, loadUpTo<V, Source>(p, pack.columns - c));
    }
  }
}

/// kLanes columns from column c of the kPerUnit rows from row k; rows past the last read as zero.
template <class V, class Source>
typename V::Vec interleaved(const MmaPack& pack, size_t k, size_t c) {
  alignas(kMaxVectorBytes) static constexpr std::byte kZeros[kMaxVectorBytes] = {};
  const size_t count = lesser(pack.columns - c, V::kLanes);
  const size_t rows = lesser(pack.row_count - k, Source::kPerUnit);
  if (count == V::kLanes && rows == Source::kPerUnit) {
    return Source::interleave(pack.rows + k, c * Source::kBytes);
  }
  alignas(kMaxVectorBytes) std::byte lines[Source::kPerUnit][kMaxVectorBytes] = {};
  const std::byte* pointers[Source::kPerUnit];
  for (size_t i = 0; i < Source::kPerUnit; ++i) {
    pointers[i] = i < rows ? lines[i] : kZeros;
    if (i < rows) {
      std::memcpy(lines[i], pack.rows[k + i] + c * Source::kBytes, count * Source::kBytes);
    }
  }
  return Source::interleave(pointers, 0);
}

/// Stored rows run along k, columns along the vector: panels out[panel][unit][width].
template <class V, class Source>
void packAcross(const MmaPack& pack, size_t width) {
  const size_t units = (pack.row_count + Source::kPerUnit - 1) / Source::kPerUnit;
  for (size_t c = 0; c < pack.columns; c += V::kLanes) {
    uint32_t* out = pack.out + (c / width) * width * units + c % width;
    for (size_t u = 0; u < units; ++u, out += width) {
      V::store(out, interleaved<V, Source>(pack, u * Source::kPerUnit, c));
    }
  }
}

/// Columns of B are stored as rows, k along them: the panels of packAcross, by square transposes.
template <class V, class Source>
void packTransposed(const MmaPack& pack, size_t width) {
  const size_t units = (pack.columns + Source::kPerUnit - 1) / Source::kPerUnit;
  for (size_t r = 0; r < pack.row_count; r += V::kLanes) {
    uint32_t* out = pack.out + (r / width) * width * units + r % width;
    for (size_t u = 0; u < units; u += V::kLanes) {
      const size_t k = u * Source::kPerUnit;
      typename V::Vec square[V::kLanes];
      for (size_t i = 0; i < V::kLanes; ++i) {
        square[i] =
            r + i < pack.row_count
                ? loadUpTo<V, Source>(pack.rows[r + i] + k * Source::kBytes, pack.columns - k)
                : V::zero();
      }
      V::transpose(square);
      const size_t count = lesser(units - u, V::kLanes);
      for (size_t i = 0; i < count; ++i, out += width) V::store(out, square[i]);
    }
  }
}

template <class V, class Source>
void packA(const MmaPack& pack) {
  if (pack.transposed) {
    packAcross<V, Source>(pack, kPanelRows);
  } else {
    packRows<V, Source>(pack);
  }
}

template <class V, class Source>
void packB(const MmaPack& pack) {
  if (pack.transposed) {
    packTransposed<V, Source>(pack, kPanelVectors * V::kLanes);
  } else {
    packAcross<V, Source>(pack, kPanelVectors * V::kLanes);
  }
}

/// Calls the packing of the element type; Sources names the five float sources.
template <class V, class Sources, bool kIsA>
void packFloat(const MmaPack& pack) {
  const auto go = [&]<class Source>() {
    if constexpr (kIsA) {
      packA<V, Source>(pack);
    } else {
      packB<V, Source>(pack);
    }
  };
  switch (pack.type) {
    case ElementType::f8e4m3: return go.template operator()<typename Sources::E4m3>();
    case ElementType::f8e5m2: return go.template operator()<typename Sources::E5m2>();
    case ElementType::f16: return go.template operator()<typename Sources::F16>();
    case ElementType::bf16: return go.template operator()<typename Sources::Bf16>();
    default: return go.template operator()<typename Sources::F32>();
  }
}

/// How a panel of A lies: rows with k along them, panels of rows side by side, or rows of the terms
/// that a sparse A has.
enum class PanelA { Rows, Transposed, Sparse };

/// Accumulators of kRows x kVectors stay in registers over all units, k ascending in each lane.
/// `count` columns are real; the rest of the last vector is neither read from nor written to acc.
template <class V, class Math, size_t kRows, size_t kVectors, PanelA kA>
void registerBlock(const MmaBlock& block, size_t row, const uint32_t* b, size_t column,
                   size_t count) {
  using Vec = typename V::Vec;
  constexpr bool kTransposedA = kA == PanelA::Transposed;
  constexpr size_t kARow = kTransposedA ? 1 : kMmaBlockUnits;
  constexpr size_t kAUnit = kTransposedA ? kPanelRows : 1;
  constexpr size_t kBUnit = kPanelVectors * V::kLanes;
  const uint32_t* a =
      kTransposedA ? block.a + (row / kPanelRows) * kPanelRows * block.units + row % kPanelRows
                   : block.a + row * kMmaBlockUnits;
  const size_t last = count - (kVectors - 1) * V::kLanes;
  const auto lanesOf = [&](size_t v) { return v + 1 == kVectors ? last : V::kLanes; };
  const auto place = [&](size_t r, size_t v) {
    return block.acc[row + r] + (column + v * V::kLanes) * sizeof(uint32_t);
  };

  typename Math::Acc acc[kRows][kVectors];
#pragma GCC unroll 16
  for (size_t r = 0; r < kRows; ++r) {
#pragma GCC unroll 16
    for (size_t v = 0; v < kVectors; ++v) {
      Vec start = V::zero();
      if (block.accumulate) start = V::loadPart(place(r, v), lanesOf(v));
      if constexpr (Math::kHasStart) start = Math::addStart(start, block.start[row + r]);
      acc[r][v] = Math::begin(start);
    }
  }
  if constexpr (kA == PanelA::Sparse) {
    const uint8_t* positions = block.positions + row * kMmaBlockUnits;
    for (size_t t = 0; t < block.terms; ++t, ++a, ++positions) {
#pragma GCC unroll 16
      for (size_t r = 0; r < kRows; ++r) {
        const Vec av = V::broadcast(a[r * kARow]);
        const uint32_t* unit = b + positions[r * kARow] * kBUnit;
#pragma GCC unroll 16
        for (size_t v = 0; v < kVectors; ++v) {
          acc[r][v] = Math::step(acc[r][v], av, V::load(unit + v * V::kLanes));
        }
      }
    }
  } else {
    for (size_t u = 0; u < block.units; ++u, a += kAUnit, b += kBUnit) {
      Vec bv[kVectors];
#pragma GCC unroll 16
      for (size_t v = 0; v < kVectors; ++v) bv[v] = V::load(b + v * V::kLanes);
#pragma GCC unroll 16
      for (size_t r = 0; r < kRows; ++r) {
        const Vec av = V::broadcast(a[r * kARow]);
#pragma GCC unroll 16
        for (size_t v = 0; v < kVectors; ++v) acc[r][v] = Math::step(acc[r][v], av, bv[v]);
      }
    }
  }
#pragma GCC unroll 16
  for (size_t r = 0; r < kRows; ++r) {
#pragma GCC unroll 16
    for (size_t v = 0; v < kVectors; ++v) {
      V::storePart(place(r, v), Math::finish(acc[r][v]), lanesOf(v));
    }
  }
}

/// A full group of rows, or the last, smaller one in blocks of falling powers of two: fewer
/// instantiations than one a row count, and they take long to compile under the sanitizers.
template <class V, class Math, size_t kVectors, PanelA kA, size_t kRows = V::kRows>
void blockOfRows(size_t rows, const MmaBlock& block, size_t row, const uint32_t* b, size_t column,
                 size_t count) {
  if (rows >= kRows) {
    registerBlock<V, Math, kRows, kVectors, kA>(block, row, b, column, count);
    row += kRows;
    rows -= kRows;
  }
  if constexpr (kRows > 1) {
    if (rows == 0) return;
    blockOfRows<V, Math, kVectors, kA, kRows / 2>(rows, block, row, b, column, count);
  }
}

template <class V, class Math, PanelA kA>
void multiplyPanels(const MmaBlock& block) {
  static_assert(kPanelRows % V::kRows == 0, "a register block may not straddle two panels of A");
  constexpr size_t kWidth = kPanelVectors * V::kLanes;
  for (size_t column = 0; column < block.n; column += kWidth) {
    const uint32_t* b = block.b + column * block.units;
    const size_t count = lesser(block.n - column, kWidth);
    for (size_t row = 0; row < block.m; row += V::kRows) {
      const size_t rows = lesser(block.m - row, V::kRows);
      if (count > V::kLanes) {
        blockOfRows<V, Math, 2, kA>(rows, block, row, b, column, count);
      } else {
        blockOfRows<V, Math, 1, kA>(rows, block, row, b, column, count);
      }
    }
  }
}

template <class V, class Math>
void multiplyBlock(const MmaBlock& block) {
  if (block.a_transposed) {
    multiplyPanels<V, Math, PanelA::Transposed>(block);
  } else {
    multiplyPanels<V, Math, PanelA::Rows>(block);
  }
}

template <class V, class Math>
void multiplySparseBlock(const MmaBlock& block) {
  multiplyPanels<V, Math, PanelA::Sparse>(block);
}

/// The integer packing of kernels that widen first, so that a sign needs no correction.
template <class V, class Signed, class Unsigned, bool kIsA>
void packInteger(const MmaPack& pack) {
  const bool is_signed = pack.type == ElementType::i8;
  if constexpr (kIsA) {
    is_signed ? packA<V, Signed>(pack) : packA<V, Unsigned>(pack);
  } else {
    is_signed ? packB<V, Signed>(pack) : packB<V, Unsigned>(pack);
  }
}

}  // namespace
}  // namespace etalon::numerics
