// SPDX-License-Identifier: Apache-2.0
#include "sim/functional/example_state.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <span>

#include "isa/codec/instruction_info.h"
#include "isa/csr.h"
#include "isa/machines/address_map.h"
#include "sim/functional/example_descriptors.h"
#include "sim/functional/example_values.h"

namespace etalon::sim {
namespace {

using isa::TileRegister;
using nlohmann::json;

/// Element (row, column) of the stored tile := bits; columns come in ascending order (rule tile.nibble).
Status putElement(ExampleState& state, const TileRegister& t, uint64_t row, uint64_t column,
                  uint64_t bits) {
  const uint64_t at = t.base + row / t.inner * t.ostride + row % t.inner * t.istride;
  const bool four_bit = t.elementBits() == 4;
  const uint64_t byte = at + (four_bit ? column / 2 : column * t.step * t.elementBytes());
  if (byte + t.elementBytes() > ExampleState::kLocalBytes)
    return Error{fmt::format("its tile reaches byte {:#x}; examples have {:#x}", byte,
                             ExampleState::kLocalBytes)};
  if (four_bit) {
    const auto old = std::to_integer<uint64_t>(state.local[byte]);
    bits = column % 2 ? (old & 0x0f) | bits << 4 : bits;
  }
  for (uint32_t i = 0; i < t.elementBytes(); ++i)
    state.local[byte + i] = static_cast<std::byte>(bits >> 8 * i);
  return {};
}

Status putRows(ExampleState& state, const TileRegister& tile, const json& rows) {
  if (!tile.hasType()) return Error{"its tile register has no element type"};
  if (rows.size() != tile.storedRows())
    return Error{fmt::format("{} rows given, the tile has {}", rows.size(), tile.storedRows())};
  for (uint64_t r = 0; r < rows.size(); ++r) {
    if (rows[r].size() != tile.cols)
      return Error{
          fmt::format("row {} has {} elements, the tile {} columns", r, rows[r].size(), tile.cols)};
    for (uint64_t c = 0; c < tile.cols; ++c) {
      const auto bits = encodeElement(tile.elementType(), rows[r][c]);
      if (!bits.ok()) return bits.error();
      ETALON_RETURN_IF_ERROR(putElement(state, tile, r, c, *bits));
    }
  }
  return {};
}

/// A dense tile of `rows` stored rows at the next free place.
Status placeTile(ExampleState& state, const json& spec, int number) {
  const auto type = elementTypeNamed(spec.at("type").get<std::string>());
  if (!type.ok()) return type.error();
  TileRegister tile;
  tile.type = static_cast<uint8_t>(*type);
  const bool has_rows = spec.contains("rows");
  const json shape =
      has_rows ? json{spec["rows"].size(), spec["rows"].empty() ? 0 : spec["rows"][0].size()}
               : spec.at("shape");
  tile.outer = 1;
  tile.inner = shape.at(0).get<uint32_t>();
  tile.cols = shape.at(1).get<uint32_t>();
  tile.step = spec.value("step", uint8_t{1});
  tile.transpose =
      spec.contains("transpose") && spec["transpose"] != 0 && spec["transpose"] != false;
  if (spec.contains("link")) {
    tile.link_valid = true;
    tile.link = spec["link"].get<uint8_t>();
  }
  const uint64_t columns = std::max<uint64_t>(uint64_t{tile.cols} * tile.step, tile.cols ? 1 : 0);
  tile.istride = static_cast<uint32_t>(tile.elementBits() == 4 ? (columns + 1) / 2
                                                               : columns * tile.elementBytes());
  tile.base = static_cast<uint32_t>(state.next_tile);
  const uint64_t bytes = uint64_t{tile.inner} * tile.istride;
  state.next_tile += std::max<uint64_t>(64, (bytes + 63) / 64 * 64);
  if (state.next_tile > ExampleState::kLocalBytes)
    return Error{fmt::format("its tile does not fit into the {} bytes that examples have",
                             ExampleState::kLocalBytes)};
  state.tiles[number] = tile;
  if (!has_rows) return {};
  state.written.emplace_back(tile.base, bytes);
  return putRows(state, tile, spec["rows"]);
}

Status applyTile(ExampleState& state, const json& value, int number) {
  TileRegister& tile = state.tiles.at(number);
  if (value.is_array()) return putRows(state, tile, value);
  if (!value.contains("words")) return placeTile(state, value, number);
  isa::TileWords words{};
  for (size_t i = 0; i < words.size(); ++i) {
    const auto word = encodeWord(value["words"].at(i));
    if (!word.ok()) return word.error();
    words[i] = *word;
  }
  tile = isa::unpackTile(words);
  return {};
}

Status applyMemory(ExampleState& state, const json& value) {
  for (const auto& [key, bytes] : value.items()) {
    uint64_t address = std::stoull(key, nullptr, 0);
    for (const json& byte : bytes) {
      const uint64_t offset = address - isa::kLocalWindowBase;
      const auto b = static_cast<std::byte>(byte.get<uint8_t>());
      if (offset < ExampleState::kLocalBytes)
        state.local[offset] = b;
      else
        state.memory[address] = b;
      ++address;
    }
  }
  return {};
}

Status applyCsr(ExampleState& state, const std::string& name, const json& value) {
  const isa::CsrInfo* info = isa::csrNamed(name);
  if (!info) return Error{fmt::format("there is no CSR '{}'", name)};
  const auto word = encodeWord(value);
  if (!word.ok()) return word.error();
  state.csrs[info->number] = *word;
  const uint64_t flags = state.csrs[isa::csr::kFflags] & 0x1f,
                 rounding = state.csrs[isa::csr::kFrm] & 7;
  if (info->number == isa::csr::kFcsr) {
    state.csrs[isa::csr::kFflags] = *word & 0x1f;
    state.csrs[isa::csr::kFrm] = *word >> 5 & 7;
  } else {
    state.csrs[isa::csr::kFcsr] = rounding << 5 | flags;
  }
  return {};
}

/// The number in a key such as `tr12` after its letters; -1 if the rest is no number.
int numberAfter(const std::string& key, size_t letters) {
  const std::string digits = key.substr(letters);
  const bool number = !digits.empty() && digits.size() <= 2 &&
                      std::ranges::all_of(digits, [](char c) { return c >= '0' && c <= '9'; });
  return number ? std::stoi(digits) : -1;
}

Status applyRegister(const std::string& key, const json& value, ExampleState& state) {
  if (const int n = numberAfter(key, 1); key[0] == 'x' && n >= 1 && n < 32) {
    const auto word = encodeWord(value);
    if (!word.ok()) return word.error();
    state.x[n] = *word;
    return {};
  }
  const int n = numberAfter(key, std::min<size_t>(2, key.size()));
  if (key.starts_with("tr") && n >= 0 && n < isa::kTileRegisters) return applyTile(state, value, n);
  if (key.starts_with("vr") && n >= 0 && n < isa::kViewRegisters)
    return describedView(value, state.views[n]);
  if (key.starts_with("ch") && n >= 0 && n < isa::kChainRegisters)
    return describedChain(value, state.chains[n]);
  return Error{"unknown key"};
}

Status applyKey(const std::string& key, const json& value, ExampleState& state) {
  if (key == "mem") return applyMemory(state, value);
  if (key == "frm" || key == "fflags" || key == "mepc") return applyCsr(state, key, value);
  if (key == "pc") {
    state.pc = value.get<int64_t>();
  } else if (key == "halted") {
    state.halted = value != 0 && value != false;
  } else if (key == "sem") {
    for (const auto& [number, amount] : value.items())
      state.semaphores.at(std::stoull(number, nullptr, 0)) = amount.get<uint32_t>();
  } else if (key == "csr") {
    for (const auto& [name, word] : value.items())
      ETALON_RETURN_IF_ERROR(applyCsr(state, name, word));
  } else {
    return applyRegister(key, value, state);
  }
  return {};
}

template <class T>
void compareBytes(const std::string& what, const T& expected, const T& found,
                  std::vector<std::string>& lines) {
  for (const auto& [address, byte] : expected) {
    const auto other = found.find(address);
    if (other != found.end() && other->second == byte) continue;
    lines.push_back(fmt::format("{} byte {:#x} is {:#04x}, expected {:#04x}", what, address,
                                other == found.end() ? 0 : std::to_integer<int>(other->second),
                                std::to_integer<int>(byte)));
  }
}

void compareLocal(const ExampleState& expected, const ExampleState& found,
                  std::vector<std::string>& lines) {
  constexpr size_t kShown = 16;
  size_t wrong = 0;
  for (size_t i = 0; i < expected.local.size(); ++i) {
    if (expected.local[i] == found.local[i] || ++wrong > kShown) continue;
    std::string owner;
    for (int t = 0; t < isa::kTileRegisters; ++t) {
      const auto hull =
          expected.tiles[t].hasType() ? expected.tiles[t].hull() : isa::ByteInterval{};
      if (isa::Int128{i} >= hull.lo && isa::Int128{i} < hull.hi)
        owner += fmt::format(" (tr{} + {})", t, i - expected.tiles[t].base);
    }
    lines.push_back(fmt::format("local byte {:#x}{} is {:#04x}, expected {:#04x}", i, owner,
                                std::to_integer<int>(found.local[i]),
                                std::to_integer<int>(expected.local[i])));
  }
  if (wrong > kShown) lines.push_back(fmt::format("and {} more local bytes", wrong - kShown));
}

}  // namespace

Status applySection(const json& section, ExampleState& state) {
  for (const auto& [key, value] : section.items())
    if (Status status = applyKey(key, value, state); !status.ok())
      return Error{fmt::format("{}: {}", key, status.error().message)};
  return {};
}

std::vector<std::string> differences(const ExampleState& expected, const ExampleState& found) {
  std::vector<std::string> lines;
  for (int i = 0; i < 32; ++i)
    if (expected.x[i] != found.x[i])
      lines.push_back(fmt::format("x{} is {:#x}, expected {:#x}", i, found.x[i], expected.x[i]));
  for (int i = 0; i < isa::kTileRegisters; ++i) {
    const auto e = isa::packTile(expected.tiles[i]), f = isa::packTile(found.tiles[i]);
    if (e != f)
      lines.push_back(fmt::format("tr{} is {:#x} {:#x} {:#x}, expected {:#x} {:#x} {:#x}", i, f[0],
                                  f[1], f[2], e[0], e[1], e[2]));
  }
  for (int i = 0; i < isa::kViewRegisters; ++i)
    if (expected.views[i] != found.views[i]) lines.push_back(fmt::format("vr{} differs", i));
  for (int i = 0; i < isa::kChainRegisters; ++i)
    if (expected.chains[i] != found.chains[i]) lines.push_back(fmt::format("ch{} differs", i));
  for (size_t i = 0; i < expected.semaphores.size(); ++i)
    if (expected.semaphores[i] != found.semaphores[i])
      lines.push_back(fmt::format("semaphore {} is {}, expected {}", i, found.semaphores[i],
                                  expected.semaphores[i]));
  for (const auto& [number, value] : expected.csrs)
    if (found.csrs.at(number) != value)
      lines.push_back(fmt::format("csr {} is {:#x}, expected {:#x}", isa::csrNumbered(number)->name,
                                  found.csrs.at(number), value));
  if (expected.pc != found.pc)
    lines.push_back(fmt::format("pc is {}, expected {}", found.pc, expected.pc));
  if (expected.halted != found.halted)
    lines.push_back(fmt::format("halted is {}, expected {}", found.halted, expected.halted));
  compareBytes("memory", expected.memory, found.memory, lines);
  compareLocal(expected, found, lines);
  return lines;
}

}  // namespace etalon::sim
