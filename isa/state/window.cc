// SPDX-License-Identifier: Apache-2.0
#include "isa/state/window.h"

#include <fmt/format.h>

#include <algorithm>

#include "isa/machines/address_map.h"

namespace etalon::isa {

std::string rightsText(uint8_t rights) {
  std::string text;
  const auto add = [&](uint8_t right, const char* name) {
    if (rights & right) text += (text.empty() ? "" : " and ") + std::string(name);
  };
  add(right::read, "read");
  add(right::write, "write");
  add(right::execute, "execute");
  return text;
}

void Windows::set(unsigned index, const Window& window) {
  windows_[index] = window;
  windows_[index].rights &= right::all;
  in_force_ = std::ranges::any_of(windows_, [](const Window& w) { return w.rights != 0; });
}

std::optional<uint64_t> Windows::translate(uint64_t address, uint64_t bytes, uint8_t rights) const {
  constexpr uint64_t kWithinDevice = (uint64_t{1} << kDeviceShift) - 1;
  for (const Window& w : windows_) {
    const uint64_t distance = address - w.base;  // huge where the address is below
    if ((w.rights & rights) != rights || distance >= w.size || bytes > w.size - distance) continue;
    return ((address + w.offset) & kWithinDevice) | uint64_t{w.device} << kDeviceShift;
  }
  return std::nullopt;
}

std::string Windows::text() const {
  std::string text;
  for (unsigned i = 0; i < kCount; ++i) {
    const Window& w = windows_[i];
    if (w.rights == 0) continue;
    text += fmt::format("{}window {} {:#x}..{:#x} to {}", text.empty() ? "" : ", ", i, w.base,
                        w.base + w.size - 1, rightsText(w.rights));
  }
  return text.empty() ? "none" : text;
}

}  // namespace etalon::isa
