// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "isa/base/units.h"
#include "isa/machines/timing.h"

namespace etalon::sim {

/// A product for SystolicArray, in its own terms.
struct ArrayProduct {
  uint64_t m = 0, n = 0, k = 0;
  uint64_t bits = 16;         // of elements of A and B
  bool a_transposed = false;  // one row a cycle at most
  bool accumulates = false;
  int td = 0, a = -1, b = -1;  // tiles by name; equal names are the same tile, others share no byte
  Cycles arrives = 0;          // not taken before
};

/// What SystolicArray saw of a product.
struct ArrayTimes {
  Cycles taken = 0, start = 0, last_pass = 0, first_result = 0, read_done = 0, done = 0;
  Cycles busy = 0, weights = 0, chain = 0;
  bool operator==(const ArrayTimes&) const = default;
};

/// A weight-stationary array for tests, stepped cycle by cycle: weights go into second registers, rows enter at column 0
/// and reach one more column each cycle, partial sums go down a delay line of rows * latency registers a column, and
/// accumulators know when what they hold can enter again. It has no formula for the time of anything, and shares no code
/// with MatrixUnit.
class SystolicArray {
 public:
  explicit SystolicArray(const isa::MatrixTiming& timing);
  /// Runs products in order until the last one is done.
  std::vector<ArrayTimes> run(const std::vector<ArrayProduct>& products);
  /// True if partial sums were always there when they were needed.
  bool sound() const { return sound_; }

 private:
  /// One slab of weights, and the rows of A that go over it.
  struct Pass {
    size_t product = 0;
    uint64_t block = 0, step = 0, steps = 0;
    bool last_of_product = false;
    size_t accumulators = 0;  // number of the block of td
  };
  /// Rows that go side by side through a register of a delay line; none if `rows` is 0.
  struct Rows {
    size_t pass = 0;
    uint64_t first = 0, rows = 0;
  };
  /// A row of accumulators in one column of the array.
  struct Accumulator {
    size_t pass = 0;     // wrote it last
    Cycles returns = 0;  // what it wrote can enter again
    bool in_flight = false;
  };
  void plan();
  void shift(Cycles now);
  void leave(Cycles now, const Rows& rows, uint64_t column);
  void enter(Cycles now, uint64_t column, const Rows& rows);
  void streamRows(Cycles now);
  bool mayBegin(Cycles now);
  void takeProduct(Cycles now);
  void loadWeights(Cycles now);
  void account(Cycles now);
  bool isWritten(int tile, size_t before, Cycles now) const;
  uint64_t rate(const ArrayProduct& product) const;
  Accumulator& accumulator(const Pass& pass, uint64_t row, uint64_t column) {
    return accumulators_[pass.accumulators][row * timing_.cols + column];
  }

  isa::MatrixTiming timing_;
  std::vector<ArrayProduct> products_;
  std::vector<ArrayTimes> times_;
  std::vector<uint64_t> unfinished_;  // rows of accumulators that have not left the last column
  std::vector<Pass> passes_;
  std::vector<Rows> skew_;                              // by column
  std::vector<std::vector<Rows>> lines_;                // by column
  std::vector<std::vector<Accumulator>> accumulators_;  // by block of a td, then row and column
  bool sound_ = true;

  size_t taken_ = 0, begun_ = 0;  // products: taken; whose last pass has begun
  size_t pass_ = 0;               // whose rows enter, or wait to
  uint64_t row_ = 0, credit_ = 0;
  bool streaming_ = false, entered_ = false;
  size_t load_ = 0;  // passes whose weights were loaded, or are being
  bool loading_ = false, loaded_ = false;
  Cycles load_left_ = 0;
};

}  // namespace etalon::sim
