// SPDX-License-Identifier: Apache-2.0
#include "kernels/reference/operators.h"
#include "kernels/reference/value.h"

namespace etalon::kernels {
namespace {

uint64_t castElement(ElementType from, ElementType to, uint64_t bits, bool saturate) {
  if (isFloat(to)) return encode(to, {decode(from, bits), 0}, saturate);
  if (isFloat(from)) return encodeInteger(to, decode(from, bits));
  if (saturate) return encodeInteger(to, static_cast<double>(decodeInteger(from, bits)));
  const uint64_t mask = ~uint64_t{0} >> (64 - elementInfo(to).bits);
  return static_cast<uint64_t>(decodeInteger(from, bits)) & mask;
}

}  // namespace

/// cast(x) -> y: every element converted with one rounding to nearest even: exact.
///
/// To float   overflow to infinity (NaN in E4M3), or with saturate=1 to the largest finite value.
/// To integer from float: to nearest even, saturating, NaN gives 0. From integer: modulo 2^bits, or
///            with saturate=1 saturating.
/// with       saturate=0. Types: all but i64 and e8m0.
Result<CheckReport> checkCast(const Call& call) {
  using enum ElementType;
  ETALON_RETURN_IF_ERROR(call.expectInputs(1, 1, "cast(x) -> y with saturate=0"));
  ETALON_RETURN_IF_ERROR(call.expectAttributes({"saturate"}));
  const Result<const Array*> x =
      call.array(0, {i4, u4, i8, u8, i16, u16, i32, u32, f4e2m1, f8e4m3, f8e5m2, f16, bf16, f32});
  if (!x.ok()) return x.error();
  ETALON_RETURN_IF_ERROR(call.expectOutputType(
      {i4, u4, i8, u8, i16, u16, i32, u32, f4e2m1, f8e4m3, f8e5m2, f16, bf16, f32}));
  ETALON_RETURN_IF_ERROR(call.expectOutputShape((*x)->shape));
  std::vector<uint64_t> expected = elementBits(**x);
  for (uint64_t& bits : expected)
    bits = castElement((*x)->type, call.outputType(), bits, call.output().saturate);
  return compareBits(call.operation(), "exact", call.output(), expected);
}

}  // namespace etalon::kernels
