// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <utility>
#include <vector>

#include "isa/base/status.h"
#include "isa/state/chain_descriptor.h"
#include "isa/state/tile_register.h"
#include "isa/state/view_descriptor.h"

namespace etalon::sim {

/// What a worked example says about a core before and after its instruction, as plain data.
struct ExampleState {
  /// Examples place tiles in the first bytes of local memory.
  static constexpr uint64_t kLocalBytes = 32 << 10;
  /// What local memory holds where an example says nothing.
  static constexpr std::byte kUnwritten{0xa5};

  std::array<uint64_t, 32> x{};
  std::array<isa::TileRegister, isa::kTileRegisters> tiles{};
  std::array<isa::ViewDescriptor, isa::kViewRegisters> views{};
  std::array<isa::ChainDescriptor, isa::kChainRegisters> chains{};
  std::array<uint32_t, 64> semaphores{};
  std::map<uint32_t, uint64_t> csrs;     // by number; without counters
  std::map<uint64_t, std::byte> memory;  // bytes of global memory that the example names
  std::vector<std::byte> local = std::vector<std::byte>(kLocalBytes, kUnwritten);
  int64_t pc = 0;  // from the instruction
  bool halted = false;

  /// Local memory {offset, bytes} whose elements an `in` section gives, and so counts as written.
  std::vector<std::pair<uint64_t, uint64_t>> written;
  uint64_t next_tile = 0x1000;  // where the next tile goes

  bool operator==(const ExampleState&) const = default;
};

/// Applies the `in` or `out` section of an example:
///
///   x1..x31, mem: {address: [bytes]}, sem: {n: value}, csr: {name: value}, frm, fflags, mepc, pc, halted
///   tr0..tr31: {words: [w0, w1, w2]} | {type, rows: [[...]], transpose, step, link} | {type, shape: [r, c], ...}
///              and in `out` also the stored rows alone
///   vr0..vr15: {base, type, axes: [{dim, stride, origin}], box: [{extent, axis, step}], ncol, fill}
///   ch0..ch7:  {steps: [{op, compute, result, mode, dest, a, b, c}], td, constants: {k: value}, third,
///               reduce: {op, tile, selector, accumulate}}; without `td` the chain writes none
///
/// A tile given by elements is placed, dense, at the next address that is a multiple of 64.
/// Errors name the key.
Status applySection(const nlohmann::json& section, ExampleState& state);

/// What differs between two states, a line each.
std::vector<std::string> differences(const ExampleState& expected, const ExampleState& found);

}  // namespace etalon::sim
