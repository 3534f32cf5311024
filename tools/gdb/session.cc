// SPDX-License-Identifier: Apache-2.0
// Packets by their first letters, registers and memory; queries stand in
// query.cc, resuming in resume.cc.
#include "tools/gdb/session.h"

#include <fmt/format.h>

#include <algorithm>

#include "isa/base/bits.h"
#include "tools/gdb/registers.h"

namespace etalon::tools::gdb {
namespace {

constexpr const char* kOk = "OK";
constexpr const char* kMalformed = "E16";     // EINVAL
constexpr const char* kBadAddress = "E0e";    // EFAULT
constexpr const char* kNotPermitted = "E01";  // EPERM
constexpr uint64_t kMostMemory = kPacketBytes / 2 - 16;

std::string hexWord(uint64_t value) { return hexOf(std::as_bytes(std::span(&value, 1))); }

std::optional<uint64_t> wordOfHex(std::string_view hex) {
  const auto bytes = bytesOfHex(hex);
  if (!bytes || bytes->size() != sizeof(uint64_t)) return std::nullopt;
  return loadBytes<uint64_t>(bytes->data());
}

}  // namespace

std::vector<std::string> Session::answer(std::string_view packet) {
  if (packet.starts_with("vCont;")) return resumeEach(packet.substr(6));
  if (packet.starts_with("qRcmd,")) return monitor(packet.substr(6));
  if (packet == "k") {
    state_ = State::killed;
    return {};
  }
  const std::string_view first = packet.substr(0, 1);
  if (first == "c" || first == "s" || first == "C" || first == "S") return resumeAll(packet);
  if (packet == "?") return {stopText()};
  return {simple(packet)};
}

std::string Session::simple(std::string_view packet) {
  if (packet.empty()) return "";
  const std::string_view rest = packet.substr(1);
  switch (packet[0]) {
    case 'q':
    case 'Q':
    case 'v': return query(packet);
    case 'H': return selectThread(rest);
    case 'T': {
      std::string_view text = rest;
      return takeCore(text) && text.empty() ? kOk : kNotPermitted;
    }
    case 'g': return rest.empty() ? readAll() : kMalformed;
    case 'G': return writeAll(rest);
    case 'p': return readOne(rest);
    case 'P': return writeOne(rest);
    case 'm': return readMemory(rest);
    case 'M': return writeMemory(rest, false);
    case 'X': return writeMemory(rest, true);
    case 'Z': return changeStop(rest, true);
    case 'z': return changeStop(rest, false);
    case 'D': state_ = State::detached; return kOk;
    default: return "";
  }
}

std::optional<unsigned> Session::takeCore(std::string_view& text) const {
  const auto thread = takeHex(text);
  if (!thread || *thread < 1 || *thread > target_.cores()) return std::nullopt;
  return static_cast<unsigned>(*thread - 1);
}

// Which cores go on is said by vCont; without it a step is one of the core
// looked at.
std::string Session::selectThread(std::string_view packet) {
  if (!takeChar(packet, 'g') && !takeChar(packet, 'c')) return kMalformed;
  if (packet == "0" || packet == "-1") return kOk;  // any, all: the core stays
  const auto core = takeCore(packet);
  if (!core || !packet.empty()) return kNotPermitted;
  core_ = *core;
  return kOk;
}

std::string Session::readAll() const {
  std::string text;
  for (uint64_t i = 0; i < kGeneralRegisters; ++i)
    text += hexWord(readRegister(target_.core(core_), i).value_or(0));
  return text;
}

std::string Session::writeAll(std::string_view hex) {
  constexpr size_t kDigits = 2 * sizeof(uint64_t);
  if (hex.size() != kGeneralRegisters * kDigits) return kMalformed;
  std::vector<uint64_t> values;
  for (size_t i = 0; i < kGeneralRegisters; ++i) {
    const auto value = wordOfHex(hex.substr(i * kDigits, kDigits));
    if (!value) return kMalformed;
    values.push_back(*value);
  }
  // pc first: if it is refused, nothing was written.
  for (size_t i = kGeneralRegisters; i-- > 0;)
    if (!writeRegister(target_.core(core_), i, values[i])) return kNotPermitted;
  return kOk;
}

std::string Session::readOne(std::string_view packet) const {
  const auto number = takeHex(packet);
  if (!number || !packet.empty()) return kMalformed;
  const auto value = readRegister(target_.core(core_), *number);
  return value ? hexWord(*value) : kNotPermitted;
}

std::string Session::writeOne(std::string_view packet) {
  const auto number = takeHex(packet);
  if (!number || !takeChar(packet, '=')) return kMalformed;
  const auto value = wordOfHex(packet);
  if (!value) return kMalformed;
  return writeRegister(target_.core(core_), *number, *value) ? kOk : kNotPermitted;
}

std::string Session::readMemory(std::string_view packet) {
  const auto address = takeHex(packet);
  if (!address || !takeChar(packet, ',')) return kMalformed;
  const auto length = takeHex(packet);
  if (!length || !packet.empty()) return kMalformed;
  const auto bytes = target_.read(core_, *address, std::min(*length, kMostMemory));
  return bytes.empty() && *length != 0 ? kBadAddress : hexOf(bytes);
}

std::string Session::writeMemory(std::string_view packet, bool binary) {
  const auto address = takeHex(packet);
  if (!address || !takeChar(packet, ',')) return kMalformed;
  const auto length = takeHex(packet);
  if (!length || !takeChar(packet, ':')) return kMalformed;
  const auto decoded = binary ? std::vector<std::byte>() : bytesOfHex(packet);
  if (!decoded) return kMalformed;
  const std::span<const std::byte> bytes =
      binary ? std::as_bytes(std::span(packet.data(), packet.size())) : std::span(*decoded);
  if (bytes.size() != *length) return kMalformed;
  return target_.write(core_, *address, bytes) ? kOk : kBadAddress;
}

std::string Session::changeStop(std::string_view packet, bool insert) {
  const auto type = takeHex(packet);
  if (!type || !takeChar(packet, ',')) return kMalformed;
  const auto address = takeHex(packet);
  if (!address || !takeChar(packet, ',')) return kMalformed;
  const auto size = takeHex(packet);
  if (!size || !packet.empty()) return kMalformed;
  if (*type > 4) return "";
  if (*type <= 1) {
    if (!insert) target_.removeBreakpoint(*type, *address);
    return !insert || target_.addBreakpoint(*type, *address) ? kOk : kBadAddress;
  }
  const sim::Watchpoint watchpoint{*address, *size, *type != 2, *type != 3};
  if (!insert) target_.removeWatchpoint(watchpoint);
  return !insert || target_.addWatchpoint(watchpoint) ? kOk : kBadAddress;
}

}  // namespace etalon::tools::gdb
