// SPDX-License-Identifier: Apache-2.0
// RV64M. Division never traps: x / 0 is all ones, MIN / -1 is MIN.
#include "isa/state/semantics.h"

namespace etalon::isa::semantics {

__extension__ using Int128 = __int128;
__extension__ using UInt128 = unsigned __int128;

template <class S>
S quotient(S a, S b) {
  if (b == 0) return static_cast<S>(-1);
  if constexpr (std::is_signed_v<S>)
    if (b == -1) return static_cast<S>(S{0} - static_cast<std::make_unsigned_t<S>>(a));
  return a / b;
}
template <class S>
S remainder(S a, S b) {
  if (b == 0) return a;
  if constexpr (std::is_signed_v<S>)
    if (b == -1) return 0;
  return a % b;
}
/// Operates on values of type S taken from rs1 and rs2, sign-extending a 32-bit result.
template <class S, CoreContext Core, class F>
void divide(Core& core, const Instruction& in, F f) {
  const S result = f(static_cast<S>(core.x(in.rs1)), static_cast<S>(core.x(in.rs2)));
  core.setX(in.rd, static_cast<uint64_t>(
                       static_cast<int64_t>(static_cast<std::make_signed_t<S>>(result))));
}

SEMANTICS(mul) { core.setX(in.rd, core.x(in.rs1) * core.x(in.rs2)); }
SEMANTICS(mulh) {
  const Int128 product =
      Int128{static_cast<int64_t>(core.x(in.rs1))} * static_cast<int64_t>(core.x(in.rs2));
  core.setX(in.rd, static_cast<uint64_t>(product >> 64));
}
SEMANTICS(mulhsu) {
  const Int128 product = Int128{static_cast<int64_t>(core.x(in.rs1))} * Int128{core.x(in.rs2)};
  core.setX(in.rd, static_cast<uint64_t>(product >> 64));
}
SEMANTICS(mulhu) {
  core.setX(in.rd, static_cast<uint64_t>((UInt128{core.x(in.rs1)} * core.x(in.rs2)) >> 64));
}
SEMANTICS(div) { divide<int64_t>(core, in, quotient<int64_t>); }
SEMANTICS(divu) { divide<uint64_t>(core, in, quotient<uint64_t>); }
SEMANTICS(rem) { divide<int64_t>(core, in, remainder<int64_t>); }
SEMANTICS(remu) { divide<uint64_t>(core, in, remainder<uint64_t>); }
SEMANTICS(mulw) {
  core.setX(in.rd, static_cast<uint64_t>(signExtend(core.x(in.rs1) * core.x(in.rs2), 32)));
}
SEMANTICS(divw) { divide<int32_t>(core, in, quotient<int32_t>); }
SEMANTICS(divuw) { divide<uint32_t>(core, in, quotient<uint32_t>); }
SEMANTICS(remw) { divide<int32_t>(core, in, remainder<int32_t>); }
SEMANTICS(remuw) { divide<uint32_t>(core, in, remainder<uint32_t>); }

}  // namespace etalon::isa::semantics
