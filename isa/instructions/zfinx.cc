// SPDX-License-Identifier: Apache-2.0
// Zfinx: f32 in x registers. Bits 63:32 of a source are ignored, a result is sign-extended from
// bit 31.
#include "isa/numerics/scalar_float.h"
#include "isa/state/semantics.h"

namespace etalon::isa::semantics {

namespace scalar = numerics::scalar;

/// Value of an f32 or 32-bit integer source.
inline uint32_t low(uint64_t x) { return static_cast<uint32_t>(x); }

/// The rounding mode an instruction uses; a reserved one, static or in frm, traps and gives false.
template <CoreContext Core>
bool selectRounding(Core& core, const Instruction& in, scalar::Rounding& mode) {
  constexpr uint32_t kDynamic = 7;
  uint32_t rm = static_cast<uint32_t>(bits(in.raw, 14, 12));
  if (rm == kDynamic) rm = core.roundingMode();
  if (rm > static_cast<uint32_t>(scalar::Rounding::nearest_max_magnitude)) {
    core.trap(Cause::illegal, in.raw, Rule::zfinx_rounding_mode);
    return false;
  }
  mode = static_cast<scalar::Rounding>(rm);
  return true;
}
/// Writes rd (32-bit results sign-extended) and accrues the flags.
template <CoreContext Core, class T>
void finish(Core& core, const Instruction& in, scalar::Outcome<T> outcome) {
  if (outcome.flags) core.accrueFlags(outcome.flags);
  core.setX(in.rd,
            static_cast<uint64_t>(signExtend(static_cast<uint64_t>(outcome.bits), sizeof(T) * 8)));
}
/// rd = f(mode), an operation that rounds.
template <CoreContext Core, class F>
void rounded(Core& core, const Instruction& in, F f) {
  scalar::Rounding mode;
  if (selectRounding(core, in, mode)) finish(core, in, f(mode));
}
/// rd = +-(rs1 * rs2) +- rs3. Negating the exact product is negating a factor.
template <CoreContext Core>
void fuse(Core& core, const Instruction& in, bool negate_product, bool negate_addend) {
  const uint32_t a = low(core.x(in.rs1)) ^ (negate_product ? scalar::kSignBit : 0);
  const uint32_t c = low(core.x(in.rs3)) ^ (negate_addend ? scalar::kSignBit : 0);
  rounded(core, in,
          [&](auto mode) { return scalar::multiplyAdd(a, low(core.x(in.rs2)), c, mode); });
}
/// rd = rs1 with the sign bit of `sign`.
template <CoreContext Core>
void injectSign(Core& core, const Instruction& in, uint32_t sign) {
  const uint32_t result = (low(core.x(in.rs1)) & ~scalar::kSignBit) | (sign & scalar::kSignBit);
  core.setX(in.rd, static_cast<uint64_t>(signExtend(result, 32)));
}

SEMANTICS(fadd_s) {
  rounded(core, in,
          [&](auto mode) { return scalar::add(low(core.x(in.rs1)), low(core.x(in.rs2)), mode); });
}
SEMANTICS(fsub_s) {
  rounded(core, in, [&](auto mode) {
    return scalar::add(low(core.x(in.rs1)), low(core.x(in.rs2)) ^ scalar::kSignBit, mode);
  });
}
SEMANTICS(fmul_s) {
  rounded(core, in, [&](auto mode) {
    return scalar::multiply(low(core.x(in.rs1)), low(core.x(in.rs2)), mode);
  });
}
SEMANTICS(fdiv_s) {
  rounded(core, in, [&](auto mode) {
    return scalar::divide(low(core.x(in.rs1)), low(core.x(in.rs2)), mode);
  });
}
SEMANTICS(fsqrt_s) {
  rounded(core, in, [&](auto mode) { return scalar::squareRoot(low(core.x(in.rs1)), mode); });
}
SEMANTICS(fmadd_s) { fuse(core, in, false, false); }
SEMANTICS(fmsub_s) { fuse(core, in, false, true); }
SEMANTICS(fnmsub_s) { fuse(core, in, true, false); }
SEMANTICS(fnmadd_s) { fuse(core, in, true, true); }
SEMANTICS(fsgnj_s) { injectSign(core, in, low(core.x(in.rs2))); }
SEMANTICS(fsgnjn_s) { injectSign(core, in, ~low(core.x(in.rs2))); }
SEMANTICS(fsgnjx_s) { injectSign(core, in, low(core.x(in.rs1)) ^ low(core.x(in.rs2))); }
SEMANTICS(fmin_s) {
  finish(core, in, scalar::minimumNumber(low(core.x(in.rs1)), low(core.x(in.rs2))));
}
SEMANTICS(fmax_s) {
  finish(core, in, scalar::maximumNumber(low(core.x(in.rs1)), low(core.x(in.rs2))));
}
SEMANTICS(feq_s) { finish(core, in, scalar::equal(low(core.x(in.rs1)), low(core.x(in.rs2)))); }
SEMANTICS(flt_s) { finish(core, in, scalar::less(low(core.x(in.rs1)), low(core.x(in.rs2)))); }
SEMANTICS(fle_s) {
  finish(core, in, scalar::lessOrEqual(low(core.x(in.rs1)), low(core.x(in.rs2))));
}
SEMANTICS(fclass_s) { core.setX(in.rd, scalar::classify(low(core.x(in.rs1)))); }
SEMANTICS(fcvt_w_s) {
  rounded(core, in, [&](auto mode) { return scalar::toInt32(low(core.x(in.rs1)), mode); });
}
SEMANTICS(fcvt_wu_s) {
  rounded(core, in, [&](auto mode) { return scalar::toUint32(low(core.x(in.rs1)), mode); });
}
SEMANTICS(fcvt_l_s) {
  rounded(core, in, [&](auto mode) { return scalar::toInt64(low(core.x(in.rs1)), mode); });
}
SEMANTICS(fcvt_lu_s) {
  rounded(core, in, [&](auto mode) { return scalar::toUint64(low(core.x(in.rs1)), mode); });
}
SEMANTICS(fcvt_s_w) {
  rounded(core, in,
          [&](auto mode) { return scalar::fromInt64(static_cast<int32_t>(core.x(in.rs1)), mode); });
}
SEMANTICS(fcvt_s_wu) {
  rounded(core, in, [&](auto mode) { return scalar::fromUint64(low(core.x(in.rs1)), mode); });
}
SEMANTICS(fcvt_s_l) {
  rounded(core, in,
          [&](auto mode) { return scalar::fromInt64(static_cast<int64_t>(core.x(in.rs1)), mode); });
}
SEMANTICS(fcvt_s_lu) {
  rounded(core, in, [&](auto mode) { return scalar::fromUint64(core.x(in.rs1), mode); });
}

}  // namespace etalon::isa::semantics
