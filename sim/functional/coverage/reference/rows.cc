// SPDX-License-Identifier: Apache-2.0
// Reductions, arguments of extremes, scans and recurrences along rows and columns.
#include <array>
#include <cmath>
#include <optional>

#include "sim/functional/coverage/reference/lane.h"
#include "sim/functional/coverage/reference/model.h"

namespace etalon::reference {
namespace {

constexpr uint64_t kLanes = 64;

/// Parts of a mnemonic: "et.scan.sum.ex.rev" has scan, sum, ex, rev.
std::vector<std::string> partsOf(const std::string& name) {
  std::vector<std::string> parts;
  size_t begin = 3;
  while (begin <= name.size()) {
    const size_t end = std::min(name.find('.', begin), name.size());
    parts.push_back(name.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

bool has(const std::vector<std::string>& parts, std::string_view part) {
  for (const std::string& p : parts)
    if (p == part) return true;
  return false;
}

uint32_t canonicalLane(ElementType compute, uint32_t bits) {
  const bool nan = compute == ElementType::f32 && std::isnan(decode(compute, bits));
  return nan ? static_cast<uint32_t>(canonicalNan(compute)) : bits;
}

void reduceRows(Call& call, Memory& memory, const std::string& op, bool accumulate) {
  const Tile &ta = call.tile("ta"), &td = call.tile("td");
  const ElementType compute = widened(ta.type);
  for (uint64_t r = 0; r < ta.rows(); ++r) {
    std::array<uint32_t, kLanes> lane;
    for (uint64_t i = 0; i < kLanes; ++i)
      lane[i] = accumulate ? static_cast<uint32_t>(readElement(memory, td, r, i))
                           : identityLane(op, compute);
    for (uint64_t c = 0; c < ta.columns(); ++c)
      lane[c % kLanes] =
          reduceLane(op, compute, lane[c % kLanes], widen(ta.type, readElement(memory, ta, r, c)));
    if (accumulate) {
      for (uint64_t i = 0; i < kLanes; ++i) writeElement(memory, td, r, i, lane[i]);
      continue;
    }
    for (uint64_t half = kLanes / 2; half > 0; half /= 2)
      for (uint64_t i = 0; i < half; ++i)
        lane[i] = reduceLane(op, compute, lane[i], lane[i + half]);
    writeElement(memory, td, r, 0, narrow(compute, lane[0], td.type));
  }
}

void reduceColumns(Call& call, Memory& memory, const std::string& op, bool accumulate) {
  const Tile &ta = call.tile("ta"), &td = call.tile("td");
  const ElementType compute = widened(ta.type);
  for (uint64_t c = 0; c < td.columns(); ++c) {
    uint32_t sum = accumulate ? static_cast<uint32_t>(readElement(memory, td, 0, c))
                              : identityLane(op, compute);
    for (uint64_t r = 0; r < ta.rows(); ++r)
      sum = reduceLane(op, compute, sum, widen(ta.type, readElement(memory, ta, r, c)));
    writeElement(memory, td, 0, c, narrow(compute, sum, td.type));
  }
}

/// True if `value` takes the place of `best`: the first NaN wins, else what is strictly beyond.
bool replaces(bool greatest, double value, double best) {
  if (std::isnan(best)) return false;
  if (std::isnan(value)) return true;
  return greatest ? value > best : value < best;
}

void argument(Call& call, Memory& memory, bool greatest, bool columns) {
  const Tile &ta = call.tile("ta"), &td = call.tile("td");
  const uint64_t lines = columns ? ta.columns() : ta.rows();
  const uint64_t length = columns ? ta.rows() : ta.columns();
  for (uint64_t line = 0; line < lines; ++line) {
    std::optional<double> best;
    int64_t index = -1;
    for (uint64_t i = 0; i < length; ++i) {
      const uint64_t bits =
          columns ? readElement(memory, ta, i, line) : readElement(memory, ta, line, i);
      const double value = decode(ta.type, bits);
      if (best && !replaces(greatest, value, *best)) continue;
      best = value;
      index = static_cast<int64_t>(i);
    }
    writeElement(memory, td, columns ? 0 : line, columns ? line : 0, wrap(td.type, index));
  }
}

void argumentAccumulate(Call& call, Memory& memory, bool greatest) {
  const Tile &ta = call.tile("ta"), &tdv = call.tile("tdv"), &tdi = call.tile("tdi");
  const uint64_t base = call.x.find("rs3")->second;
  for (uint64_t r = 0; r < ta.rows() && ta.columns() > 0; ++r) {
    for (uint64_t c = 0; c < ta.columns(); ++c) {
      const uint32_t element =
          canonicalLane(tdv.type, widen(ta.type, readElement(memory, ta, r, c)));
      const bool nothing = integer(tdi.type, readElement(memory, tdi, r, 0)) == -1;
      const double best = decode(tdv.type, readElement(memory, tdv, r, 0));
      if (!nothing && !replaces(greatest, decode(tdv.type, element), best)) continue;
      writeElement(memory, tdv, r, 0, element);
      writeElement(memory, tdi, r, 0, wrap(tdi.type, static_cast<int64_t>(base + c)));
    }
    const auto held = static_cast<uint32_t>(readElement(memory, tdv, r, 0));
    writeElement(memory, tdv, r, 0, canonicalLane(tdv.type, held));
  }
}

void scan(Call& call, Memory& memory, const std::vector<std::string>& parts) {
  const Tile &ta = call.tile("ta"), &td = call.tile("td");
  const ElementType compute = widened(ta.type);
  const bool exclusive = has(parts, "ex"), reverse = has(parts, "rev"), carry = has(parts, "carry");
  for (uint64_t r = 0; r < ta.rows(); ++r) {
    uint32_t sum = carry ? static_cast<uint32_t>(readElement(memory, call.tile("tcarry"), r, 0))
                         : identityLane(parts[1], compute);
    for (uint64_t i = 0; i < ta.columns(); ++i) {
      const uint64_t c = reverse ? ta.columns() - 1 - i : i;
      const uint32_t before = sum;
      sum = reduceLane(parts[1], compute, sum, widen(ta.type, readElement(memory, ta, r, c)));
      // A NaN of the carry is rounded to td's type like any other, so it becomes canonical there.
      const uint32_t shown = canonicalLane(compute, exclusive ? before : sum);
      writeElement(memory, td, r, c, narrow(compute, shown, td.type));
    }
    if (carry && ta.columns() > 0) writeElement(memory, call.tile("tcarry"), r, 0, sum);
  }
}

void recurrence(Call& call, Memory& memory, bool reverse) {
  const Tile &ta = call.tile("ta"), &tb = call.tile("tb"), &td = call.tile("td");
  const Tile& carry = call.tile("tcarry");
  for (uint64_t r = 0; r < ta.rows(); ++r)
    for (uint64_t i = 0; i < ta.columns(); ++i) {
      const uint64_t c = reverse ? ta.columns() - 1 - i : i;
      const double h = fmaOdd(decode(ta.type, readElement(memory, ta, r, c)),
                              decode(ElementType::f32, readElement(memory, carry, r, 0)),
                              decode(tb.type, readElement(memory, tb, r, c)));
      const uint64_t bits = encode(ElementType::f32, h);
      writeElement(memory, carry, r, 0, bits);
      writeElement(memory, td, r, c,
                   narrow(ElementType::f32, static_cast<uint32_t>(bits), td.type));
    }
}

}  // namespace

bool executeRows(Call& call, Memory& memory) {
  const std::vector<std::string> parts = partsOf(call.name);
  const std::string& what = parts[0];
  const bool accumulate = has(parts, "acc");
  if (what == "red")
    reduceRows(call, memory, parts.at(1), accumulate);
  else if (what == "cred")
    reduceColumns(call, memory, parts.at(1), accumulate);
  else if ((what == "argmax" || what == "argmin") && accumulate)
    argumentAccumulate(call, memory, what == "argmax");
  else if (what == "argmax" || what == "argmin")
    argument(call, memory, what == "argmax", false);
  else if (what == "cargmax" || what == "cargmin")
    argument(call, memory, what == "cargmax", true);
  else if (what == "scan")
    scan(call, memory, parts);
  else if (what == "recur")
    recurrence(call, memory, has(parts, "rev"));
  else
    return false;
  return true;
}

}  // namespace etalon::reference
