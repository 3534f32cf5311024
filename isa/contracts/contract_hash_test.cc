// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "isa/contracts/contract_document.h"
#include "isa/state/rule_test.h"

namespace etalon::isa {
namespace {

using namespace test;  // NOLINT: its documents

TEST(ContractHash, IsThatOfTheMeaning) {
  SHOWS(contract_hash);
  const uint64_t truncating = read(multiply("\"rounding\": \"toward_zero\"")).hash;
  EXPECT_NE(truncating, 0u);
  // Order of keys, spelled-out defaults and pairs, and the title mean nothing.
  EXPECT_EQ(read(multiply("\"products\": \"exact\", \"rounding\": \"toward_zero\"")).hash,
            truncating);
  EXPECT_EQ(
      parseContract("{\"multiply\": {\"default\": {\"rounding\": \"toward_zero\"}}, \"title\": "
                    "\"other\", \"name\": \"else\"}",
                    "else.json")
          .value()
          .hash,
      truncating);
  EXPECT_EQ(
      read(document("\"multiply\": {\"default\": {\"rounding\": \"toward_zero\"}, \"overrides\": "
                    "[{\"a\": [\"bf16\"], \"b\": [\"bf16\"], \"rule\": {\"rounding\": "
                    "\"toward_zero\"}}]}"))
          .hash,
      truncating);
  EXPECT_EQ(read(document("\"reductions\": {\"shape\": \"lanes\", \"width\": 64}")).hash, 0u);
}

// Every field must reach the hash: two contracts of one hash would pass for each other.
TEST(ContractHash, ChangesWithEveryField) {
  SHOWS(contract_hash);
  const std::string kVariants[] = {
      multiply("\"products\": \"rounded\""),
      multiply("\"order\": \"descending\""),
      multiply("\"order\": [1, 0]"),
      multiply("\"order\": [0, 2, 1]"),
      multiply("\"accumulator\": {\"joins\": \"after\"}"),
      multiply("\"accumulator\": {\"joins\": \"after\"}, \"group\": 2"),
      multiply("\"accumulator\": {\"joins\": \"after\", \"rounding\": \"odd\"}"),
      multiply("\"accumulator\": {\"format\": \"bf16\"}"),
      multiply("\"accumulator\": {\"format\": \"f16\"}"),
      multiply("\"sum\": \"tree\""),
      multiply("\"sum\": \"tree\", \"tree\": \"halves\""),
      multiply("\"sum\": \"aligned\", \"align\": {\"width\": \"exact\"}"),
      multiply("\"sum\": \"aligned\", \"align\": {\"width\": 25}"),
      multiply("\"sum\": \"aligned\", \"align\": {\"width\": 25, \"guard\": 1}"),
      multiply("\"sum\": \"aligned\", \"align\": {\"width\": 25, \"cut\": \"odd\"}"),
      multiply("\"sum\": \"aligned\", \"align\": {\"width\": 25, \"exponent\": \"operands\"}"),
      multiply("\"rounding\": \"odd\""),
      multiply("\"spill\": {\"every\": 8, \"format\": \"f16\"}"),
      multiply("\"spill\": {\"every\": 9, \"format\": \"f16\"}"),
      multiply("\"spill\": {\"every\": 8, \"format\": \"bf16\"}"),
      multiply("\"spill\": {\"every\": 8, \"format\": \"f16\", \"rounding\": \"odd\"}"),
      multiply("\"subnormals\": {\"in\": \"flush\"}"),
      multiply("\"subnormals\": {\"out\": \"flush\"}"),
      multiply("\"zero\": \"positive\""),
      multiply("\"nan\": \"7fffffff\""),
      multiply("\"overflow\": \"infinity\""),
      multiply("\"overflow\": \"saturate\""),
      document("\"multiply\": {\"overrides\": [{\"a\": [\"bf16\"], \"b\": [\"bf16\"], \"rule\": "
               "{\"zero\": \"positive\"}}]}"),
      document("\"multiply\": {\"overrides\": [{\"a\": [\"f16\"], \"b\": [\"f16\"], \"rule\": "
               "{\"zero\": \"positive\"}}]}"),
      document("\"arithmetic\": {\"rounding\": \"odd\"}"),
      document("\"arithmetic\": {\"subnormals\": {\"in\": \"flush\"}}"),
      document("\"arithmetic\": {\"nan\": \"7fffffff\"}"),
      document("\"conversions\": {\"rounding\": \"odd\"}"),
      document("\"conversions\": {\"subnormals\": {\"in\": \"flush\"}}"),
      document("\"conversions\": {\"subnormals\": {\"out\": \"flush\"}}"),
      document("\"conversions\": {\"overflow\": \"saturate\"}"),
      document("\"reductions\": {\"shape\": \"lanes\", \"width\": 32}"),
      document("\"reductions\": {\"shape\": \"tree\", \"width\": 64}"),
      document(
          "\"functions\": {\"recip\": {\"piecewise\": {\"segment_bits\": 0, \"fraction_bits\": 1, "
          "\"degree\": 0, \"coefficients\": [[1]]}}}"),
      document(
          "\"functions\": {\"sqrt\": {\"piecewise\": {\"segment_bits\": 0, \"fraction_bits\": 1, "
          "\"degree\": 0, \"coefficients\": [[1]]}}}"),
      document(
          "\"functions\": {\"recip\": {\"piecewise\": {\"segment_bits\": 0, \"fraction_bits\": 1, "
          "\"degree\": 0, \"coefficients\": [[2]]}}}"),
      document(
          "\"functions\": {\"recip\": {\"piecewise\": {\"segment_bits\": 0, \"fraction_bits\": 2, "
          "\"degree\": 0, \"coefficients\": [[1]]}}}"),
      document(
          "\"functions\": {\"recip\": {\"piecewise\": {\"rounding\": \"odd\", \"segment_bits\": 0, "
          "\"fraction_bits\": 1, \"degree\": 0, \"coefficients\": [[1]]}}}"),
  };
  std::vector<uint64_t> hashes = {0};
  for (const std::string& text : kVariants) {
    const uint64_t hash = read(text).hash;
    EXPECT_THAT(hashes, ::testing::Not(::testing::Contains(hash))) << text;
    hashes.push_back(hash);
  }
}

}  // namespace
}  // namespace etalon::isa
