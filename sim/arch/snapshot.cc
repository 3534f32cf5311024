// SPDX-License-Identifier: Apache-2.0
#include "sim/arch/snapshot.h"

#include <algorithm>

namespace etalon::sim {
namespace {

constexpr size_t kBufferBytes =
    64 << 10;  // a multiple of 8, as the checksum wants of all pieces but the last

}  // namespace

uint64_t snapshotChecksum(std::span<const std::byte> bytes, uint64_t start) {
  uint64_t sum = start;
  for (; bytes.size() >= 8; bytes = bytes.subspan(8))
    sum = mixed(sum, loadBytes<uint64_t>(bytes.data()));
  if (bytes.empty()) return sum;
  uint64_t last = 0;
  std::memcpy(&last, bytes.data(), bytes.size());
  return mixed(sum, last);
}

SnapshotWriter::SnapshotWriter(SnapshotSink sink) : sink_(std::move(sink)) {
  buffer_.reserve(kBufferBytes);
}

void SnapshotWriter::bytes(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const size_t fits = std::min(bytes.size(), kBufferBytes - buffer_.size());
    buffer_.insert(buffer_.end(), bytes.begin(), bytes.begin() + static_cast<ptrdiff_t>(fits));
    bytes = bytes.subspan(fits);
    if (buffer_.size() < kBufferBytes) return;
    checksum_ = snapshotChecksum(buffer_, checksum_);
    if (status_.ok()) status_ = sink_(buffer_);
    buffer_.clear();
  }
}

Status SnapshotWriter::finish() {
  checksum_ = snapshotChecksum(buffer_, checksum_);
  const auto sum = std::as_bytes(std::span(&checksum_, 1));
  buffer_.insert(buffer_.end(), sum.begin(), sum.end());
  if (status_.ok()) status_ = sink_(buffer_);
  return status_;
}

std::span<const std::byte> SnapshotReader::bytes(uint64_t count) {
  require(count <= rest_.size(), "more is announced than is there");
  if (failed()) return {};
  const auto taken = rest_.first(count);
  rest_ = rest_.subspan(count);
  return taken;
}

uint64_t SnapshotReader::count(uint64_t bytes_each) {
  uint64_t count = 0;
  get(count);
  require(count <= rest_.size() / bytes_each, "more is announced than is there");
  return failed() ? 0 : count;
}

}  // namespace etalon::sim
