// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <random>
#include <ranges>
#include <vector>

namespace etalon::fuzz {

/// Random choices that are the same on every host: no distribution of the standard library, whose results are not.
class Random {
 public:
  /// The stream number `index` of a seed.
  Random(uint64_t seed, uint64_t index) : engine_(mix(mix(seed) + index)) {}

  uint64_t word() { return engine_(); }
  /// 0 <= result < n, n >= 1.
  uint64_t below(uint64_t n) { return engine_() % n; }
  bool oneIn(uint64_t n) { return below(n) == 0; }
  bool percent(uint64_t share) { return below(100) < share; }
  template <class T>
  T pick(std::initializer_list<T> values) {
    return values.begin()[below(values.size())];
  }
  template <std::ranges::random_access_range C>
  const auto& pick(const C& values) {
    return values[below(std::ranges::size(values))];
  }
  std::mt19937_64& engine() { return engine_; }

 private:
  /// splitmix64: neighbouring numbers give unrelated streams.
  static uint64_t mix(uint64_t x) {
    x += 0x9e3779b97f4a7c15;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
    x = (x ^ x >> 27) * 0x94d049bb133111eb;
    return x ^ x >> 31;
  }

  std::mt19937_64 engine_;
};

}  // namespace etalon::fuzz
