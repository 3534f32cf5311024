// SPDX-License-Identifier: Apache-2.0
#include "sim/arch/backing.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace etalon::sim {
namespace {

TEST(Backing, ReadsAsZeroUntilWrittenAtBothEndsOf256GiB) {
  auto backing = Backing::create(Backing::kMaxBytes, "global memory");
  ASSERT_TRUE(backing.ok());
  std::byte* data = backing.value().data();
  EXPECT_EQ(data[0], std::byte{0});
  EXPECT_EQ(data[Backing::kMaxBytes - 1], std::byte{0});
  data[Backing::kMaxBytes - 1] = std::byte{7};
  EXPECT_EQ(data[Backing::kMaxBytes - 1], std::byte{7});
  EXPECT_EQ(backing.value().size(), Backing::kMaxBytes);
}

TEST(Backing, RefusesNoBytesAndTooManyNamingTheLimit) {
  EXPECT_FALSE(Backing::create(0, "local memory").ok());
  auto too_large = Backing::create(Backing::kMaxBytes + 1, "local memory");
  ASSERT_FALSE(too_large.ok());
  EXPECT_THAT(too_large.error().message,
              testing::AllOf(testing::HasSubstr("local memory"), testing::HasSubstr("274877906945"),
                             testing::HasSubstr("274877906944")));
}

TEST(Backing, KeepsItsBytesWhenMoved) {
  auto backing = Backing::create(4096, "memory");
  ASSERT_TRUE(backing.ok());
  backing.value().data()[5] = std::byte{9};
  Backing moved = std::move(backing).value();
  Backing again;
  again = std::move(moved);
  EXPECT_EQ(again.data()[5], std::byte{9});
  EXPECT_EQ(again.size(), 4096u);
}

}  // namespace
}  // namespace etalon::sim
