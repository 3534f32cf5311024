// SPDX-License-Identifier: Apache-2.0
#include "sim/memory/local_memory.h"

#include <algorithm>
#include <bit>
#include <numeric>

#include "isa/base/check.h"

namespace etalon::sim {
namespace {

uint64_t ceilDiv(uint64_t a, uint64_t b) { return (a + b - 1) / b; }

/// Sum of floor((a * i + b) / m) over 0 <= i < n, by Euclid's algorithm; sums of local offsets stay far below 2^64.
uint64_t floorSum(uint64_t n, uint64_t m, uint64_t a, uint64_t b) {
  uint64_t sum = 0;
  while (true) {
    if (a >= m) {
      sum += (n - 1) * n / 2 * (a / m);
      a %= m;
    }
    if (b >= m) {
      sum += n * (b / m);
      b %= m;
    }
    const uint64_t last = a * n + b;
    if (last < m) return sum;
    n = last / m;
    b = last % m;
    std::swap(m, a);
  }
}

}  // namespace

LocalMemory::LocalMemory(const isa::LocalTiming& timing)
    : timing_(timing), capacity_(timing.banks * timing.bank_bytes), spans_{Span{}} {
  ETALON_CHECK(std::has_single_bit(timing.banks) && std::has_single_bit(timing.bank_bytes),
               "banks of local memory and their bytes are powers of two");
}

uint64_t LocalMemory::bank(uint64_t offset) const {
  const uint64_t word = offset / timing_.bank_bytes;
  return (word ^ word / timing_.banks) % timing_.banks;
}

uint64_t LocalMemory::wordsOfRow(uint64_t offset, uint64_t width) const {
  return (offset + width - 1) / timing_.bank_bytes - offset / timing_.bank_bytes + 1;
}

/// Of the `inner` rows of a block that begins at `offset`.
uint64_t LocalMemory::wordsOfBlock(const isa::CanonicalTile& tile, uint64_t offset) const {
  const uint64_t word = timing_.bank_bytes, width = tile.width;
  const uint64_t row = wordsOfRow(offset, width);
  if (tile.inner == 1 || wordsOfRow(offset, tile.span) == 1) return row;
  if (tile.istride == 0) return row * tile.inner;
  if (tile.istride >= width && tile.istride - width < word) return wordsOfRow(offset, tile.span);
  if (tile.istride % word == 0) return row * tile.inner;
  // Sum over rows of last word - first word + 1.
  return floorSum(tile.inner, word, tile.istride, offset % word + width - 1) -
         floorSum(tile.inner, word, tile.istride, offset % word) + tile.inner;
}

uint64_t LocalMemory::words(const isa::TileRegister& tile) const {
  if (tile.empty()) return 0;
  const isa::CanonicalTile c = isa::canonical(tile);
  const uint64_t word = timing_.bank_bytes;
  if (c.ostride == 0 || c.ostride % word == 0) {
    const uint64_t block = wordsOfBlock(c, c.base);
    return c.ostride == 0 && block == 1 ? 1 : block * c.outer;
  }
  // Blocks differ by where in a word they begin, and that repeats.
  const uint64_t period = word / std::gcd(c.ostride, word);
  uint64_t sum = 0;
  for (uint64_t o = 0; o < std::min(period, c.outer); ++o)
    sum += wordsOfBlock(c, c.base + o * c.ostride) * ceilDiv(c.outer - o, period);
  return sum;
}

uint64_t LocalMemory::spread(uint64_t stride) const {
  // The words' numbers modulo banks^2 decide. Multiples of stride take every one with the remainder's low bits, and those
  // are in all banks while the bits that vary reach below the upper half.
  if (stride == 0) return 1;
  const uint64_t square = timing_.banks * timing_.banks;
  const uint64_t step = stride & (~stride + 1);  // largest power of two that divides it
  if (step <= timing_.bank_bytes * timing_.banks) return timing_.banks;
  return std::max<uint64_t>(1, square / (step / timing_.bank_bytes));
}

Cycles LocalMemory::cycles(const isa::TileRegister& tile) const {
  if (tile.empty()) return 0;
  const uint64_t all = ceilDiv(words(tile), timing_.banks);
  const isa::CanonicalTile c = isa::canonical(tile);
  const auto level = [&](uint64_t extent, uint64_t stride) {
    return extent == 1 ? 1 : std::min(extent, spread(stride));
  };
  const uint64_t banks =
      std::min(timing_.banks, level(c.inner, c.istride) * level(c.outer, c.ostride));
  const uint64_t rows = (c.istride == 0 ? 1 : c.inner) * (c.ostride == 0 ? 1 : c.outer);
  if (banks == timing_.banks || rows == 1) return all;
  // The words of a row are in other banks, as long as there are others.
  const uint64_t row = ceilDiv(c.width, timing_.bank_bytes);
  return std::max(all, ceilDiv(rows, banks) * ceilDiv(row * banks, timing_.banks));
}

size_t LocalMemory::find(Cycles time) const {
  const auto after =
      std::upper_bound(spans_.begin() + static_cast<ptrdiff_t>(first_), spans_.end(), time,
                       [](Cycles t, const Span& span) { return t < span.begin; });
  return static_cast<size_t>(after - spans_.begin()) - 1;
}

/// Makes a span begin at `time`, which is in span i or is its end; returns that span's number.
size_t LocalMemory::splitAt(size_t i, Cycles time) {
  if (spans_[i].begin == time) return i;
  if (i + 1 < spans_.size() && spans_[i + 1].begin == time) return i + 1;
  spans_.insert(spans_.begin() + static_cast<ptrdiff_t>(i) + 1, Span{time, spans_[i].used});
  return i + 1;
}

/// Joins equal neighbours among spans first..last, and their neighbours outside.
void LocalMemory::merge(size_t first, size_t last) {
  first = std::max(first, first_ + 1);
  last = std::min(last + 1, spans_.size() - 1);
  size_t kept = first;
  for (size_t i = first; i <= last; ++i)
    if (spans_[i].used != spans_[kept - 1].used) spans_[kept++] = spans_[i];
  if (kept <= last)
    spans_.erase(spans_.begin() + static_cast<ptrdiff_t>(kept),
                 spans_.begin() + static_cast<ptrdiff_t>(last) + 1);
}

Cycles LocalMemory::book(Cycles from, Cycles cycles, Bytes bytes) {
  if (bytes == 0 || cycles == 0) return from + cycles;
  ETALON_CHECK(from >= spans_[first_].begin, "a booking of local memory before its last retire()");
  booked_in_all_ += bytes;
  const Bytes rate = ceilDiv(bytes, cycles);
  size_t i = splitAt(find(from), from);
  const size_t first = i;
  Cycles end = from;
  for (;; ++i) {
    const Cycles begin = spans_[i].begin;
    const Bytes grant = std::min(rate, capacity_ - spans_[i].used);
    if (grant == 0) continue;  // the last span is free for ever
    const Cycles length = i + 1 < spans_.size() ? spans_[i + 1].begin - begin : kNever;
    const Cycles full = bytes / grant;
    if (full >= length) {
      spans_[i].used += grant;
      bytes -= grant * length;
      if (bytes == 0) {
        end = begin + length;
        break;
      }
      continue;
    }
    if (full > 0) {
      splitAt(i, begin + full);
      spans_[i].used += grant;
      bytes -= grant * full;
      ++i;
    }
    end = begin + full;
    if (bytes > 0) {
      splitAt(i, end + 1);
      spans_[i].used += bytes;
      ++end;
    }
    break;
  }
  merge(first, std::min(i + 1, spans_.size() - 1));
  return std::max(end, from + cycles);
}

Bytes LocalMemory::booked(Cycles time) const {
  ETALON_CHECK(time >= spans_[first_].begin, "local memory forgot this time");
  return spans_[find(time)].used;
}

void LocalMemory::retire(Cycles now) {
  while (first_ + 1 < spans_.size() && spans_[first_ + 1].begin <= now) ++first_;
  spans_[first_].begin = std::max(spans_[first_].begin, now);
  // Moving the rest costs no more than what was forgotten.
  if (first_ > spans_.size() / 2) {
    spans_.erase(spans_.begin(), spans_.begin() + static_cast<ptrdiff_t>(first_));
    first_ = 0;
  }
}

}  // namespace etalon::sim
