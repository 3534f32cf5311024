// SPDX-License-Identifier: Apache-2.0
// Block quantise and dequantise: the scale of a block is the first that fits, trying them upwards.
#include <algorithm>
#include <cmath>

#include "sim/functional/coverage/reference/lane.h"
#include "sim/functional/coverage/reference/model.h"

namespace etalon::reference {
namespace {

constexpr uint64_t kBlock = 32;
constexpr unsigned kNanScale = 0xff;

/// Of the OCP formats: the exponent of the greatest value, and the magnitudes that round to more.
struct Format {
  int greatest_exponent;
  double most;  // the half way point above the greatest value
  bool most_rounds_up;
};
Format formatOf(ElementType type) {
  if (type == ElementType::f8e4m3) return {8, 464, false};
  if (type == ElementType::f8e5m2) return {15, 61440, true};
  return {2, 7, true};
}

unsigned scaleOf(ElementType type, bool up, const std::vector<double>& block) {
  double amax = 0;
  for (const double x : block) {
    if (!std::isfinite(x)) return kNanScale;
    amax = std::max(amax, std::fabs(x));
  }
  const Format f = formatOf(type);
  for (unsigned b = 0; b < 254 && amax != 0; ++b) {
    const double quotient = amax / std::ldexp(1, static_cast<int>(b) - 127);
    const bool saturates = f.most_rounds_up ? quotient >= f.most : quotient > f.most;
    const bool in_higher_binade = quotient >= std::ldexp(1, f.greatest_exponent + 1);
    if (!(up ? saturates : in_higher_binade)) return b;
  }
  return amax == 0 ? 0 : 254;
}

void quantise(const Call& call, Memory& memory) {
  const Tile &ta = call.tile("ta"), &td = call.tile("td");
  const bool up = call.name == "et.quant.up";
  Matrix elements(td.rows(), td.columns());
  Matrix scales(ta.rows(), call.tile("tds").columns());
  for (uint64_t r = 0; r < ta.rows(); ++r)
    for (uint64_t first = 0; first < ta.columns(); first += kBlock) {
      std::vector<double> block;
      for (uint64_t c = first; c < std::min(first + kBlock, ta.columns()); ++c)
        block.push_back(decode(ta.type, readElement(memory, ta, r, c)));
      const unsigned scale = scaleOf(td.type, up, block);
      scales.at(r, first / kBlock) = scale;
      if (scale == kNanScale) continue;
      for (uint64_t i = 0; i < block.size(); ++i)
        elements.at(r, first + i) =
            encode(td.type, block[i] / std::ldexp(1, static_cast<int>(scale) - 127), {false, true});
    }
  writeTile(memory, td, elements);
  writeTile(memory, call.tile("tds"), scales);
}

void dequantise(const Call& call, Memory& memory) {
  const Tile &ta = call.tile("ta"), &scales = call.tile("tscale"), &td = call.tile("td");
  Matrix values(td.rows(), td.columns());
  for (uint64_t r = 0; r < td.rows(); ++r)
    for (uint64_t c = 0; c < td.columns(); ++c) {
      const double product = decode(ta.type, readElement(memory, ta, r, c)) *
                             decode(scales.type, readElement(memory, scales, r, c / kBlock));
      const auto f32 = static_cast<uint32_t>(encode(ElementType::f32, product));
      values.at(r, c) = narrow(ElementType::f32, f32, td.type);
    }
  writeTile(memory, td, values);
}

}  // namespace

bool executeQuantise(Call& call, Memory& memory) {
  if (call.name == "et.quant" || call.name == "et.quant.up")
    quantise(call, memory);
  else if (call.name == "et.dequant")
    dequantise(call, memory);
  else
    return false;
  return true;
}

}  // namespace etalon::reference
