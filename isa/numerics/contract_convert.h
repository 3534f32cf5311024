// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "isa/numerics/contract.h"
#include "isa/numerics/convert.h"

namespace etalon::numerics {

/// convertElement() with a declared rule: its rounding stands in for nearest even (toward zero
/// stays), its overflow for that of f16, bf16 and f32 where its rounding is used, and subnormals of
/// f16, bf16 and f32 are flushed as it says. FP8 saturates as the mode says. Types of at most 32 bits.
uint64_t convertElementUnder(const ConversionRule& rule, ElementType from, uint64_t bits,
                             ElementType to, ConvertMode mode);

/// convertRun() with a declared rule.
void convertRunUnder(const ConversionRule& rule, ElementType from, const std::byte* src,
                     ptrdiff_t src_stride, ElementType to, std::byte* dst, ptrdiff_t dst_stride,
                     size_t n, ConvertMode mode);

/// convertRun() with a declared rule, or without one if `rule` is nullptr.
inline void convertRun(const ConversionRule* rule, ElementType from, const std::byte* src,
                       ptrdiff_t src_stride, ElementType to, std::byte* dst, ptrdiff_t dst_stride,
                       size_t n, ConvertMode mode) {
  if (rule != nullptr) {
    convertRunUnder(*rule, from, src, src_stride, to, dst, dst_stride, n, mode);
  } else {
    convertRun(from, src, src_stride, to, dst, dst_stride, n, mode);
  }
}

/// The conversion rule of a contract, nullptr if there is none or it is the canonical one.
inline const ConversionRule* declaredConversion(const VectorContract* contract) {
  if (contract == nullptr || contract->conversion == ConversionRule{}) return nullptr;
  return &contract->conversion;
}

}  // namespace etalon::numerics
