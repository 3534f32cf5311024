// SPDX-License-Identifier: Apache-2.0
// What vector instructions refuse, rule by rule.
#include <functional>

#include "isa/state/rule_test.h"
#include "sim/functional/vector_test_support.h"

namespace etalon::sim {
namespace {

using isa::Cause;
using isa::Chain;
using isa::ChainDescriptor;
using isa::Rule;
using isa::Tile;
using isa::X;

constexpr uint32_t kA = 0x1000, kB = 0x2000, kC = 0x3000, kD = 0x4000;
constexpr ElementType kF32 = ElementType::f32;

/// A program whose last instruction traps, and the fault it has.
struct FaultCase {
  const char* name;
  std::function<void(VectorBuilder&)> build;
  Cause cause;
  Rule rule;
  const char* operand;  // as the fault names it
  int number;           // of the operand in mtval
  const char* detail;   // stands in the fault's detail
  std::vector<std::string> overrides = {};
};

void PrintTo(const FaultCase& c, std::ostream* out) { *out << c.name; }

class VectorFault : public testing::TestWithParam<FaultCase> {};

TEST_P(VectorFault, NamesItsRuleAndOperandAndHasNoEffect) {
  SHOWS(fault_value);
  VIOLATES(vec_classes, scan_in_place, op_shape, chain_stochastic);
  VectorBuilder p;
  for (const auto& [reg, base] : {std::pair{0, kD}, {1, kA}, {2, kB}, {3, kC}})
    p.setTile(static_cast<uint8_t>(reg), denseTile(kF32, 2, 2, base));
  for (const uint32_t base : {kA, kB, kC, kD}) p.storeFloats(base, {1, 2, 3, 4});
  GetParam().build(p);
  p.exit(0);
  TestProgram program(p, GetParam().overrides);
  EXPECT_EQ(program.run().status, RunStatus::fault);
  ASSERT_EQ(program.device().findings().faults().size(), 1u);
  const isa::Fault& fault = program.device().findings().faults()[0];
  EXPECT_EQ(fault.cause, GetParam().cause) << fault.detail;
  EXPECT_EQ(isa::ruleInfo(fault.rule)->name, isa::ruleInfo(GetParam().rule)->name) << fault.detail;
  EXPECT_EQ(fault.operand, GetParam().operand) << fault.detail;
  EXPECT_EQ(bits(fault.value, 19, 16), static_cast<uint64_t>(GetParam().number));
  EXPECT_NE(fault.detail.find(GetParam().detail), std::string::npos) << fault.detail;
  EXPECT_FALSE(fault.detail.ends_with(' '));
  const bool says_where_it_would_run = fault.hint.find("--machine") != std::string::npos;
  EXPECT_EQ(says_where_it_would_run, GetParam().cause == Cause::unsupported) << fault.hint;
  EXPECT_EQ(program.device().counterTotal(isa::Counter::retired_vector), 0u);
  EXPECT_EQ(localFloats(program, kD, 4), (std::vector<float>{1, 2, 3, 4}));
}

/// Tile register `reg` becomes `tile`, then `then` follows.
template <class F>
auto with(uint8_t reg, isa::TileRegister tile, F then) {
  return [=](VectorBuilder& p) {
    p.setTile(reg, tile);
    then(p);
  };
}
void add(VectorBuilder& p) { p.et_add(Tile{0}, Tile{1}, Tile{2}); }

isa::TileRegister changed(const std::function<void(isa::TileRegister&)>& change) {
  isa::TileRegister tile = denseTile(kF32, 2, 2, kA);
  change(tile);
  return tile;
}
isa::TileRegister typed(ElementType type) { return denseTile(type, 2, 2, kA); }

const FaultCase kCommon[] = {
    {"rows", with(1, denseTile(kF32, 3, 2, kA), add), Cause::shape, Rule::vec_shape, "ta (tr1)", 1,
     "ta is 3 x 2, it must be 2 x 2"},
    {"columns", with(2, denseTile(kF32, 2, 1, kB), add), Cause::shape, Rule::vec_shape, "tb (tr2)",
     2, "tb is 2 x 1, it must be 2 x 2"},
    {"float_with_integer", with(1, typed(ElementType::i32), add), Cause::shape, Rule::op_types,
     "td (tr0)", 0, "ta i32, tb f32"},
    {"signed_with_unsigned",
     [](VectorBuilder& p) {
       p.setTile(0, denseTile(ElementType::i8, 2, 2, kC));
       p.setTile(1, denseTile(ElementType::i8, 2, 2, kA));
       p.setTile(2, denseTile(ElementType::u8, 2, 2, kB));
       add(p);
     },
     Cause::shape, Rule::op_types, "td (tr0)", 0, "td i8, ta i8, tb u8"},
    {"a_class_the_operation_lacks", [](VectorBuilder& p) { p.et_mulhi(Tile{0}, Tile{1}, Tile{2}); },
     Cause::shape, Rule::op_types, "td (tr0)", 0, "et.mulhi has no form"},
    {"a_mask_that_is_no_mask", [](VectorBuilder& p) { p.et_eq(Tile{0}, Tile{1}, Tile{2}); },
     Cause::shape, Rule::op_types, "td (tr0)", 0, "td f32"},
    {"reserved_type", with(1, changed([](auto& t) { t.type = 40; }), add), Cause::malformed,
     Rule::tile_type, "ta (tr1)", 1, "code 40 is reserved"},
    {"transpose_flag", with(1, changed([](auto& t) { t.transpose = true; }), add), Cause::shape,
     Rule::tile_transpose, "ta (tr1)", 1, "transpose flag"},
    {"link", with(2, changed([](auto& t) { t.link_valid = true; }), add), Cause::shape,
     Rule::tile_link, "tb (tr2)", 2, "links to tr0"},
    {"f16_without_its_profile",
     with(1, typed(ElementType::f16), add),
     Cause::unsupported,
     Rule::op_unsupported,
     "td (tr0)",
     0,
     "need profile Et-f16; the machine has Et-base Et-fp8",
     {"profiles=Et-base,Et-fp8"}},
    {"two_profiles_of_which_one_is_there",
     [](VectorBuilder& p) {
       p.setTile(1, denseTile(ElementType::f16, 2, 2, kA));
       p.setTile(2, denseTile(ElementType::f8e4m3, 2, 2, kB));
       add(p);
     },
     Cause::unsupported,
     Rule::op_unsupported,
     "td (tr0)",
     0,
     "need profile Et-fp8",
     {"profiles=Et-base,Et-f16"}},
    {"partial_overlap", with(1, denseTile(kF32, 2, 2, kD + 4), add), Cause::aliasing,
     Rule::alias_overlap, "td (tr0)", 0, "may overlap ta"},
    {"in_place_of_another_width",
     [](VectorBuilder& p) { with(1, denseTile(ElementType::bf16, 2, 2, kD), add)(p); },
     Cause::aliasing, Rule::alias_overlap, "td (tr0)", 0, "may overlap ta"},
    {"a_destination_that_repeats_a_row",
     with(0, changed([](auto& t) {
            t.istride = 0;
            t.base = kC;
          }),
          add),
     Cause::aliasing, Rule::alias_self, "td (tr0)", 0, "write a byte twice"},
    {"out_of_local_memory", with(2, denseTile(kF32, 2, 2, (64u << 20) - 8), add),
     Cause::local_bounds, Rule::tile_bounds, "tb (tr2)", 2, "local memory has 0x4000000 bytes"},
    {"misaligned", with(1, denseTile(kF32, 2, 2, kA + 2), add), Cause::local_bounds,
     Rule::tile_align, "ta (tr1)", 1, "base"},
    {"work_cap",
     [](VectorBuilder& p) {
       p.setTile(0, denseTile(ElementType::u8, 4096, 4097, 0x10000));
       p.et_not(Tile{0}, Tile{0});
     },
     Cause::work_cap,
     Rule::op_work_cap,
     "td (tr0)",
     0,
     "elements are more than 2^24",
     {"work_cap.elements_log2=24"}},
    {"stochastic_conversion_by_words_that_are_no_u32",
     [](VectorBuilder& p) { p.et_cvt_sr(Tile{0}, Tile{1}, Tile{2}); }, Cause::shape, Rule::op_types,
     "td (tr0)", 0, "trand f32"},
    {"stochastic_conversion_without_its_profile",
     [](VectorBuilder& p) {
       p.setTile(2, denseTile(ElementType::u32, 2, 2, kB));
       p.et_cvt_sr(Tile{0}, Tile{1}, Tile{2});
     },
     Cause::unsupported,
     Rule::op_unsupported,
     "td (tr0)",
     0,
     "need profile Et-rand",
     {"profiles=Et-base"}},
};
INSTANTIATE_TEST_SUITE_P(Common, VectorFault, testing::ValuesIn(kCommon),
                         [](const auto& info) { return info.param.name; });

/// Runs `et.vx tr0, tr1, tr2, ch1` with a chain of one step, changed.
std::function<void(VectorBuilder&)> chain(const std::function<void(ChainDescriptor&)>& change,
                                          const std::function<void(VectorBuilder&)>& before = {}) {
  return [=](VectorBuilder& p) {
    ChainDescriptor descriptor;
    descriptor.nsteps = 1;
    descriptor.flags = 0;
    descriptor.steps[0] = floatStep(ElementwiseOp::add, 0, kSelectorTile, kSelectorTile + 1);
    descriptor.td_selector = kSelectorTemporary;
    change(descriptor);
    p.setChain(1, descriptor);
    if (before) before(p);
    p.et_vx(Tile{0}, Tile{1}, Tile{2}, Chain{1});
  };
}
/// Reads tile a displaced by `bytes`.
auto displacedBy(int32_t bytes) {
  return [=](ChainDescriptor& c) {
    c.constants[0] = static_cast<uint32_t>(bytes);
    c.steps[0].selectors[0] = kSelectorDisplacedA;
  };
}
/// Adds a reduction into tr5.
void reduce(ChainDescriptor& c) {
  c.flags = ChainDescriptor::kReduce;
  c.reduction_tile = 5;
  c.reduction_selector = kSelectorTemporary;
}
auto setTile(uint8_t reg, isa::TileRegister tile) {
  return [=](VectorBuilder& p) { p.setTile(reg, tile); };
}
void unchanged(ChainDescriptor&) {}

const FaultCase kChains[] = {
    {"a_register_never_loaded",
     [](VectorBuilder& p) { p.et_vx(Tile{0}, Tile{1}, Tile{2}, Chain{4}); }, Cause::malformed,
     Rule::chain_empty_register, "ch", 3, "writes neither"},
    {"a_tile_of_another_class", chain(unchanged, setTile(2, denseTile(ElementType::i32, 2, 2, kB))),
     Cause::shape, Rule::chain_step_types, "tb (tr2)", 2,
     "step 0 (add) computes in f32, but its selector b reads i32"},
    {"a_float_condition",
     chain([](auto& c) { c.steps[0] = floatStep(ElementwiseOp::select, 0, 0, 0, 1); }),
     Cause::shape, Rule::chain_step_types, "ta (tr1)", 1, "a condition is an integer"},
    {"a_td_of_another_class", chain(unchanged, setTile(0, denseTile(ElementType::i32, 2, 2, kC))),
     Cause::shape, Rule::chain_step_types, "td (tr0)", 0, "td is i32, the chain gives f32"},
    {"a_64_bit_tile", chain(unchanged, setTile(1, denseTile(ElementType::i64, 2, 2, kA))),
     Cause::shape, Rule::op_types, "ta (tr1)", 1, "tiles of 8 to 32 bits"},
    {"a_conversion_to_a_type_no_tile_has", chain([](auto& c) {
       c.steps[0].op = static_cast<uint8_t>(ElementwiseOp::cvt);
       c.steps[0].result_type = static_cast<uint8_t>(ElementType::f4e2m1);
     }),
     Cause::shape, Rule::chain_step_types, "td (tr0)", 0, "converts to f4e2m1"},
    {"a_stochastic_step_by_words_that_are_no_u32", chain([](auto& c) {
       c.steps[0].op = static_cast<uint8_t>(ElementwiseOp::cvt);
       c.steps[0].mode = 2;
     }),
     Cause::shape, Rule::chain_step_types, "tb (tr2)", 2, "random words are u32"},
    {"a_stochastic_step_without_its_profile",
     chain(
         [](auto& c) {
           c.steps[0].op = static_cast<uint8_t>(ElementwiseOp::cvt);
           c.steps[0].mode = 2;
         },
         setTile(2, denseTile(ElementType::u32, 2, 2, kB))),
     Cause::unsupported,
     Rule::op_unsupported,
     "td (tr0)",
     0,
     "need profile Et-rand",
     {"profiles=Et-base"}},
    {"a_conversion_outside_the_profile",
     chain([](auto& c) {
       c.steps[0].op = static_cast<uint8_t>(ElementwiseOp::cvt);
       c.steps[0].result_type = static_cast<uint8_t>(ElementType::f8e5m2);
     }),
     Cause::unsupported,
     Rule::op_unsupported,
     "td (tr0)",
     0,
     "need profile Et-fp8",
     {"profiles=Et-base"}},
    {"a_step_outside_the_profile",
     chain([](auto& c) { c.steps[0] = floatStep(ElementwiseOp::sin, 0, 0); }),
     Cause::unsupported,
     Rule::op_unsupported,
     "td (tr0)",
     0,
     "need profile Et-trig",
     {"profiles=Et-base"}},
    {"shape_of_a_source", chain(unchanged, setTile(2, denseTile(kF32, 2, 3, kB))), Cause::shape,
     Rule::chain_shape, "tb (tr2)", 2, "tb is 2 x 3, it must be 2 x 2"},
    {"shape_of_the_third_source",
     chain(
         [](auto& c) {
           c.third_source = 6;
           c.steps[0] = floatStep(ElementwiseOp::fma, 0, 0, 1, 2);
         },
         setTile(6, denseTile(kF32, 1, 2, kC))),
     Cause::shape, Rule::chain_shape, "third source (tr6)", 4, "must be 2 x 2"},
    {"shape_of_the_reduction", chain(reduce, setTile(5, denseTile(kF32, 2, 2, kC))), Cause::shape,
     Rule::chain_shape, "reduction tile (tr5)", 5, "must be 2 x 1"},
    {"shape_of_the_lanes",
     chain(
         [](auto& c) {
           reduce(c);
           c.flags |= ChainDescriptor::kAccumulate;
         },
         setTile(5, denseTile(kF32, 2, 1, kC))),
     Cause::shape, Rule::chain_shape, "reduction tile (tr5)", 5, "must be 2 x 64"},
    {"type_of_the_reduction", chain(reduce, setTile(5, denseTile(ElementType::i32, 2, 1, kC))),
     Cause::shape, Rule::chain_step_types, "reduction tile (tr5)", 5, "runs in f32"},
    {"type_of_the_lanes",
     chain(
         [](auto& c) {
           reduce(c);
           c.flags |= ChainDescriptor::kAccumulate;
         },
         setTile(5, denseTile(ElementType::bf16, 2, 64, kC))),
     Cause::shape, Rule::chain_step_types, "reduction tile (tr5)", 5, "exactly that type"},
    {"a_reduction_over_a_source", chain(reduce, setTile(5, denseTile(kF32, 2, 1, kB))),
     Cause::aliasing, Rule::alias_inout, "reduction tile (tr5)", 5, "may overlap tb"},
    {"a_reduction_over_td", chain(reduce, setTile(5, denseTile(kF32, 2, 1, kD))), Cause::aliasing,
     Rule::alias_inout, "td (tr0)", 0, "may overlap reduction tile"},
    {"td_in_place_of_a_displaced_source",
     chain(displacedBy(0), setTile(1, denseTile(kF32, 2, 2, kD))), Cause::aliasing,
     Rule::alias_overlap, "td (tr0)", 0, "may overlap ta"},
    {"td_in_the_hull_of_the_displacements", chain([](auto& c) {
       displacedBy(static_cast<int32_t>(kD - kA) + 16)(c);
       c.steps[0].selectors[1] = kSelectorTile;
     }),
     Cause::aliasing, Rule::alias_overlap, "td (tr0)", 0, "may overlap ta"},
    {"a_displacement_before_local_memory", chain(displacedBy(-static_cast<int32_t>(kA) - 4)),
     Cause::local_bounds, Rule::tile_bounds, "ta (tr1)", 1, "displaced, takes bytes -4 to"},
    {"a_displacement_past_local_memory", chain(displacedBy(64 << 20)), Cause::local_bounds,
     Rule::tile_bounds, "ta (tr1)", 1, "local memory has"},
    {"a_misaligned_displacement", chain(displacedBy(2)), Cause::local_bounds,
     Rule::chain_displacement, "ta (tr1)", 1, "the displacement 2 is no multiple of 4"},
};
INSTANTIATE_TEST_SUITE_P(Chains, VectorFault, testing::ValuesIn(kChains),
                         [](const auto& info) { return info.param.name; });

const FaultCase kRowsAndColumns[] = {
    {"reduction_shape", [](VectorBuilder& p) { p.et_red_sum(Tile{0}, Tile{1}); }, Cause::shape,
     Rule::red_shape, "td (tr0)", 0, "must be 2 x 1"},
    {"lanes_shape", [](VectorBuilder& p) { p.et_red_max_acc(Tile{0}, Tile{1}); }, Cause::shape,
     Rule::red_shape, "td (tr0)", 0, "must be 2 x 64"},
    {"column_shape", [](VectorBuilder& p) { p.et_cred_min(Tile{0}, Tile{1}); }, Cause::shape,
     Rule::red_shape, "td (tr0)", 0, "must be 1 x 2"},
    {"narrow_lanes",
     [](VectorBuilder& p) {
       p.setTile(0, denseTile(ElementType::bf16, 2, 64, kC));
       p.et_red_sum_acc(Tile{0}, Tile{1});
     },
     Cause::shape, Rule::op_types, "td (tr0)", 0, "td bf16"},
    {"an_index_that_is_no_i32", [](VectorBuilder& p) { p.et_argmax(Tile{0}, Tile{1}); },
     Cause::shape, Rule::op_types, "td (tr0)", 0, "td f32"},
    {"a_pair_that_overlaps",
     [](VectorBuilder& p) {
       p.setTile(0, denseTile(kF32, 2, 1, kC));
       p.setTile(2, denseTile(ElementType::i32, 2, 1, kC + 4));
       p.et_argmin_acc(Tile{0}, Tile{1}, Tile{2}, X{0});
     },
     Cause::aliasing, Rule::alias_inout, "tdv (tr0)", 0, "may overlap tdi"},
    {"lanes_over_the_source",
     [](VectorBuilder& p) {
       p.setTile(0, denseTile(kF32, 1, 2, kA));
       p.et_cred_sum_acc(Tile{0}, Tile{1});
     },
     Cause::aliasing, Rule::alias_inout, "td (tr0)", 0, "may overlap ta"},
    {"scan_shape",
     with(1, denseTile(kF32, 2, 3, kA), [](VectorBuilder& p) { p.et_scan_sum(Tile{0}, Tile{1}); }),
     Cause::shape, Rule::scan_shape, "td (tr0)", 0, "must be 2 x 3"},
    {"carry_shape", [](VectorBuilder& p) { p.et_scan_max_ex_carry(Tile{0}, Tile{1}, Tile{2}); },
     Cause::shape, Rule::scan_shape, "tcarry (tr2)", 2, "must be 2 x 1"},
    {"carry_over_td",
     [](VectorBuilder& p) {
       p.setTile(2, denseTile(kF32, 2, 1, kD));
       p.et_scan_sum_carry(Tile{0}, Tile{1}, Tile{2});
     },
     Cause::aliasing, Rule::alias_inout, "td (tr0)", 0, "may overlap tcarry"},
    {"a_scan_in_place", [](VectorBuilder& p) { p.et_scan_sum(Tile{0}, Tile{0}); }, Cause::aliasing,
     Rule::alias_overlap, "td (tr0)", 0, "may overlap ta"},
    {"recurrence_shape", [](VectorBuilder& p) { p.et_recur(Tile{0}, Tile{1}, Tile{2}, Tile{3}); },
     Cause::shape, Rule::scan_shape, "tcarry (tr3)", 3, "must be 2 x 1"},
    {"a_copy_that_would_convert",
     with(1, denseTile(ElementType::bf16, 2, 2, kA),
          [](VectorBuilder& p) { p.et_copy(Tile{0}, Tile{1}); }),
     Cause::shape, Rule::op_types, "td (tr0)", 0, "ta bf16"},
    {"transpose_shape",
     with(1, denseTile(kF32, 2, 3, kA), [](VectorBuilder& p) { p.et_transpose(Tile{0}, Tile{1}); }),
     Cause::shape, Rule::move_shape, "td (tr0)", 0, "must be 3 x 2"},
    {"index_shape",
     with(2, denseTile(ElementType::i32, 2, 1, kB),
          [](VectorBuilder& p) { p.et_lgather(Tile{0}, Tile{1}, Tile{2}); }),
     Cause::shape, Rule::move_shape, "ti (tr2)", 2, "must be 2 x 2"},
    {"a_float_index", [](VectorBuilder& p) { p.et_permute(Tile{0}, Tile{1}, Tile{2}); },
     Cause::shape, Rule::op_types, "td (tr0)", 0, "ti f32"},
    {"a_scatter_over_its_indices",
     with(2, denseTile(ElementType::i32, 2, 2, kD),
          [](VectorBuilder& p) { p.et_lscatter(Tile{0}, Tile{1}, Tile{2}); }),
     Cause::aliasing, Rule::alias_overlap, "td (tr0)", 0, "may overlap ti"},
};
INSTANTIATE_TEST_SUITE_P(RowsAndColumns, VectorFault, testing::ValuesIn(kRowsAndColumns),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace etalon::sim
