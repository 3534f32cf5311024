// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string_view>

#include "isa/base/status.h"

namespace etalon::sim {

/// A flat array of bytes that reads as zero until written and costs host memory only where touched.
///
/// Anonymous private mapping without reservation, so a machine's whole global memory (up to
/// kMaxBytes) exists from the start and needs no page table of ours. Move only; unmaps at the end.
class Backing {
 public:
  static constexpr uint64_t kMaxBytes = uint64_t{256} << 30;

  /// Maps `bytes` zero bytes, 1 <= bytes <= kMaxBytes. `what` names the memory in an error.
  static Result<Backing> create(uint64_t bytes, std::string_view what);

  Backing() = default;
  Backing(Backing&& other) noexcept;
  Backing& operator=(Backing&& other) noexcept;
  ~Backing();

  std::byte* data() { return data_; }
  const std::byte* data() const { return data_; }
  uint64_t size() const { return size_; }

  /// Calls f(offset, bytes) for pages of kPageBytes (the last may be shorter), ascending; pages left out hold zeros alone.
  /// Costs what was touched, not the size, where the host's kernel says what was (/proc/self/pagemap).
  static constexpr uint64_t kPageBytes = 4096;
  void forEachTouchedPage(const std::function<void(uint64_t, std::span<const std::byte>)>& f) const;

  /// Snapshots: the pages that are not all zero. Reads into a memory that nobody has touched.
  template <class Archive, class Self>
  static void transfer(Archive& archive, Self& self);

  /// The same memory as an array of T (mmap aligns to the page).
  template <class T>
  T* as() {
    return reinterpret_cast<T*>(data_);
  }
  template <class T>
  const T* as() const {
    return reinterpret_cast<const T*>(data_);
  }

 private:
  Backing(std::byte* data, uint64_t size) : data_(data), size_(size) {}

  std::byte* data_ = nullptr;
  uint64_t size_ = 0;
};

}  // namespace etalon::sim
