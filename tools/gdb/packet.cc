// SPDX-License-Identifier: Apache-2.0
#include "tools/gdb/packet.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace etalon::tools::gdb {
namespace {

constexpr char kInterrupt = 0x03;
constexpr char kEscape = '}';
constexpr char kEscapeBit = 0x20;

std::optional<unsigned> digitOf(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return std::nullopt;
}

uint8_t sumOf(std::string_view data) {
  uint8_t sum = 0;
  for (const char c : data) sum = static_cast<uint8_t>(sum + static_cast<uint8_t>(c));
  return sum;
}

std::string withoutEscapes(std::string_view data) {
  std::string text;
  for (size_t i = 0; i < data.size(); ++i) {
    const bool escaped = data[i] == kEscape && i + 1 < data.size();
    text += escaped ? static_cast<char>(data[++i] ^ kEscapeBit) : data[i];
  }
  return text;
}

}  // namespace

std::string framed(std::string_view data) {
  std::string text;
  for (const char c : data) {
    const bool special = c == '#' || c == '$' || c == kEscape || c == '*';
    if (special) text += kEscape;
    text += special ? static_cast<char>(c ^ kEscapeBit) : c;
  }
  return fmt::format("${}#{:02x}", text, sumOf(text));
}

std::optional<FrameReader::Frame> FrameReader::next() {
  const auto starts = [](char c) { return c == '$' || c == kInterrupt; };
  pending_.erase(pending_.begin(), std::ranges::find_if(pending_, starts));
  if (pending_.empty()) return std::nullopt;
  if (pending_[0] == kInterrupt) {
    pending_.erase(0, 1);
    return Frame{Kind::interrupt, ""};
  }
  const size_t end = pending_.find('#');
  // Escapes at most double the data.
  const size_t most = 1 + 2 * kPacketBytes;
  if (end == std::string::npos ? pending_.size() > most : end > most) {
    pending_.erase(0, std::min(end, pending_.size()));
    return Frame{Kind::broken, ""};
  }
  if (end == std::string::npos || pending_.size() < end + 3) return std::nullopt;
  const std::string_view data = std::string_view(pending_).substr(1, end - 1);
  const auto high = digitOf(pending_[end + 1]), low = digitOf(pending_[end + 2]);
  const bool sound = high && low && (*high << 4 | *low) == sumOf(data);
  Frame frame{sound ? Kind::packet : Kind::broken, sound ? withoutEscapes(data) : ""};
  pending_.erase(0, end + 3);
  return frame;
}

std::string hexOf(std::span<const std::byte> bytes) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  text.reserve(2 * bytes.size());
  for (const std::byte b : bytes) {
    text += kDigits[std::to_integer<unsigned>(b) >> 4];
    text += kDigits[std::to_integer<unsigned>(b) & 15];
  }
  return text;
}

std::string hexOf(std::string_view text) {
  return hexOf(std::as_bytes(std::span(text.data(), text.size())));
}

std::optional<std::vector<std::byte>> bytesOfHex(std::string_view hex) {
  if (hex.size() % 2 != 0) return std::nullopt;
  std::vector<std::byte> bytes;
  for (size_t i = 0; i < hex.size(); i += 2) {
    const auto high = digitOf(hex[i]), low = digitOf(hex[i + 1]);
    if (!high || !low) return std::nullopt;
    bytes.push_back(static_cast<std::byte>(*high << 4 | *low));
  }
  return bytes;
}

std::optional<std::string> textOfHex(std::string_view hex) {
  const auto bytes = bytesOfHex(hex);
  if (!bytes) return std::nullopt;
  std::string text(bytes->size(), '\0');
  if (!bytes->empty()) std::memcpy(text.data(), bytes->data(), bytes->size());
  return text;
}

std::optional<uint64_t> takeHex(std::string_view& text) {
  uint64_t value = 0;
  size_t digits = 0;
  for (; digits < text.size(); ++digits) {
    const auto digit = digitOf(text[digits]);
    if (!digit) break;
    if (value >> 60 != 0) return std::nullopt;
    value = value << 4 | *digit;
  }
  if (digits == 0) return std::nullopt;
  text.remove_prefix(digits);
  return value;
}

bool takeChar(std::string_view& text, char c) {
  if (!text.starts_with(c)) return false;
  text.remove_prefix(1);
  return true;
}

std::string_view takeUntil(std::string_view& text, char end) {
  const std::string_view taken = text.substr(0, text.find(end));
  text.remove_prefix(std::min(text.size(), taken.size() + 1));
  return taken;
}

}  // namespace etalon::tools::gdb
