// SPDX-License-Identifier: Apache-2.0
#include "sim/units/scalar_class.h"

#include <gtest/gtest.h>

#include "isa/codec/instruction_info.h"
#include "sim/units/cache_model.h"

namespace etalon::sim {
namespace {

const ScalarInfo& of(std::string_view name) {
  const isa::InstructionInfo* info = isa::instructionNamed(name);
  EXPECT_NE(info, nullptr) << name;
  return scalarInfo(info ? info->id : isa::InstructionId::illegal);
}

TEST(ScalarClassOf, EveryTileInstructionGoesToItsUnitAndNothingElseDoes) {
  for (const isa::InstructionInfo& info : isa::instructionTable()) {
    const bool of_unit = info.unit == isa::Unit::matrix || info.unit == isa::Unit::vector ||
                         info.unit == isa::Unit::load || info.unit == isa::Unit::store;
    EXPECT_EQ(scalarInfo(info.id).scalar_class == ScalarClass::tile, of_unit) << info.name;
  }
}

TEST(ScalarClassOf, EverySynchronisationHasAClassOfItsOwn) {
  for (const isa::InstructionInfo& info : isa::instructionTable()) {
    if (info.unit == isa::Unit::sync) {
      EXPECT_NE(scalarInfo(info.id).scalar_class, ScalarClass::simple) << info.name;
    }
  }
}

TEST(ScalarClassOf, AccessesKnowHowManyBytesTheyTouch) {
  EXPECT_EQ(of("lb").access_bytes, 1);
  EXPECT_EQ(of("lhu").access_bytes, 2);
  EXPECT_EQ(of("sw").access_bytes, 4);
  EXPECT_EQ(of("ld").access_bytes, 8);
  EXPECT_EQ(of("amoadd.w").access_bytes, 4);
  EXPECT_EQ(of("lr.d").access_bytes, 8);
  EXPECT_EQ(of("et.tld").access_bytes, 32);
  EXPECT_EQ(of("et.vld").access_bytes, 256);
  EXPECT_EQ(of("et.cst").access_bytes, 128);
}

TEST(ScalarClassOf, RegistersThatAreReadAndWritten) {
  const ScalarInfo& add = of("add");
  EXPECT_TRUE(add.writes_rd && add.reads_rs1 && add.reads_rs2 && !add.reads_rs3 && !add.reads_rd);
  const ScalarInfo& store = of("sd");
  EXPECT_TRUE(!store.writes_rd && store.reads_rs1 && store.reads_rs2);
  const ScalarInfo& fma = of("fmadd.s");
  EXPECT_TRUE(fma.writes_rd && fma.reads_rs1 && fma.reads_rs2 && fma.reads_rs3);
  const ScalarInfo& tset = of("et.tset");
  EXPECT_TRUE(!tset.writes_rd && tset.reads_rs1 && tset.reads_rs2 && tset.reads_rs3);
  const ScalarInfo& mma = of("et.mma");
  EXPECT_TRUE(!mma.writes_rd && !mma.reads_rs1 && !mma.reads_rs2) << "its registers are tiles";
  const ScalarInfo& lui = of("lui");
  EXPECT_TRUE(lui.writes_rd && !lui.reads_rs1);
}

TEST(CacheModelLines, ALineIsAMissOnceAndAHitAfterIt) {
  CacheModel cache(1024, 64, 2);
  EXPECT_FALSE(cache.hit(0x40));
  cache.fill(0x40);
  EXPECT_TRUE(cache.hit(0x7f));
  EXPECT_FALSE(cache.hit(0x80));
}

TEST(CacheModelLines, TheLeastRecentlyUsedOfASetLeaves) {
  CacheModel cache(1024, 64, 2);  // 8 sets: 512 bytes apart is the same set
  cache.fill(0);
  cache.fill(512);
  EXPECT_TRUE(cache.hit(0));
  cache.fill(1024);
  EXPECT_TRUE(cache.hit(0));
  EXPECT_FALSE(cache.hit(512));
  cache.clear();
  EXPECT_FALSE(cache.hit(0));
}

}  // namespace
}  // namespace etalon::sim
