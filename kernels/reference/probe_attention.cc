// SPDX-License-Identifier: Apache-2.0
#include "kernels/reference/probe_attention.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "kernels/reference/element_data.h"
#include "kernels/reference/probe_plan.h"
#include "kernels/reference/value.h"

namespace etalon::kernels {
namespace {

constexpr int64_t kLargest = 15;  // of a code: its square has 8 bits
constexpr int64_t kSpread = 4096;
constexpr size_t kMostParts = 3;

using Code = std::array<int64_t, kMostParts>;

/// A head of keys: codes and values. Key 0 is the only one of its code.
struct Keys {
  std::vector<Code> codes;
  std::vector<int64_t> values;  // [T, E], all 1 modulo 8: no sum of 1, 2 or 4 is 0
};

Keys drawKeys(const AttentionProbeShape& x, size_t parts, ProbeRandom& random) {
  Keys keys = {std::vector<Code>(x.t), std::vector<int64_t>(x.t * x.e)};
  for (uint64_t j = 0; j < x.t; ++j) {
    Code& code = keys.codes[j];
    if (j > 1 && random.between(0, 2) == 0) {  // a twin
      code = keys.codes[static_cast<uint64_t>(random.between(1, static_cast<int64_t>(j) - 1))];
      continue;
    }
    for (size_t part = 0; part < parts; ++part)
      code[part] = j == 0 ? kLargest : random.between(-kLargest, kLargest - 1);
  }
  for (int64_t& value : keys.values) value = random.between(-16, 15) * 8 + 1;
  return keys;
}

std::vector<uint64_t> winnersOf(const Keys& keys, const Code& code, uint64_t seen) {
  std::vector<uint64_t> out;
  for (uint64_t j = 0; j < seen; ++j)
    if (keys.codes[j] == code) out.push_back(j);
  return out;
}

/// The 1, 2 or 4 seen keys of one code, often that of the last key; if chance finds none, key 0.
std::vector<uint64_t> drawWinners(const Keys& keys, uint64_t seen, ProbeRandom& random) {
  for (int attempt = 0; attempt < 8; ++attempt) {
    const int64_t last = static_cast<int64_t>(seen) - 1;
    const int64_t pick = random.between(0, 3) == 0 ? last : random.between(0, last);
    std::vector<uint64_t> winners = winnersOf(keys, keys.codes[static_cast<uint64_t>(pick)], seen);
    if (winners.size() <= 2 || winners.size() == 4) return winners;
  }
  return {0};
}

class Maker {
 public:
  Maker(ElementType type, const AttentionProbeShape& shape, uint64_t seed)
      : type_(type), x_(shape), random_(seed), parts_(std::min<size_t>(x_.d / 2, kMostParts)) {}

  AttentionProbe make() {
    std::vector<uint64_t> q(x_.b * x_.h * x_.s * x_.d);
    std::vector<uint64_t> expected(x_.b * x_.h * x_.s * x_.e);
    for (uint64_t head = 0; head < x_.b * x_.g; ++head) {
      const Keys keys = drawKeys(x_, parts_, random_);
      storeKeys(keys);
      const uint64_t share = x_.h / x_.g;
      for (uint64_t row = head * share * x_.s; row < (head + 1) * share * x_.s; ++row)
        makeQuery(keys, seenBy(head / x_.g, row % x_.s), q.data() + row * x_.d,
                  expected.data() + row * x_.e);
    }
    return {arrayOf(type_, {x_.b, x_.h, x_.s, x_.d}, q),
            arrayOf(type_, {x_.b, x_.g, x_.t, x_.d}, k_),
            arrayOf(type_, {x_.b, x_.g, x_.t, x_.e}, v_),
            arrayOf(type_, {x_.b, x_.h, x_.s, x_.e}, expected)};
  }

 private:
  uint64_t bits(int64_t value) const { return encode(type_, {static_cast<double>(value), 0}); }

  uint64_t seenBy(uint64_t b, uint64_t i) const {
    const uint64_t keys = x_.lengths.empty() ? x_.t : x_.lengths[b];
    if (!x_.causal) return keys;
    return i + 1 + keys > x_.s ? i + 1 + keys - x_.s : 0;
  }

  void storeKeys(const Keys& keys) {
    for (const Code& code : keys.codes) {
      for (size_t part = 0; part < parts_; ++part) {
        k_.push_back(bits(code[part]));
        k_.push_back(bits(-code[part] * code[part]));
      }
      k_.insert(k_.end(), x_.d - 2 * parts_, bits(0));
    }
    for (const int64_t value : keys.values) v_.push_back(bits(value));
  }

  void makeQuery(const Keys& keys, uint64_t seen, uint64_t* query, uint64_t* out) {
    const std::vector<uint64_t> winners =
        seen == 0 ? std::vector<uint64_t>() : drawWinners(keys, seen, random_);
    const Code code = winners.empty() ? Code{} : keys.codes[winners[0]];
    for (size_t part = 0; part < parts_; ++part) {
      query[2 * part] = bits(2 * kSpread * code[part]);
      query[2 * part + 1] = bits(kSpread);
    }
    // Where keys are 0, anything will do.
    for (uint64_t d = 2 * parts_; d < x_.d; ++d) query[d] = bits(random_.between(-99, 99));
    for (uint64_t e = 0; e < x_.e; ++e) {
      int64_t sum = 0;
      for (const uint64_t j : winners) sum += keys.values[j * x_.e + e];
      const double mean =
          winners.empty() ? 0 : static_cast<double>(sum) / static_cast<double>(winners.size());
      out[e] = encode(type_, {mean, 0});
    }
  }

  ElementType type_;
  const AttentionProbeShape& x_;
  ProbeRandom random_;
  size_t parts_;
  std::vector<uint64_t> k_;
  std::vector<uint64_t> v_;
};

}  // namespace

Result<AttentionProbe> makeAttentionProbe(ElementType type, const AttentionProbeShape& shape,
                                          uint64_t seed) {
  const AttentionProbeShape& x = shape;
  if (type != ElementType::bf16 && type != ElementType::f32)
    return Error{
        fmt::format("attention probe: type {}; it is bf16 or f32", elementInfo(type).name)};
  if (x.d < 2 || x.d > 256)
    return Error{fmt::format("attention probe: D is {}; codes need 2..256", x.d)};
  if (x.g == 0 || x.h % x.g != 0)
    return Error{fmt::format("attention probe: H is {}, no multiple of G = {}", x.h, x.g)};
  if (!x.lengths.empty() &&
      (x.lengths.size() != x.b || *std::max_element(x.lengths.begin(), x.lengths.end()) > x.t))
    return Error{fmt::format("attention probe: {} lengths; it takes one a b ({}), each 0..{}",
                             x.lengths.size(), x.b, x.t)};
  for (const Shape& array : {Shape{x.b, x.h, x.s, x.d}, Shape{x.b, x.g, x.t, x.d},
                             Shape{x.b, x.g, x.t, x.e}, Shape{x.b, x.h, x.s, x.e}})
    if (const Result<uint64_t> bytes = abi::arrayBytes(type, array); !bytes.ok())
      return bytes.error();
  return Maker(type, shape, seed).make();
}

}  // namespace etalon::kernels
