// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "isa/base/bits.h"

namespace etalon::abi {

/// What is asked of a worker. Both ends are one program, so the numbers may change.
enum class WorkerOp : uint32_t {
  open,
  describe,
  alloc,
  copy_in,
  copy_out,
  run_operator,
  close,
  free,
  reset,
  load_image,
  run_image,
  step,
  peek,
  counters,
  run_graph,
  run_collective,
  inject_fault
};

/// What a frame from a worker is: the answer, or text that the program prints while it runs.
enum class WorkerFrame : uint32_t { answer, console };

/// In front of every message: `kind` is a WorkerOp on the way there, a WorkerFrame on the way back.
struct FrameHeader {
  static constexpr uint32_t kMagic = 0x57'4c'54'45;  // "ETLW"
  uint32_t magic = kMagic;
  uint32_t kind = 0;
  uint64_t bytes = 0;  // that follow
};

/// Puts values into a message.
class WireWriter {
 public:
  template <class T>
  void put(T value) {
    static_assert(std::is_trivially_copyable_v<T> && !std::is_same_v<T, bool>);
    const auto* from = reinterpret_cast<const std::byte*>(&value);
    bytes_.insert(bytes_.end(), from, from + sizeof value);
  }
  void putFlag(bool flag) { put(static_cast<uint8_t>(flag)); }
  void putBytes(const void* data, uint64_t size) {
    put(size);
    const auto* from = static_cast<const std::byte*>(data);
    bytes_.insert(bytes_.end(), from, from + size);
  }
  void putText(std::string_view text) { putBytes(text.data(), text.size()); }

  const std::vector<std::byte>& bytes() const { return bytes_; }

 private:
  std::vector<std::byte> bytes_;
};

/// Takes them out again, in the same order. Whatever the bytes are: past the end everything is zero and ok() is false.
class WireReader {
 public:
  explicit WireReader(std::span<const std::byte> bytes) : rest_(bytes) {}

  template <class T>
  T get() {
    static_assert(std::is_trivially_copyable_v<T> && !std::is_same_v<T, bool>);
    const std::span<const std::byte> from = take(sizeof(T));
    return from.empty() ? T{} : loadBytes<T>(from.data());
  }
  /// Any byte is a flag, but not a bool.
  bool getFlag() { return get<uint8_t>() != 0; }
  std::span<const std::byte> getBytes() { return take(get<uint64_t>()); }
  std::string getText() {
    const std::span<const std::byte> from = getBytes();
    return {reinterpret_cast<const char*>(from.data()), from.size()};
  }
  /// Everything was there and nothing is left.
  bool complete() const { return ok_ && rest_.empty(); }
  bool ok() const { return ok_; }

 private:
  std::span<const std::byte> take(uint64_t size) {
    if (size > rest_.size()) {
      ok_ = false;
      rest_ = {};
      return {};
    }
    const std::span<const std::byte> taken = rest_.first(size);
    rest_ = rest_.subspan(size);
    return taken;
  }

  std::span<const std::byte> rest_;
  bool ok_ = true;
};

}  // namespace etalon::abi
