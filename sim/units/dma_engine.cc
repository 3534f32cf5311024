// SPDX-License-Identifier: Apache-2.0
#include "sim/units/dma_engine.h"

#include <algorithm>
#include <tuple>

#include "isa/base/check.h"
#include "sim/units/dma_channel.h"
#include "sim/units/hazards.h"

namespace etalon::sim {
namespace {

// Most that an item is in local memory: else one that repeats an element would hold the port.
constexpr uint64_t kMostItemBytes = kRequestBytes;

bool laterThan(const Delivery& a, const Delivery& b) {
  return std::tie(a.time, a.request.sent, a.request.tag) >
         std::tie(b.time, b.request.sent, b.request.tag);
}

}  // namespace

DmaEngine::DmaEngine(Kind kind, uint16_t core, const isa::DmaTiming& timing, const FabricMap& map,
                     Ports ports, std::vector<FabricRequest>& outbox, uint64_t links_outstanding)
    : kind_(kind),
      core_(core),
      timing_(timing),
      links_outstanding_(links_outstanding),
      map_(&map),
      ports_(ports),
      outbox_(&outbox) {
  const uint64_t channels = kind == Kind::load ? timing.load_channels : timing.store_channels;
  ETALON_CHECK(channels <= 64, "checked by the machine loader");
  for (uint64_t i = 0; i < channels; ++i) channels_.push_back(std::make_unique<Channel>());
}

DmaEngine::~DmaEngine() = default;

Cycles DmaEngine::accepts() const {
  Cycles earliest = kNever;
  for (const auto& channel : channels_) {
    if (channel->free()) return 0;
    if (channel->over) earliest = std::min(earliest, channel->stamps.done);
  }
  return earliest;
}

std::optional<Activity> DmaEngine::activity() const {
  if (working_ == 0) return Activity::empty;
  bool short_of_bursts = false;
  for (const auto& channel : channels_) {
    if (channel->free()) continue;
    if (!channel->works() || !channel->begun) {
      if (!channel->works() || !channel->waits()) return Activity::busy;
    } else if (!channel->has_item || hasRoom(*channel)) {
      return Activity::busy;
    } else {
      short_of_bursts = true;
    }
  }
  return short_of_bursts ? Activity::memory : Activity::structural;
}

UnitAnswer DmaEngine::take(const Token& token, unsigned place, Cycles now) {
  const auto free = std::ranges::find_if(channels_, [](const auto& c) { return c->free(); });
  ETALON_CHECK(free != channels_.end(), "accepts() was asked and advance() called");
  *free = std::make_unique<Channel>();
  ++working_;
  Channel& channel = **free;
  channel.number = static_cast<uint8_t>(free - channels_.begin());
  channel.token = &token;
  channel.place = place;
  channel.ready = now + timing_.start;
  if (token.view && token.tile_count != 0 && !token.view->view.empty()) setUpWalk(channel);
  waitForOlder(channel);
  next_ = std::min(next_, std::max(channel.ready, now + 1));
  return {};
}

// The tile that is moved comes first; an index tile behind it.
void DmaEngine::setUpWalk(Channel& channel) {
  const ViewUse& view = *channel.token->view;
  channel.tile = channel.token->tile_uses[0].tile;
  channel.tile_bits = static_cast<uint32_t>(channel.tile.elementBits());
  channel.view_bits = static_cast<uint32_t>(view.view.elementBits());
  channel.moves_locally = view.local;
  channel.moved = view.moved;
  channel.access = kind_ == Kind::load         ? FabricAccess::read
                   : view.reads && view.writes ? FabricAccess::update
                                               : FabricAccess::write;
  const uint64_t element_bits = channel.tile_bits * std::max<uint64_t>(channel.tile.step, 1);
  channel.walk.emplace(
      view.view, view.named_axis,
      view.indices ? std::span<const int64_t>(*view.indices) : std::span<const int64_t>{},
      BurstWalk::Limits{.burst_bytes = map_->burstBytes(),
                        .request_bytes = map_->requestBytes(),
                        .most_elements = std::max<uint64_t>(kMostItemBytes * 8 / element_bits, 1)});
}

void DmaEngine::waitForOlder(Channel& channel) {
  for (const auto& older : channels_) {
    if (older.get() == &channel || older->free()) continue;
    const Hazard hazard = hazardBetween(*older->token, *channel.token);
    const uint64_t bit = uint64_t{1} << older->number;
    if (hazard == Hazard::after_write) {
      if (older->over)
        channel.ready = std::max(channel.ready, older->stamps.done);
      else
        channel.waits_done |= bit;
    } else if (hazard == Hazard::write_after_read) {
      if (older->read_known)
        channel.ready = std::max(channel.ready, older->stamps.read_done);
      else
        channel.waits_read |= bit;
    }
  }
}

void DmaEngine::deliver(const Delivery& answer) {
  arriving_.push_back(answer);
  std::ranges::push_heap(arriving_, laterThan);
  next_ = std::min(next_, answer.time);
}

void DmaEngine::answered(const Delivery& answer) {
  const auto slot = static_cast<uint32_t>(answer.request.tag);
  const InFlight flight = in_flight_[slot];
  free_in_flight_.push_back(slot);
  Channel& channel = *channels_[flight.channel];
  --channel.answers;
  Cycles end = answer.time;
  if (kind_ == Kind::load) {
    end = ports_.in->access(flight.offset, flight.bytes, answer.time);
    channel.last_read = answer.time;
    freed_.push_back({end, flight.channel, flight.bursts});
  } else {
    channel.outstanding -= flight.bursts;
  }
  channel.last_write = std::max(channel.last_write, end);
  if (channel.stamps.first_result == 0) channel.stamps.first_result = end;
  finishIfOver(channel, answer.time);
}

void DmaEngine::giveBack(Cycles now) {
  for (; !freed_.empty() && freed_.front().time <= now; freed_.pop_front())
    channels_[freed_.front().channel]->outstanding -= freed_.front().bursts;
}

void DmaEngine::advance(Cycles now, UnitSink& sink) {
  if (next_ > now) return;
  while (!arriving_.empty() && arriving_.front().time <= now) {
    std::ranges::pop_heap(arriving_, laterThan);
    answered(arriving_.back());
    arriving_.pop_back();
  }
  giveBack(now);
  for (const auto& channel : channels_)
    if (channel->works() && !channel->begun && !channel->waits() && channel->ready <= now)
      begin(*channel, now);
  form(now);
  report(now, sink);
  plan(now);
}

void DmaEngine::begin(Channel& channel, Cycles now) {
  channel.begun = true;
  channel.index_begin = now;
  loadItem(channel, now);
  finishIfOver(channel, now);
}

void DmaEngine::loadItem(Channel& channel, Cycles now) {
  channel.has_item = channel.walk && channel.walk->next(channel.item);
  if (channel.has_item && channel.token->view->indices) readIndices(channel, now);
}

// Indices come a port's width at a time and are taken `indices` a cycle.
void DmaEngine::readIndices(Channel& channel, Cycles now) {
  const isa::TileRegister& tile = channel.token->tiles().back().tile;
  const uint64_t size = tile.elementBytes();
  const uint64_t needed = channel.item.indices;
  while (channel.index_bytes_read < needed * size) {
    const uint64_t bytes = std::min(
        timing_.port_bytes, channel.token->view->indices->size() * size - channel.index_bytes_read);
    channel.ready = std::max(channel.ready,
                             ports_.out->access(tile.base + channel.index_bytes_read, bytes, now));
    channel.index_bytes_read += bytes;
  }
  channel.ready = std::max(channel.ready,
                           channel.index_begin + (needed + timing_.indices - 1) / timing_.indices);
}

bool DmaEngine::hasRoom(const Channel& channel) const {
  const WalkItem& item = channel.item;
  const bool remote = item.inside && !channel.moves_locally;
  const uint64_t bursts = remote ? piecesTouched(item.address, item.bytes, timing_.burst_bytes)
                                 : channel.bytesOf(item.elements) / timing_.burst_bytes;
  const bool elsewhere = remote && item.address >> isa::kDeviceShift != 0;
  const uint64_t most = elsewhere ? links_outstanding_ : timing_.outstanding;
  return channel.outstanding == 0 || channel.outstanding + bursts <= most;
}

DmaEngine::Channel* DmaEngine::oldestReady(Cycles now) {
  Channel* oldest = nullptr;
  for (const auto& channel : channels_) {
    if (!channel->works() || !channel->has_item || channel->ready > now || !hasRoom(*channel))
      continue;
    if (!oldest || channel->token->sequence < oldest->token->sequence) oldest = channel.get();
  }
  return oldest;
}

// Pieces take places among `runs` a cycle, whichever channel they are of; an item is sent when its last one is formed.
void DmaEngine::form(Cycles now) {
  for (;;) {
    if (forming_ == nullptr) {
      slot_ = std::max(slot_, now * timing_.runs);
      if (slot_ / timing_.runs > now) return;
      forming_ = oldestReady(now);
      if (forming_ == nullptr) return;
      if (forming_->stamps.start == 0) forming_->stamps.start = now;
      slot_ += forming_->item.pieces;
      forming_until_ = (slot_ - 1) / timing_.runs;
    }
    if (forming_until_ > now) return;
    Channel& channel = *forming_;
    forming_ = nullptr;
    emit(channel, now);
    loadItem(channel, now);
    if (!channel.has_item && kind_ == Kind::store)
      setReadDone(channel, std::max(channel.last_read, now));
    finishIfOver(channel, now);
  }
}

void DmaEngine::emit(Channel& channel, Cycles now) {
  const WalkItem& item = channel.item;
  const uint64_t offset = channel.offsetOf(item.row, item.column);
  const Bytes bytes = channel.bytesOf(item.elements);
  if (item.inside) counts_.useful += item.elements * channel.view_bits / 8;
  if (item.inside && !channel.moves_locally) return send(channel, offset, bytes, now);
  if (item.inside || kind_ == Kind::load) moveLocally(channel, offset, bytes, now);
}

/// From own local memory to own local memory, or the fill of a load.
void DmaEngine::moveLocally(Channel& channel, uint64_t offset, Bytes bytes, Cycles now) {
  const WalkItem& item = channel.item;
  const uint64_t of_view = item.address + channel.moved;
  Cycles end = now;
  if (kind_ == Kind::store) {
    channel.last_read = ports_.out->access(offset, bytes, now);
    end = ports_.in->access(of_view, item.bytes, channel.last_read);
  } else {
    if (item.inside) end = channel.last_read = ports_.out->access(of_view, item.bytes, now);
    end = ports_.in->access(offset, bytes, end);
  }
  channel.last_write = std::max(channel.last_write, end);
  if (channel.stamps.first_result == 0) channel.stamps.first_result = end;
  const auto bursts = static_cast<uint32_t>(bytes / timing_.burst_bytes);
  channel.outstanding += bursts;
  freed_.push_back({end, channel.number, bursts});
}

void DmaEngine::send(Channel& channel, uint64_t offset, Bytes bytes, Cycles now) {
  const WalkItem& item = channel.item;
  const auto bursts = piecesTouched(item.address, item.bytes, timing_.burst_bytes);
  FabricRequest request{.sent = now, .bytes = item.bytes, .access = channel.access};
  request.useful = static_cast<uint32_t>(item.elements * channel.view_bits / 8);
  request.client = kind_ == Kind::load ? FabricClient::load : FabricClient::store;
  if (kind_ == Kind::store) {
    request.elements = static_cast<uint32_t>(item.elements);
    request.sent = channel.last_read = ports_.out->access(offset, bytes, now);
  }
  map_->place(request, item.address + channel.moved);
  launch(channel, request,
         {channel.number, static_cast<uint8_t>(bursts), static_cast<uint32_t>(offset), bytes});
}

void DmaEngine::launch(Channel& channel, FabricRequest& request, const InFlight& flight) {
  if (free_in_flight_.empty()) {
    request.tag = in_flight_.size();
    in_flight_.push_back(flight);
  } else {
    request.tag = free_in_flight_.back();
    free_in_flight_.pop_back();
    in_flight_[request.tag] = flight;
  }
  request.core = core_;
  outbox_->push_back(request);
  channel.outstanding += flight.bursts;
  ++channel.answers;
  ++counts_.requests;
  counts_.bursts += flight.bursts;
}

void DmaEngine::finishIfOver(Channel& channel, Cycles now) {
  if (channel.over || channel.has_item || channel.answers != 0) return;
  if (!channel.read_known) setReadDone(channel, std::max(channel.last_read, now));
  setDone(channel, std::max(channel.last_write, now));
}

void DmaEngine::setReadDone(Channel& channel, Cycles time) {
  channel.read_known = true;
  channel.stamps.read_done = time;
  for (const auto& other : channels_) {
    if ((other->waits_read >> channel.number & 1) == 0) continue;
    other->waits_read &= ~(uint64_t{1} << channel.number);
    other->ready = std::max(other->ready, time);
  }
}

void DmaEngine::setDone(Channel& channel, Cycles time) {
  channel.over = true;
  channel.stamps.done = time;
  for (const auto& other : channels_) {
    if ((other->waits_done >> channel.number & 1) == 0) continue;
    other->waits_done &= ~(uint64_t{1} << channel.number);
    other->ready = std::max(other->ready, time);
  }
}

void DmaEngine::report(Cycles now, UnitSink& sink) {
  for (const auto& channel : channels_) {
    if (channel->free()) continue;
    if (channel->read_known && !channel->read_told && channel->stamps.read_done <= now) {
      channel->read_told = true;
      sink.readDone(channel->place, now);
    }
    if (!channel->over || channel->stamps.done > now) continue;
    channel->token = nullptr;
    --working_;
    sink.done(channel->place, now, channel->stamps);
  }
}

void DmaEngine::plan(Cycles now) {
  next_ = arriving_.empty() ? kNever : arriving_.front().time;
  if (forming_ != nullptr) next_ = std::min(next_, forming_until_);
  const auto at = [&](Cycles time) { next_ = std::min(next_, std::max(time, now + 1)); };
  for (const auto& channel : channels_) {
    if (channel->free()) continue;
    if (channel->read_known && !channel->read_told) at(channel->stamps.read_done);
    if (channel->over)
      at(channel->stamps.done);
    else if (!channel->begun && !channel->waits())
      at(channel->ready);
    else if (channel->has_item && !hasRoom(*channel))
      at(freed_.empty() ? kNever : freed_.front().time);
    else if (channel->has_item && forming_ == nullptr)
      at(std::max(channel->ready, slot_ / timing_.runs));
  }
}

}  // namespace etalon::sim
