// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
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
