// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace etalon::tools::gdb {

/// Most bytes of a packet's data in either direction; what qSupported
/// announces.
inline constexpr size_t kPacketBytes = 0x4000;

/// Data as a frame of the GDB remote serial protocol: `$data#checksum`, special
/// characters escaped.
std::string framed(std::string_view data);

/// Takes a byte stream from a debugger apart. Bytes that are no part of any
/// frame are dropped.
class FrameReader {
 public:
  enum class Kind : uint8_t { packet, broken, interrupt };
  struct Frame {
    Kind kind;
    std::string data;  // of a packet, escapes undone
  };

  void feed(std::string_view bytes) { pending_ += bytes; }
  /// The next complete frame. `broken`: the checksum is wrong, or it is longer
  /// than kPacketBytes.
  std::optional<Frame> next();

 private:
  std::string pending_;
};

/// Bytes as hexadecimal digits, two a byte.
std::string hexOf(std::span<const std::byte> bytes);
std::string hexOf(std::string_view text);
/// The bytes of an even number of hexadecimal digits; nothing for anything
/// else.
std::optional<std::vector<std::byte>> bytesOfHex(std::string_view hex);
std::optional<std::string> textOfHex(std::string_view hex);

/// Takes a hexadecimal number of at most 64 bits off the front of `text`;
/// nothing, and `text` unchanged, if there is none.
std::optional<uint64_t> takeHex(std::string_view& text);
/// Takes a character off the front of `text` if it is there.
bool takeChar(std::string_view& text, char c);
/// Takes the text up to `end`, and `end`, off the front; all of it if `end`
/// does not come.
std::string_view takeUntil(std::string_view& text, char end);

}  // namespace etalon::tools::gdb
