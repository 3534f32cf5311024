// SPDX-License-Identifier: Apache-2.0
#include "isa/state/chain_descriptor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "isa/base/bits.h"
#include "isa/element_type.h"
#include "isa/state/rule_test.h"

namespace etalon::isa {
namespace {

using testing::HasSubstr;

using Image = std::array<std::byte, kChainImageBytes>;

// Codes of isa-reference.md, as numbers: the tests do not take them from the code.
constexpr uint8_t kI32 = 6, kU32 = 7, kI64 = 8, kBf16 = 14, kF32 = 15;
constexpr uint8_t kAdd = 0, kMulhi = 5, kLt = 18, kRsub = 32, kExp = 68, kFma = 96, kRequant = 98,
                  kMask = 99, kCvt = 100;

/// t0 = a + b; t1 = exp(t0); td = t1, sum of t0 into tile 9.
ChainDescriptor chain() {
  ChainDescriptor c;
  c.nsteps = 2;
  c.flags = ChainDescriptor::kReduce;
  c.reduction_op = 0;
  c.reduction_tile = 9;
  c.reduction_selector = 8;
  c.td_selector = 9;
  c.steps[0] = {kAdd, kF32, kF32, 0, 0, {0, 1, 0}};
  c.steps[1] = {kExp, kF32, kF32, 0, 1, {8, 0, 0}};
  return c;
}

void expectMalformed(const std::optional<Malformed>& malformed, Problem problem,
                     const std::string& field, const std::string& text = "") {
  ASSERT_TRUE(malformed) << field;
  EXPECT_EQ(malformed->problem, problem) << malformed->field << " " << malformed->text;
  EXPECT_EQ(malformed->field, field);
  EXPECT_THAT(malformed->text, HasSubstr(text));
}

TEST(ChainDescriptor, ReadsEveryByteOfTheImage) {
  SHOWS(chain_layout, chain_image);
  Image image{};
  const auto put = [&image](size_t at, uint8_t value) { image[at] = std::byte{value}; };
  put(0, 1);
  for (size_t i = 1; i < 8; ++i) put(i, static_cast<uint8_t>(0x30 + i));
  for (size_t i = 16; i < 80; ++i) put(i, static_cast<uint8_t>(i + 100));
  for (uint32_t k = 0; k < 12; ++k) storeBytes(image.data() + 80 + 4 * k, uint32_t{0xC0DE0000} + k);
  const ChainDescriptor c = loadChainImage(image);
  EXPECT_EQ(c.nsteps, 0x31);
  EXPECT_EQ(c.flags, 0x32);
  EXPECT_EQ(c.reduction_op, 0x33);
  EXPECT_EQ(c.third_source, 0x34);
  EXPECT_EQ(c.reduction_tile, 0x35);
  EXPECT_EQ(c.reduction_selector, 0x36);
  EXPECT_EQ(c.td_selector, 0x37);
  for (int s = 0; s < 8; ++s) {
    const int at = 16 + 8 * s + 100;
    EXPECT_EQ(c.steps[s].op, at);
    EXPECT_EQ(c.steps[s].compute_type, at + 1);
    EXPECT_EQ(c.steps[s].result_type, at + 2);
    EXPECT_EQ(c.steps[s].mode, at + 3);
    EXPECT_EQ(c.steps[s].destination, at + 4);
    for (int i = 0; i < 3; ++i) EXPECT_EQ(c.steps[s].selectors[i], at + 5 + i);
  }
  for (uint32_t k = 0; k < 12; ++k) EXPECT_EQ(c.constants[k], 0xC0DE0000 + k);
  Image stored;
  stored.fill(std::byte{0xEE});
  storeChainImage(c, stored);
  EXPECT_EQ(stored, image);
}

TEST(ChainDescriptor, AcceptsAGoodChain) {
  SHOWS(chain_well_formed);
  EXPECT_FALSE(checkChain(chain()));
  Image image;
  storeChainImage(chain(), image);
  EXPECT_FALSE(checkChainImage(image));
}

TEST(ChainDescriptor, RefusesOtherVersionsAndSpareBytes) {
  VIOLATES(chain_malformed);
  Image image;
  storeChainImage(chain(), image);
  image[0] = std::byte{0};
  expectMalformed(checkChainImage(image), Problem::Version, "version", "0");
  for (size_t i = 8; i < 16; ++i) {
    storeChainImage(chain(), image);
    image[i] = std::byte{0x80};
    expectMalformed(checkChainImage(image), Problem::SpareBits, "byte " + std::to_string(i));
  }
}

TEST(ChainDescriptor, DecodesEverySelector) {
  SHOWS(chain_selectors);
  using Kind = Selector::Kind;
  int reserved = 0;
  for (int code = 0; code < 256; ++code) {
    const Selector s = decodeSelector(static_cast<uint8_t>(code));
    if (code <= 2) {
      EXPECT_TRUE(s.kind == Kind::Tile && s.tile == code) << code;
    } else if (code >= 8 && code <= 11) {
      EXPECT_TRUE(s.kind == Kind::Temporary && s.index == code - 8) << code;
    } else if (code >= 16 && code <= 27) {
      EXPECT_TRUE(s.kind == Kind::Constant && s.index == code - 16) << code;
    } else if (code >= 32 && code <= 43) {
      EXPECT_TRUE(s.kind == Kind::Displaced && s.tile == 0 && s.index == code - 32) << code;
    } else if (code >= 48 && code <= 59) {
      EXPECT_TRUE(s.kind == Kind::Displaced && s.tile == 1 && s.index == code - 48) << code;
    } else {
      EXPECT_TRUE(s.kind == Kind::Reserved) << code;
      ++reserved;
    }
  }
  EXPECT_EQ(reserved, 256 - 3 - 4 - 12 - 12 - 12);
}

TEST(ChainDescriptor, RefusesMoreThanEightSteps) {
  VIOLATES(chain_malformed);
  ChainDescriptor c = chain();
  c.nsteps = 9;
  expectMalformed(checkChain(c), Problem::Count, "nsteps", "9");
}

TEST(ChainDescriptor, RefusesReservedAndContradictoryFlags) {
  VIOLATES(chain_malformed);
  for (int bit = 3; bit < 8; ++bit) {
    ChainDescriptor c = chain();
    c.flags |= static_cast<uint8_t>(1 << bit);
    expectMalformed(checkChain(c), Problem::Flags, "flags", "7:3");
  }
  ChainDescriptor c = chain();
  c.flags = ChainDescriptor::kAccumulate;
  expectMalformed(checkChain(c), Problem::Flags, "flags", "needs reduce");
  c.flags = ChainDescriptor::kNoDestination;
  expectMalformed(checkChain(c), Problem::Flags, "flags", "no destination");
  c.flags =
      ChainDescriptor::kNoDestination | ChainDescriptor::kReduce | ChainDescriptor::kAccumulate;
  EXPECT_FALSE(checkChain(c));
}

TEST(ChainDescriptor, RefusesTileRegisterNumbersPast31) {
  VIOLATES(chain_malformed);
  ChainDescriptor c = chain();
  for (const int number : {32, 254}) {
    c.third_source = static_cast<uint8_t>(number);
    expectMalformed(checkChain(c), Problem::RegisterNumber, "third source tile register");
  }
  c = chain();
  c.reduction_tile = 32;
  expectMalformed(checkChain(c), Problem::RegisterNumber, "reduction tile register", "32");
}

TEST(ChainDescriptor, RefusesUnknownOperationsAndScalarForms) {
  VIOLATES(chain_malformed);
  ChainDescriptor c = chain();
  for (const int op : {22, 84, 101, 255}) {
    c.steps[0].op = static_cast<uint8_t>(op);
    expectMalformed(checkChain(c), Problem::Operation, "step 0 op", std::to_string(op));
  }
  c.steps[0].op = kRsub;
  expectMalformed(checkChain(c), Problem::Operation, "step 0 op", "sub");
  c = chain();
  c.steps[2].op = 255;  // past nsteps: no meaning
  EXPECT_FALSE(checkChain(c));
}

TEST(ChainDescriptor, ComputesInThreeTypesOnly) {
  VIOLATES(chain_malformed);
  for (int type = 0; type < 256; ++type) {
    ChainDescriptor c = chain();
    c.flags = 0;
    c.td_selector = 8;
    c.nsteps = 1;
    c.steps[0].compute_type = c.steps[0].result_type = static_cast<uint8_t>(type);
    if (type == kI32 || type == kU32 || type == kF32)
      EXPECT_FALSE(checkChain(c)) << type;
    else
      expectMalformed(checkChain(c), Problem::ComputeType, "step 0 compute type");
  }
  ChainDescriptor c = chain();
  c.steps[0].op = kMulhi;
  expectMalformed(checkChain(c), Problem::ComputeType, "step 0 compute type", "mulhi");
}

TEST(ChainDescriptor, ResultTypeFollowsTheOperation) {
  SHOWS(chain_well_formed);
  VIOLATES(chain_malformed);
  ChainDescriptor c = chain();
  c.steps[0].result_type = 16;
  expectMalformed(checkChain(c), Problem::ResultType, "step 0 result type", "reserved");
  c.steps[0].result_type = kBf16;
  expectMalformed(checkChain(c), Problem::ResultType, "step 0 result type", "cvt");
  c = chain();
  c.steps[1] = {kLt, kF32, kF32, 0, 1, {0, 1, 0}};
  expectMalformed(checkChain(c), Problem::ResultType, "step 1 result type", "u32");
  c.steps[1].result_type = kU32;
  EXPECT_FALSE(checkChain(c));
}

TEST(ChainDescriptor, ConversionsTakeAnyTypeButI64) {
  SHOWS(chain_well_formed);
  VIOLATES(chain_malformed);
  for (int type = 0; type < 17; ++type) {
    ChainDescriptor c = chain();
    c.steps[1] = {kCvt, kF32, static_cast<uint8_t>(type), 0, 1, {8, 0, 0}};
    if (type == kI64 || type == 16)
      expectMalformed(checkChain(c), Problem::ResultType, "step 1 result type");
    else
      EXPECT_FALSE(checkChain(c)) << type;
  }
}

TEST(ChainDescriptor, RefusesReservedModes) {
  VIOLATES(vec_convert_mode, chain_malformed);
  for (int mode = 0; mode < 256; ++mode) {
    ChainDescriptor c = chain();
    c.steps[1] = {kCvt, kF32, kBf16, static_cast<uint8_t>(mode), 1, {8, 16, 0}};
    if (mode <= 2 || (mode >= 8 && mode <= 10))
      EXPECT_FALSE(checkChain(c)) << mode;
    else
      expectMalformed(checkChain(c), Problem::Mode, "step 1 mode");
  }
  ChainDescriptor c = chain();
  c.steps[0].mode = 1;
  expectMalformed(checkChain(c), Problem::Mode, "step 0 mode", "add");
  c = chain();
  c.steps[1] = {kCvt, kF32, kI32, 2, 1, {8, 16, 0}};
  expectMalformed(checkChain(c), Problem::Mode, "step 1 mode", "i32");
}

TEST(ChainDescriptor, StochasticConversionReadsRandomWordsFromB) {
  ChainDescriptor c = chain();
  c.steps[1] = {kCvt, kF32, kBf16, 2, 1, {8, 11, 0}};
  expectMalformed(checkChain(c), Problem::Unwritten, "step 1 selector b");
  c.steps[1].mode = 0;
  EXPECT_FALSE(checkChain(c)) << "b is not read otherwise";
}

TEST(ChainDescriptor, RefusesDestinationsPastTheTemporaries) {
  ChainDescriptor c = chain();
  c.steps[1].destination = 4;
  expectMalformed(checkChain(c), Problem::Destination, "step 1 destination", "4");
}

TEST(ChainDescriptor, RefusesReservedSelectorsWhereTheyAreRead) {
  VIOLATES(chain_malformed);
  constexpr const char* kNames[] = {"step 0 selector a", "step 0 selector b", "step 0 selector c"};
  for (const int code : {3, 7, 12, 28, 31, 44, 60, 255})
    for (int i = 0; i < 3; ++i) {
      ChainDescriptor c = chain();
      c.steps[0] = {kFma, kF32, kF32, 0, 0, {0, 1, 16}};
      EXPECT_FALSE(checkChain(c));
      c.steps[0].selectors[i] = static_cast<uint8_t>(code);
      expectMalformed(checkChain(c), Problem::Selector, kNames[i], std::to_string(code));
    }
  ChainDescriptor c = chain();
  c.steps[0].selectors[2] = 255;  // add reads two
  EXPECT_FALSE(checkChain(c));
  c.td_selector = 60;
  expectMalformed(checkChain(c), Problem::Selector, "td selector", "60");
}

TEST(ChainDescriptor, RefusesTemporariesReadBeforeTheyAreWritten) {
  VIOLATES(chain_malformed);
  ChainDescriptor c = chain();
  c.steps[0].selectors[1] = 8;  // its own destination: not yet
  expectMalformed(checkChain(c), Problem::Unwritten, "step 0 selector b", "temporary 0");
  c = chain();
  c.steps[1].selectors[0] = 9;
  expectMalformed(checkChain(c), Problem::Unwritten, "step 1 selector a", "temporary 1");
  c = chain();
  c.td_selector = 10;
  expectMalformed(checkChain(c), Problem::Unwritten, "td selector", "temporary 2");
  c = chain();
  c.reduction_selector = 11;
  expectMalformed(checkChain(c), Problem::Unwritten, "reduction selector", "temporary 3");
}

TEST(ChainDescriptor, RefusesTilesThatAreAbsent) {
  VIOLATES(chain_malformed);
  ChainDescriptor c = chain();
  c.steps[0].selectors[1] = 2;
  expectMalformed(checkChain(c), Problem::AbsentTile, "step 0 selector b", "FF");
  c.third_source = 31;
  EXPECT_FALSE(checkChain(c));
  c = chain();
  c.td_selector = 2;
  expectMalformed(checkChain(c), Problem::AbsentTile, "td selector");
  c = chain();
  c.reduction_tile = 0xFF;
  expectMalformed(checkChain(c), Problem::AbsentTile, "reduction tile register");
}

TEST(ChainDescriptor, MaskTakesFourConstantsThatExist) {
  SHOWS(chain_well_formed);
  VIOLATES(chain_malformed);
  for (int code = 0; code < 64; ++code) {
    ChainDescriptor c = chain();
    c.steps[1] = {kMask, kF32, kF32, 0, 1, {8, static_cast<uint8_t>(code), 27}};
    if (code >= 16 && code <= 24)
      EXPECT_FALSE(checkChain(c)) << code;
    else
      expectMalformed(checkChain(c), Problem::Selector, "step 1 selector b", "four");
  }
  ChainDescriptor c = chain();
  c.steps[1] = {kMask, kF32, kF32, 0, 1, {8, 16, 28}};
  expectMalformed(checkChain(c), Problem::Selector, "step 1 selector c");
}

TEST(ChainDescriptor, RefusesReductionsThatDoNotExist) {
  VIOLATES(chain_malformed);
  for (int op = 0; op < 6; ++op) {
    ChainDescriptor c = chain();
    c.reduction_op = static_cast<uint8_t>(op);
    if (op < 4)
      EXPECT_FALSE(checkChain(c));
    else
      expectMalformed(checkChain(c), Problem::Reduction, "reduction op", std::to_string(op));
  }
  ChainDescriptor c = chain();
  c.reduction_selector = 0;
  expectMalformed(checkChain(c), Problem::Selector, "reduction selector", "temporary");
  c = chain();
  c.steps[0] = {kAdd, kU32, kU32, 0, 0, {16, 17, 0}};
  c.steps[1].selectors[0] = 0;
  expectMalformed(checkChain(c), Problem::Reduction, "reduction selector", "u32");
  c.flags = 0;
  c.reduction_op = 99;  // without reduce: no meaning
  EXPECT_FALSE(checkChain(c));
}

TEST(ChainDescriptor, TdTakesATileWithoutAnyStep) {
  ChainDescriptor c;
  c.flags = 0;
  c.td_selector = 1;
  EXPECT_FALSE(checkChain(c));
}

TEST(ChainDescriptor, TemporariesHaveTheWidenedTypeOfTheirLastWrite) {
  ChainDescriptor c = chain();
  c.nsteps = 3;
  c.steps[1] = {kCvt, kF32, 3, 0, 0, {8, 0, 0}};  // u8 into t0
  c.steps[2] = {kRequant, kI32, kI32, 0, 2, {16, 17, 18}};
  EXPECT_EQ(temporaryType(c, 0, 0), std::nullopt);
  EXPECT_EQ(temporaryType(c, 0, 1), kF32);
  EXPECT_EQ(temporaryType(c, 0, 3), kU32);
  EXPECT_EQ(temporaryType(c, 2, 3), kI32);
  EXPECT_EQ(temporaryType(c, 3, 3), std::nullopt);
}

}  // namespace
}  // namespace etalon::isa
