// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "isa/codec/instruction_info.h"
#include "sim/functional/coverage/pairwise.h"
#include "sim/functional/coverage/reference/model.h"
#include "sim/functional/coverage/values.h"

namespace etalon::sim::coverage {

/// Element types of the tile and view operands, in syntax order.
using TypeTuple = std::vector<ElementType>;

/// Every legal tuple of an instruction, from the generated table, that needs none but the profiles.
std::vector<TypeTuple> legalTuples(isa::InstructionId id, const std::vector<std::string>& profiles);
/// How many tuples of the instruction need others.
size_t otherTuples(isa::InstructionId id, const std::vector<std::string>& profiles);
/// "f32 bf16 bf16".
std::string tupleText(const TypeTuple& tuple);

/// One case: an instruction, a tuple and a point of its space.
struct Case {
  uint64_t number = 0;
  const isa::InstructionInfo* info = nullptr;
  const Space* space = nullptr;
  TypeTuple types;
  Point point;

  const std::string& value(std::string_view dimension) const;
  uint64_t count(std::string_view dimension) const;
  /// Type of the tile or view operand of that name.
  ElementType type(std::string_view operand) const;
  std::string describe() const;
};

/// How a tile lies in memory, by the name its dimension value has.
///   dense padded             one block of rows, without and with bytes between
///   blocks interleaved       outer x inner rows; interleaved: istride > ostride
///   repeated                 every row is the same (sources)
///   rows-repeated            each row of a block comes inner times (sources)
///   blocks-repeated          the block of inner rows comes outer times (sources)
///   step2 step4 step0        columns apart, or one column repeated (sources)
///   transposed-...           as above, transposed (matrix sources)
std::vector<std::string> destinationLayouts(bool steps);
std::vector<std::string> sourceLayouts(bool steps, bool transposed);

/// Places the operands of one case in memory and fills them.
class Scene {
 public:
  static constexpr uint64_t kLocalBytes = 256 << 10;
  static constexpr uint64_t kGlobalBytes = 256 << 10;

  Scene(const Case& c, reference::Memory& memory);

  /// A tile of logical rows x columns, apart from all others, with `slack` bytes of its own after it;
  /// fields in call.tiles[name].
  reference::Tile& place(const std::string& name, ElementType type, uint64_t rows, uint64_t columns,
                         const std::string& layout, uint64_t slack = 0);
  /// The same, beginning where another tile begins.
  reference::Tile& placeOver(const std::string& name, ElementType type, uint64_t rows,
                             uint64_t columns, const std::string& layout, const std::string& other);
  /// A tile of the geometry of `other`.
  reference::Tile& placeInPlace(const std::string& name, ElementType type,
                                const std::string& other);
  void fill(const std::string& name, const std::string& kind);
  /// Address of `bytes` bytes for a view, in global or local memory.
  uint64_t reserve(uint64_t bytes, bool local);

  const Case& what;
  reference::Memory& memory;
  Random random;
  reference::Call call;

 private:
  reference::Tile layOut(ElementType type, uint64_t rows, uint64_t columns,
                         const std::string& layout);
  uint64_t allocate(uint64_t bytes);

  uint64_t next_local_ = 0;
  uint64_t next_global_ = 0;
};

}  // namespace etalon::sim::coverage
