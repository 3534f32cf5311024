// SPDX-License-Identifier: Apache-2.0
// The layouts and numbers that etalon/helpers.h spells out for C programs are those of the models. That this file
// compiles also shows that the header is C++.
#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <span>

#include "etalon/xet.h"
#include "isa/abi/kernel_note.h"
#include "isa/codec/instruction_info.h"
#include "isa/machines/address_map.h"
#include "isa/state/chain_descriptor.h"
#include "isa/state/rule_test.h"
#include "isa/state/view_descriptor.h"

namespace {

using namespace etalon;  // NOLINT: a test

struct NoteArgs {
  const float* x;
  float* y;
  int64_t N;
};
ETALON_KERNEL(NoteArgs, "twice(x: f32[N], out y: f32[N])");

TEST(Helpers, ViewStructIsTheImageOfAView) {
  isa::ViewDescriptor view;
  view.base = 0x8000'1234'5678;
  view.type = ET_BF16;
  view.naxes = 6;
  view.nbox = 8;
  view.ncol = 3;
  view.fill = 0x3f80;
  et_view c = {};
  c.base = view.base;
  c.type = view.type;
  c.naxes = view.naxes;
  c.nbox = view.nbox;
  c.ncol = view.ncol;
  c.version = 1;
  c.fill = view.fill;
  for (unsigned a = 0; a < 6; ++a) {
    view.axes[a] = {1000 + a, -static_cast<int64_t>(2000 + a), static_cast<int64_t>(3000 + a)};
    c.axis[a] = {view.axes[a].dim, view.axes[a].stride, view.axes[a].origin};
  }
  for (unsigned b = 0; b < 8; ++b) {
    view.box[b] = {500 + b, static_cast<uint8_t>(b % 6), -static_cast<int32_t>(b)};
    c.box[b] = ET_BOX(500 + b, b % 6, -static_cast<int32_t>(b));
  }
  std::array<std::byte, isa::kViewImageBytes> image;
  isa::storeViewImage(view, image);
  ASSERT_EQ(sizeof c, image.size());
  EXPECT_EQ(std::memcmp(&c, image.data(), image.size()), 0);
}

TEST(Helpers, ChainStructIsTheImageOfAChain) {
  isa::ChainDescriptor chain;
  chain.nsteps = 8;
  chain.flags = ET_CHAIN_REDUCE | ET_CHAIN_ACCUMULATE;
  chain.reduction_op = 2;
  chain.third_source = 7;
  chain.reduction_tile = 9;
  chain.reduction_selector = ET_SEL_TEMP(1);
  chain.td_selector = ET_SEL_TEMP(2);
  et_chain c = {};
  c.version = 1;
  c.nsteps = chain.nsteps;
  c.flags = chain.flags;
  c.reduction_op = chain.reduction_op;
  c.third_tile = chain.third_source;
  c.reduction_tile = chain.reduction_tile;
  c.reduction_selector = chain.reduction_selector;
  c.td_selector = chain.td_selector;
  for (uint8_t s = 0; s < kChainSteps; ++s) {
    chain.steps[s] = {uint8_t(10 + s), ET_F32,
                      ET_BF16,         uint8_t(s),
                      uint8_t(s % 4),  {uint8_t(s), uint8_t(20 + s), uint8_t(40 + s)}};
    c.step[s] = {uint8_t(10 + s), ET_F32,     ET_BF16,         uint8_t(s),
                 uint8_t(s % 4),  uint8_t(s), uint8_t(20 + s), uint8_t(40 + s)};
  }
  for (uint32_t k = 0; k < kChainConstants; ++k)
    c.constant[k] = chain.constants[k] = 0x01020304 * k;
  std::array<std::byte, isa::kChainImageBytes> image;
  isa::storeChainImage(chain, image);
  ASSERT_EQ(sizeof c, image.size());
  EXPECT_EQ(std::memcmp(&c, image.data(), image.size()), 0);
}

TEST(Helpers, NamesWhatPeersHave) {
  constexpr unsigned long kRank = 4;  // of the device of id 5
  const uint64_t device = uint64_t{kRank + 1} << isa::kDeviceShift;
  EXPECT_EQ(et_peer(kRank, 0x8000'1000), device + 0x8000'1000);
  EXPECT_EQ(et_peer_local(kRank, 3, 0x40),
            device + isa::kCoreWindowBase + 3 * isa::kCoreWindowStride + 0x40);
}

TEST(Helpers, CodesAreThoseOfTheChainRegister) {
  EXPECT_EQ(ET_CHAIN_NO_TD, isa::ChainDescriptor::kNoDestination);
  EXPECT_EQ(ET_CHAIN_REDUCE, isa::ChainDescriptor::kReduce);
  EXPECT_EQ(ET_CHAIN_ACCUMULATE, isa::ChainDescriptor::kAccumulate);
  EXPECT_EQ(ET_NO_TILE, isa::kNoTile);
  EXPECT_EQ(ET_SEL_A, kSelectorTile);
  EXPECT_EQ(ET_SEL_C, kSelectorTile + 2);
  EXPECT_EQ(ET_SEL_TEMP(3), kSelectorTemporary + 3);
  EXPECT_EQ(ET_SEL_CONST(11), kSelectorConstant + 11);
  EXPECT_EQ(ET_SEL_A_AT(5), kSelectorDisplacedA + 5);
  EXPECT_EQ(ET_SEL_B_AT(5), kSelectorDisplacedB + 5);
}

TEST(Helpers, ModesAreThoseOfConversionSteps) {
  EXPECT_EQ(ET_MODE_RNE, static_cast<int>(Rounding::NearestEven));
  EXPECT_EQ(ET_MODE_RZ, static_cast<int>(Rounding::TowardZero));
  EXPECT_EQ(ET_MODE_STOCHASTIC, static_cast<int>(Rounding::Stochastic));
  EXPECT_EQ(ET_MODE_SAT, kModeSaturate);
}

TEST(Helpers, TypesPackOneCodeAByte) {
  EXPECT_EQ(ET_TYPES(ET_F32), uint64_t{ET_F32});
  EXPECT_EQ(ET_TYPES(1, 2, 3), 0x030201u);
  EXPECT_EQ(ET_TYPES(1, 2, 3, 4, 5, 15), 0x0f0504030201u);
}

TEST(Helpers, WordsAreThoseOfTheInstructions) {
  EXPECT_EQ(ET_WORD_MM, isa::instructionNamed("et.mm")->match);
  EXPECT_EQ(ET_WORD_AND_X, isa::instructionNamed("et.and.x")->match);
  EXPECT_EQ(ET_WORD_CVT_SR_SAT, isa::instructionNamed("et.cvt.sr.sat")->match);
}

TEST(Helpers, AddressesAreThoseOfTheMap) {
  EXPECT_EQ(ET_LOCAL_BASE, isa::kLocalWindowBase);
  EXPECT_EQ(ET_CORE_WINDOW, isa::kCoreWindowBase);
  EXPECT_EQ(ET_CORE_STRIDE, isa::kCoreWindowStride);
}

TEST(Helpers, SizesAreThoseOfTheElementTypes) {
  for (int type = 0; type < kElementTypes; ++type) {
    const int bits = kElementInfo[type].bits;
    if (bits < 8) continue;
    EXPECT_EQ(et_size(static_cast<unsigned>(type)) * 8, static_cast<unsigned>(bits))
        << kElementInfo[type].name;
  }
}

TEST(Helpers, RowsOfEveryTypeBeginOnAByte) {
  for (int type = 0; type < kElementTypes; ++type) {
    const auto width = static_cast<unsigned>(kElementInfo[type].bits);
    for (const unsigned cols : {0u, 1u, 4u, 7u})
      EXPECT_EQ(et_row_bytes(static_cast<unsigned>(type), cols), (cols * width + 7) / 8)
          << kElementInfo[type].name;
  }
}

TEST(Helpers, MatrixViewIsAWellFormedViewOfTheMatrix) {
  const et_view c = et_matrix_view(reinterpret_cast<void*>(0x80001000), ET_F32, 30, 20, 24, 8, 4);
  const auto image = std::as_bytes(std::span<const et_view, 1>(&c, 1));
  ASSERT_FALSE(isa::checkViewImage(image).has_value());
  const isa::ViewDescriptor view = isa::loadViewImage(image);
  EXPECT_EQ(view.rows(), 8u);
  EXPECT_EQ(view.columns(), 4u);
  const isa::ByteInterval whole = isa::tensorHull(view);
  EXPECT_EQ(static_cast<uint64_t>(whole.lo), 0x80001000u);
  EXPECT_EQ(static_cast<uint64_t>(whole.hi), 0x80001000u + (29 * 24 + 20) * 4);
}

TEST(Helpers, MatrixViewOfFourBitsPacksTwoElementsToAByte) {
  const et_view c = et_matrix_view(reinterpret_cast<void*>(0x80001000), ET_F4E2M1, 3, 5, 6, 2, 4);
  const auto image = std::as_bytes(std::span<const et_view, 1>(&c, 1));
  ASSERT_FALSE(isa::checkViewImage(image).has_value());
  const isa::ViewDescriptor view = isa::loadViewImage(image);
  EXPECT_FALSE(isa::checkViewPosition(view).has_value());
  const isa::ByteInterval whole = isa::tensorHull(view);
  EXPECT_EQ(static_cast<uint64_t>(whole.lo), 0x80001000u);
  EXPECT_EQ(static_cast<uint64_t>(whole.hi), 0x80001000u + 2 * 3 + 3);
}

/// What a call may change nobody has to save: start code, runtime and helpers store no register file.
TEST(Helpers, NeitherTheyNorTheRuntimeSaveTileRegisters) {
  SHOWS(state_caller_saved);
  const std::filesystem::path folder = ETALON_SOURCE_DIR "/tools/runtime";
  for (const char* name :
       {"crt0.s", "runtime.c", "include/etalon/helpers.h", "include/etalon/runtime.h"}) {
    std::ifstream file(folder / name);
    const std::string text(std::istreambuf_iterator<char>(file), {});
    ASSERT_FALSE(text.empty()) << name;
    for (const char* store : {"tst", "vst", "cst", "tget"})
      for (const char* prefix : {"et.", "et_"})
        EXPECT_EQ(text.find(std::string(prefix) + store), std::string::npos)
            << name << " " << store;
  }
}

TEST(Helpers, KernelMacroMakesALaunchNote) {
  const auto spec = etalon::abi::parseKernelNote(std::as_bytes(std::span(&et_kernel_note_, 1)));
  ASSERT_TRUE(spec.ok()) << spec.error().message;
  ASSERT_TRUE(spec->has_value());
  EXPECT_EQ((*spec)->arguments.size(), 2u);
}

}  // namespace
