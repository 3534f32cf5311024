// SPDX-License-Identifier: Apache-2.0
#include "kernels/reference/operators.h"
#include "kernels/reference/value.h"

namespace etalon::kernels {

/// gather(table, ids) -> y: y[i..., ...] = table[ids[i...], ...], rows of any rank, any type: exact.
///
/// ids        i32 or i64. An id below 0 or at or past the rows gives a row of `fill` (default 0),
///            as et.gather does; it does not count from the end as ONNX Gather lets it.
/// with       fill=0 (a number of the table's type; not for i64 or e8m0 tables unless 0).
Result<CheckReport> checkGather(const Call& call) {
  ETALON_RETURN_IF_ERROR(call.expectInputs(2, 2, "gather(table, ids) -> y with fill=0"));
  ETALON_RETURN_IF_ERROR(call.expectAttributes({"fill"}));
  Result<const Array*> ids_array = call.array(1, {ElementType::i32, ElementType::i64});
  if (!ids_array.ok()) return ids_array.error();
  const Array* table = call.inputs()[0].array;
  if (table == nullptr || table->shape.empty())
    return call.error(call.describeInput(0) + "; it must be an array with rows");
  ETALON_RETURN_IF_ERROR(call.expectOutputType({table->type}));
  Shape shape = (*ids_array)->shape;
  shape.insert(shape.end(), table->shape.begin() + 1, table->shape.end());
  ETALON_RETURN_IF_ERROR(call.expectOutputShape(shape));
  const Result<double> fill = call.real("fill", 0);
  if (!fill.ok()) return fill.error();
  const bool encodable =
      isFloat(table->type) || (isInteger(table->type) && table->type != ElementType::i64);
  if (*fill != 0 && !encodable) return call.error("attribute fill must be 0 for this table");
  uint64_t fill_bits = 0;
  if (encodable)
    fill_bits =
        isFloat(table->type) ? encode(table->type, {*fill, 0}) : encodeInteger(table->type, *fill);

  const std::vector<uint64_t> rows = elementBits(*table);
  const uint64_t row_count = table->shape.front();
  const uint64_t row_length = abi::elementCount({table->shape.begin() + 1, table->shape.end()});
  std::vector<uint64_t> expected;
  expected.reserve(abi::elementCount(shape));
  for (const int64_t id : elementIntegers(**ids_array)) {
    const bool inside = id >= 0 && static_cast<uint64_t>(id) < row_count;
    for (uint64_t i = 0; i < row_length; ++i)
      expected.push_back(inside ? rows[static_cast<uint64_t>(id) * row_length + i] : fill_bits);
  }
  return compareBits(call.operation(), "exact", call.output(), expected);
}

}  // namespace etalon::kernels
