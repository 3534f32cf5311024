// SPDX-License-Identifier: Apache-2.0
#include "sim/functional/htif.h"

#include <fmt/format.h>

#include <array>

#include "isa/base/bits.h"

namespace etalon::sim {
namespace {

constexpr uint64_t kWrite = 64, kExit = 93;
constexpr uint64_t kConsoleCharacter = 0x0101;
constexpr uint64_t kMaxWrite = 1 << 20;

}  // namespace

void Htif::answer(unsigned device, uint64_t value) {
  if (!fromhost_) return;
  if (const auto place = word(device, *fromhost_)) {
    storeBytes(place->data(), value);
    place->region->noteWritten(place->offset, 8);
  }
}

bool Htif::readable(const Place& place, uint64_t bytes) {
  if (bytes == 0 || !place.region->poisoned(place.offset, bytes)) return true;
  poisoned_read_ = {place, bytes};
  return false;
}

std::optional<uint64_t> Htif::serve(unsigned agent, unsigned device) {
  const auto place = word(device, tohost_);
  if (!readable(*place, 8)) return std::nullopt;
  const uint64_t value = loadBytes<uint64_t>(place->data());
  storeBytes(place->data(), uint64_t{0});
  place->region->noteWritten(place->offset, 8);
  if (value == 0) return std::nullopt;
  if (value >> 48 == kConsoleCharacter) {
    const char character = static_cast<char>(value & 0xff);
    console_(std::string_view(&character, 1));
    return std::nullopt;
  }
  if (value & 1) return value >> 1;
  return serveCall(agent, device, value);
}

std::optional<uint64_t> Htif::serveCall(unsigned agent, unsigned device, uint64_t block) {
  const auto place = memory_.find(agent, block, 32);
  if (!place) {
    problem_ = fmt::format("tohost names a request block at {:#x}, which is not memory", block);
    return std::nullopt;
  }
  if (!readable(*place, 32)) return std::nullopt;
  const auto request = loadBytes<std::array<uint64_t, 4>>(place->data());
  uint64_t result = ~uint64_t{0};
  if (request[0] == kExit) return request[1];
  if (request[0] == kWrite && request[3] <= kMaxWrite) {
    if (const auto text = memory_.find(agent, request[2], request[3])) {
      if (!readable(*text, request[3])) return std::nullopt;
      console_(std::string_view(reinterpret_cast<const char*>(text->data()), request[3]));
      result = request[3];
    }
  } else {
    problem_ = fmt::format(
        "tohost asks for call {} (length {}); write (64, at most {} bytes) and exit (93) are "
        "served",
        request[0], request[3], kMaxWrite);
  }
  storeBytes(place->data(), result);
  place->region->noteWritten(place->offset, 8);
  answer(device, 1);
  return std::nullopt;
}

}  // namespace etalon::sim
