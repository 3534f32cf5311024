// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <concepts>
#include <cstdint>
#include <cstring>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "isa/base/bits.h"
#include "isa/base/status.h"

namespace etalon::sim {

// A snapshot is a stream of bytes: every field of a device's state in a fixed order, no tags, little endian. What reads
// and what writes it is one list of fields a class, its `transfer(archive, self)`, instantiated for both archives.

/// Where a snapshot goes, piece by piece.
using SnapshotSink = std::function<Status(std::span<const std::byte>)>;

/// Checksum of `bytes`, by words of 8, the last one padded with zeros; goes on from `start`.
uint64_t snapshotChecksum(std::span<const std::byte> bytes, uint64_t start = 0);

/// A field that is its bytes: numbers and enumerations. Not bool, which has bytes that are no value.
template <class T>
concept PlainField = (std::is_arithmetic_v<T> || std::is_enum_v<T>) && !std::same_as<T, bool>;

class SnapshotWriter {
 public:
  static constexpr bool kReading = false;

  explicit SnapshotWriter(SnapshotSink sink);

  template <class... T>
  void operator()(const T&... fields) {
    (put(fields), ...);
  }
  void bytes(std::span<const std::byte> bytes);
  /// Hands out the rest and the checksum of it all; what the sink said.
  Status finish();

 private:
  template <PlainField T>
  void put(const T& value) {
    bytes(std::as_bytes(std::span(&value, 1)));
  }
  void put(const bool& value) { put(static_cast<uint8_t>(value)); }
  void put(const std::string& text) {
    put(uint64_t{text.size()});
    bytes(std::as_bytes(std::span(text)));
  }
  template <class A, class B>
  void put(const std::pair<A, B>& pair) {
    put(pair.first), put(pair.second);
  }
  template <class T, size_t N>
  void put(const std::array<T, N>& values) {
    for (const T& value : values) put(value);
  }
  template <class T>
  void put(const std::vector<T>& values) {
    put(uint64_t{values.size()});
    for (const T& value : values) put(value);
  }
  template <class T>
  void put(const std::optional<T>& value) {
    put(value.has_value());
    if (value) put(*value);
  }
  template <class K, class V>
  void put(const std::map<K, V>& map) {
    put(uint64_t{map.size()});
    for (const auto& entry : map) put(entry);
  }
  template <class T>
    requires requires(SnapshotWriter& a, const T& t) { T::transfer(a, t); }
  void put(const T& value) {
    T::transfer(*this, value);
  }

  SnapshotSink sink_;
  std::vector<std::byte> buffer_;
  uint64_t checksum_ = 0;
  Status status_;
};

/// Reads what SnapshotWriter wrote. The bytes may be anything: after the first thing wrong every field reads as zero or
/// empty, and error() says what it was.
class SnapshotReader {
 public:
  static constexpr bool kReading = true;

  explicit SnapshotReader(std::span<const std::byte> bytes) : rest_(bytes) {}

  template <class... T>
  void operator()(T&... fields) {
    (get(fields), ...);
  }
  /// The next `count` bytes; empty if there are fewer.
  std::span<const std::byte> bytes(uint64_t count);
  /// A number of things that take at least `bytes_each` of the bytes left.
  uint64_t count(uint64_t bytes_each);
  /// What does not hold makes the snapshot one that no device wrote; `what` names it.
  void require(bool holds, std::string_view what) {
    if (!holds && !problem_) problem_ = std::string(what);
  }
  bool failed() const { return problem_.has_value(); }
  const std::string& problem() const { return *problem_; }
  size_t left() const { return rest_.size(); }

 private:
  template <PlainField T>
  void get(T& value) {
    const auto from = bytes(sizeof value);
    if (from.empty())
      value = T{};
    else
      std::memcpy(&value, from.data(), sizeof value);
  }
  void get(bool& value) {
    uint8_t byte = 0;
    get(byte);
    require(byte <= 1, "a flag that is neither set nor clear");
    value = byte == 1;
  }
  void get(std::string& text) {
    const auto from = bytes(count(1));
    text = from.empty() ? "" : std::string(reinterpret_cast<const char*>(from.data()), from.size());
  }
  template <class A, class B>
  void get(std::pair<A, B>& pair) {
    get(pair.first), get(pair.second);
  }
  template <class T, size_t N>
  void get(std::array<T, N>& values) {
    for (T& value : values) get(value);
  }
  template <class T>
  void get(std::vector<T>& values) {
    values.clear();
    for (uint64_t n = count(1); n > 0 && !failed(); --n) {
      T value{};
      get(value);
      values.push_back(std::move(value));
    }
  }
  template <class T>
  void get(std::optional<T>& value) {
    bool there = false;
    get(there);
    if (there)
      get(value.emplace());
    else
      value.reset();
  }
  template <class K, class V>
  void get(std::map<K, V>& map) {
    map.clear();
    for (uint64_t n = count(1); n > 0 && !failed(); --n) {
      std::pair<K, V> entry{};
      get(entry);
      require(map.empty() || map.rbegin()->first < entry.first, "a table that is not in order");
      map.insert_or_assign(map.end(), entry.first, std::move(entry.second));
    }
  }
  template <class T>
    requires requires(SnapshotReader& a, T& t) { T::transfer(a, t); }
  void get(T& value) {
    T::transfer(*this, value);
  }

  std::span<const std::byte> rest_;
  std::optional<std::string> problem_;
};

}  // namespace etalon::sim
