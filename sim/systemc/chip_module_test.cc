// SPDX-License-Identifier: Apache-2.0
// The chip on SystemC's clock. SystemC elaborates once in a process, so each simulation has a child process of its own.
#include "sim/systemc/chip_module.h"

#include <tlm_utils/peq_with_get.h>
#include <tlm_utils/simple_target_socket.h>
#include <unistd.h>

#include <utility>

#include "isa/csr.h"
#include "sim/functional/interrupt_test_support.h"
#include "sim/system/chip_memory.h"
#include "sim/system/timed_test_support.h"
#include "sim/systemc/run_timed.h"
#include "sim/systemc/simulation_test_support.h"

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

Cycles cyclesBesideNoise(unsigned processes, unsigned seed, Cycles ahead = 0) {
  const std::unique_ptr<FunctionalDevice> device = startedDevice();
  const Result<isa::DramPreset> memory = chipMemory(device->machine());
  Noise before("before", processes / 2, seed);
  ChipModule chip(
      "chip", *device, [&] { return makeChannels(device->machine(), *memory); }, nullptr);
  chip.mayRunAhead(ahead);
  Noise after("after", processes - processes / 2, seed + 1);
  sc_core::sc_start();
  return chip.chip().end() ? chip.chip().end()->time : 0;
}

TEST(ChipOnSystemC, UnrelatedEventsChangeNoCycle) {
  const uint64_t alone = inChild([] { return cyclesBesideNoise(0, 0); });
  EXPECT_GT(alone, 0u);
  for (unsigned seed = 1; seed <= 3; ++seed)
    EXPECT_EQ(inChild([&] { return cyclesBesideNoise(7, seed); }), alone) << seed;
  EXPECT_EQ(inChild([] { return cyclesBesideNoise(0, 0, kNever); }), alone) << "all in one go";
  EXPECT_EQ(inChild([] { return cyclesBesideNoise(7, 1, kNever); }), alone) << "between others";
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

TEST(ChipOnSystemC, ATimerOfNextHourComesAtOnceAndInItsCycle) {
  constexpr uint64_t kHour = 3'600'000'000'000;
  EXPECT_EQ(inChild([] {
              InterruptBuilder p;
              p.enable(InterruptBuilder::bit(isa::Interrupt::timer));
              p.timerOf(0, kHour);
              p.wfi();
              p.read(X{5}, isa::csr::kCycle);
              p.et_halt();
              TimedProgram program(p);
              LaunchOptions options;
              options.timed = true;
              EXPECT_TRUE(program.device().start(options).ok());
              const Result<isa::DramPreset> memory = chipMemory(program.device().machine());
              const Result<TimedResult> result = runTimed(program.device(), *memory, {});
              const bool exited = result.ok() && result->run.status == RunStatus::exited;
              return exited ? program.device().core(0).x(5) : 0;
            }),
            kHour + 3)
      << "wfi drains the pipeline";
}

/// A memory of somebody else's that answers every access after a latency: by early completion, in four phases of which the
/// first says when the next request may come, or by b_transport alone.
class ForeignMemory final : public sc_core::sc_module {
 public:
  enum class Style : uint8_t { early, phases, blocking };
  tlm_utils::simple_target_socket<ForeignMemory> socket;

  ForeignMemory(const sc_core::sc_module_name& name, Style style, uint64_t accept_ns)
      : sc_module(name), socket("socket"), style_(style), accept_(accept_ns, sc_core::SC_NS) {
    SC_HAS_PROCESS(ForeignMemory);
    if (style == Style::blocking)
      socket.register_b_transport(this, &ForeignMemory::access);
    else
      socket.register_nb_transport_fw(this, &ForeignMemory::forward);
    SC_METHOD(accept);
    dont_initialize();
    sensitive << accepts_;
    SC_METHOD(answer);
    dont_initialize();
    sensitive << answers_.get_event();
  }
  unsigned accesses = 0, overlapping = 0;

 private:
  void access(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
    ++accesses;
    delay += kLatency;
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
  }
  tlm::tlm_sync_enum forward(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                             sc_core::sc_time& delay) {
    if (phase != tlm::BEGIN_REQ) return tlm::TLM_ACCEPTED;
    access(payload, delay);
    if (style_ == Style::early) return tlm::TLM_COMPLETED;
    if (accepting_) ++overlapping;
    payload.acquire();
    accepting_ = &payload;
    accepts_.notify(accept_);
    answers_.notify(payload, accept_ + kLatency);
    return tlm::TLM_ACCEPTED;
  }
  void accept() { say(*std::exchange(accepting_, nullptr), tlm::END_REQ); }
  void answer() {
    while (tlm::tlm_generic_payload* payload = answers_.get_next_transaction()) {
      say(*payload, tlm::BEGIN_RESP);
      payload->release();
    }
  }
  void say(tlm::tlm_generic_payload& payload, tlm::tlm_phase phase) {
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    socket->nb_transport_bw(payload, phase, delay);
  }

  const sc_core::sc_time kLatency{60, sc_core::SC_NS};
  Style style_;
  sc_core::sc_time accept_;
  tlm::tlm_generic_payload* accepting_ = nullptr;
  sc_core::sc_event accepts_;
  tlm_utils::peq_with_get<tlm::tlm_generic_payload> answers_{"answers"};
};

/// Cycles of the launch on such memories; 0 if it did not end, or a request came before the one before it was accepted.
uint64_t cyclesOnForeignMemory(ForeignMemory::Style style, uint64_t accept_ns) {
  return inChild([&]() -> uint64_t {
    const std::unique_ptr<FunctionalDevice> device = startedDevice();
    ChipModule chip("chip", *device, nullptr);
    std::vector<std::unique_ptr<ForeignMemory>> memories;
    uint64_t accesses = 0, overlapping = 0;
    for (unsigned i = 0; i < chip.memories(); ++i) {
      memories.push_back(std::make_unique<ForeignMemory>(("memory" + std::to_string(i)).c_str(),
                                                         style, accept_ns));
      chip.memory(i).socket.bind(memories.back()->socket);
    }
    sc_core::sc_start();
    for (const auto& memory : memories) {
      accesses += memory->accesses;
      overlapping += memory->overlapping;
    }
    return chip.chip().end() && accesses > 80 && overlapping == 0 ? chip.chip().end()->time : 0;
  });
}

TEST(ForeignMemoryBehindASocket, AnswersInWhicheverWayTheProtocolHas) {
  const uint64_t early = cyclesOnForeignMemory(ForeignMemory::Style::early, 0);
  EXPECT_GT(early, 0u);
  // The answer is a cycle or two after the latency, an access has at most one behind the other.
  EXPECT_NEAR(static_cast<double>(cyclesOnForeignMemory(ForeignMemory::Style::blocking, 0)),
              static_cast<double>(early), static_cast<double>(early) / 20);
}

TEST(ForeignMemoryBehindASocket, HoldsTheNextRequestUpUntilItHasAcceptedTheLast) {
  const uint64_t soon = cyclesOnForeignMemory(ForeignMemory::Style::phases, 1);
  const uint64_t late = cyclesOnForeignMemory(ForeignMemory::Style::phases, 40);
  EXPECT_GT(soon, 0u);
  // Twenty atomics of a core, one after the other, each 39 ns later at least.
  EXPECT_GE(late, soon + 20 * 39);
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
