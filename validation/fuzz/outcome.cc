// SPDX-License-Identifier: Apache-2.0
#include "validation/fuzz/outcome.h"

#include <fmt/format.h>

#include <bit>

#include "isa/base/bits.h"

namespace etalon::fuzz {
namespace {

constexpr uint64_t kMultiplier = 0x9fb21c651e98df25;

uint64_t mixed(uint64_t state, uint64_t word) {
  const uint64_t product = (state ^ word) * kMultiplier;
  return std::rotl(product, 29);
}

}  // namespace

void Digest::add(uint64_t word) {
  state_[0] = mixed(state_[0], word);
  bytes_ += 8;
}

void Digest::add(std::span<const std::byte> bytes) {
  bytes_ += bytes.size();
  size_t at = 0;
  // Four chains, because a single one waits for its multiplications.
  for (; at + 32 <= bytes.size(); at += 32)
    for (size_t i = 0; i < 4; ++i)
      state_[i] = mixed(state_[i], loadBytes<uint64_t>(bytes.data() + at + 8 * i));
  for (; at < bytes.size(); ++at)
    state_[0] = mixed(state_[0], std::to_integer<uint64_t>(bytes[at]));
}

uint64_t Digest::value() const {
  uint64_t all = bytes_;
  for (const uint64_t state : state_) all = mixed(all, state);
  return all ^ all >> 32;
}

uint64_t Outcome::digest() const {
  Digest digest;
  digest.add(static_cast<uint64_t>(end));
  for (const auto& [name, part] : parts) {
    digest.add(name);
    digest.add(part);
  }
  return digest.value();
}

std::string_view endName(etalon_end end) {
  switch (end) {
    case ETALON_END_EXITED: return "exited";
    case ETALON_END_FAULT: return "fault";
    case ETALON_END_DEADLOCK: return "deadlock";
    case ETALON_END_INSTRUCTION_LIMIT: return "instruction limit";
    case ETALON_END_TIMEOUT: return "timeout";
    case ETALON_END_RUNNING: return "running";
  }
  return "unknown";
}

std::optional<std::string> difference(const Outcome& a, const Outcome& b) {
  if (a.end != b.end) return fmt::format("end: {} and {}", endName(a.end), endName(b.end));
  for (const auto& [name, digest] : a.parts) {
    const auto other = b.parts.find(name);
    if (other != b.parts.end() && other->second != digest)
      return fmt::format("{}: {:016x} and {:016x}", name, digest, other->second);
  }
  return std::nullopt;
}

}  // namespace etalon::fuzz
