// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstdint>
#include <string>
#include <string_view>

namespace etalon::sim {

/// A protobuf message in the making, in the wire format of protobuf.dev/programming-guides/encoding.
class ProtoWriter {
 public:
  void integer(uint32_t field, uint64_t value) {
    key(field, 0);
    varint(value);
  }
  void fixed64(uint32_t field, uint64_t value) {
    key(field, 1);
    for (int byte = 0; byte < 8; ++byte) bytes_ += static_cast<char>(value >> 8 * byte & 0xff);
  }
  void real(uint32_t field, double value) { fixed64(field, std::bit_cast<uint64_t>(value)); }
  void text(uint32_t field, std::string_view value) {
    key(field, 2);
    varint(value.size());
    bytes_ += value;
  }
  void message(uint32_t field, const ProtoWriter& value) { text(field, value.bytes_); }

  std::string_view bytes() const { return bytes_; }
  bool empty() const { return bytes_.empty(); }
  void clear() { bytes_.clear(); }

 private:
  void key(uint32_t field, uint32_t wire_type) { varint(uint64_t{field} << 3 | wire_type); }
  void varint(uint64_t value) {
    for (; value >= 0x80; value >>= 7) bytes_ += static_cast<char>(value | 0x80);
    bytes_ += static_cast<char>(value);
  }

  std::string bytes_;
};

}  // namespace etalon::sim
