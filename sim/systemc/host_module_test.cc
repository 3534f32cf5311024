// SPDX-License-Identifier: Apache-2.0
// A driver on SystemC's clock, written against etalon/host.h: rings, launches, interrupts and errors by a TLM-2.0 socket. Each
// simulation has a child process of its own.
#include "sim/systemc/host_module.h"

#include <gtest/gtest.h>
#include <tlm_utils/simple_initiator_socket.h>

#include <functional>

#include "include/etalon/host.h"
#include "isa/machines/find_machine.h"
#include "isa/state/rule_test.h"
#include "sim/functional/host_test_programs.h"
#include "sim/functional/test_support.h"
#include "sim/system/chip_memory.h"
#include "sim/systemc/simulation_test_support.h"

namespace etalon::sim {
namespace {

using isa::X;

constexpr uint64_t kProgram = 0x8000'0000, kOther = 0x8001'0000, kRing = 0x8010'0000,
                   kRecords = 0x8011'0000, kData = 0x8020'0000;

/// A chip of small memories behind its host's socket, and a driver's thread.
class Platform final : public sc_core::sc_module {
 public:
  tlm_utils::simple_initiator_socket<Platform> socket{"socket"};

  Platform(const sc_core::sc_module_name& name, std::function<void(Platform&)> driver,
           const std::vector<std::string>& machine)
      : sc_module(name),
        device_(makeDevice(machine)),
        memory_(*chipMemory(device_->machine())),
        chip_(
            "chip", *device_, [this] { return makeChannels(device_->machine(), memory_); },
            nullptr),
        host_("host", chip_, *device_, {.observe = true, .console = {}}),
        driver_(std::move(driver)) {
    socket.bind(host_.socket);
    host_.interrupt.bind(interrupt_);
    SC_HAS_PROCESS(Platform);
    SC_THREAD(run);
  }

  tlm::tlm_response_status transport(tlm::tlm_command command, uint64_t address, void* data,
                                     unsigned bytes) {
    tlm::tlm_generic_payload payload;
    payload.set_command(command);
    payload.set_address(address);
    payload.set_data_ptr(static_cast<unsigned char*>(data));
    payload.set_data_length(bytes);
    payload.set_streaming_width(bytes);
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    socket->b_transport(payload, delay);
    return payload.get_response_status();
  }
  template <class T>
  void put(uint64_t address, T value) {
    EXPECT_EQ(transport(tlm::TLM_WRITE_COMMAND, address, &value, sizeof value),
              tlm::TLM_OK_RESPONSE)
        << std::hex << address;
  }
  template <class T = uint64_t>
  T get(uint64_t address) {
    T value{};
    EXPECT_EQ(transport(tlm::TLM_READ_COMMAND, address, &value, sizeof value), tlm::TLM_OK_RESPONSE)
        << std::hex << address;
    return value;
  }
  void load(uint64_t address, const std::function<void(isa::ProgramBuilder&)>& write) {
    isa::ProgramBuilder p;
    write(p);
    const auto words = p.finish();
    ASSERT_TRUE(words.ok());
    for (const uint32_t word : *words) {
      put(address, word);
      address += 4;
    }
  }
  void open() {
    put<uint64_t>(ET_HOST_RING_BASE, kRing);
    put<uint64_t>(ET_HOST_COMPLETION_BASE, kRecords);
    put<uint64_t>(ET_HOST_RING_SIZE, 2);
    put<uint64_t>(ET_HOST_INTERRUPT, ET_HOST_INTERRUPT_ENABLE);
    put<uint64_t>(ET_HOST_CONTROL, ET_HOST_CONTROL_START);
  }
  void submit(uint64_t entry, uint64_t arguments, uint64_t tag, uint32_t cores = 1,
              uint32_t first_core = 0) {
    et_launch_descriptor launch{};
    launch.entry = entry;
    launch.arguments = arguments;
    launch.first_core = first_core;
    launch.cores = cores;
    launch.tag = tag;
    put(kRing + 64 * (written_ & 3), launch);
    put<uint64_t>(ET_HOST_DOORBELL, ++written_);
  }
  /// Waits for the interrupt and takes a record.
  et_completion_record reap() {
    if (!interrupt_.read()) wait(interrupt_.posedge_event());
    const auto record = get<et_completion_record>(kRecords + 64 * (read_ & 3));
    put<uint64_t>(ET_HOST_INTERRUPT, ET_HOST_INTERRUPT_PENDING | ET_HOST_INTERRUPT_ENABLE);
    put<uint64_t>(ET_HOST_COMPLETION_READ, ++read_);
    wait(sc_core::SC_ZERO_TIME);
    return record;
  }
  const isa::Timing& timing() const { return *device_->machine().timing; }
  void rest(uint64_t ns) { wait(sc_core::sc_time(static_cast<double>(ns), sc_core::SC_NS)); }

