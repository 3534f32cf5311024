// SPDX-License-Identifier: Apache-2.0
#include "sim/fabric/channel_port.h"

#include <algorithm>

namespace etalon::sim {
namespace {

// Tags of the channel: number of the slot, and whether it is the write of an update.
constexpr uint64_t kWriteBack = uint64_t{1} << 32;

}  // namespace

void ChannelPort::deliver(const Delivery& delivery) {
  (delivery.request.writes() ? writes_ : reads_).push(delivery);
  next_ = std::min(next_, delivery.time);
}

uint32_t ChannelPort::newSlot(const FabricRequest& request) {
  if (free_slots_.empty()) {
    slots_.push_back(request);
    return static_cast<uint32_t>(slots_.size() - 1);
  }
  const uint32_t slot = free_slots_.back();
  free_slots_.pop_back();
  slots_[slot] = request;
  return slot;
}

void ChannelPort::complete(const ChannelCompletion& completion, ChannelPortOutput& out) {
  const auto slot = static_cast<uint32_t>(completion.tag);
  const FabricRequest& request = slots_[slot];
  const bool write_back = (completion.tag & kWriteBack) != 0;
  if (request.access == FabricAccess::update && !write_back) {
    update_free_ = std::max(update_free_, completion.time) + std::max(request.elements, 1u);
    updates_.push({update_free_, slot});
    return;
  }
  out.answers.push_back(request);
  free_slots_.push_back(slot);
}

void ChannelPort::advance(Cycles now, ChannelPortOutput& out) {
  if (next_ > now) return;
  completed_.clear();
  channel_->advance(now, completed_);
  for (const ChannelCompletion& completion : completed_) complete(completion, out);
  while (!updates_.empty() && updates_.front().time <= now) {
    const Update update = updates_.front();
    const FabricRequest& request = slots_[update.slot];
    if (!channel_->accepts(true, request.bytes)) break;
    channel_->submit({update.slot | kWriteBack, request.address, request.bytes, true}, now);
    updates_.pop();
  }
  serve(reads_, now, out);
  serve(writes_, now, out);

  next_ = channel_->nextTime();
  if (!updates_.empty() && updates_.front().time > now)
    next_ = std::min(next_, updates_.front().time);
  for (const Ring<Delivery>* waiting : {&reads_, &writes_})
    if (!waiting->empty() && waiting->front().time > now)
      next_ = std::min(next_, waiting->front().time);
}

void ChannelPort::serve(Ring<Delivery>& waiting, Cycles now, ChannelPortOutput& out) {
  while (!waiting.empty() && waiting.front().time <= now) {
    const FabricRequest& request = waiting.front().request;
    const bool write = request.access == FabricAccess::write;
    if (!channel_->accepts(write, request.bytes)) return;
    channel_->submit({newSlot(request), request.address, request.bytes, write}, now);
    out.credits.push_back(request);
    waiting.pop();
  }
}

}  // namespace etalon::sim
