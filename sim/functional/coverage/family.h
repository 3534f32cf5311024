// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sim/functional/coverage/scene.h"

namespace etalon::sim::coverage {

/// Instructions whose operands vary in the same way.
struct Family {
  /// True for its instructions.
  bool (*takes)(const isa::InstructionInfo& info);
  /// What varies for one of them, beside the types, which become dimension 0 of the space; pairs
  /// that are illegal are not allowed in `space.allowed`, whose dimension 0 are the tuples.
  void (*describe)(const isa::InstructionInfo& info, const std::vector<TypeTuple>& tuples,
                   Space& space);
  /// Operands of a case.
  void (*build)(Scene& scene);
};

/// The family of an instruction; nullptr if none takes it.
const Family* familyOf(const isa::InstructionInfo& info);

/// The space of an instruction of a family and its tuples.
Space spaceOf(const isa::InstructionInfo& info, const Family& family,
              const std::vector<TypeTuple>& tuples);

/// A rule on two dimensions by name, for Space::allowed; the values as text.
using PairRule = std::function<bool(const std::string& a, const std::string& b)>;
void require(Space& space, const std::string& dimension_a, const std::string& dimension_b,
             PairRule rule);

/// Columns of 4-bit tiles follow each other: where the operand has such a type, no layout with a step
/// in the dimension.
void forbidStepsOfFourBits(const isa::InstructionInfo& info, const std::vector<TypeTuple>& tuples,
                           Space& space, std::string_view operand, const std::string& dimension);
/// The same for every operand that a dimension has the name of.
void forbidStepsOfFourBits(const isa::InstructionInfo& info, const std::vector<TypeTuple>& tuples,
                           Space& space);

extern const Family kMatrixFamily;
extern const Family kTransferFamily;
extern const Family kIndexedFamily;
extern const Family kElementwiseFamily;
extern const Family kRowsFamily;
extern const Family kRandomFamily;
extern const Family kQuantiseFamily;
extern const Family kChainFamily;

}  // namespace etalon::sim::coverage
