// SPDX-License-Identifier: Apache-2.0
#include "sim/functional/coverage/pairwise.h"

#include <algorithm>
#include <numeric>
#include <random>

#include "isa/base/check.h"

namespace etalon::sim::coverage {
namespace {

/// Values of all dimensions numbered through, and a bit for each two of them.
class Pairs {
 public:
  explicit Pairs(const Space& space) {
    for (const Dimension& d : space.dimensions) {
      first_.push_back(count_);
      count_ += d.values.size();
    }
    open_.assign(count_ * count_, false);
    allowed_.assign(count_ * count_, false);
    for (size_t i = 0; i < first_.size(); ++i)
      for (size_t j = i + 1; j < first_.size(); ++j) fill(space, i, j);
  }

  size_t number(size_t dimension, size_t value) const { return first_[dimension] + value; }
  bool allowed(size_t a, size_t b) const { return allowed_[a * count_ + b]; }
  bool open(size_t a, size_t b) const { return open_[a * count_ + b]; }
  void close(size_t a, size_t b) { open_[a * count_ + b] = open_[b * count_ + a] = false; }

  void cover(const Point& point) {
    for (size_t i = 0; i < point.size(); ++i)
      for (size_t j = i + 1; j < point.size(); ++j) close(number(i, point[i]), number(j, point[j]));
  }

 private:
  void fill(const Space& space, size_t i, size_t j) {
    for (size_t a = 0; a < space.dimensions[i].values.size(); ++a)
      for (size_t b = 0; b < space.dimensions[j].values.size(); ++b) {
        if (!space.allowed(i, a, j, b)) continue;
        const size_t x = number(i, a), y = number(j, b);
        open_[x * count_ + y] = open_[y * count_ + x] = true;
        allowed_[x * count_ + y] = allowed_[y * count_ + x] = true;
      }
  }

  std::vector<size_t> first_;
  size_t count_ = 0;
  std::vector<bool> open_, allowed_;
};

constexpr uint16_t kUnset = 0xffff;

/// The value of dimension d that goes with the set values and covers most open pairs; kUnset if
/// none does. Ties fall to the first value from a random start.
uint16_t bestValue(const Space& space, const Pairs& pairs, const Point& point, size_t d,
                   size_t start) {
  const size_t n = space.dimensions[d].values.size();
  uint16_t best = kUnset;
  int most = -1;
  for (size_t i = 0; i < n; ++i) {
    const size_t value = (start + i) % n;
    const size_t own = pairs.number(d, value);
    int gain = 0;
    for (size_t e = 0; e < point.size() && gain >= 0; ++e) {
      if (point[e] == kUnset) continue;
      const size_t other = pairs.number(e, point[e]);
      gain = pairs.allowed(own, other) ? gain + pairs.open(own, other) : -1;
    }
    if (gain > most) {
      most = gain;
      best = static_cast<uint16_t>(value);
    }
  }
  return best;
}

/// Fills the unset dimensions in the given order; false at a dead end.
bool complete(const Space& space, const Pairs& pairs, Point& point, std::mt19937_64& random,
              const std::vector<size_t>& order) {
  for (const size_t d : order) {
    if (point[d] != kUnset) continue;
    point[d] = bestValue(space, pairs, point, d, random());
    if (point[d] == kUnset) return false;
  }
  return true;
}

/// A point with the two values given; empty if 50 orders lead to dead ends.
Point pointWith(const Space& space, const Pairs& pairs, size_t i, size_t a, size_t j, size_t b,
                std::mt19937_64& random) {
  std::vector<size_t> order(space.dimensions.size());
  std::iota(order.begin(), order.end(), size_t{0});
  for (int attempt = 0; attempt < 50; ++attempt) {
    for (size_t n = order.size(); n > 1; --n) std::swap(order[n - 1], order[random() % n]);
    Point point(space.dimensions.size(), kUnset);
    point[i] = static_cast<uint16_t>(a);
    point[j] = static_cast<uint16_t>(b);
    if (complete(space, pairs, point, random, order)) return point;
  }
  return {};
}

template <class F>
void forEachPair(const Space& space, F f) {
  for (size_t i = 0; i < space.dimensions.size(); ++i)
    for (size_t j = i + 1; j < space.dimensions.size(); ++j)
      for (size_t a = 0; a < space.dimensions[i].values.size(); ++a)
        for (size_t b = 0; b < space.dimensions[j].values.size(); ++b) f(i, a, j, b);
}

}  // namespace

size_t Space::indexOf(std::string_view name) const {
  const auto found = std::ranges::find(dimensions, name, &Dimension::name);
  ETALON_CHECK(found != dimensions.end(), "no dimension of this name");
  return static_cast<size_t>(found - dimensions.begin());
}

std::vector<Point> allPairs(const Space& space, uint64_t seed) {
  Pairs pairs(space);
  std::mt19937_64 random(seed);
  std::vector<Point> points;
  forEachPair(space, [&](size_t i, size_t a, size_t j, size_t b) {
    if (!pairs.open(pairs.number(i, a), pairs.number(j, b))) return;
    Point point = pointWith(space, pairs, i, a, j, b, random);
    if (point.empty()) return pairs.close(pairs.number(i, a), pairs.number(j, b));
    pairs.cover(point);
    points.push_back(std::move(point));
  });
  return points;
}

std::vector<std::string> missingPairs(const Space& space, const std::vector<Point>& points) {
  Pairs pairs(space);
  for (const Point& point : points) pairs.cover(point);
  std::vector<std::string> missing;
  forEachPair(space, [&](size_t i, size_t a, size_t j, size_t b) {
    const Dimension &x = space.dimensions[i], &y = space.dimensions[j];
    if (pairs.open(pairs.number(i, a), pairs.number(j, b)))
      missing.push_back(x.name + " = " + x.values[a] + " with " + y.name + " = " + y.values[b]);
  });
  return missing;
}

}  // namespace etalon::sim::coverage
