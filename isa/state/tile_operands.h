// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "isa/codec/instruction.h"
#include "isa/machines/address_map.h"
#include "isa/state/fault.h"
#include "isa/state/legal_types.h"
#include "isa/state/overlap.h"
#include "isa/state/tile_register.h"
#include "isa/state/view_descriptor.h"
#include "isa/state/window.h"

namespace etalon::isa {

/// What an instruction does with an operand.
enum class Role : uint8_t {
  source,
  linked,  // a source that the link of another operand names
  destination,
  inout,               // read and written: accumulator, reduction lanes, carry
  second_destination,  // written, and overlaps no other operand
};
constexpr bool reads(Role role) {
  return role == Role::source || role == Role::linked || role == Role::inout;
}
constexpr bool writes(Role role) { return role != Role::source && role != Role::linked; }

/// Limits of the machine that checks depend on.
struct MachineLimits {
  uint64_t local_bytes = 0;
  /// Address at which every core, this one included, sees this core's local memory.
  uint64_t core_window = 0;
  /// Id of the own device where addresses can name devices, else 0.
  uint64_t device_id = 0;
  /// Those of the core; nullptr: it has all memory.
  const Windows* windows = nullptr;
  int macs_log2 = 0;
  int elements_log2 = 0;
  int bytes_log2 = 0;
  /// Names of the profiles the machine has, space separated with a space at both ends: " Et-base Et-f16 ".
  std::string profiles;

  /// What to subtract from an address to name the same byte without the own device's id.
  uint64_t ownDevice(uint64_t address) const {
    const bool named = device_id != 0 && address >> kDeviceShift == device_id;
    return named ? device_id << kDeviceShift : 0;
  }
  /// True if the bytes lie in the core's own local memory and device page.
  bool ownPages(uint64_t address, uint64_t bytes) const;
  /// What an address of the program means to the core's windows; nothing if none has all the bytes with the rights.
  std::optional<uint64_t> translate(uint64_t address, uint64_t bytes, uint8_t rights) const {
    if (!windows || !windows->inForce() || ownPages(address, bytes)) return address;
    return windows->translate(address, bytes, rights);
  }
  /// The same of a view by its clipped box.
  std::optional<ViewDescriptor> translate(const ViewDescriptor& view, int named_axis,
                                          uint8_t rights) const;
};

/// Which deviations from the plain rules an instruction allows.
struct OperandRules {
  bool in_place = false;    // element-wise: td may coincide with a source
  bool transposes = false;  // sources may be transposed (matrix)
  bool any_step = true;     // column steps other than 1 (matrix: only of linked tiles, and only 0)
  bool updates = false;     // the destination view takes updates one by one and may overlap itself
};

/// The operands of one tile instruction: gathered in syntax order, then what links name, and checked class by class
/// (docs/spec/03). The first
/// violation stays in fault(); later checks do nothing. Shape rules of an instruction stand between checkTypes and
/// checkPlacement as require() calls. The core that executes the instruction asks for the last two classes, checkBounds
/// of each operand and checkLimits, since it alone knows where views may be.
class TileOperands {
 public:
  static constexpr int kMost = kMostTypes;
  /// One for each constant of a chain, and none.
  static constexpr int kMostDisplacements = 13;

  /// Number of an operand in mtval, and its name in reports, where they are not those of the syntax.
  struct Label {
    int number = -1;
    std::string_view name = {};
  };

  struct Operand {
    // One is made an instruction and operand, so only what is used is initialised.
    explicit Operand(const TileRegister& value) : tile(value) {}
    explicit Operand(const ViewDescriptor& value) : is_view(true), view(value) {}

    bool is_view = false;
    Role role = Role::source;
    uint8_t reg = 0;
    uint8_t number = 0;  // in mtval
    bool recorded_by_element =
        false;  // the instruction records what it touches, not the whole tile
    bool may_link = false;
    bool is_index = false;
    bool outside_windows = false;  // a view whose box no window has: it names no memory
    int named_axis = kNoNamedAxis;
    std::string_view name;
    // A displaced source: read at base + each of these bytes. Bounds and aliasing take the hull.
    std::array<int32_t, kMostDisplacements> displacements;  // the first displacement_count
    uint8_t displacement_count = 0;
    union {
      TileRegister tile;
      ViewDescriptor view;  // if is_view
    };

