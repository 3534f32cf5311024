// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace etalon::isa {

/// What is wrong with a register or descriptor. Each value is one rule; the fault chooses its cause
/// by it.
enum class Problem : uint8_t {
  ReservedType,        ///< element type code 16 to 63
  SpareBits,           ///< bits or bytes that the layout declares zero are not
  Misaligned,          ///< base or stride is no multiple of the element size
  FourBitRule,         ///< a rule that only 4-bit types have
  Version,             ///< descriptor version other than 1
  Count,               ///< naxes, nbox, ncol or nsteps out of range
  AxisNumber,          ///< a box dim names an axis that the view does not have
  Dim,                 ///< dim of an axis is 2^48 or more
  AddressWrap,         ///< the whole tensor's address extent leaves [0, 2^64)
  CoordinateOverflow,  ///< a coordinate leaves the signed 64-bit range
  Operation,           ///< unknown operation, or one that is no chain step
  ComputeType,         ///< compute type not f32, i32 or u32, or not one the operation has
  ResultType,          ///< result type that the operation cannot have
  Mode,                ///< reserved rounding or mode bits
  Destination,         ///< destination temporary above 3
  Selector,            ///< reserved selector, or one not allowed at this place
  Unwritten,           ///< a temporary read before a step wrote it
  AbsentTile,          ///< a tile that the descriptor says is absent
  RegisterNumber,      ///< tile register number 32 to 254
  Reduction,           ///< reserved reduction operation, or a reduction in an unsupported type
  Flags,               ///< reserved or contradictory flag bits
};

/// One broken rule: `field` names the offending field (as in isa-reference.md, with its index),
/// `text` says its value, the limit and the way out.
struct Malformed {
  Problem problem;
  std::string field;
  std::string text;
};

}  // namespace etalon::isa
