// SPDX-License-Identifier: Apache-2.0
#include "isa/base/sha256.h"

#include <gtest/gtest.h>

#include <string>

namespace etalon {
namespace {

std::string hex(const std::array<uint8_t, 32>& digest) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  for (const uint8_t byte : digest) {
    text += kDigits[byte >> 4];
    text += kDigits[byte & 15];
  }
  return text;
}

TEST(Sha256, GivesThePublishedDigests) {  // FIPS 180-4, NIST's example values
  EXPECT_EQ(hex(sha256("")), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(hex(sha256("abc")), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(hex(sha256("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq")),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(hex(sha256(std::string(1'000'000, 'a'))),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

// Lengths around the ends of a block; the digest of digests was made with coreutils' sha256sum.
TEST(Sha256, PadsEveryLength) {
  std::string all;
  for (size_t n = 0; n < 200; ++n) all += hex(sha256(std::string(n, 'x'))) + "\n";
  EXPECT_EQ(hex(sha256(all)), "eefa31ba9c6db774cb2535a4059ef29c02021837d737e3a51351ffc7fa629899");
}

}  // namespace
}  // namespace etalon
