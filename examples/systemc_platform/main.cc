// SPDX-License-Identifier: Apache-2.0
// A SystemC platform of one's own with an Etalon chip in it: the chip beside a memory that is modelled here, running a kernel.
//
//   systemc_platform MACHINE IMAGE LATENCY_NS [CORES]
//
// IMAGE takes no arguments (no launch note). Prints how the program ended and how long it took with a memory of that latency.
#include <tlm_utils/simple_target_socket.h>

#include <cstdio>
#include <cstdlib>
#include <memory>
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
  sim::LaunchOptions launch;
  launch.cores = argc > 4 ? static_cast<unsigned>(std::atoi(argv[4])) : 1;
  launch.timed = true;
  launch.console = [](std::string_view text) { std::fwrite(text.data(), 1, text.size(), stdout); };
  if (const Status status = (*device)->load(*image); !status.ok())
    return fail(status.error().message);
  if (const Status status = (*device)->start(launch); !status.ok())
    return fail(status.error().message);

  sim::ChipModule chip("chip", **device, nullptr);
  const sc_core::sc_time latency(std::atof(argv[3]), sc_core::SC_NS);
  std::vector<std::unique_ptr<SimpleMemory>> memories;
  for (unsigned i = 0; i < chip.memories(); ++i) {
    memories.push_back(
        std::make_unique<SimpleMemory>(("ddr_" + std::to_string(i)).c_str(), latency));
    chip.memory(i).socket.bind(memories.back()->socket);
  }
  sc_core::sc_start();

  uint64_t accesses = 0;
  for (const auto& memory : memories) accesses += memory->accesses();
  if (!chip.chip().end()) return fail("the program waits for ever");
  const sim::TimedSystem::End end = *chip.chip().end();
  std::printf("%s %llu after %llu cycles, %llu memory accesses\n",
              std::string(sim::runStatusName(end.status)).c_str(),
              static_cast<unsigned long long>(end.exit_code),
              static_cast<unsigned long long>(end.time), static_cast<unsigned long long>(accesses));
  return end.status == sim::RunStatus::exited && end.exit_code == 0 ? 0 : 1;
}
