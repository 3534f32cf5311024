// SPDX-License-Identifier: Apache-2.0
#include "sim/systemc/tlm_memory.h"

#include <algorithm>

#include "isa/base/check.h"

namespace etalon::sim {

/// Payloads are used again once nobody holds them.
class TlmMemory::Pool final : public tlm::tlm_mm_interface {
 public:
  /// What came with a request, kept beside its payload.
  struct Tag final : tlm::tlm_extension<Tag> {
    uint64_t value = 0;
    unsigned launch = 0;
    tlm::tlm_extension_base* clone() const override { return new Tag(*this); }
    void copy_from(const tlm::tlm_extension_base& other) override {
      *this = static_cast<const Tag&>(other);
    }
  };

  tlm::tlm_generic_payload* get(uint64_t tag, unsigned launch) {
    if (free_.empty()) {
      owned_.push_back(std::make_unique<tlm::tlm_generic_payload>(this));
      owned_.back()->set_extension(new Tag);
      free_.push_back(owned_.back().get());
    }
    tlm::tlm_generic_payload* payload = free_.back();
    free_.pop_back();
    payload->get_extension<Tag>()->value = tag;
    payload->get_extension<Tag>()->launch = launch;
    payload->acquire();
    return payload;
  }
  void free(tlm::tlm_generic_payload* payload) override { free_.push_back(payload); }

 private:
  std::vector<std::unique_ptr<tlm::tlm_generic_payload>> owned_;
  std::vector<tlm::tlm_generic_payload*> free_;
};

class TlmMemory::Channel final : public MemoryChannel {
 public:
  explicit Channel(TlmMemory& owner) : owner_(owner) {}
  bool accepts(bool, uint32_t) const override { return owner_.free_from_ <= owner_.clock_.now(); }
  void submit(const ChannelRequest& request, Cycles now) override { owner_.submit(request, now); }
  Cycles nextTime() const override {
    const Cycles answer = owner_.completions_.empty() ? kNever : owner_.completions_.front().time;
    return owner_.free_from_ > owner_.clock_.now() ? std::min(answer, owner_.free_from_) : answer;
  }
  void advance(Cycles now, std::vector<ChannelCompletion>& completed) override {
    auto& all = owner_.completions_;
    const auto due = std::ranges::find_if(all, [&](const auto& c) { return c.time > now; });
    completed.insert(completed.end(), all.begin(), due);
    all.erase(all.begin(), due);
  }

 private:
  TlmMemory& owner_;
};

TlmMemory::TlmMemory(const sc_core::sc_module_name& name, const ClockDomain& clock,
                     const AddressInterleave& interleave, uint32_t number, std::byte* memory)
    : sc_module(name),
      socket("socket"),
      clock_(clock),
      interleave_(interleave),
      number_(number),
      memory_(memory),
      pool_(std::make_unique<Pool>()) {
  socket.register_nb_transport_bw(this, &TlmMemory::backward);
}

TlmMemory::~TlmMemory() = default;

std::unique_ptr<MemoryChannel> TlmMemory::makeChannel() {
  ++launch_;
  completions_.clear();
  free_from_ = requesting_ != nullptr ? kNever : 0;
  return std::make_unique<Channel>(*this);
}

void TlmMemory::submit(const ChannelRequest& request, Cycles now) {
  const uint64_t offset = interleave_.offset({number_, request.address});
  tlm::tlm_generic_payload* payload = pool_->get(request.tag, launch_);
  ++under_way_;
  payload->set_command(request.write ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND);
  payload->set_address(offset);
  payload->set_data_ptr(memory_ ? reinterpret_cast<unsigned char*>(memory_ + offset) : nullptr);
  payload->set_data_length(request.bytes);
  payload->set_streaming_width(request.bytes);
  payload->set_byte_enable_ptr(nullptr);
  payload->set_dmi_allowed(false);
  payload->set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
  free_from_ = kNever;
  requesting_ = payload;
  tlm::tlm_phase phase = tlm::BEGIN_REQ;
  sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
  const tlm::tlm_sync_enum answer = socket->nb_transport_fw(*payload, phase, delay);
  if (answer == tlm::TLM_COMPLETED || (answer == tlm::TLM_UPDATED && phase == tlm::BEGIN_RESP)) {
    accepted(*payload, delay);
    answered(*payload, delay);
  } else if (answer == tlm::TLM_UPDATED && phase == tlm::END_REQ) {
    accepted(*payload, delay);
  }
}

Cycles TlmMemory::after(const sc_core::sc_time& delay) const {
  return std::max(clock_.cycle(sc_core::sc_time_stamp() + delay), clock_.now() + 1);
}

void TlmMemory::accepted(const tlm::tlm_generic_payload& payload, const sc_core::sc_time& delay) {
  if (requesting_ != &payload) return;  // it was before
  requesting_ = nullptr;
  free_from_ = after(delay);
  if (news_) news_(free_from_);
}

void TlmMemory::answered(tlm::tlm_generic_payload& payload, const sc_core::sc_time& delay) {
  --under_way_;
  const Pool::Tag& tag = *payload.get_extension<Pool::Tag>();
  if (tag.launch != launch_) {
    payload.release();
    return;
  }
  const ChannelCompletion completion{tag.value, after(delay)};
  const auto later =
      std::ranges::upper_bound(completions_, completion.time, {}, &ChannelCompletion::time);
  completions_.insert(later, completion);
  payload.release();
  if (news_) news_(completion.time);
}

tlm::tlm_sync_enum TlmMemory::backward(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                       sc_core::sc_time& delay) {
  if (phase == tlm::END_REQ) {
    accepted(payload, delay);
    return tlm::TLM_ACCEPTED;
  }
  if (phase != tlm::BEGIN_RESP) {
    SC_REPORT_ERROR("etalon/tlm", "a memory answers with END_REQ or BEGIN_RESP");
    return tlm::TLM_ACCEPTED;
  }
  accepted(payload, delay);  // BEGIN_RESP without END_REQ before it implies that
  answered(payload, delay);
  phase = tlm::END_RESP;
  return tlm::TLM_COMPLETED;
}

}  // namespace etalon::sim
