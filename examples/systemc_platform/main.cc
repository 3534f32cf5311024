// SPDX-License-Identifier: Apache-2.0
// A SystemC platform of one's own with an Etalon chip in it: the chip beside a memory that is modelled here, and a host that
// loads a program, rings the doorbell and waits for the interrupt.
//
//   systemc_platform MACHINE IMAGE LATENCY_NS [CORES]
//
// IMAGE takes no arguments (no launch note). Prints how the program ended and how long the host waited, with a memory of that
// latency.
#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <systemc>
#include <tlm>
#include <vector>

#include "isa/base/file.h"
#include "isa/machines/find_machine.h"
#include "sim/arch/elf_image.h"
#include "sim/systemc/chip_module.h"
#include "sim/systemc/host_module.h"

namespace {

/// A memory of one's own: every access takes the same time, any number of them at once. A target may look at the data, which
/// the chip's address gives; what it decides is time.
class SimpleMemory final : public sc_core::sc_module {
 public:
  tlm_utils::simple_target_socket<SimpleMemory> socket;

  SimpleMemory(const sc_core::sc_module_name& name, const sc_core::sc_time& latency)
      : sc_module(name), socket("socket"), latency_(latency) {
    socket.register_nb_transport_fw(this, &SimpleMemory::forward);
  }
  uint64_t accesses() const { return accesses_; }

 private:
  tlm::tlm_sync_enum forward(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                             sc_core::sc_time& delay) {
    if (phase != tlm::BEGIN_REQ) return tlm::TLM_ACCEPTED;
    ++accesses_;
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
    delay += latency_;
    return tlm::TLM_COMPLETED;  // the answer is there after `delay`
  }

  sc_core::sc_time latency_;
  uint64_t accesses_ = 0;
};

/// A host that starts one program on a number of cores and sees how it ends.
class Host final : public sc_core::sc_module {
 public:
  tlm_utils::simple_initiator_socket<Host> socket;
  sc_core::sc_in<bool> interrupt;

  /// The rings are the last two pages of the machine's memory.
  Host(const sc_core::sc_module_name& name, const etalon::isa::Machine& machine,
       const etalon::sim::ElfImage& image, uint32_t cores)
      : sc_module(name),
        socket("socket"),
        interrupt("interrupt"),
        image_(image),
        cores_(cores),
        records_(machine.global_base + machine.global_bytes - kPage),
        ring_(records_ - kPage) {
    SC_HAS_PROCESS(Host);
    SC_THREAD(run);
  }
  /// None until the interrupt has come.
  const std::optional<etalon::isa::CompletionRecord>& record() const { return record_; }
  sc_core::sc_time waited() const { return waited_; }
  const std::string& error() const { return error_; }

 private:
  using Register = etalon::isa::HostRegister;
  static constexpr uint64_t kPage = 4096;

  void run() {
    for (const etalon::sim::Segment& segment : image_.segments()) {
      std::vector<std::byte> bytes(segment.bytes.begin(), segment.bytes.end());
      bytes.resize(segment.size);
      if (!load(segment.address, bytes)) return;
    }
    etalon::isa::LaunchDescriptor launch;
    launch.entry = image_.entry();
    launch.cores = cores_;
    launch.tohost = image_.symbol("tohost").value_or(0);
    launch.fromhost = image_.symbol("fromhost").value_or(0);
    load(ring_, std::as_bytes(std::span(&launch, 1)));
    write(Register::ring_base, ring_);
    write(Register::completion_base, records_);
    write(Register::interrupt, uint64_t{1} << etalon::isa::kHostInterruptEnable.low);
    write(Register::control, uint64_t{1} << etalon::isa::kHostControlStart.low);
    write(Register::doorbell, 1);
    const sc_core::sc_time rung = sc_core::sc_time_stamp();
    if (error_.empty()) {
      wait(interrupt.posedge_event());
      waited_ = sc_core::sc_time_stamp() - rung;
      record_.emplace();
      access(tlm::TLM_READ_COMMAND, records_, &*record_, sizeof *record_);
    }
  }
  /// Without taking time, as a platform loads its memories.
  bool load(uint64_t address, std::span<const std::byte> bytes) {
    tlm::tlm_generic_payload payload;
    describe(payload, tlm::TLM_WRITE_COMMAND, address, const_cast<std::byte*>(bytes.data()),
             bytes.size());
    if (socket->transport_dbg(payload) == bytes.size()) return true;
    error_ = "the program does not fit into the machine's memory";
    return false;
  }
  void write(Register reg, uint64_t value) {
    access(tlm::TLM_WRITE_COMMAND, etalon::isa::hostRegisterInfo(reg).offset, &value, sizeof value);
  }
  void access(tlm::tlm_command command, uint64_t address, void* data, size_t bytes) {
    tlm::tlm_generic_payload payload;
    describe(payload, command, address, data, bytes);
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    socket->b_transport(payload, delay);
    if (payload.is_response_error()) error_ = "the chip answers " + payload.get_response_string();
  }
  static void describe(tlm::tlm_generic_payload& payload, tlm::tlm_command command,
                       uint64_t address, void* data, size_t bytes) {
    payload.set_command(command);
    payload.set_address(address);
    payload.set_data_ptr(static_cast<unsigned char*>(data));
    payload.set_data_length(static_cast<unsigned>(bytes));
    payload.set_streaming_width(static_cast<unsigned>(bytes));
  }

