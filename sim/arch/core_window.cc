// SPDX-License-Identifier: Apache-2.0
// What a core's windows, and those of the cores whose local memory it accesses, let it reach.
#include <fmt/format.h>

#include "sim/arch/core.h"

namespace etalon::sim {

using isa::Cause;
using isa::Rule;

std::optional<uint64_t> Core::resolve(uint64_t address, uint64_t bytes, uint8_t rights) const {
  const auto meant = limits_.translate(address, bytes, rights);
  if (!meant || memory_.refusedBy(agent_, *meant, bytes, rights)) return std::nullopt;
  return meant;
}

std::string Core::refusal(uint64_t address, uint64_t bytes, uint8_t rights) const {
  const auto meant = limits_.translate(address, bytes, rights);
  if (!meant) return refusalBy(agent_, address, bytes, rights);
  return refusalBy(*memory_.refusedBy(agent_, *meant, bytes, rights), *meant, bytes, rights);
}

std::string Core::refusalBy(unsigned agent, uint64_t address, uint64_t bytes,
                            uint8_t rights) const {
  return fmt::format("no window of {} has bytes {:#x}..{:#x} to {}: {}",
                     memory_.cluster().coreName(agent), address, address + bytes - 1,
                     isa::rightsText(rights), memory_.windows(agent).text());
}

bool Core::windowFault(Cause cause, uint64_t address, unsigned size, uint8_t rights) {
  trapWith({.cause = cause,
            .rule = Rule::window_access,
            .value = address,
            .operand = "rs1",
            .detail = refusal(address, size, rights),
            .hint = kWindowHint});
  return false;
}

std::optional<uint64_t> Core::fetchAddress() const {
  if (!windowed()) return pc_;
  const auto meant = limits_.windows->translate(pc_, sizeof raw_, isa::right::execute);
  if (!meant || *meant % sizeof raw_ != 0) return std::nullopt;
  return *meant - limits_.ownDevice(*meant);
}

void Core::fetchFault() {
  raw_ = 0;
  next_pc_ = pc_;
  isa::Fault fault{.cause = Cause::fetch_access, .rule = Rule::mem_fetch_bounds, .value = pc_};
  if (windowed() && !limits_.windows->translate(pc_, sizeof raw_, isa::right::execute)) {
    fault.rule = Rule::window_access;
    fault.detail = refusal(pc_, sizeof raw_, isa::right::execute);
    fault.hint = kWindowHint;
  }
  trapWith(std::move(fault));
}

std::optional<DeviceWord> Core::signalWord(uint64_t address) const {
  const auto meant = resolve(address, sizeof(uint32_t), isa::right::write);
  return meant ? memory_.findDeviceWord(agent_, *meant) : std::nullopt;
}

}  // namespace etalon::sim
