// SPDX-License-Identifier: Apache-2.0
// Matrix multiply-accumulate.
#include <fmt/format.h>

#include "isa/numerics/contract_mma.h"
#include "isa/numerics/mma.h"
#include "isa/state/semantics.h"

namespace etalon::isa::semantics {

constexpr int kProductTd = 0, kProductA = 1, kProductB = 2;
constexpr uint64_t kSparseGroup = 4;  // elements of k of which a sparse A stores two

/// Operands that links name; -1 where there is none.
struct ProductLinks {
  int metadata = -1;
  int a_scales = -1, b_scales = -1;

  bool scaled() const { return a_scales >= 0 || b_scales >= 0; }
  bool sparse() const { return metadata >= 0; }
};

/// Adds what the links of A and B name: a u4 tile at A's is metadata, anything else is scales.
template <CoreContext Core>
ProductLinks addProductLinks(Core& core, TileOperands& operands) {
  constexpr TileOperands::Label kMetadata{3, "metadata of ta"}, kScalesOfA{4, "scales of ta"},
      kScalesOfB{5, "scales of tb"};
  const auto follow = [&](int from, TileOperands::Label label) {
    operands.allowLink(from);
    const TileRegister& tile = operands.operand(from).tile;
    if (!tile.link_valid) return -1;
    operands.tile(tile.link, core.tile(tile.link), Role::linked, label);
    return operands.count() - 1;
  };
  const TileRegister& a = operands.operand(kProductA).tile;
  const auto u4 = static_cast<uint8_t>(ElementType::u4);
  ProductLinks linked;
  if (a.link_valid && core.tile(a.link).type == u4) linked.metadata = follow(kProductA, kMetadata);
  linked.a_scales = follow(linked.sparse() ? linked.metadata : kProductA, kScalesOfA);
  linked.b_scales = follow(kProductB, kScalesOfB);
  return linked;
}

/// Elements of logical k that a scale of operand `scales` is for; 0 if it cannot scale `source`.
inline uint64_t scaleBlockOf(const TileOperands& operands, int source, int scales) {
  return numerics::scaleBlock(operands.operand(source).tile.elementType(),
                              operands.operand(scales).tile.elementType());
}

inline void requireLinkedTypes(TileOperands& operands, const ProductLinks& linked) {
  if (operands.fault()) return;
  const ElementType td = operands.operand(kProductTd).tile.elementType();
  const auto require = [&](int source, int scales) {
    if (scales < 0) return;
    const bool fits = scaleBlockOf(operands, source, scales) != 0 && td == ElementType::f32;
    operands.require(fits, Rule::mm_scale_type, scales, [&] {
      const auto name = [&](int i) {
        return elementInfo(operands.operand(i).tile.elementType()).name;
      };
      return fmt::format("scales of {} for elements of {} and a td of {}", name(scales),
                         name(source), name(kProductTd));
    });
  };
  require(kProductA, linked.a_scales);
  require(kProductB, linked.b_scales);
  const bool integers = isInteger(operands.operand(kProductA).tile.elementType()) &&
                        isInteger(operands.operand(kProductB).tile.elementType());
  operands.require(linked.scaled() || !integers || td == ElementType::i32, Rule::mm_scale_need,
                   kProductTd,
                   [] { return "td is f32, the sources are integers without block scales"; });
  if (linked.scaled()) operands.needProfile("Et-mx");
  if (linked.sparse()) operands.needProfile("Et-sparse");
}

inline void requireProductShapes(TileOperands& operands, const ProductLinks& linked) {
  const TileRegister& d = operands.operand(kProductTd).tile;
  const TileRegister& a = operands.operand(kProductA).tile;
  const TileRegister& b = operands.operand(kProductB).tile;
  const auto text = [&] {
    return fmt::format("A is {} x {}, B is {} x {}, td is {} x {}", a.rows(), a.columns(), b.rows(),
                       b.columns(), d.rows(), d.columns());
  };
  operands.require(a.rows() == d.rows(), Rule::mm_shape, kProductA, text);
  if (linked.sparse()) {
    const uint64_t groups = (b.rows() + kSparseGroup - 1) / kSparseGroup;
    operands.require(!a.transpose, Rule::mm_sparse_shape, kProductA,
                     [] { return "a sparse A is not transposed"; });
    operands.require(a.columns() == 2 * groups, Rule::mm_sparse_shape, kProductA, [&] {
      return fmt::format("A has {} columns, a sparse one for {} rows of B has {}", a.columns(),
                         b.rows(), 2 * groups);
    });
    const TileRegister& metadata = operands.operand(linked.metadata).tile;
    operands.require(metadata.rows() == a.rows() && metadata.columns() == groups,
                     Rule::mm_sparse_shape, linked.metadata, [&] {
                       return fmt::format("it is {} x {}, it must be {} x {}", metadata.rows(),
                                          metadata.columns(), a.rows(), groups);
                     });
  }
  operands.require(b.columns() == d.columns(), Rule::mm_shape, kProductB, text);
  operands.require(linked.sparse() || a.columns() == b.rows(), Rule::mm_shape, kProductB, text);
}

/// Scales of A are M x blocks, of B blocks x N, stored transposed where their source is.
inline void requireScaleShapes(TileOperands& operands, const ProductLinks& linked) {
  if (operands.fault()) return;
  const uint64_t k = operands.operand(kProductB).tile.rows();
  const auto require = [&](int source, int scales) {
    if (scales < 0) return;
    const TileRegister& of = operands.operand(source).tile;
    const TileRegister& tile = operands.operand(scales).tile;
    const uint64_t length = scaleBlockOf(operands, source, scales);
    const uint64_t blocks = (k + length - 1) / length;
    const bool along_columns = (source == kProductB) == of.transpose;
    const uint64_t rows = along_columns ? of.storedRows() : blocks;
    const uint64_t columns = along_columns ? blocks : of.cols;
    operands.require(tile.rows() == rows && tile.columns() == columns, Rule::mm_scale_shape, scales,
                     [&] {
                       return fmt::format(
                           "they are {} x {}, as stored they must be {} x {}, one for {} elements",
                           tile.rows(), tile.columns(), rows, columns, length);
                     });
  };
  require(kProductA, linked.a_scales);
  require(kProductB, linked.b_scales);
}

/// The values of a product.
template <CoreContext Core>
void computeProduct(Core& core, const TileOperands& operands, const ProductLinks& linked,
                    bool accumulate) {
  const TileRegister& d = operands.operand(kProductTd).tile;
  const TileRegister& a = operands.operand(kProductA).tile;
  const TileRegister& b = operands.operand(kProductB).tile;
  numerics::MmaSource from_a = core.tileRef(a), from_b = core.tileRef(b);
  const auto ref = [&](int i) { return core.tileRef(operands.operand(i).tile); };
  if (linked.sparse()) from_a.metadata = ref(linked.metadata);
  if (linked.a_scales >= 0) from_a.scales = ref(linked.a_scales);
  if (linked.b_scales >= 0) from_b.scales = ref(linked.b_scales);
  const numerics::TileRef to = core.tileRef(d);
  if (const auto* rule = numerics::declaredProduct(core.contract(), a.elementType(),
                                                   b.elementType(), d.elementType())) {
    numerics::multiplyAccumulateUnder(*rule, from_a, from_b, to, accumulate);
  } else {
    numerics::multiplyAccumulate(from_a, from_b, to, accumulate, numerics::bestMmaKernels(),
                                 core.mmaScratch());
  }
}

template <CoreContext Core>
void multiply(Core& core, const Instruction& in, bool accumulate) {
  auto operands = core.operands(in, {.transposes = true, .any_step = false});
  const TileRegister& d =
      operands.tile(in.rd, core.tile(in.rd), accumulate ? Role::inout : Role::destination);
  operands.tile(in.rs1, core.tile(in.rs1), Role::source);
  const TileRegister& b = operands.tile(in.rs2, core.tile(in.rs2), Role::source);
  const ProductLinks linked = addProductLinks(core, operands);
  operands.checkRegisters();
  operands.checkTypes();
  requireLinkedTypes(operands, linked);
  requireProductShapes(operands, linked);
  requireScaleShapes(operands, linked);
  operands.checkPlacement();
  const uint64_t macs = saturatingProduct(d.rows(), d.columns(), b.rows());
  operands.countWork(macs, saturatingProduct(d.rows(), d.columns()), 0);
  operands.leaveOutValues();  // integer products cost as much as others
  if (!core.begin(operands)) return;
  if (core.computes()) computeProduct(core, operands, linked, accumulate);
  core.finish(operands);
  core.addCounter(Counter::retired_matrix, 1);
  core.addCounter(Counter::macs, macs);
}

SEMANTICS(et_mm) { multiply(core, in, false); }
SEMANTICS(et_mma) { multiply(core, in, true); }

}  // namespace etalon::isa::semantics
