// SPDX-License-Identifier: Apache-2.0
// RV64A. Atomics are performed at the home of the address, in one step of the interleaving.
#include "isa/state/semantics.h"

namespace etalon::isa::semantics {

inline bool acquires(const Instruction& in) { return bits(in.raw, 26, 26); }
inline bool releases(const Instruction& in) { return bits(in.raw, 25, 25); }

/// rd = old value, sign-extended; memory = f(old, rs2). T is the signed or unsigned view the operation takes.
template <class T, CoreContext Core, class F>
void readModifyWrite(Core& core, const Instruction& in, F f) {
  T old;
  const T operand = static_cast<T>(core.x(in.rs2));
  if (core.atomic(core.x(in.rs1), acquires(in), releases(in), old,
                  [&](T value) { return static_cast<T>(f(value, operand)); }))
    core.setX(in.rd,
              static_cast<uint64_t>(static_cast<int64_t>(static_cast<std::make_signed_t<T>>(old))));
}
template <class T, CoreContext Core>
void reserve(Core& core, const Instruction& in) {
  T value;
  if (core.loadReserved(core.x(in.rs1), acquires(in), releases(in), value))
    core.setX(in.rd, static_cast<uint64_t>(int64_t{value}));
}
template <class T, CoreContext Core>
void conditional(Core& core, const Instruction& in) {
  bool stored;
  if (core.storeConditional(core.x(in.rs1), acquires(in), releases(in),
                            static_cast<T>(core.x(in.rs2)), stored))
    core.setX(in.rd, !stored);
}

inline constexpr auto kSecond = [](auto, auto b) { return b; };
inline constexpr auto kSum = [](auto a, auto b) { return a + b; };
inline constexpr auto kXor = [](auto a, auto b) { return a ^ b; };
inline constexpr auto kAnd = [](auto a, auto b) { return a & b; };
inline constexpr auto kOr = [](auto a, auto b) { return a | b; };
inline constexpr auto kLess = [](auto a, auto b) { return a < b ? a : b; };
inline constexpr auto kMore = [](auto a, auto b) { return a < b ? b : a; };

SEMANTICS(lr_w) { reserve<int32_t>(core, in); }
SEMANTICS(lr_d) { reserve<int64_t>(core, in); }
SEMANTICS(sc_w) { conditional<int32_t>(core, in); }
SEMANTICS(sc_d) { conditional<int64_t>(core, in); }
SEMANTICS(amoswap_w) { readModifyWrite<uint32_t>(core, in, kSecond); }
SEMANTICS(amoswap_d) { readModifyWrite<uint64_t>(core, in, kSecond); }
SEMANTICS(amoadd_w) { readModifyWrite<uint32_t>(core, in, kSum); }
SEMANTICS(amoadd_d) { readModifyWrite<uint64_t>(core, in, kSum); }
SEMANTICS(amoxor_w) { readModifyWrite<uint32_t>(core, in, kXor); }
SEMANTICS(amoxor_d) { readModifyWrite<uint64_t>(core, in, kXor); }
SEMANTICS(amoand_w) { readModifyWrite<uint32_t>(core, in, kAnd); }
SEMANTICS(amoand_d) { readModifyWrite<uint64_t>(core, in, kAnd); }
SEMANTICS(amoor_w) { readModifyWrite<uint32_t>(core, in, kOr); }
SEMANTICS(amoor_d) { readModifyWrite<uint64_t>(core, in, kOr); }
SEMANTICS(amomin_w) { readModifyWrite<int32_t>(core, in, kLess); }
SEMANTICS(amomin_d) { readModifyWrite<int64_t>(core, in, kLess); }
SEMANTICS(amomax_w) { readModifyWrite<int32_t>(core, in, kMore); }
SEMANTICS(amomax_d) { readModifyWrite<int64_t>(core, in, kMore); }
SEMANTICS(amominu_w) { readModifyWrite<uint32_t>(core, in, kLess); }
SEMANTICS(amominu_d) { readModifyWrite<uint64_t>(core, in, kLess); }
SEMANTICS(amomaxu_w) { readModifyWrite<uint32_t>(core, in, kMore); }
SEMANTICS(amomaxu_d) { readModifyWrite<uint64_t>(core, in, kMore); }

}  // namespace etalon::isa::semantics
