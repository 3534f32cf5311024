// SPDX-License-Identifier: Apache-2.0
#include "sim/memory/dram_mapping.h"

#include <bit>

#include "isa/base/check.h"

namespace etalon::sim {

DramMapping::DramMapping(const isa::DramPreset& preset)
    : burst_shift_(static_cast<uint32_t>(std::countr_zero(preset.burst_bytes))),
      hash_(preset.hash ? static_cast<uint32_t>(preset.allBanks() - 1) : 0) {
  using Kind = isa::MappingField::Kind;
  const auto bank_bits = static_cast<uint32_t>(std::countr_zero(preset.banks));
  uint32_t column = 0, bank = 0, group = bank_bits;
  for (auto field = preset.mapping.rbegin(); field != preset.mapping.rend(); ++field) {
    if (field->kind == Kind::Row) break;  // the first of the order: the rest
    ETALON_CHECK(fields_ < field_.size(), "mapping of more fields than any part has bits");
    uint32_t& shift = field->kind == Kind::Column  ? column
                      : field->kind == Kind::Group ? group
                                                   : bank;
    field_[fields_++] = {field->kind == Kind::Column ? kColumn : kBank, field->bits,
                         (uint32_t{1} << field->bits) - 1, shift};
    shift += field->bits;
  }
}

}  // namespace etalon::sim
