// SPDX-License-Identifier: Apache-2.0
// Which pages of a memory were touched, and their way into snapshots.
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <vector>

#include "sim/arch/backing.h"
#include "sim/arch/snapshot.h"

namespace etalon::sim {
namespace {

constexpr uint64_t kNoMorePages = ~uint64_t{0};

/// The kernel's word on the pages of this process: one 64-bit entry each. Closes itself.
class PageMap {
 public:
  PageMap() : file_(open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC)) {}
  ~PageMap() {
    if (file_ >= 0) close(file_);
  }
  PageMap(const PageMap&) = delete;
  PageMap& operator=(const PageMap&) = delete;

  /// Fills in whether each page from `first` on may be other than zero; all of them if the kernel does not say.
  void read(uint64_t first, std::vector<bool>& touched) const {
    constexpr uint64_t kPresent = uint64_t{1} << 63, kSwapped = uint64_t{1} << 62;
    std::vector<uint64_t> entries(touched.size());
    const auto wanted = static_cast<ssize_t>(entries.size() * sizeof(uint64_t));
    const bool known = file_ >= 0 && pread(file_, entries.data(), static_cast<size_t>(wanted),
                                           static_cast<off_t>(first * sizeof(uint64_t))) == wanted;
    for (size_t i = 0; i < entries.size(); ++i)
      touched[i] = !known || (entries[i] & (kPresent | kSwapped)) != 0;
  }

 private:
  int file_;
};

bool allZero(std::span<const std::byte> bytes) {
  return bytes[0] == std::byte{0} && std::equal(bytes.begin() + 1, bytes.end(), bytes.begin());
}

}  // namespace

void Backing::forEachTouchedPage(
    const std::function<void(uint64_t, std::span<const std::byte>)>& f) const {
  constexpr uint64_t kPagesAtOnce = 64 << 10;
  const auto host_page = static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
  const PageMap map;
  std::vector<bool> touched;
  for (uint64_t begin = 0; begin < size_; begin += kPagesAtOnce * host_page) {
    const uint64_t end = std::min(size_, begin + kPagesAtOnce * host_page);
    touched.resize((end - begin + host_page - 1) / host_page);
    map.read((reinterpret_cast<uintptr_t>(data_) + begin) / host_page, touched);
    for (uint64_t at = begin; at < end; at += kPageBytes)
      if (touched[(at - begin) / host_page]) f(at, {data_ + at, std::min(kPageBytes, end - at)});
  }
}

template <class Archive, class Self>
void Backing::transfer(Archive& archive, Self& self) {
  if constexpr (Archive::kReading) {
    uint64_t next = 0;  // least offset that may come
    for (uint64_t at = 0; !archive.failed();) {
      archive(at);
      if (at == kNoMorePages) return;
      archive.require(at >= next && at < self.size_ && at % kPageBytes == 0,
                      "a page outside of its memory");
      if (archive.failed()) return;
      const auto page = archive.bytes(std::min(kPageBytes, self.size_ - at));
      std::ranges::copy(page, self.data_ + at);
      next = at + kPageBytes;
    }
  } else {
    self.forEachTouchedPage([&](uint64_t at, std::span<const std::byte> page) {
      if (allZero(page)) return;
      archive(at);
      archive.bytes(page);
    });
    archive(kNoMorePages);
  }
}
template void Backing::transfer(SnapshotWriter&, const Backing&);
template void Backing::transfer(SnapshotReader&, Backing&);

}  // namespace etalon::sim
