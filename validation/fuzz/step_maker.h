// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <functional>
#include <optional>

#include "isa/codec/instruction_info.h"
#include "isa/machines/machine.h"
#include "validation/fuzz/operand_shapes.h"
#include "validation/fuzz/program.h"
#include "validation/fuzz/tile_placer.h"
#include "validation/fuzz/view_maker.h"

namespace etalon::fuzz {

/// Where the core that steps are made for may access memory now.
struct Territory {
  unsigned core = 0;
  unsigned area = 0;      // of the areas in global memory, by number
  unsigned exchange = 0;  // whose upper end of local memory
  bool alone = false;     // nobody else does
};

/// Makes steps of one core: an instruction of the description with operands that it takes, as its generated tables say.
class StepMaker {
 public:
  /// Registers that steps name: x1 to x24 (see image.cc).
  static constexpr uint8_t kMostX = 24;

  /// `strict`: only what is legal; else some things are tried that mostly are not, shapes that do not match among them.
  StepMaker(Random& random, const isa::Machine& machine, uint64_t elements, bool strict)
      : random_(random), machine_(machine), elements_(elements), strict_(strict), placer_(random) {}

  void enter(const Territory& territory) { territory_ = territory; }
  /// True if the machine has the instruction for some types.
  bool isSupported(const isa::InstructionInfo& info) const;
  /// The instruction, after others that it needs: indices of a gather.
  std::vector<Step> make(const isa::InstructionInfo& info);
  /// Registers are no longer what they were set to.
  void forgetRegisters() { known_ = {}; }

  /// An address for a scalar access of `bytes`.
  uint64_t scalarAddress(uint64_t bytes);
  /// Address of a semaphore of a core, through its window or the own one. Those from kFreeSemaphores on nobody waits for.
  static constexpr unsigned kFreeSemaphores = 32;
  uint64_t semaphoreAddress(unsigned core, unsigned semaphore);

 private:
  struct Operands {
    const isa::InstructionInfo& info;
    std::vector<ElementType> types;  // of tile and view operands
    std::vector<Shape> shapes;
    std::vector<int64_t> values;  // as encode() takes them
  };

  std::vector<ElementType> pickTypes(isa::InstructionId id);
  void roundColumns(Operands& o);
  void setOperands(Operands& o, Step& step);
  bool hasProfile(std::string_view name) const;
  bool accident(uint64_t n) { return !strict_ && random_.oneIn(n); }
  int64_t csrOperand(const isa::InstructionInfo& info);
  int64_t scalarOperand(const isa::InstructionInfo& info, const isa::OperandInfo& operand,
                        Step& step);
  uint64_t scalarValue(const isa::InstructionInfo& info, std::string_view operand,
                       const Step& step);
  void setMemoryOperand(Operands& o, Step& step);
  uint64_t memoryAddress(const isa::InstructionInfo& info);

  int64_t tileOperand(const TileNeed& need, Step& step);
  int64_t setTile(const isa::TileRegister& tile, Step& step);
  int64_t setView(const isa::ViewDescriptor& view, Step& step);
  std::optional<uint8_t> knownTile(const TileNeed& need, const Step& step);
  uint8_t freeTile(const Step& step);
  bool placeInPlace(Operands& o, const TileNeed& need, Step& step, int64_t& reg);
  int64_t viewOperand(const std::function<isa::ViewDescriptor(const Area&)>& make, Step& step);
  Area globalArea() const;
  Area viewArea();

  // special_steps.cc
  void makeChain(Operands& o, Step& step);
  void makeIndexed(Operands& o, Step& step);
  void countUp(int64_t ti, const Step& step);
  void addLinks(Operands& o, Step& step);
  void linkScales(Step& step, size_t source, size_t link_from, Shape shape, bool transpose);

  Random& random_;
  const isa::Machine& machine_;
  uint64_t elements_;
  bool strict_;
  TilePlacer placer_;
  std::vector<Step> before_;  // what the step that is being made needs
  Territory territory_;
  std::array<std::optional<isa::TileRegister>, isa::kTileRegisters> known_;
};

}  // namespace etalon::fuzz
