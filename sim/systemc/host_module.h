// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tlm_utils/simple_target_socket.h>

#include <optional>
#include <systemc>
#include <tlm>

#include "sim/functional/host_launch.h"
#include "sim/systemc/chip_module.h"

namespace etalon::sim {

/// The host's side of a chip in SystemC: register page, launch ring and memory behind a TLM-2.0 target socket, and a line for
/// the completion interrupt (docs/spec/08-images.md, "Host registers"; times: microarchitecture.md, section 9.1).
///
/// An address is one of the device, as its programs write it: the page from 0, global memory and cores' windows. The socket takes
/// b_transport, and nb_transport through the socket's own adapter; an access takes effect after the delay that it came with and
/// the page's time, which the call waits for. transport_dbg reads and writes memory at once. How the page refuses says
/// HostAnswer; outside of page and memory there is an address error. No direct memory pointers: the chip keeps track of what was
/// written.
class HostModule : public sc_core::sc_module {
 public:
  tlm_utils::simple_target_socket<HostModule> socket;
  sc_core::sc_out<bool> interrupt;  // the level of the completion interrupt

  /// Of every launch; the rest comes from its descriptor.
  struct Options {
    bool observe = true;    // as in LaunchOptions
    Htif::Console console;  // what programs print; may be empty
  };

  /// `device`, a lone one that runs nothing, and the `chip` made of it outlive the module. All launches come by the ring.
  HostModule(const sc_core::sc_module_name& name, ChipModule& chip, FunctionalDevice& device,
             Options options);
  ~HostModule() override;

 private:
  void access(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
  unsigned debugAccess(tlm::tlm_generic_payload& payload);
  tlm::tlm_response_status accessPage(tlm::tlm_generic_payload& payload);
  tlm::tlm_response_status accessMemory(tlm::tlm_generic_payload& payload);
  /// Does what the page asks for.
  void serve();
  /// mtime is that of the cycle that is now, also where the chip has nothing to do.
  void keepTime();
  /// What takes time is done.
  void step();
  void drive() { interrupt.write(registers_.interrupt()); }
  /// Nothing of the chip is due any more, or its launch is over.
  void chipRests();
  void begin(const isa::LaunchDescriptor& launch);
  void finish(const RunResult& result);
  /// step() is called so many cycles from now.
  void later(const HostRequest& request, Cycles cycles);
  sc_core::sc_time duration(Cycles cycles) const;

  ChipModule& chip_;
  FunctionalDevice& device_;
  isa::HostTiming timing_;
  Options options_;
  DeviceCoreRegisters core_registers_;
  HostRegisters registers_;
  std::optional<HostRequest> under_way_;  // fetch or record
  Cycles ended_in_ = 0;  // from now on to the end of the launch that has just ended
  sc_core::sc_event step_, changed_;
};

}  // namespace etalon::sim
