// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <optional>
#include <string_view>
#include <utility>

#include "isa/element_type.h"

namespace etalon::tools {

// The first name of a type is the one written.
inline constexpr std::array<std::pair<std::string_view, ElementType>, 14> kSafetensorsTypes{
    {{"F32", ElementType::f32},
     {"BF16", ElementType::bf16},
     {"F16", ElementType::f16},
     {"F8_E4M3", ElementType::f8e4m3},
     {"F8_E5M2", ElementType::f8e5m2},
     {"F8_E8M0", ElementType::e8m0},
     {"I64", ElementType::i64},
     {"I32", ElementType::i32},
     {"U32", ElementType::u32},
     {"I16", ElementType::i16},
     {"U16", ElementType::u16},
     {"I8", ElementType::i8},
     {"U8", ElementType::u8},
     {"BOOL", ElementType::u8}}};

constexpr std::optional<ElementType> safetensorsType(std::string_view dtype) {
  for (const auto& [name, type] : kSafetensorsTypes)
    if (name == dtype) return type;
  return std::nullopt;
}

constexpr std::optional<std::string_view> safetensorsDtype(ElementType type) {
  for (const auto& [name, known] : kSafetensorsTypes)
    if (known == type) return name;
  return std::nullopt;
}

}  // namespace etalon::tools
