// SPDX-License-Identifier: Apache-2.0
#include "sim/fabric/gateway.h"

#include <algorithm>
#include <utility>

namespace etalon::sim {
namespace {

/// A free place of a table whose places are reused.
template <class T>
uint32_t takePlace(std::vector<T>& table, std::vector<uint32_t>& free, const T& value) {
  if (free.empty()) {
    table.push_back(value);
    return static_cast<uint32_t>(table.size() - 1);
  }
  const uint32_t place = free.back();
  free.pop_back();
  table[place] = value;
  return place;
}

}  // namespace

void GatewayOutput::clear() {
  credits.clear();
  requests.clear();
  answers.clear();
  messages.clear();
  signals.clear();
  performed.clear();
}

LinkMessage Gateway::carry(const RemoteSignal& signal, Cycles sent) {
  return {.tag = uint64_t{signal.from} << 16 | signal.to,
          .sent = sent,
          .bytes = kSignalBytes,
          .source = signal.source,
          .destination = signal.destination,
          .kind = static_cast<uint8_t>(Kind::signal)};
}

LinkMessage Gateway::acknowledge(const RemoteSignal& signal, Cycles sent) {
  LinkMessage message = carry(signal, sent);
  std::swap(message.source, message.destination);
  message.bytes = 0;
  message.kind = static_cast<uint8_t>(Kind::performed);
  return message;
}

void Gateway::put(const Item& item) {
  inbox_.push_back(item);
  std::ranges::push_heap(inbox_, std::greater<>());
}

void Gateway::deliver(const Delivery& delivery) {
  const FabricRequest& request = delivery.request;
  const uint64_t who = map_->portNumber(request.core, request.port);
  put({.time = delivery.time, .order = who << 32 | request.tag, .request = request});
}

void Gateway::arrive(const LinkDelivery& delivery) {
  const LinkMessage& message = delivery.message;
  put({.time = delivery.time,
       .order = uint64_t{message.source} << 48 | uint64_t{message.kind} << 40 | message.tag,
       .from_links = true,
       .message = message});
}

void Gateway::advance(Cycles now, GatewayOutput& out) {
  while (nextTime() <= now) {
    std::ranges::pop_heap(inbox_, std::greater<>());
    const Item item = inbox_.back();
    inbox_.pop_back();
    if (item.from_links)
      receive(item.message, out, now);
    else if (item.request.core < map_->cores())
      leave(item.request, out, now);
    else
      answer(item.request, out, now);
  }
}

void Gateway::leave(const FabricRequest& request, GatewayOutput& out, Cycles now) {
  out.credits.push_back(request);
  const auto destination = static_cast<uint16_t>(request.device - 1);
  out.messages.push_back({.tag = takePlace(waiting_, free_waiting_, request),
                          .sent = now,
                          .bytes = request.writes() ? request.bytes : 0,
                          .source = device_,
                          .destination = destination,
                          .kind = static_cast<uint8_t>(Kind::request)});
}

void Gateway::answer(const FabricRequest& request, GatewayOutput& out, Cycles now) {
  const auto place = static_cast<uint32_t>(request.tag);
  const Asked asked = asked_[place];
  free_asked_.push_back(place);
  out.messages.push_back({.tag = asked.tag,
                          .sent = now,
                          .bytes = request.writes() ? 0 : request.bytes,
                          .source = device_,
                          .destination = asked.source,
                          .kind = static_cast<uint8_t>(Kind::answer)});
}

void Gateway::receive(const LinkMessage& message, GatewayOutput& out, Cycles now) {
  RemoteSignal signal{message.source, message.destination, static_cast<uint16_t>(message.tag >> 16),
                      static_cast<uint16_t>(message.tag)};
  switch (static_cast<Kind>(message.kind)) {
    case Kind::request: return ask(message, out, now);
    case Kind::answer:
      out.answers.push_back(waiting_[message.tag]);
      free_waiting_.push_back(static_cast<uint32_t>(message.tag));
      return;
    case Kind::signal: out.signals.push_back(signal); return;
    case Kind::performed:
      std::swap(signal.source, signal.destination);
      out.performed.push_back(signal);
      return;
  }
}

/// In the name of a door, which the answer comes back to.
void Gateway::ask(const LinkMessage& message, GatewayOutput& out, Cycles now) {
  const FabricRequest& wanted = (*peers_)[message.source]->waiting_[message.tag];
  FabricRequest request = wanted;
  request.device = 0;
  request.core =
      static_cast<uint16_t>(map_->cores() + wanted.address / map_->requestBytes() % map_->doors());
  request.tag = takePlace(asked_, free_asked_, Asked{message.source, message.tag});
  request.sent = now;
  map_->place(request, wanted.address);
  out.requests.push_back(request);
}

}  // namespace etalon::sim
