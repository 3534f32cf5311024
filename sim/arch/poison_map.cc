// SPDX-License-Identifier: Apache-2.0
#include "sim/arch/poison_map.h"

#include <bit>
#include <utility>

#include "sim/arch/word_mask.h"

namespace etalon::sim {
namespace {

/// The words of a run of bits: a first and a last one in part, the same one for a short run, whole ones between.
struct WordRun {
  WordRun(uint64_t offset, uint64_t length)
      : first(offset / kWordBits), last((offset + length - 1) / kWordBits) {
    const uint64_t to = offset + length - last * kWordBits;
    first_mask = wordMask(offset % kWordBits, first == last ? to : kWordBits);
    last_mask = wordMask(first == last ? offset % kWordBits : 0, to);
  }
  uint64_t first, last;
  uint64_t first_mask, last_mask;
};

}  // namespace

Result<PoisonMap> PoisonMap::create(uint64_t bytes, std::string_view what) {
  auto bits = Backing::create((bytes + kWordBits - 1) / kWordBits * sizeof(uint64_t), what);
  if (!bits.ok()) return bits.error();
  return PoisonMap(std::move(bits).value());
}

void PoisonMap::set(uint64_t offset, uint64_t length) {
  auto* words = bits_.as<uint64_t>();
  const WordRun run(offset, length);
  words[run.first] |= run.first_mask;
  if (run.first == run.last) return;
  fillWords(words + run.first + 1, words + run.last, ~uint64_t{0});
  words[run.last] |= run.last_mask;
}

bool PoisonMap::any(uint64_t offset, uint64_t length) const {
  const auto* words = bits_.as<uint64_t>();
  const WordRun run(offset, length);
  uint64_t found = (words[run.first] & run.first_mask) | (words[run.last] & run.last_mask);
  // Without a way out the loop over whole words is one the compiler vectorises.
  for (uint64_t word = run.first + 1; word < run.last; ++word) found |= words[word];
  return found != 0;
}

void PoisonMap::clear(uint64_t offset, uint64_t length) {
  if (!any(offset, length)) return;  // so that pages nobody poisoned stay untouched
  ++cleared_;
  auto* words = bits_.as<uint64_t>();
  const WordRun run(offset, length);
  words[run.first] &= ~run.first_mask;
  if (run.first == run.last) return;
  fillWords(words + run.first + 1, words + run.last, uint64_t{0});
  words[run.last] &= ~run.last_mask;
}

std::optional<uint64_t> PoisonMap::first(uint64_t offset, uint64_t length) const {
  if (!any(offset, length)) return std::nullopt;
  const auto* words = bits_.as<uint64_t>();
  const WordRun run(offset, length);
  for (uint64_t word = run.first;; ++word) {
    const uint64_t mask = word == run.first  ? run.first_mask
                          : word == run.last ? run.last_mask
                                             : ~uint64_t{0};
    const uint64_t found = words[word] & mask;
    if (found != 0) return word * kWordBits + static_cast<uint64_t>(std::countr_zero(found));
  }
}

}  // namespace etalon::sim
