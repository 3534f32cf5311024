// SPDX-License-Identifier: Apache-2.0
#include "sim/functional/snapshot_step_program.h"

namespace etalon::sim {
namespace {

using isa::X;

TEST(SnapshotAtEveryStep, KeepsTimeAndInterrupts) {
  StepProgram p;
  const auto handler = p.label(), end = p.label(), back = p.label();
  p.la(X{5}, handler);
  p.csrrw(X{0}, isa::csr::kMtvec, X{5});
  p.li(X{5}, 0x88);
  p.csrrw(X{0}, isa::csr::kMie, X{5});
  p.slli(X{6}, kHart, 3);
  p.li(X{7}, static_cast<int64_t>(kTimeCompareRegisters));
  p.add(X{6}, X{6}, X{7});
  p.li(X{7}, 60);
  p.sd(X{7}, 0, X{6});
  p.li(X{14}, kSoftwareInterrupts);
  p.csrrwi(X{0}, isa::csr::kMstatus, 8);
  p.split([&] { p.wfi(); },
          [&] {
            p.idle(90);
            p.wfi();
          });
  p.jal(X{0}, end);
  p.bind(handler);
  p.csrrs(X{10}, isa::csr::kMcause, X{0});
  p.add(X{11}, X{11}, X{10});
  p.ld(X{12}, 0, X{6});
  p.slli(X{12}, X{12}, 3);
  p.sd(X{12}, 0, X{6});
  p.sw(X{10}, 4, X{14});  // odd: core 1 gets another one
  p.sw(X{0}, 0, X{14});
  p.bne(kHart, X{0}, back);
  p.mret();
  p.bind(back);
  p.sw(X{0}, 4, X{14});
  p.mret();
  p.bind(end);
  const StepRun run = runThroughSnapshots(p, 2);
  EXPECT_EQ(run.result.status, RunStatus::exited);
  EXPECT_NE(run.device->core(0).x(11), 0u);
  EXPECT_NE(run.device->core(1).x(11), 0u);
}

}  // namespace
}  // namespace etalon::sim
