// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sim/arch/core.h"
#include "sim/units/token.h"

namespace etalon::sim {

/// A tile register's bytes, neither read nor written.
TileUse tileUse(const isa::TileRegister& tile);
/// A view's bytes as a core with these limits sees them, neither read nor written.
ViewUse viewUse(const isa::ViewDescriptor& view, const isa::MachineLimits& limits,
                int named_axis = isa::kNoNamedAxis);

/// Makes tokens of the tile instructions of one core as they are issued.
class TokenBuilder final : public IssueSink {
 public:
  /// Fills `*token` at the next instruction that is issued. Its sequence, pc and unit are the caller's to set.
  void expect(Token* token) {
    token_ = token;
    issued_ = false;
  }
  /// True if an instruction was issued since: one that trapped or that writes no element is not.
  bool issuedToken() const { return issued_; }

  void issued(const Core& core, const isa::TileOperands& operands) override;

 private:
  Token* token_ = nullptr;
  bool issued_ = false;
};

}  // namespace etalon::sim
