// SPDX-License-Identifier: Apache-2.0
// et.vx: the steps one after another for each element, then td and the reduction.
#include "sim/functional/coverage/reference/lane.h"
#include "sim/functional/coverage/reference/model.h"

namespace etalon::reference {
namespace {

struct Value {
  ElementType type = ElementType::f32;  // f32, i32 or u32
  uint32_t bits = 0;
};

/// Where the element stands: for sources and for mask steps.
struct Place {
  uint64_t row, column;
  uint64_t inner;  // of td, or of ta without td
};

Value readSource(const Call& call, const Memory& memory, const char* name, int32_t displacement,
                 const Place& at) {
  Tile tile = call.tile(name);
  tile.base += static_cast<uint64_t>(int64_t{displacement});
  return {widened(tile.type), widen(tile.type, readElement(memory, tile, at.row, at.column))};
}

Value select(const Call& call, const Memory& memory, unsigned selector, ElementType constant_type,
             const std::array<Value, 4>& temporaries, const Place& at) {
  constexpr const char* kTiles[] = {"ta", "tb", "third"};
  const auto& constants = call.chain.constants;
  if (selector < 3) return readSource(call, memory, kTiles[selector], 0, at);
  if (selector < 16) return temporaries.at(selector - 8);
  if (selector < 32) return {constant_type, constants.at(selector - 16)};
  const bool second = selector >= 48;
  const auto bytes = static_cast<int32_t>(constants.at(selector - (second ? 48 : 32)));
  return readSource(call, memory, kTiles[second ? 1 : 0], bytes, at);
}

/// True if a mask step keeps its value; `first` is the number of its constants {base, os, is, cs}.
bool keeps(const Chain& chain, unsigned first, const Place& at) {
  const auto constant = [&](unsigned i) {
    return static_cast<__int128>(static_cast<int32_t>(chain.constants.at(first + i)));
  };
  return constant(0) + static_cast<__int128>(at.row / at.inner) * constant(1) +
             static_cast<__int128>(at.row % at.inner) * constant(2) +
             static_cast<__int128>(at.column) * constant(3) >=
         0;
}

Value runStep(const Call& call, const Memory& memory, const Chain::Step& step,
              const std::array<Value, 4>& temporaries, const Place& at) {
  const auto source = [&](size_t i) {
    return select(call, memory, step.selectors[i], step.compute, temporaries, at);
  };
  const Value a = source(0);
  if (step.op == "mask")
    return {step.compute, keeps(call.chain, step.selectors[1] - 16, at) ? a.bits : source(2).bits};
  if (step.op == "cvt") {
    const bool saturate = (step.mode & 8) != 0;
    if ((step.mode & 7) == 2) {
      const uint32_t word =
          select(call, memory, step.selectors[1], ElementType::u32, temporaries, at).bits;
      return {ElementType::f32,
              widen(step.result,
                    encodeStochastic(step.result, decode(a.type, a.bits), saturate, word))};
    }
    const Mode mode = {(step.mode & 7) == 1, saturate};
    return {widened(step.result), widen(step.result, convert(a.type, a.bits, step.result, mode))};
  }
  Operands values{a.bits, 0, 0};
  if (arity(step.op) > 1) values.b = source(1).bits;
  if (arity(step.op) > 2) values.c = source(2).bits;
  return {step.result, applyLane(step.op, step.compute, step.compute, values)};
}

/// Row r of the reduction tile from the row's temporaries in ascending order.
void reduceRow(Call& call, Memory& memory, uint64_t r, const std::vector<Value>& row,
               ElementType compute) {
  const Chain& chain = call.chain;
  const Tile& tile = call.tile("reduction");
  std::array<uint32_t, 64> lanes;
  for (uint64_t i = 0; i < lanes.size(); ++i)
    lanes[i] = chain.lanes ? static_cast<uint32_t>(readElement(memory, tile, r, i))
                           : identityLane(chain.reduction, compute);
  for (size_t j = 0; j < row.size(); ++j)
    lanes[j % 64] = reduceLane(chain.reduction, compute, lanes[j % 64], row[j].bits);
  if (chain.lanes) {
    for (uint64_t i = 0; i < lanes.size(); ++i) writeElement(memory, tile, r, i, lanes[i]);
    return;
  }
  for (size_t half = 32; half > 0; half /= 2)
    for (size_t i = 0; i < half; ++i)
      lanes[i] = reduceLane(chain.reduction, compute, lanes[i], lanes[i + half]);
  writeElement(memory, tile, r, 0, narrow(compute, lanes[0], tile.type));
}

}  // namespace

bool executeChain(Call& call, Memory& memory) {
  if (call.name != "et.vx") return false;
  const Chain& chain = call.chain;
  const Tile& shape = call.tile(chain.writes_td ? "td" : "ta");
  Matrix d(shape.rows(), shape.columns());
  const ElementType reduced =
      call.has("reduction") ? widened(call.tile("reduction").type) : ElementType::f32;
  for (uint64_t r = 0; r < shape.rows(); ++r) {
    std::vector<Value> row;
    for (uint64_t c = 0; c < shape.columns(); ++c) {
      std::array<Value, 4> temporaries{};
      const Place at{r, c, shape.inner};
      for (const Chain::Step& step : chain.steps)
        temporaries.at(step.destination) = runStep(call, memory, step, temporaries, at);
      if (chain.writes_td) {
        const Value v = select(call, memory, chain.td_selector, shape.type, temporaries, at);
        d.at(r, c) = narrow(v.type, v.bits, shape.type);
      }
      if (!chain.reduction.empty())
        row.push_back(select(call, memory, chain.reduction_selector, reduced, temporaries, at));
    }
    if (!chain.reduction.empty()) reduceRow(call, memory, r, row, reduced);
  }
  if (chain.writes_td) writeTile(memory, shape, d);
  return true;
}

}  // namespace etalon::reference
