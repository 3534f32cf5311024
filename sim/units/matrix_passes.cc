// SPDX-License-Identifier: Apache-2.0
#include "sim/units/matrix_passes.h"

#include <algorithm>

#include "isa/base/check.h"

namespace etalon::sim {
namespace {

constexpr uint64_t kAccumulatorBytes = 4;  // f32, i32
constexpr uint64_t kThousand = 1000;

uint64_t ceilDiv(uint64_t a, uint64_t b) { return (a + b - 1) / b; }
uint64_t bytesOf(uint64_t elements, unsigned bits) { return ceilDiv(elements * bits, 8); }

/// Elements of k that A stores: of a sparse one two of each four.
uint64_t storedK(const MatrixWork& work) { return work.sparse ? 2 * ceilDiv(work.k, 4) : work.k; }

/// Cycles from a row's first to past its last in the entry. Faster than a row a cycle, whole rows enter; where rows and
/// cycles do not meet, a row may begin and end within one.
Cycles rowCycles(Cycles stream, uint64_t rows) {
  if (stream <= rows) return 1;
  return stream / rows + (stream % rows == 0 ? 0 : 2);
}

/// Cycles of a row of accumulators at their ports, for each row that the array takes in one.
uint64_t accumulatorSlots(const isa::MatrixTiming& timing, const MatrixWork& work) {
  return ceilDiv(std::min(work.n, timing.cols) * kAccumulatorBytes, timing.accumulator_port_bytes);
}

MatrixPasses weightStationary(const isa::MatrixTiming& t, const MatrixWork& w) {
  // A sparse A picks two of four rows of B, so its pass needs the weights of twice as many.
  const uint64_t depth = w.sparse ? 2 * t.rows : t.rows;
  const uint64_t rate = matrixRate(t, w);
  const uint64_t row_bytes = bytesOf(std::min(storedK(w), t.rows), w.a_bits);
  const uint64_t weight_bytes = bytesOf(std::min(w.k, depth) * std::min(w.n, t.cols), w.b_bits);
  MatrixPasses p;
  p.blocks = ceilDiv(w.n, t.cols);
  p.steps = std::max<uint64_t>(1, ceilDiv(w.k, depth));
  p.stream = std::max(ceilDiv(w.m * kThousand, rate), ceilDiv(w.m * row_bytes, t.port_bytes));
  if (w.a_transposed) p.stream = std::max(p.stream, w.m);
  p.stream *= accumulatorSlots(t, w);
  if (w.k > 0)
    p.load =
        std::max(ceilDiv(depth * w.b_bits, t.weight_bits), ceilDiv(weight_bytes, t.port_bytes));
  p.first_load = p.load;
  p.lag = t.latency * t.rows + t.forward + rowCycles(p.stream, w.m) - 1;
  p.drain = t.latency * t.rows + t.cols - 1;
  return p;
}

MatrixPasses outputStationary(const isa::MatrixTiming& t, const MatrixWork& w) {
  // An element holds `latency` accumulators that take turns, since each waits so long for itself.
  const uint64_t height = t.rows * t.latency;
  const uint64_t rate = matrixRate(t, w);
  const uint64_t rows = std::min(w.m, height), cols = std::min(w.n, t.cols);
  MatrixPasses p;
  p.blocks = ceilDiv(w.m, height) * ceilDiv(w.n, t.cols);
  p.steps = 1;
  p.stream = std::max({uint64_t{1}, ceilDiv(storedK(w) * t.latency * kThousand, rate),
                       ceilDiv(bytesOf(rows * storedK(w), w.a_bits), t.port_bytes),
                       ceilDiv(bytesOf(cols * w.k, w.b_bits), t.port_bytes)});
  p.load = rows * accumulatorSlots(t, w);
  p.first_load = w.accumulates ? p.load : 0;
  p.drain = t.rows + t.cols - 2 + t.latency + p.load;
  p.lag = p.stream + p.drain + t.forward;
  return p;
}

}  // namespace

uint64_t matrixRate(const isa::MatrixTiming& timing, const MatrixWork& work) {
  const unsigned bits = std::max(work.a_bits, work.b_bits);
  const uint64_t rate = bits <= 4    ? timing.rate_4
                        : bits <= 8  ? timing.rate_8
                        : bits <= 16 ? timing.rate_16
                                     : timing.rate_32;
  ETALON_CHECK(rate != 0, "the machine gives no rate for matrix operands of this width");
  return rate;
}

MatrixPasses matrixPasses(const isa::MatrixTiming& timing, const MatrixWork& work) {
  // No result, or a product of no terms onto what is there.
  if (work.m == 0 || work.n == 0 || (work.k == 0 && work.accumulates)) return {};
  return timing.dataflow == isa::MatrixTiming::kOutputStationary ? outputStationary(timing, work)
                                                                 : weightStationary(timing, work);
}

MatrixRound lastRound(const MatrixPasses& passes, MatrixRound round) {
  if (passes.steps < 2) return round;
  const Cycles interval = passes.interval(), later = passes.steps - 2;
  // Where a round waits for the sums of the one before, block by block, it is as long as that one.
  if (passes.lag >= round.last - round.first + interval)
    return {round.first + (later + 1) * passes.lag, round.last + (later + 1) * passes.lag};
  // Else it follows the one before, and all behind it are alike.
  const Cycles first = round.last + interval, last = round.last + passes.round();
  return {first + later * passes.round(), last + later * passes.round()};
}

}  // namespace etalon::sim