 private:
  static std::unique_ptr<FunctionalDevice> makeDevice(std::vector<std::string> machine) {
    machine.insert(machine.end(), {"address_map.global_bytes=16 MiB", "local_bytes=64 KiB"});
    auto device = FunctionalDevice::create(*isa::openMachine("base", machine));
    return std::move(*device);
  }
  void run() {
    driver_(*this);
    sc_core::sc_stop();
  }

  std::unique_ptr<FunctionalDevice> device_;
  isa::DramPreset memory_;
  ChipModule chip_;
  HostModule host_;
  sc_core::sc_signal<bool> interrupt_;
  std::function<void(Platform&)> driver_;
  uint64_t written_ = 0, read_ = 0;
};

/// Runs the driver in a child; true if all that it expects holds.
bool drives(const std::function<void(Platform&)>& driver,
            const std::vector<std::string>& machine = {}) {
  return inChild([&]() -> uint64_t {
           bool done = false;
           Platform platform(
               "platform",
               [&](Platform& p) {
                 driver(p);
                 done = true;
               },
               machine);
           sc_core::sc_start(sc_core::sc_time(10, sc_core::SC_MS));
           return done && !::testing::Test::HasFailure() ? 1 : 0;
         }) == 1;
}

TEST(HostOnSystemC, RunsLaunchesOneAfterTheOther) {
  SHOWS(host_registers, host_order, host_record);
  EXPECT_TRUE(drives([](Platform& p) {
    EXPECT_EQ(p.get(ET_HOST_ID) >> ET_HOST_ID_CORES_SHIFT & ET_HOST_ID_CORES_MASK, 4u);
    p.load(kProgram, addIndex);
    for (uint64_t i = 0; i < 16; ++i) p.put<uint64_t>(kData + 8 * i, 0);
    p.open();
    for (uint64_t n = 0; n < 3; ++n) {
      p.put<uint64_t>(kData + 0x40 * n, 100 * (n + 1));
      p.submit(kProgram, kData + 0x40 * n, 7 + n, static_cast<uint32_t>(n + 1),
               static_cast<uint32_t>(std::min<uint64_t>(n, 1)));
    }
    for (uint64_t n = 0; n < 3; ++n) {
      const et_completion_record record = p.reap();
      EXPECT_EQ(record.tag, 7 + n);
      EXPECT_EQ(record.end, uint32_t{ET_LAUNCH_EXITED});
    }
    for (uint64_t n = 0; n < 3; ++n)
      for (uint64_t i = 0; i <= n; ++i)
        EXPECT_EQ(p.get(kData + 0x40 * n + 8 + 8 * i), 100 * (n + 1) + i);
    EXPECT_EQ(p.get(ET_HOST_COMPLETION_COUNT), 3u);
  }));
}

TEST(HostOnSystemC, TakesTheTimesOfTheMachine) {
  EXPECT_TRUE(drives([](Platform& p) {
    p.load(kProgram, [](isa::ProgramBuilder& q) { q.et_halt(); });
    const auto cycles = [&] {
      return static_cast<uint64_t>(sc_core::sc_time_stamp().to_seconds() * 1e9 + 0.5);
    };
    const uint64_t before = cycles();
    p.get(ET_HOST_ID);
    EXPECT_EQ(cycles() - before, p.timing().host.access);
    p.open();
    p.submit(kProgram, 0, 1);
    const uint64_t rung = cycles();
    while (p.get(ET_HOST_COMPLETION_COUNT) == 0) {
    }
    // Fetched, started, a miss of the first instruction and its halt, recorded; seen by polling.
    const uint64_t least = p.timing().host.fetch + p.timing().host.record;
    EXPECT_GE(cycles() - rung, least + 40);
    EXPECT_LE(cycles() - rung, least + 200 + 2 * p.timing().host.access);
    // Each launch takes the same, since each begins with empty caches.
    p.reap();
    uint64_t took[2];
    for (uint64_t n = 0; n < 2; ++n) {
      const uint64_t begun = cycles();
      p.submit(kProgram, 0, 2 + n);
      p.reap();
      took[n] = cycles() - begun;
    }
    EXPECT_EQ(took[0], took[1]);
  }));
}

TEST(HostOnSystemC, RecordsAFaultAndGoesOn) {
  SHOWS(host_record);
  EXPECT_TRUE(drives([](Platform& p) {
    p.load(kProgram, [](isa::ProgramBuilder& q) {
      q.addi(X{5}, X{0}, 1);
      q.lw(X{6}, 0, X{5});
    });
    p.load(kOther, addIndex);
    p.put<uint64_t>(kData, 5);
    p.open();
    p.submit(kProgram, 0, 1, 1, 2);
    p.submit(kOther, kData, 2);
    const et_completion_record fault = p.reap();
    EXPECT_EQ(fault.end, uint32_t{ET_LAUNCH_FAULT});
    EXPECT_EQ(fault.core, 2u);
    EXPECT_EQ(fault.value, 5u);
    EXPECT_EQ(fault.mepc, kProgram + 4);
    EXPECT_EQ(fault.mtval, 1u);
    EXPECT_EQ(p.reap().end, uint32_t{ET_LAUNCH_EXITED});
  }));
}

TEST(HostOnSystemC, AbortsResetsAndFindsDeadlocks) {
  SHOWS(host_abort, host_reset);
  EXPECT_TRUE(drives([](Platform& p) {
    p.load(kProgram, forever);
    p.load(kOther, [](isa::ProgramBuilder& q) {
      q.li(X{5}, 1);
      q.et_wait(X{6}, 3, X{5});
    });
    p.open();
    p.submit(kProgram, 0, 1);
    p.rest(2000);
    EXPECT_EQ(p.get(ET_HOST_COMPLETION_COUNT), 0u);
    p.put<uint64_t>(ET_HOST_CONTROL, ET_HOST_CONTROL_ABORT);
    EXPECT_EQ(p.reap().end, uint32_t{ET_LAUNCH_ABORTED});
    p.put<uint64_t>(ET_HOST_CONTROL, ET_HOST_CONTROL_START);
    p.submit(kOther, 0, 2);
    EXPECT_EQ(p.reap().end, uint32_t{ET_LAUNCH_DEADLOCK});
    p.submit(kProgram, 0, 3);
    p.rest(2000);
    p.put<uint64_t>(ET_HOST_CONTROL, ET_HOST_CONTROL_RESET);
    EXPECT_EQ(p.get(ET_HOST_STATE), uint64_t{ET_HOST_STATE_IDLE});
    EXPECT_EQ(p.get(ET_HOST_RING_HEAD), 0u);
    p.rest(5000);
    EXPECT_EQ(p.get(ET_HOST_COMPLETION_COUNT), 0u);
  }));
}

TEST(HostOnSystemC, WakesACoreThatSleeps) {
  EXPECT_TRUE(drives([](Platform& p) {
    p.load(kProgram, [](isa::ProgramBuilder& q) {
      q.li(X{5}, 1 << 3);
      q.csrrw(X{0}, 0x304, X{5});
      q.wfi();
      q.li(X{6}, 77);
      q.sd(X{6}, 0, X{10});
      q.et_halt();
    });
    p.open();
    p.submit(kProgram, kData, 1, 1, 1);
    p.rest(20000);
    EXPECT_EQ(p.get(ET_HOST_COMPLETION_COUNT), 0u) << "it waits for the host";
    p.put<uint32_t>(ET_HOST_MSIP(1), 1);
    EXPECT_EQ(p.reap().end, uint32_t{ET_LAUNCH_EXITED});
    EXPECT_EQ(p.get(kData), 77u);
  }));
}

TEST(HostOnSystemC, TimeGoesOnWhetherALaunchRunsOrNot) {
  SHOWS(map_time);
  EXPECT_TRUE(drives([](Platform& p) {
    p.load(kProgram, [](isa::ProgramBuilder& q) {
      q.li(X{5}, 1 << 3);
      q.csrrw(X{0}, 0x304, X{5});
      q.wfi();
      q.et_halt();
    });
    const auto passes = [&] {
      const uint64_t before = p.get(ET_HOST_MTIME);
      p.rest(10'000);
      return p.get(ET_HOST_MTIME) - before;
    };
    const uint64_t expected = 10'000 + p.timing().host.access;
    EXPECT_EQ(passes(), expected) << "before the first launch";
    p.open();
    p.submit(kProgram, 0, 1);
    p.rest(2000);
    EXPECT_EQ(passes(), expected) << "while its core sleeps";
    const uint64_t running = p.get(ET_HOST_MTIME);
    p.put<uint32_t>(ET_HOST_MSIP(0), 1);
    EXPECT_EQ(p.reap().end, uint32_t{ET_LAUNCH_EXITED});
    EXPECT_GE(p.get(ET_HOST_MTIME), running + p.timing().host.record);
    EXPECT_EQ(passes(), expected) << "between launches";
  }));
}

TEST(HostOnSystemC, RefusesWhatNoAccessMayDo) {
  EXPECT_TRUE(drives([](Platform& p) {
    std::array<std::byte, 16> bytes{};
    const auto read = [&](uint64_t address, unsigned count) {
      return p.transport(tlm::TLM_READ_COMMAND, address, bytes.data(), count);
    };
    EXPECT_EQ(read(0x20, 8), tlm::TLM_ADDRESS_ERROR_RESPONSE);
    EXPECT_EQ(read(ET_HOST_ID, 2), tlm::TLM_BURST_ERROR_RESPONSE);
    EXPECT_EQ(read(ET_HOST_ID, 16), tlm::TLM_BURST_ERROR_RESPONSE);
    EXPECT_EQ(read(ET_HOST_CONTROL, 8), tlm::TLM_COMMAND_ERROR_RESPONSE);
    EXPECT_EQ(read(0x1000'0000, 8), tlm::TLM_ADDRESS_ERROR_RESPONSE);
    EXPECT_EQ(read(0x8000'0000 + (16 << 20) - 8, 16), tlm::TLM_ADDRESS_ERROR_RESPONSE);
    EXPECT_EQ(read(0x8000'0000 + (16 << 20) - 16, 16), tlm::TLM_OK_RESPONSE);
    const uint64_t odd = kRing + 8;
    EXPECT_EQ(
        p.transport(tlm::TLM_WRITE_COMMAND, ET_HOST_RING_BASE, const_cast<uint64_t*>(&odd), 8),
        tlm::TLM_GENERIC_ERROR_RESPONSE);
  }));
}

}  // namespace
}  // namespace etalon::sim