    bool empty() const { return is_view ? view.empty() : tile.empty(); }
    uint8_t type() const { return is_view ? view.type : tile.type; }
    bool displaced() const { return displacement_count != 0; }
    /// Calls f(tile) for a tile operand, once for each displacement if it is displaced.
    template <class F>
    void forEachTile(F f) const {
      if (!displaced()) f(tile);
      for (int k = 0; k < displacement_count; ++k) {
        TileRegister at = tile;
        at.base += static_cast<uint32_t>(displacements[k]);
        f(at);
      }
    }
    /// Byte interval of a nonempty tile over all its displacements.
    ByteInterval hull() const;
  };

  TileOperands(const Instruction& in, const MachineLimits& limits, OperandRules rules)
      : in_(in), limits_(limits), rules_(rules) {}

  /// Adds the next operand; the references stay valid.
  const TileRegister& tile(uint8_t reg, const TileRegister& value, Role role, Label label);
  const TileRegister& tile(uint8_t reg, const TileRegister& value, Role role) {
    return tile(reg, value, role, {});
  }
  const ViewDescriptor& view(uint8_t reg, const ViewDescriptor& value, Role role,
                             int named_axis = kNoNamedAxis);
  /// Operand i, a source tile, is read at these byte displacements of its base.
  void displace(int i, std::span<const int32_t> bytes);
  /// Operand i may have a valid link; the instruction adds what that names.
  void allowLink(int i) { slots_[i].operand.may_link = true; }
  /// Operand i is touched in part: begin and finish leave its record to the instruction.
  void recordByElement(int i) { slots_[i].operand.recorded_by_element = true; }

  /// The elements of operand i say which elements of another one the instruction touches.
  void useAsIndex(int i) { slots_[i].operand.is_index = true; }
  /// A run without values leaves this instruction's out, although no operand is a float.
  void leaveOutValues() { leaves_out_values_ = true; }

  /// Classes 29 and 25 up to types: descriptors well formed, flags allowed; then the tuple is listed (if `listed`).
  void checkRegisters();
  void checkTypes();
  /// For instructions whose types are no list: checkPlacement asks for this profile too.
  void needProfile(std::string_view profile);
  /// A shape rule: unless `ok`, cause 25 with `rule` about operand number `operand`; `detail` is called for the text.
  template <class F>
  void require(bool ok, Rule rule, int operand, F detail) {
    if (!ok && !fault_) raise(Cause::shape, rule, operand, detail());
  }
  /// Classes 24 and 26: profile, aliasing, self-overlap.
  void checkPlacement();
  /// Classes 27 and 28 (alignment) of operand i: bounds and alignment of a tile, alignment of a view.
  void checkBounds(int i);
  /// The work that checkLimits is about.
  void countWork(uint64_t macs, uint64_t elements, uint64_t bytes) {
    work_ = {macs, elements, bytes};
  }
  /// Class 30.
  void checkLimits();

  void raise(Cause cause, Rule rule, int operand, std::string detail, std::string hint = {});
  const std::optional<Fault>& fault() const { return fault_; }
  /// True if a run without values leaves out what the instruction would write: an operand is a float, or leaveOutValues().
  bool leavesOutValues() const;
  /// What operand i, a view, takes of a window.
  uint8_t rights(int i) const;
  int count() const { return count_; }
  const Operand& operand(int i) const { return slots_[i].operand; }
  const Instruction& instruction() const { return in_; }

 private:
  void checkFlags(int i);
  void translateViews();
  void checkProfiles();
  void checkAliasing();
  void checkPair(int i, int j);
  bool overlap(const Operand& a, const Operand& b) const;

  Instruction in_;
  const MachineLimits& limits_;
  OperandRules rules_;
  bool leaves_out_values_ = false;
  /// Room for an operand that may not be there.
  union Slot {
    Slot() {}  // NOLINT(modernize-use-equals-default): the operand is not made
    Operand operand;
  };
  std::array<Slot, kMost> slots_;
  int count_ = 0;
  std::string profiles_;  // that the types need, separated by spaces
  struct Work {
    uint64_t macs = 0, elements = 0, bytes = 0;
  } work_;
  std::optional<Fault> fault_;
};

/// Name of an instruction's i-th tile, view or chain operand as its syntax says.
std::string_view operandName(InstructionId id, int i);

}  // namespace etalon::isa
