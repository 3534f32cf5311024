// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tlm_utils/simple_initiator_socket.h>

#include <functional>
#include <memory>
#include <systemc>
#include <tlm>
#include <vector>

#include "sim/fabric/address_interleave.h"
#include "sim/memory/memory_channel.h"
#include "sim/systemc/clock_domain.h"

namespace etalon::sim {

/// The chip's side of one memory channel that somebody else models, behind a TLM-2.0 socket of the base protocol.
///
/// A transaction is a contiguous piece of one interleave block, at most 256 bytes. Its address is a byte of global memory
/// (offset 0 is the first), its data pointer is null unless backing() was given: the chip has moved the values already, and
/// what the target decides is time. It answers by nb_transport (BEGIN_REQ, END_REQ, BEGIN_RESP, END_RESP, early completion
/// and timing annotation included); a target that has b_transport alone works through its simple_target_socket. One request
/// is sent at a time: the next when the target has said END_REQ, so a target holds the network up by not saying it.
class TlmMemory : public sc_core::sc_module {
 public:
  tlm_utils::simple_initiator_socket<TlmMemory> socket;

  /// `number` of the channel; `clock`, `interleave` and `memory` outlive the module. `memory`: global memory as the chip keeps it, for
  /// targets that look at data, or nullptr.
  TlmMemory(const sc_core::sc_module_name& name, const ClockDomain& clock,
            const AddressInterleave& interleave, uint32_t number, std::byte* memory);
  ~TlmMemory() override;

  /// For the chip, once a launch. What an earlier launch still waits for is nobody's any more.
  std::unique_ptr<MemoryChannel> makeChannel();
  /// No request waits for the target.
  bool idle() const { return under_way_ == 0; }
  /// Whom to tell when the target said something: the channel has to be looked at in that cycle.
  void onNews(std::function<void(Cycles)> news) { news_ = std::move(news); }

 private:
  class Channel;
  class Pool;

  void submit(const ChannelRequest& request, Cycles now);
  tlm::tlm_sync_enum backward(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                              sc_core::sc_time& delay);
  void accepted(const tlm::tlm_generic_payload& payload, const sc_core::sc_time& delay);
  void answered(tlm::tlm_generic_payload& payload, const sc_core::sc_time& delay);
  Cycles after(const sc_core::sc_time& delay) const;

  const ClockDomain& clock_;
  const AddressInterleave& interleave_;
  uint32_t number_;
  std::byte* memory_;
  std::function<void(Cycles)> news_;
  std::unique_ptr<Pool> pool_;
  const tlm::tlm_generic_payload* requesting_ =
      nullptr;            // the one that the target has not accepted yet
  Cycles free_from_ = 0;  // the request channel is free; kNever: the target has not accepted yet
  std::vector<ChannelCompletion> completions_;  // in order of time
  unsigned launch_ = 0;                         // whose requests are somebody's
  unsigned under_way_ = 0;                      // requests that the target has not answered
};

}  // namespace etalon::sim
