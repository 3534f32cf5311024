// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <array>

#include "kernels/reference/operators.h"
#include "kernels/reference/value.h"

namespace etalon::kernels {
namespace {

/// Philox4x32-10 (Salmon, Moraes, Dror, Shaw 2011) of one counter and key.
std::array<uint32_t, 4> philox(std::array<uint32_t, 4> counter, uint32_t key0, uint32_t key1) {
  for (int round = 0; round < 10; ++round) {
    const uint64_t first = uint64_t{counter[0]} * 0xD2511F53U;
    const uint64_t second = uint64_t{counter[2]} * 0xCD9E8D57U;
    counter = {
        static_cast<uint32_t>(second >> 32) ^ counter[1] ^ key0, static_cast<uint32_t>(second),
        static_cast<uint32_t>(first >> 32) ^ counter[3] ^ key1, static_cast<uint32_t>(first)};
    key0 += 0x9E3779B9U;
    key1 += 0xBB67AE85U;
  }
  return counter;
}

}  // namespace

/// dropout(x) -> y: y_e = x_e * scale where u_e >= p, else +0, with scale = RNE(1 / RNE(1 - p)) in f32;
/// u_e is the uniform number of element e in C order (isa.md section 5, Random): floor(w / 2^8) 2^-24
/// of word e of Philox under seed and stream.
///
/// with       p=0.5 (f32, 0 to 1), seed=1, stream=0 (0 to 2^32 - 1).
/// Types      f32, bf16, f16 to f32, bf16, f16: the product rounds to f32, then to the output: replay.
Result<CheckReport> checkDropout(const Call& call) {
  using enum ElementType;
  ETALON_RETURN_IF_ERROR(call.expectInputs(1, 1, "dropout(x) -> y with p=0.5, seed=1, stream=0"));
  ETALON_RETURN_IF_ERROR(call.expectAttributes({"p", "seed", "stream"}));
  const Result<const Array*> x = call.array(0, {f32, bf16, f16});
  if (!x.ok()) return x.error();
  ETALON_RETURN_IF_ERROR(call.expectOutputType({f32, bf16, f16}));
  ETALON_RETURN_IF_ERROR(call.expectOutputShape((*x)->shape));
  const Result<double> p = call.real("p", 0.5);
  if (!p.ok()) return p.error();
  const bool inside = *p >= 0 && *p <= 1;  // false for NaN
  if (!inside) return call.error(fmt::format("attribute p is {}; it is 0 to 1", *p));
  constexpr int64_t kMost = UINT32_MAX;
  const Result<int64_t> seed = call.integer("seed", 0, kMost, 1);
  if (!seed.ok()) return seed.error();
  const Result<int64_t> stream = call.integer("stream", 0, kMost, 0);
  if (!stream.ok()) return stream.error();
  const auto kept = double{roundToFloat({1 - *p, 0})};  // p is an f32: the difference is exact
  const auto scale = double{1.0F / static_cast<float>(kept)};

  const std::vector<double> values = elementValues(**x);
  std::vector<uint64_t> expected(values.size());
  for (uint64_t e = 0; e < values.size(); ++e) {
    const uint32_t word = philox({static_cast<uint32_t>(e >> 2), static_cast<uint32_t>(e >> 34),
                                  static_cast<uint32_t>(*stream), 0},
                                 static_cast<uint32_t>(*seed), 0)[e % 4];
    const double uniform = static_cast<double>(word >> 8) * 0x1p-24;
    const double y = uniform >= *p ? double{roundToFloat({values[e] * scale, 0})} : 0;
    expected[e] = encode(call.outputType(), {y, 0});
  }
  return compareBits(call.operation(), "replay", call.output(), expected);
}

}  // namespace etalon::kernels
