// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "isa/csr.h"
#include "isa/interrupt.h"
#include "sim/functional/test_support.h"

namespace etalon::sim {

/// A program that takes interrupts; changes x28 and x29.
class InterruptBuilder : public TestBuilder {
 public:
  static constexpr uint64_t bit(isa::Interrupt interrupt) { return isa::interruptBit(interrupt); }
  /// mcause of an interrupt.
  static constexpr uint64_t cause(isa::Interrupt interrupt) {
    return uint64_t{1} << 63 | static_cast<uint64_t>(interrupt);
  }

  void handleAt(Label handler) {
    la(isa::X{28}, handler);
    csrrw(isa::X{0}, isa::csr::kMtvec, isa::X{28});
  }
  void enable(uint64_t bits) {
    li(isa::X{28}, static_cast<int64_t>(bits));
    csrrw(isa::X{0}, isa::csr::kMie, isa::X{28});
  }
  void allow() { csrrsi(isa::X{0}, isa::csr::kMstatus, 8); }
  void storeWord(uint64_t address, int64_t value) {
    li(isa::X{28}, static_cast<int64_t>(address));
    li(isa::X{29}, value);
    sw(isa::X{29}, 0, isa::X{28});
  }
  void storeDouble(uint64_t address, int64_t value) {
    li(isa::X{28}, static_cast<int64_t>(address));
    li(isa::X{29}, value);
    sd(isa::X{29}, 0, isa::X{28});
  }
  void loadDouble(isa::X x, uint64_t address) {
    li(isa::X{28}, static_cast<int64_t>(address));
    ld(x, 0, isa::X{28});
  }
  void software(unsigned core, bool raised = true) {
    storeWord(kSoftwareInterrupts + 4 * core, raised);
  }
  void timerOf(unsigned core, int64_t time) { storeDouble(kTimeCompareRegisters + 8 * core, time); }
  /// The timer of this core, `ahead` from now; changes x30, too.
  void timerIn(unsigned core, int64_t ahead) {
    loadDouble(isa::X{30}, kTimeRegister);
    li(isa::X{29}, ahead);
    add(isa::X{30}, isa::X{30}, isa::X{29});
    li(isa::X{28}, static_cast<int64_t>(kTimeCompareRegisters + 8 * core));
    sd(isa::X{30}, 0, isa::X{28});
  }
  void read(isa::X x, uint32_t csr) { csrrs(x, csr, isa::X{0}); }
  /// `first` on core 0, `others` elsewhere.
  template <class First, class Others>
  void split(First first, Others others) {
    const Label elsewhere = label(), end = label();
    read(isa::X{28}, isa::csr::kMhartid);
    bne(isa::X{28}, isa::X{0}, elsewhere);
    first();
    jal(isa::X{0}, end);
    bind(elsewhere);
    others();
    bind(end);
  }
};

}  // namespace etalon::sim
