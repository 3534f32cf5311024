// SPDX-License-Identifier: Apache-2.0
#include "validation/fuzz/state_parts.h"

#include <fmt/format.h>

#include <vector>

#include "isa/state/chain_descriptor.h"
#include "isa/state/tile_register.h"
#include "isa/state/view_descriptor.h"
#include "validation/fuzz/csr_numbers.h"
#include "validation/fuzz/layout.h"

namespace etalon::fuzz {
namespace {

constexpr size_t kCsrBytes = 8, kSemaphores = 64;

struct Space {
  etalon_space space;
  std::string_view name;
  size_t count, bytes;
};
constexpr Space kSpaces[] = {
    {ETALON_SPACE_X, "x registers", 32, 8},
    {ETALON_SPACE_PC, "pc", 1, 8},
    {ETALON_SPACE_TILE, "tile registers", isa::kTileRegisters, isa::kTileImageBytes},
    {ETALON_SPACE_VIEW, "view registers", isa::kViewRegisters, isa::kViewImageBytes},
    {ETALON_SPACE_CHAIN, "chain registers", isa::kChainRegisters, isa::kChainImageBytes},
    {ETALON_SPACE_SEMAPHORE, "semaphores", kSemaphores, 4}};

Status addRegisters(StateReader& state, unsigned core, Outcome& outcome) {
  std::vector<std::byte> bytes(isa::kViewImageBytes);
  const auto peek = [&](Digest& digest, etalon_space space, uint64_t index, size_t size) -> Status {
    const std::span into(bytes.data(), size);
    ETALON_RETURN_IF_ERROR(state.peek(core, space, index, into));
    digest.add(into);
    return {};
  };
  for (const Space& space : kSpaces) {
    Digest digest;
    for (size_t i = 0; i < space.count; ++i)
      ETALON_RETURN_IF_ERROR(peek(digest, space.space, i, space.bytes));
    outcome.parts[fmt::format("{} of core {}", space.name, core)] = digest.value();
  }
  Digest csrs;
  for (const uint16_t number : csrNumbers())
    ETALON_RETURN_IF_ERROR(peek(csrs, ETALON_SPACE_CSR, number, kCsrBytes));
  outcome.parts[fmt::format("CSRs of core {}", core)] = csrs.value();
  return {};
}

}  // namespace

Status addState(StateReader& state, const StateScope& scope, Outcome& outcome) {
  std::vector<std::byte> bytes(kCode - kGlobalBase);
  ETALON_RETURN_IF_ERROR(state.global(kGlobalBase, bytes));
  Digest global;
  global.add(bytes);
  outcome.parts["global memory"] = global.value();
  bytes.resize(kLocalBytes);
  for (unsigned core = 0; scope.local && core < kMostCores; ++core) {
    ETALON_RETURN_IF_ERROR(state.peek(core, ETALON_SPACE_LOCAL, 0, bytes));
    Digest local;
    local.add(bytes);
    outcome.parts[fmt::format("local memory of core {}", core)] = local.value();
  }
  for (unsigned core = 0; scope.registers && core < scope.cores; ++core)
    ETALON_RETURN_IF_ERROR(addRegisters(state, core, outcome));
  return {};
}

void CommitDigest::add(unsigned core, uint64_t pc, uint32_t word, unsigned x_register,
                       uint64_t x_value) {
  digest_.add(uint64_t{core} << 40 | uint64_t{x_register} << 32 | word);
  digest_.add(pc);
  digest_.add(x_value);
}

uint64_t faultDigest(unsigned core, uint64_t pc, uint64_t cause, uint64_t value, uint32_t word) {
  Digest digest;
  for (const uint64_t part : {uint64_t{core}, pc, cause, value, uint64_t{word}}) digest.add(part);
  return digest.value();
}

void addCounter(Digest& digest, std::string_view name, uint64_t value) {
  digest.add(name);
  digest.add(value);
}

}  // namespace etalon::fuzz
