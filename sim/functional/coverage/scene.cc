// SPDX-License-Identifier: Apache-2.0
#include "sim/functional/coverage/scene.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

#include "isa/base/check.h"
#include "isa/state/legal_types.h"

namespace etalon::sim::coverage {
namespace {

using reference::Tile;

void addTuples(const isa::LegalTypes& row, std::set<TypeTuple>& tuples, TypeTuple prefix = {}) {
  if (prefix.size() == static_cast<size_t>(row.count)) {
    tuples.insert(prefix);
    return;
  }
  const uint16_t mask = row.masks[prefix.size()];
  prefix.push_back({});
  for (int code = 0; code < kElementTypes; ++code) {
    prefix.back() = static_cast<ElementType>(code);
    if (mask >> code & 1) addTuples(row, tuples, prefix);
  }
}

/// True if every profile of a row (names apart by spaces) is among `profiles`.
bool among(std::string_view row, const std::vector<std::string>& profiles) {
  while (!row.empty()) {
    const std::string_view name = row.substr(0, row.find(' '));
    if (std::ranges::find(profiles, name) == profiles.end()) return false;
    row.remove_prefix(std::min(row.size(), name.size() + 1));
  }
  return true;
}

/// Greatest divisor of n up to its square root: 4 of 16, 1 of 17.
uint64_t divisor(uint64_t n) {
  uint64_t best = 1;
  for (uint64_t d = 2; d * d <= n; ++d)
    if (n % d == 0) best = d;
  return best;
}

/// Bytes from a tile's base to past its last element; 0 if it has none.
uint64_t hullBytes(const Tile& t) {
  if (t.rows() == 0 || t.columns() == 0) return 0;
  const auto bits = static_cast<uint64_t>(reference::bitsOf(t.type));
  return (t.outer - 1) * t.ostride + (t.inner - 1) * t.istride +
         (((t.cols - 1) * t.step + 1) * bits + 7) / 8;
}

}  // namespace

std::vector<TypeTuple> legalTuples(isa::InstructionId id,
                                   const std::vector<std::string>& profiles) {
  // Rows of different profiles share tuples.
  std::set<TypeTuple> tuples;
  for (const isa::LegalTypes& row : isa::legalTypes(id))
    if (among(row.profiles, profiles)) addTuples(row, tuples);
  return {tuples.begin(), tuples.end()};
}

size_t otherTuples(isa::InstructionId id, const std::vector<std::string>& profiles) {
  std::set<TypeTuple> tuples;
  for (const isa::LegalTypes& row : isa::legalTypes(id)) addTuples(row, tuples);
  return tuples.size() - legalTuples(id, profiles).size();
}

std::string tupleText(const TypeTuple& tuple) {
  std::string text;
  for (const ElementType type : tuple)
    text += fmt::format("{}{}", text.empty() ? "" : " ", elementInfo(type).name);
  return text;
}

const std::string& Case::value(std::string_view dimension) const {
  const size_t d = space->indexOf(dimension);
  return space->dimensions[d].values[point[d]];
}

uint64_t Case::count(std::string_view dimension) const { return std::stoull(value(dimension)); }

ElementType Case::type(std::string_view operand) const {
  size_t at = 0;
  for (const isa::OperandInfo& o : info->operands()) {
    if (o.kind != isa::OperandKind::tile && o.kind != isa::OperandKind::view) continue;
    if (o.name == operand) return types.at(at);
    ++at;
  }
  ETALON_CHECK(false, "the instruction has no such operand");
}

std::string Case::describe() const {
  std::string text = fmt::format("{} with types {}", info->name, tupleText(types));
  for (size_t d = 1; d < point.size(); ++d)
    text +=
        fmt::format(", {} {}", space->dimensions[d].name, space->dimensions[d].values[point[d]]);
  return text;
}

std::vector<std::string> destinationLayouts(bool steps) {
  std::vector<std::string> layouts = {"dense", "padded", "blocks", "interleaved"};
  if (steps) layouts.insert(layouts.end(), {"step2", "step4"});
  return layouts;
}

std::vector<std::string> sourceLayouts(bool steps, bool transposed) {
  std::vector<std::string> layouts = destinationLayouts(steps);
  layouts.insert(layouts.end(), {"repeated", "rows-repeated", "blocks-repeated"});
  if (steps) layouts.emplace_back("step0");
  if (transposed)
    for (const char* layout : {"dense", "padded", "blocks", "interleaved", "repeated",
                               "rows-repeated", "blocks-repeated"})
      layouts.push_back(fmt::format("transposed-{}", layout));
  return layouts;
}

Scene::Scene(const Case& c, reference::Memory& m)
    : what(c), memory(m), random(c.number * 0x9e3779b97f4a7c15u + 1) {
  call.name = c.info->name;
}

Tile Scene::layOut(ElementType type, uint64_t rows, uint64_t columns, const std::string& layout) {
  const std::string prefix = "transposed-";
  Tile t{.type = type};
  t.transpose = layout.starts_with(prefix);
  const std::string kind = t.transpose ? layout.substr(prefix.size()) : layout;
  if (t.transpose) std::swap(rows, columns);
  if (kind.starts_with("step")) t.step = static_cast<unsigned>(std::stoul(kind.substr(4)));
  t.cols = columns;
  const auto bits = static_cast<uint64_t>(reference::bitsOf(type));
  const uint64_t size = bits < 8 ? 1 : bits / 8;
  const uint64_t row = (t.cols * std::max(t.step, 1u) * bits + 7) / 8;
  const uint64_t padded = row + size * (1 + random() % 3);
  const bool two_levels = kind.find("block") != std::string::npos || kind == "interleaved" ||
                          kind == "rows-repeated" || random() % 4 == 0;
  t.inner = two_levels && rows > 0 ? rows / divisor(rows) : rows;
  t.outer = two_levels && rows > 0 ? divisor(rows) : 1;
  if (two_levels && random() % 2) std::swap(t.inner, t.outer);
  t.istride = kind == "dense" ? row : padded;
  t.ostride = t.inner * t.istride + (kind == "blocks" ? size * (1 + random() % 5) : 0);
  if (kind == "interleaved") {
    t.ostride = padded;
    t.istride = t.outer * padded;
  }
  if (kind == "repeated") t.istride = t.ostride = 0;
  if (kind == "rows-repeated") t.istride = 0;
  if (kind == "blocks-repeated") t.ostride = 0;
  return t;
}

uint64_t Scene::allocate(uint64_t bytes) {
  // Any multiple of 8 and of no more, with a gap that nothing may touch.
  next_local_ = (next_local_ + 7) / 8 * 8 + 8 * (random() % 8);
  const uint64_t base = next_local_;
  next_local_ += bytes + 1;
  ETALON_CHECK(next_local_ <= kLocalBytes, "a case needs more local memory than there is");
  return base;
}

Tile& Scene::place(const std::string& name, ElementType type, uint64_t rows, uint64_t columns,
                   const std::string& layout, uint64_t slack) {
  Tile t = layOut(type, rows, columns, layout);
  // Off the multiple of 8 by elements, so that alignment beyond the element's is not assumed.
  const uint64_t off =
      random() % 8 * static_cast<uint64_t>(std::max(reference::bitsOf(type) / 8, 1));
  t.base = allocate(off + hullBytes(t) + slack) + off;
  return call.tiles[name] = t;
}

Tile& Scene::placeOver(const std::string& name, ElementType type, uint64_t rows, uint64_t columns,
                       const std::string& layout, const std::string& other) {
  Tile t = layOut(type, rows, columns, layout);
  t.base = call.tile(other).base / 8 * 8;
  next_local_ = std::max(next_local_, t.base + hullBytes(t) + 1);
  return call.tiles[name] = t;
}

Tile& Scene::placeInPlace(const std::string& name, ElementType type, const std::string& other) {
  Tile t = call.tile(other);
  t.type = type;
  return call.tiles[name] = t;
}

void Scene::fill(const std::string& name, const std::string& kind) {
  fillTile(memory, call.tile(name), kind, random);
}

uint64_t Scene::reserve(uint64_t bytes, bool local) {
  if (local) return reference::Memory::kLocalWindow + allocate(bytes);
  next_global_ = next_global_ + 8 * (1 + random() % 8);
  const uint64_t base = next_global_;
  next_global_ = (base + bytes + 7) / 8 * 8;
  ETALON_CHECK(next_global_ <= kGlobalBytes, "a case needs more global memory than there is");
  return memory.global_base + base;
}

}  // namespace etalon::sim::coverage
