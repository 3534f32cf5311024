// SPDX-License-Identifier: Apache-2.0
#include "kernels/reference/element_data.h"
#include "kernels/reference/probe.h"
#include "kernels/reference/probe_plan.h"

namespace etalon::kernels {
namespace {

std::vector<int> exponents(uint64_t count, int low, int high, ProbeRandom& random) {
  std::vector<int> out(count);
  for (int& exponent : out) exponent = static_cast<int>(random.between(low, high));
  return out;
}

/// Rows m of A or columns n of B, K integers each, with the pair at two places.
std::vector<int64_t> drawFactor(const ProbePlan& plan, const ProbeFactor& factor, uint64_t lines,
                                uint64_t k, const uint64_t (&pair)[2], bool opposite,
                                ProbeRandom& random) {
  std::vector<int64_t> out(lines * k);
  for (uint64_t line = 0; line < lines; ++line) {
    for (uint64_t i = 0; i < k; ++i) out[line * k + i] = plan.draw(factor, random);
    if (!plan.paired) continue;
    const int64_t large = random.sign() * (int64_t{1} << factor.large);
    out[line * k + pair[0]] = large;
    out[line * k + pair[1]] = opposite ? -large : large;
  }
  return out;
}

}  // namespace

Result<MatmulProbe> makeMatmulProbe(ProbeTypes types, uint64_t m, uint64_t k, uint64_t n,
                                    uint64_t seed) {
  for (const Shape& shape : {Shape{m, k}, Shape{k, n}, Shape{m, n}})
    if (const Result<uint64_t> bytes = abi::arrayBytes(ElementType::f32, shape); !bytes.ok())
      return bytes.error();
  const Result<ProbePlan> planned = planProbe(types, k, k >= 2 ? 1 : 0);
  if (!planned.ok()) return planned.error();
  const ProbePlan& plan = *planned;
  ProbeRandom random(seed);
  const std::vector<int> rows = exponents(m, plan.a.low, plan.a.high, random);
  const std::vector<int> columns = exponents(n, plan.b.low, plan.b.high, random);
  const std::vector<int> shifts = exponents(k, -plan.spread, plan.spread, random);
  uint64_t pair[2] = {0, 0};
  if (k >= 2) {
    const auto half = static_cast<int64_t>(k / 2);
    pair[0] = static_cast<uint64_t>(random.between(0, half - 1));
    pair[1] = static_cast<uint64_t>(random.between(half, static_cast<int64_t>(k) - 1));
  }
  const std::vector<int64_t> a = drawFactor(plan, plan.a, m, k, pair, false, random);
  const std::vector<int64_t> b = drawFactor(plan, plan.b, n, k, pair, true, random);

  std::vector<uint64_t> a_bits(m * k);
  std::vector<uint64_t> b_bits(k * n);
  std::vector<uint64_t> sums(m * n);
  for (uint64_t i = 0; i < m; ++i)
    for (uint64_t j = 0; j < k; ++j)
      a_bits[i * k + j] = probeElement(types.a, a[i * k + j], rows[i] + shifts[j]);
  for (uint64_t i = 0; i < n; ++i)
    for (uint64_t j = 0; j < k; ++j)
      b_bits[j * n + i] = probeElement(types.b, b[i * k + j], columns[i] - shifts[j]);
  for (uint64_t row = 0; row < m; ++row) {
    for (uint64_t column = 0; column < n; ++column) {
      int64_t sum = 0;
      for (uint64_t i = 0; i < k; ++i) sum += a[row * k + i] * b[column * k + i];
      sums[row * n + column] = probeSum(types.out, sum, rows[row] + columns[column]);
    }
  }
  return MatmulProbe{arrayOf(types.a, {m, k}, a_bits), arrayOf(types.b, {k, n}, b_bits),
                     arrayOf(types.out, {m, n}, sums)};
}

}  // namespace etalon::kernels
