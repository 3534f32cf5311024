// SPDX-License-Identifier: Apache-2.0
#include "sim/units/systolic_array.h"

#include <algorithm>
#include <map>
#include <utility>

namespace etalon::sim {
namespace {

constexpr uint64_t kRow = 1000;  // credit that a row needs to enter

}  // namespace

SystolicArray::SystolicArray(const isa::MatrixTiming& timing)
    : timing_(timing),
      skew_(timing.cols),
      lines_(timing.cols, std::vector<Rows>(timing.rows * timing.latency)) {}

/// Credit a cycle.
uint64_t SystolicArray::rate(const ArrayProduct& product) const {
  const uint64_t rate = product.bits == 32   ? timing_.rate_32
                        : product.bits == 16 ? timing_.rate_16
                        : product.bits == 8  ? timing_.rate_8
                                             : timing_.rate_4;
  return product.a_transposed ? std::min(rate, kRow) : rate;
}

void SystolicArray::plan() {
  std::map<std::pair<int, uint64_t>, size_t> numbers;  // of blocks of tds
  for (size_t i = 0; i < products_.size(); ++i) {
    const ArrayProduct& p = products_[i];
    uint64_t blocks = 0, steps = 0;
    for (uint64_t n = 0; n < p.n; n += timing_.cols) ++blocks;
    for (uint64_t k = 0; k < p.k; k += timing_.rows) ++steps;
    for (uint64_t step = 0; step < steps; ++step)
      for (uint64_t block = 0; block < blocks; ++block) {
        const auto [at, is_new] = numbers.try_emplace({p.td, block}, accumulators_.size());
        if (is_new) accumulators_.emplace_back(p.m * timing_.cols);
        passes_.push_back(
            {i, block, step, steps, block + 1 == blocks && step + 1 == steps, at->second});
      }
    unfinished_.push_back(blocks * p.m);
  }
}

std::vector<ArrayTimes> SystolicArray::run(const std::vector<ArrayProduct>& products) {
  products_ = products;
  times_.assign(products.size(), {});
  plan();
  for (Cycles now = 0; times_.back().done == 0; ++now) {
    entered_ = false;
    shift(now);
    if (loading_ && --load_left_ == 0) {
      loading_ = false;
      loaded_ = true;
    }
    streamRows(now);
    takeProduct(now);
    loadWeights(now);
    account(now);
  }
  return times_;
}

/// Everything in the array moves on by a register.
void SystolicArray::shift(Cycles now) {
  for (uint64_t column = 0; column < timing_.cols; ++column) {
    const Rows& out = lines_[column][now % lines_[column].size()];
    if (out.rows > 0) leave(now, out, column);
  }
  for (uint64_t column = timing_.cols; column-- > 1;) {
    skew_[column] = skew_[column - 1];
    enter(now, column, skew_[column]);
  }
  skew_[0] = {};
  enter(now, 0, {});
}

/// Rows go into the delay line of a column; what they add to must be there.
void SystolicArray::enter(Cycles now, uint64_t column, const Rows& rows) {
  lines_[column][now % lines_[column].size()] = rows;
  if (rows.rows == 0) return;
  const Pass& pass = passes_[rows.pass];
  const bool adds = pass.step > 0 || products_[pass.product].accumulates;
  for (uint64_t row = rows.first; row < rows.first + rows.rows; ++row) {
    Accumulator& own = accumulator(pass, row, column);
    if (adds && own.in_flight) sound_ = false;
    if (adds && own.returns > now) sound_ = false;
    own = {rows.pass, own.returns, true};
  }
}

void SystolicArray::leave(Cycles now, const Rows& rows, uint64_t column) {
  const Pass& pass = passes_[rows.pass];
  ArrayTimes& times = times_[pass.product];
  for (uint64_t row = rows.first; row < rows.first + rows.rows; ++row) {
    Accumulator& own = accumulator(pass, row, column);
    if (own.pass == rows.pass) {
      own.in_flight = false;
      own.returns = now + timing_.forward;
    }
    if (column + 1 < timing_.cols || pass.step + 1 < pass.steps) continue;
    // Written in this cycle, read from the next on.
    if (times.first_result == 0) times.first_result = now + 1;
    if (--unfinished_[pass.product] == 0) times.done = now + 1;
  }
}

bool SystolicArray::isWritten(int tile, size_t before, Cycles now) const {
  for (size_t i = 0; i < before; ++i)
    if (products_[i].td == tile && (times_[i].done == 0 || times_[i].done > now)) return false;
  return true;
}

/// True if all rows of the next pass can enter without a gap from now on.
bool SystolicArray::mayBegin(Cycles now) {
  const Pass& pass = passes_[pass_];
  const ArrayProduct& product = products_[pass.product];
  if (!loaded_ || taken_ <= pass.product) return false;
  if (pass.block == 0 && pass.step == 0 && !isWritten(product.a, pass.product, now)) return false;
  if (pass.step == 0 && !product.accumulates) return true;
  Cycles begins = now;
  uint64_t credit = 0;
  for (uint64_t row = 0; row < product.m; ++row) {
    const Accumulator& own = accumulator(pass, row, 0);
    Cycles returns = own.returns;
    // Seen in the delay line: it leaves when what is before it has left.
    const auto& line = lines_[0];
    for (size_t ahead = 1; own.in_flight && ahead <= line.size(); ++ahead) {
      const Rows& rows = line[(now + ahead) % line.size()];
      if (rows.rows > 0 && rows.pass == own.pass && row >= rows.first &&
          row < rows.first + rows.rows)
        returns = now + ahead + timing_.forward;
    }
    if (returns > begins) return false;
    // When the next row begins.
    while (credit < kRow) {
      credit += rate(product);
      if (credit < kRow) ++begins;
    }
    credit -= kRow;
    if (credit < kRow) ++begins;
  }
  return true;
}

void SystolicArray::streamRows(Cycles now) {
  if (pass_ == passes_.size()) return;
  const Pass& pass = passes_[pass_];
  const ArrayProduct& product = products_[pass.product];
  ArrayTimes& times = times_[pass.product];
  if (!streaming_) {
    if (!mayBegin(now)) return;
    streaming_ = true;
    loaded_ = false;
    row_ = credit_ = 0;
    if (pass.block == 0 && pass.step == 0) times.start = now;
    if (pass.last_of_product) {
      times.last_pass = now;
      ++begun_;
    }
  }
  entered_ = true;
  ++times.busy;
  credit_ += rate(product);
  const uint64_t rows = std::min(credit_ / kRow, product.m - row_);
  if (rows > 0) {
    skew_[0] = {pass_, row_, rows};
    enter(now, 0, skew_[0]);
    row_ += rows;
    credit_ -= rows * kRow;
  }
  if (row_ < product.m) return;
  times.read_done = now + 1;
  streaming_ = false;
  ++pass_;
}

void SystolicArray::takeProduct(Cycles now) {
  if (taken_ == products_.size() || now < products_[taken_].arrives || begun_ < taken_) return;
  times_[taken_++].taken = now;
}

void SystolicArray::loadWeights(Cycles now) {
  if (loading_ || loaded_ || load_ == passes_.size()) return;
  const Pass& pass = passes_[load_];
  if (taken_ <= pass.product || !isWritten(products_[pass.product].b, pass.product, now)) return;
  loading_ = true;
  ++load_;
  load_left_ = 0;
  // A part of a row of weights is loaded a cycle.
  for (uint64_t bits = 0; bits < timing_.rows * products_[pass.product].bits;
       bits += timing_.weight_bits)
    ++load_left_;
}

void SystolicArray::account(Cycles now) {
  if (entered_ || pass_ == passes_.size()) return;
  const size_t product = passes_[pass_].product;
  if (taken_ <= product || now < times_[product].taken) return;
  ++(loading_ ? times_[product].weights : times_[product].chain);
}

}  // namespace etalon::sim
