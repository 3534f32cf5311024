// SPDX-License-Identifier: Apache-2.0
#include "tools/sweep/store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "isa/base/file.h"

namespace etalon::tools {
namespace {

using ::testing::HasSubstr;

class StoreTest : public ::testing::Test {
 protected:
  ~StoreTest() override { std::filesystem::remove_all(folder_); }
  ResultStore open() const {
    Result<ResultStore> store = ResultStore::open(folder_);
    EXPECT_TRUE(store.ok()) << store.error().message;
    return *std::move(store);
  }
  const std::string folder_ = ::testing::TempDir() + "etalon_store_" + std::to_string(::getpid());
};

TEST_F(StoreTest, WhatIsKeptIsFoundByTheNextOneToo) {
  const FinishedRun run{1, "{\"a\": \"\\u00e4\n\"}", "said"};
  {
    const ResultStore store = open();
    EXPECT_FALSE(store.find("k").has_value());
    ASSERT_TRUE(store.keep("k", run).ok());
  }
  const std::optional<FinishedRun> found = open().find("k");
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->exit_status, 1);
  EXPECT_EQ(found->result, run.result);
  EXPECT_EQ(found->message, "said");
  EXPECT_TRUE(findRun(folder_, "k").has_value());
  EXPECT_FALSE(findRun(folder_ + "/none", "k").has_value());
}

TEST_F(StoreTest, ADamagedFileCountsAsNotThere) {
  const ResultStore store = open();
  ASSERT_TRUE(store.keep("k", {0, "{\"instructions\": 12345}", ""}).ok());
  const std::string path = folder_ + "/points/k.run";
  const std::string whole = readFile(path).value();
  for (size_t length = 0; length < whole.size(); ++length) {
    ASSERT_TRUE(writeFile(path, whole.substr(0, length)).ok());
    EXPECT_FALSE(store.find("k").has_value()) << length;
  }
  std::string changed = whole;
  changed[changed.find("12345")] = '2';
  ASSERT_TRUE(writeFile(path, changed).ok());
  EXPECT_FALSE(store.find("k").has_value());
  ASSERT_TRUE(writeFile(path, whole).ok());
  EXPECT_TRUE(store.find("k").has_value());
}

TEST_F(StoreTest, ASecondSweepInTheFolderIsRefusedUntilTheFirstEnds) {
  {
    const ResultStore store = open();
    const Result<ResultStore> second = ResultStore::open(folder_);
    ASSERT_FALSE(second.ok());
    EXPECT_THAT(second.error().message,
                HasSubstr("is in use by another sweep (process " + std::to_string(::getpid()) +
                          "); wait for its end, or give --output another folder"));
  }
  open();
}

TEST_F(StoreTest, FilesHalfWrittenByTheDeadAreRemoved) {
  open();
  const std::string half = folder_ + "/points/k.run.tmp4711";
  ASSERT_TRUE(writeFile(half, "hal").ok());
  open();
  EXPECT_FALSE(std::filesystem::exists(half));
}

TEST_F(StoreTest, AFolderThatCannotBeMadeIsSaid) {
  ASSERT_TRUE(writeFile(folder_, "").ok());  // a file
  EXPECT_THAT(ResultStore::open(folder_).error().message, HasSubstr("cannot make the folder"));
}

}  // namespace
}  // namespace etalon::tools
