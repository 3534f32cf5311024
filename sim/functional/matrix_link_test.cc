// SPDX-License-Identifier: Apache-2.0
// Tiles that links of matrix operands name: what of them is refused, and that they are sources.
#include <functional>

#include "isa/csr.h"
#include "isa/state/rule_test.h"
#include "sim/functional/vector_test_support.h"

namespace etalon::sim {
namespace {

using isa::Cause;
using isa::Rule;
using isa::Tile;
using isa::TileRegister;
using isa::X;
using enum ElementType;

constexpr uint32_t kA = 0x1000, kB = 0x2000, kD = 0x3000, kScalesOfA = 0x4000, kScalesOfB = 0x5000,
                   kMetadata = 0x6000;
constexpr size_t kTd = 0, kTa = 1, kTb = 2, kTsa = 3, kTsb = 4, kTm = 5;

/// Tile registers 0 to 5: td, A, B, scales of A, scales of B, metadata.
using Tiles = std::array<TileRegister, 6>;

TileRegister linked(TileRegister tile, size_t to) {
  tile.link_valid = true;
  tile.link = static_cast<uint8_t>(to);
  return tile;
}

/// f8 of 2 x 33 and 33 x 3, e8m0 scales on both.
Tiles scaledProduct() {
  return {denseTile(f32, 2, 3, kD),
          linked(denseTile(f8e4m3, 2, 33, kA), kTsa),
          linked(denseTile(f8e4m3, 33, 3, kB), kTsb),
          denseTile(e8m0, 2, 2, kScalesOfA),
          denseTile(e8m0, 2, 3, kScalesOfB),
          {}};
}

/// The same with a sparse A.
Tiles sparseProduct() {
  Tiles t = scaledProduct();
  t[kTa] = linked(denseTile(f8e4m3, 2, 18, kA), kTm);
  t[kTm] = linked(denseTile(u4, 2, 9, kMetadata), kTsa);
  return t;
}

void setTiles(VectorBuilder& p, const Tiles& tiles) {
  for (size_t i = 0; i < tiles.size(); ++i) p.setTile(static_cast<uint8_t>(i), tiles[i]);
}

struct LinkFault {
  const char* name;
  Tiles (*tiles)();
  std::function<void(Tiles&)> change;
  Cause cause;
  Rule rule;
  const char* operand;  // as the fault names it
  int number;           // of the operand in mtval
  const char* detail;   // stands in the fault's detail
  std::vector<std::string> overrides = {};
};
void PrintTo(const LinkFault& c, std::ostream* out) { *out << c.name; }

class MatrixLink : public testing::TestWithParam<LinkFault> {};

TEST_P(MatrixLink, FaultNamesItsRuleAndOperand) {
  SHOWS(fault_value);
  VIOLATES(mm_link_profile);
  const LinkFault& c = GetParam();
  VectorBuilder p;
  Tiles tiles = c.tiles();
  c.change(tiles);
  setTiles(p, tiles);
  p.et_mm(Tile{0}, Tile{1}, Tile{2});
  p.exit(0);
  TestProgram program(p, c.overrides);
  EXPECT_EQ(program.run().status, RunStatus::fault);
  ASSERT_EQ(program.device().findings().faults().size(), 1u);
  const isa::Fault& fault = program.device().findings().faults()[0];
  EXPECT_EQ(fault.cause, c.cause) << fault.detail;
  EXPECT_EQ(isa::ruleInfo(fault.rule)->name, isa::ruleInfo(c.rule)->name) << fault.detail;
  EXPECT_EQ(fault.operand, c.operand) << fault.detail;
  EXPECT_EQ(bits(fault.value, 19, 16), static_cast<uint64_t>(c.number));
  EXPECT_NE(fault.detail.find(c.detail), std::string::npos) << fault.detail;
  EXPECT_EQ(program.device().findings().uninitialisedCount(), 0u);
}

/// Changes one register.
template <class F>
auto in(size_t reg, F change) {
  return [=](Tiles& t) { change(t[reg]); };
}
/// Puts a dense tile of another type or shape in its place, its link kept.
auto replace(size_t reg, ElementType type, uint32_t rows, uint32_t cols) {
  return in(reg, [=](TileRegister& t) {
    const TileRegister old = t;
    t = denseTile(type, rows, cols, old.base);
    t.link_valid = old.link_valid;
    t.link = old.link;
  });
}
void transpose(TileRegister& t) { t.transpose = true; }

const LinkFault kFlags[] = {
    {"reserved_type_of_scales", scaledProduct, in(kTsa, [](auto& t) { t.type = 40; }),
     Cause::malformed, Rule::tile_type, "scales of ta (tr3)", 4, "code 40"},
    {"reserved_type_of_scales_behind_metadata", sparseProduct,
     in(kTsa, [](auto& t) { t.type = 16; }), Cause::malformed, Rule::tile_type,
     "scales of ta (tr3)", 4, "code 16"},
    {"flag_on_scales", scaledProduct, in(kTsb, transpose), Cause::shape, Rule::tile_transpose,
     "scales of tb (tr4)", 5, "transpose flag"},
    {"flag_on_metadata", sparseProduct, in(kTm, transpose), Cause::shape, Rule::tile_transpose,
     "metadata of ta (tr5)", 3, "transpose flag"},
    {"step_of_scales", scaledProduct, in(kTsa, [](auto& t) { t.step = 2; }), Cause::shape,
     Rule::tile_step, "scales of ta (tr3)", 4, "column step is 2, tiles that a link names need"},
    {"step_of_a_source", scaledProduct, in(kTa, [](auto& t) { t.step = 0; }), Cause::shape,
     Rule::tile_step, "ta (tr1)", 1, "column step is 0"},
    {"step_of_metadata", sparseProduct, in(kTm, [](auto& t) { t.step = 0; }), Cause::local_bounds,
     Rule::tile_align, "metadata of ta (tr5)", 3, "step"},
    {"link_of_td", scaledProduct, in(kTd, [](auto& t) { t = linked(t, kTsa); }), Cause::shape,
     Rule::tile_link, "td (tr0)", 0, "links to tr3"},
    {"link_of_scales", scaledProduct, in(kTsb, [](auto& t) { t = linked(t, kTsa); }), Cause::shape,
     Rule::tile_link, "scales of tb (tr4)", 5, "links to tr3"},
    {"link_of_scales_behind_metadata", sparseProduct,
     in(kTsa, [](auto& t) { t = linked(t, kTsb); }), Cause::shape, Rule::tile_link,
     "scales of ta (tr3)", 4, "links to tr4"},
};
INSTANTIATE_TEST_SUITE_P(Flags, MatrixLink, testing::ValuesIn(kFlags),
                         [](const auto& info) { return info.param.name; });

const LinkFault kTypes[] = {
    {"a_pair_that_scales_do_not_make_legal", scaledProduct, replace(kTa, i8, 2, 33), Cause::shape,
     Rule::op_types, "td (tr0)", 0, "td f32, ta i8, tb f8e4m3"},
    {"e4m3_scales_of_f8", scaledProduct, replace(kTsa, f8e4m3, 2, 3), Cause::shape,
     Rule::mm_scale_type, "scales of ta (tr3)", 4, "scales of f8e4m3 for elements of f8e4m3"},
    {"f32_scales_of_f4", scaledProduct,
     [](Tiles& t) {
       replace(kTb, f4e2m1, 33, 3)(t);
       replace(kTsb, f32, 1, 3)(t);
     },
     Cause::shape, Rule::mm_scale_type, "scales of tb (tr4)", 5,
     "scales of f32 for elements of f4"},
    {"metadata_of_b", scaledProduct, replace(kTsb, u4, 9, 3), Cause::shape, Rule::mm_scale_type,
     "scales of tb (tr4)", 5, "scales of u4"},
    {"metadata_of_metadata", sparseProduct, replace(kTsa, u4, 2, 9), Cause::shape,
     Rule::mm_scale_type, "scales of ta (tr3)", 4, "scales of u4"},
    {"scales_beside_an_i32_accumulator", scaledProduct,
     [](Tiles& t) {
       replace(kTd, i32, 2, 3)(t);
       replace(kTa, i8, 2, 33)(t);
       replace(kTb, i8, 33, 3)(t);
       replace(kTsa, f32, 2, 1)(t);
     },
     Cause::shape, Rule::mm_scale_type, "scales of ta (tr3)", 4, "td of i32"},
    {"integers_in_f32_without_scales", scaledProduct,
     [](Tiles& t) {
       t[kTa] = denseTile(i8, 2, 33, kA);
       t[kTb] = denseTile(u4, 33, 3, kB);
     },
     Cause::shape, Rule::mm_scale_need, "td (tr0)", 0, "without block scales"},
    {"scales_without_their_profile",
     scaledProduct,
     [](Tiles&) {},
     Cause::unsupported,
     Rule::op_unsupported,
     "td (tr0)",
     0,
     "need profile Et-mx",
     {"profiles=Et-base,Et-fp8,Et-sparse"}},
    {"sparse_without_its_profile",
     sparseProduct,
     [](Tiles&) {},
     Cause::unsupported,
     Rule::op_unsupported,
     "td (tr0)",
     0,
     "need profile Et-sparse",
     {"profiles=Et-base,Et-fp8,Et-mx"}},
};
INSTANTIATE_TEST_SUITE_P(Types, MatrixLink, testing::ValuesIn(kTypes),
                         [](const auto& info) { return info.param.name; });

const LinkFault kShapes[] = {
    {"columns_of_scales_of_a", scaledProduct, replace(kTsa, e8m0, 2, 1), Cause::shape,
     Rule::mm_scale_shape, "scales of ta (tr3)", 4, "2 x 1, as stored they must be 2 x 2"},
    {"scales_that_are_not_transposed_as_b_is", scaledProduct,
     [](Tiles& t) {
       replace(kTb, f8e4m3, 3, 33)(t);
       transpose(t[kTb]);
     },
     Cause::shape, Rule::mm_scale_shape, "scales of tb (tr4)", 5,
     "2 x 3, as stored they must be 3 x 2"},
    {"scales_of_a_sparse_a_counted_by_stored_columns", sparseProduct, replace(kTsa, e8m0, 2, 1),
     Cause::shape, Rule::mm_scale_shape, "scales of ta (tr3)", 4, "must be 2 x 2"},
    {"a_sparse_a_with_all_columns", sparseProduct, replace(kTa, f8e4m3, 2, 33), Cause::shape,
     Rule::mm_sparse_shape, "ta (tr1)", 1,
     "A has 33 columns, a sparse one for 33 rows of B has 18"},
    {"a_transposed_sparse_a", sparseProduct,
     [](Tiles& t) {
       replace(kTa, f8e4m3, 18, 2)(t);
       transpose(t[kTa]);
     },
     Cause::shape, Rule::mm_sparse_shape, "ta (tr1)", 1, "not transposed"},
    {"metadata_of_too_few_groups", sparseProduct, replace(kTm, u4, 2, 8), Cause::shape,
     Rule::mm_sparse_shape, "metadata of ta (tr5)", 3, "2 x 8, it must be 2 x 9"},
};
INSTANTIATE_TEST_SUITE_P(Shapes, MatrixLink, testing::ValuesIn(kShapes),
                         [](const auto& info) { return info.param.name; });

const LinkFault kPlaces[] = {
    {"td_over_scales", scaledProduct, in(kTsb, [](auto& t) { t.base = kD + 23; }), Cause::aliasing,
     Rule::alias_overlap, "td (tr0)", 0, "may overlap scales of tb"},
    {"td_over_metadata", sparseProduct, in(kTm, [](auto& t) { t.base = kD; }), Cause::aliasing,
     Rule::alias_overlap, "td (tr0)", 0, "may overlap metadata of ta"},
    {"scales_outside_local_memory", scaledProduct,
     in(kTsa, [](auto& t) { t.base = (64u << 20) - 2; }), Cause::local_bounds, Rule::tile_bounds,
     "scales of ta (tr3)", 4, "local memory has"},
    {"misaligned_scales", scaledProduct,
     [](Tiles& t) {
       replace(kTsa, f32, 2, 1)(t);
       t[kTsa].base += 2;
     },
     Cause::local_bounds, Rule::tile_align, "scales of ta (tr3)", 4, "base"},
};
INSTANTIATE_TEST_SUITE_P(Places, MatrixLink, testing::ValuesIn(kPlaces),
                         [](const auto& info) { return info.param.name; });

void writeWords(VectorBuilder& p, uint32_t base, size_t count) {
  p.store(base, std::vector<uint32_t>(count, 0x38383838));
}

TEST(MatrixLinks, AreReadAsAWholeAndMissedWhereNobodyWroteThem) {
  SHOWS(mm_link, mm_link_profile);
  for (const uint32_t missing : {0u, kScalesOfA, kScalesOfB, kMetadata}) {
    VectorBuilder p;
    setTiles(p, sparseProduct());
    writeWords(p, kA, 18);
    writeWords(p, kB, 33);
    for (const uint32_t base : {kScalesOfA, kScalesOfB, kMetadata})
      if (base != missing) writeWords(p, base, 5);
    p.et_mm(Tile{0}, Tile{1}, Tile{2});
    p.exit(0);
    TestProgram program(p);
    EXPECT_EQ(program.run().status, RunStatus::exited);
    EXPECT_EQ(program.device().findings().uninitialisedCount(), missing == 0 ? 0u : 1u) << missing;
  }
}

TEST(MatrixLinks, RaceWithAWriteFromAnotherCore) {
  for (const bool conflicts : {false, true}) {
    VectorBuilder p;
    // Core 0, which has the first turn, writes the scales of core 1, or bytes beside them.
    const auto core1 = p.label();
    p.csrrs(X{5}, isa::csr::kMhartid, X{0});
    p.bne(X{5}, X{0}, core1);
    p.li(X{6}, static_cast<int64_t>(isa::kCoreWindowBase + isa::kCoreWindowStride + kScalesOfA +
                                    (conflicts ? 0 : 64)));
    p.sb(X{0}, 0, X{6});
    p.et_halt();
    p.bind(core1);
    setTiles(p, scaledProduct());
    writeWords(p, kA, 18);
    writeWords(p, kB, 33);
    writeWords(p, kScalesOfA, 2);
    writeWords(p, kScalesOfB, 2);
    p.et_mm(Tile{0}, Tile{1}, Tile{2});
    p.exit(0);
    TestProgram program(p);
    EXPECT_EQ(program.run(2).status, RunStatus::exited);
    EXPECT_EQ(program.device().races().reports().empty(), !conflicts);
  }
}

}  // namespace
}  // namespace etalon::sim
