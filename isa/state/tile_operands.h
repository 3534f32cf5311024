// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "isa/codec/instruction.h"
#include "isa/state/fault.h"
#include "isa/state/overlap.h"
#include "isa/state/tile_register.h"
#include "isa/state/view_descriptor.h"

namespace etalon::isa {

/// What an instruction does with an operand.
enum class Role : uint8_t {
  source,
  destination,
  inout,               // read and written: accumulator, reduction lanes, carry
  second_destination,  // written, and overlaps no other operand
};
constexpr bool reads(Role role) { return role == Role::source || role == Role::inout; }
constexpr bool writes(Role role) { return role != Role::source; }

/// Limits of the machine that checks depend on.
struct MachineLimits {
  uint64_t local_bytes = 0;
  int macs_log2 = 0;
  int elements_log2 = 0;
  int bytes_log2 = 0;
  /// Names of the profiles the machine has, space separated with a space at both ends: " Et-base Et-f16 ".
  std::string profiles;
};

/// Which deviations from the plain rules an instruction allows.
struct OperandRules {
  bool in_place = false;       // element-wise: td may coincide with a source
  bool transposes = false;     // sources may be transposed (matrix)
  bool any_step = true;        // column steps other than 1 (not matrix)
};

/// The operands of one tile instruction: gathered in syntax order, then checked class by class (docs/spec/03). The first
/// violation stays in fault(); later checks do nothing. Shape rules of an instruction stand between checkTypes and
/// checkPlacement as require() calls.
class TileOperands {
 public:
  static constexpr int kMost = 6;

  struct Operand {
    bool is_view = false;
    Role role = Role::source;
    uint8_t reg = 0;
    int named_axis = kNoNamedAxis;
    TileRegister tile;
    ViewDescriptor view;

    bool empty() const { return is_view ? view.empty() : tile.empty(); }
    uint8_t type() const { return is_view ? view.type : tile.type; }
  };

  TileOperands(const Instruction& in, const MachineLimits& limits, OperandRules rules) : in_(in), limits_(limits), rules_(rules) {}

  /// Adds the next operand; the references stay valid.
  const TileRegister& tile(uint8_t reg, const TileRegister& value, Role role);
  const ViewDescriptor& view(uint8_t reg, const ViewDescriptor& value, Role role, int named_axis = kNoNamedAxis);

  /// Classes 29 and 25 up to types: descriptors well formed, flags allowed; then the tuple is listed (if `listed`).
  void checkRegisters();
  void checkTypes();
  /// A shape rule: unless `ok`, cause 25 with `rule` about operand number `operand`; `detail` is called for the text.
  template <class F>
  void require(bool ok, Rule rule, int operand, F detail) {
    if (!ok && !fault_) raise(Cause::shape, rule, operand, detail());
  }
  /// Classes 24, 26, 27, 28 (alignment): profile, aliasing, self-overlap, bounds and alignment of tiles, alignment of views.
  void checkPlacement();
  /// Class 30.
  void checkWork(uint64_t macs, uint64_t elements, uint64_t bytes);

  void raise(Cause cause, Rule rule, int operand, std::string detail, std::string hint = {});
  const std::optional<Fault>& fault() const { return fault_; }
  int count() const { return count_; }
  const Operand& operand(int i) const { return operands_[i]; }
  const Instruction& instruction() const { return in_; }

 private:
  void checkTile(int i);
  void checkView(int i);
  void checkAliasing();
  void checkPair(int i, int j);
  void checkBounds(int i);
  bool overlap(const Operand& a, const Operand& b) const;

  Instruction in_;
  const MachineLimits& limits_;
  OperandRules rules_;
  std::array<Operand, kMost> operands_{};
  int count_ = 0;
  std::string_view profile_;  // of the tuple found
  std::optional<Fault> fault_;
};

/// Name of an instruction's i-th tile, view or chain operand as its syntax says.
std::string_view operandName(InstructionId id, int i);

}  // namespace etalon::isa
