// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>

#include "isa/state/chain_descriptor.h"
#include "isa/state/semantics.h"
#include "isa/state/tile_register.h"
#include "isa/state/view_descriptor.h"

namespace etalon::isa::semantics {

/// Traps with cause 29 for a malformed tile (class 1), view (2) or chain (3) register, or an image or update of one that
/// would be; `operand` is its number in the syntax.
template <CoreContext Core>
void trapMalformed(Core& core, const Instruction& in, uint8_t reg, uint8_t reg_class, Rule rule,
                   const Malformed& problem, uint8_t operand = 0) {
  Fault fault;
  fault.cause = Cause::malformed;
  fault.rule = rule;
  fault.value = tileTrapValue(in.raw, reg, reg_class, operand, rule);
  fault.operand = problem.field;
  fault.detail = problem.text;
  core.trapWith(fault);
}

/// True if rs1 is 8-byte aligned; else traps with `cause`.
template <CoreContext Core>
bool imageAligned(Core& core, const Instruction& in, Cause cause) {
  const uint64_t address = core.x(in.rs1);
  if (address % 8 == 0) return true;
  core.trap(cause, address, Rule::desc_align);
  return false;
}

/// Reads a descriptor image at rs1 by scalar loads; false if that trapped.
template <CoreContext Core, size_t N>
bool loadImage(Core& core, const Instruction& in, std::array<std::byte, N>& image) {
  if (!imageAligned(core, in, Cause::load_misaligned)) return false;
  for (size_t at = 0; at < N; at += 8) {
    uint64_t word;
    if (!core.load(core.x(in.rs1) + at, word)) return false;
    storeBytes(image.data() + at, word);
  }
  return true;
}

/// Writes a descriptor image at rs1 by scalar stores; false if that trapped. The whole image is probed first, so that
/// a trap comes before any effect.
template <CoreContext Core, size_t N>
bool storeImage(Core& core, const Instruction& in, const std::array<std::byte, N>& image) {
  if (!imageAligned(core, in, Cause::store_misaligned)) return false;
  if (!core.storable(core.x(in.rs1), N)) return false;
  for (size_t at = 0; at < N; at += 8)
    if (!core.store(core.x(in.rs1) + at, loadBytes<uint64_t>(image.data() + at))) return false;
  return true;
}

}  // namespace etalon::isa::semantics