  const etalon::sim::ElfImage& image_;
  uint32_t cores_;
  uint64_t records_, ring_;
  std::optional<etalon::isa::CompletionRecord> record_;
  sc_core::sc_time waited_;
  std::string error_;
};

std::string_view textOf(etalon::isa::LaunchEnd end) {
  using etalon::isa::LaunchEnd;
  switch (end) {
    case LaunchEnd::exited: return "exited";
    case LaunchEnd::fault: return "fault";
    case LaunchEnd::deadlock: return "deadlock";
    case LaunchEnd::refused: return "refused";
    default: return "ended otherwise";
  }
}

int fail(const std::string& why) {
  std::fprintf(stderr, "systemc_platform: %s\n", why.c_str());
  return 2;
}

}  // namespace

int sc_main(int argc, char** argv) {
  using namespace etalon;
  if (argc < 4) return fail("wants MACHINE IMAGE LATENCY_NS [CORES]");
  const Result<isa::Machine> machine = isa::openMachine(argv[1], {});
  if (!machine.ok()) return fail(machine.error().message);
  if (!machine->timing) return fail("the machine says nothing about time");
  const Result<std::string> file = readFile(argv[2]);
  if (!file.ok()) return fail(file.error().message);
  const auto bytes = std::as_bytes(std::span(*file));
  const Result<sim::ElfImage> image =
      sim::ElfImage::parse(std::vector(bytes.begin(), bytes.end()), argv[2]);
  if (!image.ok()) return fail(image.error().message);
  Result<std::unique_ptr<sim::FunctionalDevice>> device = sim::FunctionalDevice::create(*machine);
  if (!device.ok()) return fail(device.error().message);
  const auto cores = argc > 4 ? static_cast<uint32_t>(std::atoi(argv[4])) : 1;

  sim::ChipModule chip("chip", **device, nullptr);
  const sc_core::sc_time latency(std::atof(argv[3]), sc_core::SC_NS);
  std::vector<std::unique_ptr<SimpleMemory>> memories;
  for (unsigned i = 0; i < chip.memories(); ++i) {
    memories.push_back(
        std::make_unique<SimpleMemory>(("ddr_" + std::to_string(i)).c_str(), latency));
    chip.memory(i).socket.bind(memories.back()->socket);
  }
  sim::HostModule port("port", chip, **device,
                       {.observe = true, .console = [](std::string_view text) {
                          std::fwrite(text.data(), 1, text.size(), stdout);
                        }});
  Host host("host", *machine, *image, cores);
  sc_core::sc_signal<bool> interrupt("interrupt");
  host.socket.bind(port.socket);
  port.interrupt.bind(interrupt);
  host.interrupt.bind(interrupt);
  sc_core::sc_start();

  uint64_t accesses = 0;
  for (const auto& memory : memories) accesses += memory->accesses();
  if (!host.error().empty()) return fail(host.error());
  if (!host.record()) return fail("the program waits for ever");
  const auto end = static_cast<isa::LaunchEnd>(host.record()->end);
  if (end == isa::LaunchEnd::refused)
    return fail("the chip refuses a launch on " + std::to_string(cores) + " cores");
  std::printf("%s %llu after %.0f ns, %llu memory accesses\n", std::string(textOf(end)).c_str(),
              static_cast<unsigned long long>(host.record()->value),
              host.waited().to_seconds() * 1e9, static_cast<unsigned long long>(accesses));
  return end == isa::LaunchEnd::exited && host.record()->value == 0 ? 0 : 1;
}
