// SPDX-License-Identifier: Apache-2.0
#include "isa/abi/device_state.h"

#include <fmt/format.h>

#include <array>
#include <vector>

#include "isa/base/text.h"

namespace etalon {
namespace {

constexpr uint64_t kFirstText = 64 << 10;
constexpr uint64_t kMostText = 4 << 20;

/// Byte i of every guard zone: no byte repeats its neighbours, so that shifted data is noticed, too.
std::byte patternAt(uint64_t i) { return static_cast<std::byte>(0xA5 + 59 * i + (i >> 8)); }

std::vector<std::byte> pattern(uint64_t bytes) {
  std::vector<std::byte> zone(bytes);
  for (uint64_t i = 0; i < bytes; ++i) zone[i] = patternAt(i);
  return zone;
}

std::string_view statusName(etalon_status status) {
  switch (status) {
    case ETALON_OK: return "ok";
    case ETALON_NOT_SUPPORTED: return "not supported";
    case ETALON_INVALID: return "refused";
    case ETALON_NO_MEMORY: return "no memory";
    case ETALON_TIMEOUT: return "timed out";
    case ETALON_FAILED: return "failed";
    case ETALON_LOST: return "lost";
    case ETALON_BROKEN: return "broke the device interface";
  }
  return "unknown";
}

}  // namespace

std::string DeviceFailure::message() const {
  return fmt::format("{}: {}{}{}", call, statusName(status), text.empty() ? "" : ": ", text);
}

DeviceState::~DeviceState() {
  if (!closed_) (void)close();
}

Error DeviceState::fail(const char* name, etalon_status status, std::string text) {
  failure_ = {status, name, std::move(text)};
  return Error{fmt::format("device {}: {}", quote(description_.name), failure_->message())};
}

Status DeviceState::call(const char* name, const std::function<int32_t(etalon_text*)>& f) {
  if (closed_) return fail(name, ETALON_LOST, "the device was closed");
  if (lost()) return fail(name, ETALON_LOST, failure_->text);
  return answer(name, f);
}

Status DeviceState::answer(const char* name, const std::function<int32_t(etalon_text*)>& f) {
  std::array<char, 4096> room{};
  etalon_text error{sizeof error, room.data(), room.size(), 0};
  const int32_t status = f(&error);
  if (status == ETALON_OK) return {};
  DeviceFailure failure = abi::failureOf(
      name, status, abi::cleanText(room.data(), std::min<uint64_t>(error.length, room.size())));
  return fail(name, failure.status, std::move(failure.text));
}

Result<std::string> DeviceState::text(const char* name,
                                      int32_t (*function)(etalon_device*, etalon_text*,
                                                          etalon_text*)) {
  std::string room(kFirstText, '\0');
  for (;;) {
    etalon_text json{sizeof json, room.data(), room.size(), 0};
    ETALON_RETURN_IF_ERROR(
        call(name, [&](etalon_text* error) { return function(handle(), &json, error); }));
    if (json.length <= room.size()) return room.substr(0, json.length);
    if (json.length > kMostText || room.size() > kFirstText)
      return fail(name, ETALON_BROKEN,
                  fmt::format("its text has {} bytes; {} are allowed, and each call gives the same",
                              json.length, kMostText));
    room.resize(json.length);
  }
}

Status DeviceState::describe() {
  const Result<std::string> json = text("describe", api().describe);
  if (!json.ok()) return json.error();
  Result<DeviceDescription> description = parseDeviceDescription(*json);
  if (!description.ok()) return fail("describe", ETALON_BROKEN, description.error().message);
  description_ = *std::move(description);
  return {};
}

Status DeviceState::checkAnswer(uint64_t address, uint64_t bytes) {
  if (address == 0 || address % description_.alignment != 0)
    return fail("alloc", ETALON_BROKEN,
                fmt::format("it gave the address {:#x}, which is {}", address,
                            address == 0 ? "not allowed" : "not aligned as its description says"));
  if (address > ~uint64_t{0} - bytes)
    return fail("alloc", ETALON_BROKEN,
                fmt::format("{} bytes at {:#x} wrap around the address space", bytes, address));
  for (const auto& [begin, other] : buffers_)
    if (address < other.begin + other.bytes && other.begin < address + bytes)
      return fail("alloc", ETALON_BROKEN,
                  fmt::format("{} bytes at {:#x} overlap {} bytes at {:#x}, which are still in use",
                              bytes, address, other.bytes, other.begin));
  return {};
}

Result<uint64_t> DeviceState::alloc(uint64_t bytes, std::string label) {
  const uint64_t guard = options_.guard_bytes;
  if (bytes > ~uint64_t{0} - 2 * guard)
    return fail("alloc", ETALON_NO_MEMORY, fmt::format("{} bytes for {}", bytes, label));
  const etalon_alloc_request request{sizeof request, bytes + 2 * guard, description_.alignment};
  uint64_t address = 0;
  ETALON_RETURN_IF_ERROR(call("alloc", [&](etalon_text* error) {
    return api().alloc(handle(), &request, &address, error);
  }));
  ETALON_RETURN_IF_ERROR(checkAnswer(address, request.bytes));
  const Allocation& allocation =
      buffers_[address + guard] = {address, request.bytes, std::move(label), true};
  ETALON_RETURN_IF_ERROR(writeGuards(allocation));
  return address + guard;
}

Status DeviceState::writeGuards(const Allocation& allocation) {
  const uint64_t guard = options_.guard_bytes;
  if (guard == 0) return {};
  std::vector<std::byte> zone = pattern(guard);
  for (const uint64_t begin : {allocation.begin, allocation.begin + allocation.bytes - guard})
    ETALON_RETURN_IF_ERROR(copy(begin, zone.data(), guard, ETALON_TO_DEVICE));
  return {};
}

Status DeviceState::checkGuards(const char* after) {
  const uint64_t guard = options_.guard_bytes;
  const std::vector<std::byte> expected = pattern(guard);
  std::vector<std::byte> zone(guard);
  for (const auto& [address, allocation] : buffers_) {
    if (guard == 0 || !allocation.guarded) continue;
    for (const bool before : {true, false}) {
      const uint64_t begin =
          before ? allocation.begin : allocation.begin + allocation.bytes - guard;
      ETALON_RETURN_IF_ERROR(copy(begin, zone.data(), guard, ETALON_FROM_DEVICE));
      if (zone == expected) continue;
      uint64_t first = 0;
      while (zone[first] == expected[first]) ++first;
      return fail(after, ETALON_BROKEN,
                  fmt::format("memory outside of {} was overwritten, {} bytes {}",
                              quote(allocation.label), before ? guard - first : first,
                              before ? "before its begin" : "past its end"));
    }
  }
  return {};
}

void DeviceState::free(uint64_t address) {
  const auto found = buffers_.find(address);
  if (found == buffers_.end()) return;  // of before a reset
  found->second.guarded = false;
  if (api().free == nullptr || closed_) return;
  const uint64_t begin = found->second.begin;
  // Nobody asked for this call: it must not hide what an earlier one failed by.
  const std::optional<DeviceFailure> before = failure_;
  const Status freed =
      call("free", [&](etalon_text* error) { return api().free(handle(), begin, error); });
  if (freed.ok()) buffers_.erase(found);
  if (before) failure_ = before;
}

Status DeviceState::copy(uint64_t address, void* host, uint64_t bytes, etalon_direction direction) {
  if (bytes == 0) return {};
  const etalon_copy_request request{
      sizeof request, static_cast<uint32_t>(direction), 0, address, host, bytes};
  return call("copy", [&](etalon_text* error) { return api().copy(handle(), &request, error); });
}

Status DeviceState::close() {
  if (closed_) return fail("close", ETALON_LOST, "the device was closed");
  closed_ = true;
  const std::optional<DeviceFailure> before = lost() ? failure_ : std::nullopt;
  const Status status =
      answer("close", [&](etalon_text* error) { return api().close(handle(), error); });
  if (!before) return status;
  return fail("close", ETALON_LOST, before->text);  // a lost device has nothing more to say
}

}  // namespace etalon
