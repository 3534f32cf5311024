// SPDX-License-Identifier: Apache-2.0
#include "sim/arch/backing.h"

#include <fmt/format.h>
#include <sys/mman.h>

#include <cerrno>
#include <cstring>
#include <utility>

namespace etalon::sim {

Result<Backing> Backing::create(uint64_t bytes, std::string_view what) {
  if (bytes == 0 || bytes > kMaxBytes) {
    return Error{
        fmt::format("{}: {} bytes asked for; a memory has 1 to {} bytes", what, bytes, kMaxBytes)};
  }
  void* data = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (data == MAP_FAILED) {
    return Error{
        fmt::format("{}: the host refuses to map {} bytes of virtual memory ({}); choose "
                    "a smaller memory, or allow overcommit (vm.overcommit_memory 0 or 1, "
                    "ulimit -v)",
                    what, bytes, std::strerror(errno))};
  }
  return Backing(static_cast<std::byte*>(data), bytes);
}

Backing::Backing(Backing&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}

Backing& Backing::operator=(Backing&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  return *this;
}

Backing::~Backing() {
  if (data_ != nullptr) munmap(data_, size_);
}

}  // namespace etalon::sim
