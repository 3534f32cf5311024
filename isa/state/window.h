// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>

namespace etalon::isa {

/// What a window lets a core do, as in its register; a bit set.
namespace right {
inline constexpr uint8_t read = 1, write = 2, execute = 4;
inline constexpr uint8_t all = read | write | execute;
}  // namespace right

/// `read`, `read and write`.
std::string rightsText(uint8_t rights);

/// Addresses from `base` on, `size` of them, that a core may use: it means those `offset` further on, of a device.
struct Window {
  uint64_t base = 0;
  uint64_t size = 0;
  uint64_t offset = 0;  // modulo 2^48
  uint8_t rights = 0;   // none: there is no window
  uint8_t device = 0;   // its id; 0 is the own one

  bool operator==(const Window&) const = default;
};

/// The windows of a core (docs/spec/08-images.md).
class Windows {
 public:
  static constexpr unsigned kCount = 8;

  /// False as long as no window has a right: then the core has all memory.
  bool inForce() const { return in_force_; }
  const Window& at(unsigned index) const { return windows_[index]; }
  /// Bits of the rights that there are not are dropped.
  void set(unsigned index, const Window& window);

  /// What the address of `bytes` bytes (0: of none) means, if one window has all of them and all of the rights; of several the
  /// first. Windows are in force.
  std::optional<uint64_t> translate(uint64_t address, uint64_t bytes, uint8_t rights) const;
  /// The windows in words, for reports.
  std::string text() const;

  bool operator==(const Windows&) const = default;

 private:
  std::array<Window, kCount> windows_{};
  bool in_force_ = false;
};

}  // namespace etalon::isa
