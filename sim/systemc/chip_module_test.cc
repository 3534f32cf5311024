// SPDX-License-Identifier: Apache-2.0
// The chip on SystemC's clock. SystemC elaborates once in a process, so each simulation has a child process of its own.
#include "sim/systemc/chip_module.h"

#include <sys/wait.h>
#include <unistd.h>

#include "isa/csr.h"
#include "sim/system/chip_memory.h"
#include "sim/system/timed_test_support.h"
#include "sim/systemc/run_timed.h"

namespace etalon::sim {
namespace {

using isa::X;

/// Events and processes that have nothing to do with the chip: at times of its clock and between them, with deltas behind.
class Noise final : public sc_core::sc_module {
 public:
  Noise(const sc_core::sc_module_name& name, unsigned processes, unsigned seed)
      : sc_module(name), random_(seed) {
    SC_HAS_PROCESS(Noise);
    for (unsigned i = 0; i < processes; ++i) SC_METHOD(run);
  }

 private:
  void run() {
    random_ = random_ * 1664525 + 1013904223;
    if (++calls_ > 20000) return;  // in all, or the simulation would not end
    if (random_ >> 31)
      next_trigger(sc_core::SC_ZERO_TIME);
    else
      next_trigger(sc_core::sc_time(1 + (random_ >> 16) % 3000, sc_core::SC_PS));
  }
  uint32_t random_;
  unsigned calls_ = 0;
};

/// Four cores that add to one counter, store, and meet at a barrier.
std::unique_ptr<FunctionalDevice> startedDevice() {
  TestBuilder p;
  p.li(X{21}, static_cast<int64_t>(kTestData));
  p.li(X{22}, 20);
  const auto loop = p.label();
  p.bind(loop);
  p.amoadd_d(X{8}, X{22}, X{21});
  p.sd(X{22}, 128, X{21});
  p.addi(X{22}, X{22}, -1);
  p.bne(X{22}, X{0}, loop);
  p.li(X{5}, -1);
  p.et_barrier(X{5}, X{5});
  p.et_halt();
  TimedProgram program(p);
  std::unique_ptr<FunctionalDevice> device = program.takeDevice();
  LaunchOptions options;
  options.cores = 4;
  options.timed = true;
  if (!device->start(options).ok()) _exit(1);
  return device;
}

/// What `simulate` returns, from a child process.
template <class F>
uint64_t inChild(F simulate) {
  int ends[2];
  EXPECT_EQ(pipe(ends), 0);
  const pid_t child = fork();
  if (child == 0) {
    const uint64_t answer = simulate();
    const bool written = write(ends[1], &answer, sizeof answer) == sizeof answer;
    _exit(written ? 0 : 1);
  }
  close(ends[1]);
  uint64_t answer = 0;
  EXPECT_EQ(read(ends[0], &answer, sizeof answer), static_cast<ssize_t>(sizeof answer));
  close(ends[0]);
  int status = 0;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  return answer;
}

Cycles cyclesBesideNoise(unsigned processes, unsigned seed) {
  const std::unique_ptr<FunctionalDevice> device = startedDevice();
  const Result<isa::DramPreset> memory = chipMemory(device->machine());
  Noise before("before", processes / 2, seed);
  ChipModule chip("chip", device->machine(), *device, makeChannels(device->machine(), *memory),
                  nullptr);
  Noise after("after", processes - processes / 2, seed + 1);
  sc_core::sc_start();
  return chip.chip().end() ? chip.chip().end()->time : 0;
}

TEST(ChipOnSystemC, UnrelatedEventsChangeNoCycle) {
  const uint64_t alone = inChild([] { return cyclesBesideNoise(0, 0); });
  EXPECT_GT(alone, 0u);
  for (unsigned seed = 1; seed <= 3; ++seed)
    EXPECT_EQ(inChild([&] { return cyclesBesideNoise(7, seed); }), alone) << seed;
}

TEST(ChipOnSystemC, ASecondLaunchInAProcessIsAnError) {
  EXPECT_EQ(inChild([] {
              uint64_t refused = 0;
              for (int i = 0; i < 2; ++i) {
                const std::unique_ptr<FunctionalDevice> device = startedDevice();
                const Result<isa::DramPreset> memory = chipMemory(device->machine());
                const Result<TimedResult> result = runTimed(*device, *memory, {});
                refused += result.ok() ? 0 : 1;
              }
              return refused;
            }),
            1u);
}

TEST(ClockDomainTime, CyclesOfAnOddClockBeginAtTheirFlooredPicosecond) {
  const ClockDomain clock(1050);  // 952.38 ps
  EXPECT_EQ(clock.at(1), sc_core::sc_time(952, sc_core::SC_PS));
  EXPECT_EQ(clock.at(21), sc_core::sc_time(20, sc_core::SC_NS));
  for (Cycles cycle = 0; cycle < 5000; ++cycle) {
    EXPECT_EQ(clock.cycle(clock.at(cycle)), cycle);
    EXPECT_EQ(clock.cycle(clock.at(cycle) + sc_core::sc_time(1, sc_core::SC_PS)), cycle + 1);
  }
}

}  // namespace
}  // namespace etalon::sim
