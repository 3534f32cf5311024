// SPDX-License-Identifier: Apache-2.0
#include "isa/numerics/argreduce.h"

#include <algorithm>
#include <bit>
#include <memory>

#include "isa/numerics/element_stream.h"

namespace etalon::numerics {
namespace {

constexpr size_t kBlock = 512;
constexpr uint32_t kNone = 0xffffffff;

struct Best {
  uint32_t value = 0;
  uint32_t index = kNone;
};

bool isNan(ElementType compute, uint32_t bits) {
  return compute == ElementType::f32 && (bits & 0x7fffffff) > 0x7f800000;
}

bool beats(ArgOp op, ElementType compute, uint32_t challenger, uint32_t holder) {
  if (op == ArgOp::Min) std::swap(challenger, holder);
  if (compute == ElementType::f32)
    return std::bit_cast<float>(challenger) > std::bit_cast<float>(holder);
  if (compute == ElementType::i32)
    return static_cast<int32_t>(challenger) > static_cast<int32_t>(holder);
  return challenger > holder;
}

void consider(ArgOp op, ElementType compute, Best& best, uint32_t value, uint32_t index) {
  const bool wins =
      best.index == kNone || (!isNan(compute, best.value) &&
                              (isNan(compute, value) || beats(op, compute, value, best.value)));
  if (wins) best = {value, index};
}

/// Runs visit(row, column, value) over a in row-major order.
template <class Visit>
void forEachElement(const TileRef& a, Visit visit) {
  ElementStream in(a);
  uint32_t block[kBlock];
  for (uint64_t r = 0; r < a.storedRows(); ++r)
    for (uint64_t c = 0; c < a.cols; c += kBlock) {
      const size_t n = static_cast<size_t>(std::min<uint64_t>(kBlock, a.cols - c));
      in.read(block, n);
      for (size_t k = 0; k < n; ++k) visit(r, c + k, block[k]);
    }
}

}  // namespace

void argReduceRows(ArgOp op, const TileRef& a, const TileRef& td) {
  const ElementType compute = elementInfo(a.type).widens_to;
  const auto best = std::make_unique<Best[]>(a.storedRows());
  forEachElement(a, [&](uint64_t r, uint64_t c, uint32_t value) {
    consider(op, compute, best[r], value, static_cast<uint32_t>(c));
  });
  ElementStream out(td);
  for (uint64_t r = 0; r < a.storedRows(); ++r) out.write(&best[r].index, 1, ElementType::i32, {});
}

void argReduceColumns(ArgOp op, const TileRef& a, const TileRef& td) {
  const ElementType compute = elementInfo(a.type).widens_to;
  const auto best = std::make_unique<Best[]>(a.cols);
  forEachElement(a, [&](uint64_t r, uint64_t c, uint32_t value) {
    consider(op, compute, best[c], value, static_cast<uint32_t>(r));
  });
  ElementStream out(td);
  for (uint64_t c = 0; c < a.cols; ++c) out.write(&best[c].index, 1, ElementType::i32, {});
}

void argReduceRowsAccumulate(ArgOp op, const TileRef& a, uint32_t base, const TileRef& values,
                             const TileRef& indices) {
  const ElementType compute = elementInfo(a.type).widens_to;
  const auto best = std::make_unique<Best[]>(a.storedRows());
  ElementStream old_values(values), old_indices(indices);
  for (uint64_t r = 0; r < a.storedRows(); ++r) {
    old_values.read(&best[r].value, 1);
    old_indices.read(&best[r].index, 1);
  }
  forEachElement(a, [&](uint64_t r, uint64_t c, uint32_t value) {
    consider(op, compute, best[r], value, base + static_cast<uint32_t>(c));
  });
  ElementStream new_values(values), new_indices(indices);
  for (uint64_t r = 0; r < a.storedRows(); ++r) {
    if (isNan(compute, best[r].value)) best[r].value = kNanF32;
    new_values.write(&best[r].value, 1, compute, {});
    new_indices.write(&best[r].index, 1, ElementType::i32, {});
  }
}

}  // namespace etalon::numerics
