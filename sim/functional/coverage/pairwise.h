// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace etalon::sim::coverage {

/// One thing that varies, and its values.
struct Dimension {
  std::string name;
  std::vector<std::string> values;
};

/// Dimensions, and which pairs of values may stand in one case: (dimension, value, dimension,
/// value), the smaller dimension first.
struct Space {
  std::vector<Dimension> dimensions;
  std::function<bool(size_t, size_t, size_t, size_t)> allowed = [](size_t, size_t, size_t, size_t) {
    return true;
  };

  /// Index of a dimension; must exist.
  size_t indexOf(std::string_view name) const;
};

/// A value number for each dimension.
using Point = std::vector<uint16_t>;

/// Points such that every allowed pair of values of two dimensions is in one of them, greedily, the
/// same for the same seed.
std::vector<Point> allPairs(const Space& space, uint64_t seed);

/// Allowed pairs that are in none of the points, as text.
std::vector<std::string> missingPairs(const Space& space, const std::vector<Point>& points);

}  // namespace etalon::sim::coverage
